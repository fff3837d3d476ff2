"""Text of people and data inside Markdown sentences of ours."""

import re

_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|#]")


def literal(text: str) -> str:
    """Markdown that shows just `text`, on one line: it can be no link, heading or mark of ours."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
