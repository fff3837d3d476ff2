"""What one person is told about a payload that is no update: an edit, an empty message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from adapters.slack.address import Address
from adapters.slack.asked import SHORTCUT
from adapters.slack.entities import mentions, plain
from adapters.slack.shapes import Id, Part, Ts, workspace_of
from adapters.slack.wording import Speaks, lang_of, unknown
from cards.model import Lang
from cards.texts import say
from engine.events import Actor


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence for the eyes of `user`, at `conversation`; "" is where the payload came from."""

    text: str
    conversation: str = ""
    user: str = ""


class _Written(Part):
    ts: Ts
    user: Id | None = None
    bot_id: str | None = None
    text: str = ""
    thread_ts: Ts | None = None


class _Changed(Part):
    channel: Id
    channel_type: str = ""
    message: _Written
    previous_message: _Written | None = None


class _Authorization(Part):
    user_id: str = ""


class _Event(Part):
    team_id: Id
    event: _Changed
    authorizations: tuple[_Authorization, ...] | None = None


def remark(payload: Mapping[str, Any], speaks: Speaks = unknown) -> Remark | None:
    """What to say about this payload; None for nothing, also where it has another shape."""
    if payload.get("type") == "message_action":
        return _no_text(payload, speaks) if payload.get("callback_id") == SHORTCUT else None
    event = payload.get("event")
    if not isinstance(event, Mapping) or event.get("subtype") != "message_changed":
        return None
    try:
        return _edited(_Event.model_validate(payload), speaks)
    except ValidationError:
        return None


def _no_text(payload: Mapping[str, Any], speaks: Speaks) -> Remark:
    """In both languages where nothing tells that of who asked."""
    user = payload.get("user")
    name = str(user.get("id", "")) if isinstance(user, Mapping) else ""
    lang = speaks(Actor(platform="slack", workspace=workspace_of(payload), user=name))
    langs: tuple[Lang, ...] = (lang,) if lang else ("zh", "en")
    return Remark(" ".join(say("slack.no_text", each) for each in langs))


def _edited(changed: _Event, speaks: Speaks) -> Remark | None:
    """An edit asks for nothing: what was asked stands, and may be answered already.

    Slack sends a change too when it adds a preview, and for messages of bots.
    """
    event, now, before = changed.event, changed.event.message, changed.event.previous_message
    bot = changed.authorizations[0].user_id if changed.authorizations else ""
    if now.user is None or now.bot_id or now.user == bot:
        return None
    if before is None or now.text == before.text:
        return None
    direct = event.channel_type == "im" or event.channel.startswith("D")
    if not direct and not mentions(now.text, bot):
        return None
    thread = "" if direct else now.thread_ts or now.ts
    writer = Actor(platform="slack", workspace=changed.team_id, user=now.user)
    return Remark(
        text=say("slack.edited", speaks(writer) or lang_of(plain(now.text))),
        conversation=Address(changed.team_id, event.channel, thread).conversation,
        user=now.user,
    )
