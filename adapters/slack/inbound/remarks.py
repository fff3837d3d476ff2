"""What one person is told about a payload that is no update: a message without text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.slack.inbound.asked import SHORTCUT
from adapters.slack.shapes import workspace_of
from adapters.slack.wording import Speaks, unknown
from cards.texts import COMPLETE, say
from engine.events import Actor


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence for the eyes of `user`, at `conversation`; "" is where the payload came from."""

    text: str
    conversation: str = ""
    user: str = ""


def remark(payload: Mapping[str, Any], speaks: Speaks = unknown) -> Remark | None:
    """What to say about this payload; None for nothing, also where it has another shape."""
    if payload.get("type") == "message_action" and payload.get("callback_id") == SHORTCUT:
        return _no_text(payload, speaks)
    return None


def _no_text(payload: Mapping[str, Any], speaks: Speaks) -> Remark:
    """In both languages where nothing tells that of who asked."""
    user = payload.get("user")
    name = str(user.get("id", "")) if isinstance(user, Mapping) else ""
    lang = speaks(Actor(platform="slack", workspace=workspace_of(payload), user=name))
    langs = (lang,) if lang else COMPLETE
    return Remark(" ".join(say("slack.no_text", each) for each in langs))
