"""What people ask outside of a conversation with the bot: `/signoff …`, and "Ask Signoff".

Both are answered in the person's direct messages with the bot: Slack knows no slash command in a
thread, and what others wrote is asked for one's own eyes. The conversation names the person
(`slack:TEAM:USER`); the door puts their direct message in its place.
"""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from adapters.slack.address import Address
from adapters.slack.inbound.markup import plain
from adapters.slack.payload import Id, Named, PayloadPart, SlackUser, Ts, actor_of
from engine.events import Actor, CommandGiven, MessageReceived, SharedFile

COMMAND = "/signoff"
SHORTCUT = "ask_signoff"

_SLASHED = re.compile(r"/(?P<name>[a-z_]{1,32})(?:\s(?P<text>.*))?", re.DOTALL)
_PAGE = re.compile(r"pending\s+(?P<text>[0-9]{1,3})", re.IGNORECASE)


class _SlashCommand(PayloadPart):
    team_id: Id
    user_id: Id
    user_name: str = ""
    command: str
    text: str = ""
    trigger_id: str = Field(min_length=1)


class _AskedOf(PayloadPart):
    ts: Ts
    text: str | None = None


class _MessageAction(PayloadPart):
    team: Named | None = None
    user: SlackUser
    trigger_id: str = Field(min_length=1)
    message: _AskedOf


def said(
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
    """What was written, as a command where it is `/name …`: there are none of Slack's in threads.

    A command's bare word is one too, which the intake knows.
    """
    command = _SLASHED.fullmatch(text)
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
    """`/signoff` with a command or a question in it; another `/name` of the app is a command."""
    slash = _SlashCommand.model_validate(payload)
    text = plain(slash.text).strip()
    if slash.command != COMMAND:
        text = f"{slash.command} {text}"
    elif page := _PAGE.fullmatch(text):
        text = f"/pending {page['text']}"
    actor = Actor(
        platform="slack", workspace=slash.team_id, user=slash.user_id, name=slash.user_name
    )
    return said(
        id=f"slack:command:{slash.team_id}:{slash.trigger_id}",
        conversation=Address(slash.team_id, slash.user_id).conversation,
        actor=actor,
        text=text.strip() or "/help",
        aside=True,
    )


def message_action(payload: Mapping[str, Any]) -> MessageReceived | None:
    """The text of the message that "Ask Signoff" was chosen on, as a question of who chose it.

    None for another shortcut, and for a message without text.
    """
    if payload.get("callback_id") != SHORTCUT:
        return None
    action = _MessageAction.model_validate(payload)
    text = _question(plain(action.message.text or ""))
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
    # Somebody else wrote it: it must not become a command of who asks about it.
    text = text.strip().lstrip("/／").strip()
    return text if not text or len(text.split()) > 1 else f"{text} ?"
