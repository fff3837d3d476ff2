"""Questions outside of a conversation with the bot: `/signoff …`, and the shortcut "Ask Signoff".

Both are answered in the person's direct messages: Slack has no slash commands in threads, and a
question about another's message is private. The conversation names the person (`slack:TEAM:USER`);
the endpoint puts their direct messages in its place.
"""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from adapters.slack.address import Address
from adapters.slack.inbound.markup import to_plain_text
from adapters.slack.payload import Id, NamedObject, PayloadPart, SlackUser, Ts, actor_of
from engine.events import Actor, CommandGiven, MessageReceived, SharedFile

COMMAND = "/signoff"
SHORTCUT = "ask_signoff"

_COMMAND_TEXT = re.compile(r"/(?P<name>[a-z_]{1,32})(?:\s(?P<text>.*))?", re.DOTALL)
_PENDING_PAGE = re.compile(r"pending\s+(?P<text>[0-9]{1,3})", re.IGNORECASE)


class _SlashCommand(PayloadPart):
    team_id: Id
    user_id: Id
    user_name: str = ""
    command: str
    text: str = ""
    trigger_id: str = Field(min_length=1)


class _ShortcutMessage(PayloadPart):
    ts: Ts
    text: str | None = None


class _MessageAction(PayloadPart):
    team: NamedObject | None = None
    user: SlackUser
    trigger_id: str = Field(min_length=1)
    message: _ShortcutMessage


def message_or_command(
    *,
    id: str,
    conversation: str,
    actor: Actor,
    text: str,
    files: tuple[SharedFile, ...] = (),
    thread: str = "",
    aside: bool = False,
    message: str = "",
) -> MessageReceived | CommandGiven:
    """Return what was written, as a command where it is `/name …`: Slack has none in threads.

    A command's bare word is understood by the intake.
    """
    command = _COMMAND_TEXT.fullmatch(text)
    if command is None:
        return MessageReceived(
            id=id,
            conversation=conversation,
            actor=actor,
            text=text,
            files=files,
            thread=thread,
            aside=aside,
            message=message,
        )
    return CommandGiven(
        id=id,
        conversation=conversation,
        actor=actor,
        name=command["name"],
        text=(command["text"] or "").strip(),
        files=files,
        thread=thread,
        aside=aside,
        message=message,
    )


def slash_command(payload: Mapping[str, Any]) -> MessageReceived | CommandGiven:
    """Return the command or question after `/signoff`; another `/name` of the app is a command."""
    slash = _SlashCommand.model_validate(payload)
    text = to_plain_text(slash.text).strip()
    if slash.command != COMMAND:
        text = f"{slash.command} {text}"
    elif page := _PENDING_PAGE.fullmatch(text):
        text = f"/pending {page['text']}"
    actor = Actor(
        platform="slack", workspace=slash.team_id, user=slash.user_id, name=slash.user_name
    )
    return message_or_command(
        id=f"slack:command:{slash.team_id}:{slash.trigger_id}",
        conversation=Address(slash.team_id, slash.user_id).conversation,
        actor=actor,
        text=text.strip() or "/help",
        aside=True,
    )


def message_action(payload: Mapping[str, Any]) -> MessageReceived | None:
    """Return the text of the message that "Ask Signoff" was used on, as a question of its user.

    None for another shortcut, and for a message without text.
    """
    if payload.get("callback_id") != SHORTCUT:
        return None
    action = _MessageAction.model_validate(payload)
    text = _question(to_plain_text(action.message.text or ""))
    if not text:
        return None
    actor = actor_of(action.team, action.user)
    return MessageReceived(
        id=f"slack:shortcut:{actor.workspace}:{action.trigger_id}",
        conversation=Address(actor.workspace, actor.user).conversation,
        actor=actor,
        text=text,
    )


def _question(text: str) -> str:
    # Somebody else's text must not become a command of the person who asks.
    text = text.strip().lstrip("/／").strip()
    return text if not text or len(text.split()) > 1 else f"{text} ?"
