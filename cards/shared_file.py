"""A file that somebody sent, as its platform names it: not fetched yet."""

from typing import Annotated

from pydantic import AfterValidator

from cards.frozen import Frozen


def _replace_surrogates(text: str) -> str:
    wide = text.encode("utf-16-le", "surrogatepass")
    return wide.decode("utf-16-le", "replace")


Text = Annotated[str, AfterValidator(_replace_surrogates)]
"""What somebody typed; lone surrogates, which no store keeps, are replaced by U+FFFD."""


class SharedFile(Frozen):
    """A file that came with a message or a form; only the platform's id of it can be trusted.

    `url` is where the platform has it, "" where it is asked for by its id. `workspace` is the one
    that the message came from, "" where there are none.
    """

    platform: str
    id: str
    name: Text = ""
    size_bytes: int = 0
    media_type: Text = ""
    url: Text = ""
    workspace: str = ""
