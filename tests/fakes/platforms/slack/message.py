"""A message as it stands in a channel of a local Slack."""

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.platforms.slack.payloads import options_of

Json = dict[str, Any]


@dataclass(slots=True)
class Shown:
    """A message as it stands in a channel now; `edits` counts chat.update.

    `streams` while it is an open stream, `streamed` when it ever was one. `was` are all the texts
    that it showed, the newest last.
    """

    channel: str
    ts: str
    thread_ts: str
    text: str
    blocks: list[Json]
    edits: int = 0
    streams: bool = False
    streamed: bool = False
    was: list[str] = field(default_factory=list)
    metadata: Json = field(default_factory=dict)

    @property
    def buttons(self) -> list[Json]:
        """Its buttons, in order; each option of a menu is one, as `option` of the menu."""
        actions = [block for block in self.blocks if block["type"] == "actions"]
        elements = [element for block in actions for element in block["elements"]]
        return [tapped for element in elements for tapped in _tappable(element)]

    @property
    def body(self) -> str:
        """Everything its blocks say, as mrkdwn."""
        held = [part for b in self.blocks for part in (b, *b.get("elements", ()))]
        texts = [
            _rich(part) if part["type"].startswith("rich_text_") else part["text"]
            for part in held
            if isinstance(part.get("text"), (dict, str)) or part["type"].startswith("rich_text_")
        ]
        return "\n".join(t if isinstance(t, str) else t["text"] for t in texts)


def _rich(element: Json) -> str:
    """What a part of a rich text says, as mrkdwn: none of its characters is one of mrkdwn's."""
    told = "".join(part["text"] for part in element["elements"])
    return told.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _tappable(element: Json) -> list[Json]:
    if element["type"] != "static_select":
        return [element]
    return [element | {"text": o["text"], "option": o} for o in options_of(element)]
