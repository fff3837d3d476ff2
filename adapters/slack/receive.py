"""Slack payloads to updates: pure, for payloads whose signature is already verified (design §3)."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from adapters.slack.address import Address
from adapters.slack.entities import cut_mention, mentions, plain
from engine.errors import BadPayload
from engine.events import (
    Actor,
    CardTapped,
    CommandGiven,
    FormSubmitted,
    MessageReceived,
    SharedFile,
    Update,
)

ACTION_PREFIX = "signoff:"
FORM_CALLBACK = "signoff"

_COMMAND = re.compile(r"/(?P<name>[a-z_]{1,32})(?:\s+(?P<text>.*))?", re.DOTALL)
_READ_SUBTYPES = (None, "file_share", "thread_broadcast")

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]+$")]
Ts = Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Named(_Part):
    id: Id


class _Person(_Part):
    id: Id
    name: str = ""
    username: str = ""
    team_id: Id | None = None


class _Authorization(_Part):
    user_id: str = ""


class _EventCallback(_Part):
    team_id: Id
    event: dict[str, Any]
    authorizations: tuple[_Authorization, ...] | None = None

    @property
    def bot(self) -> str:
        """The bot's user id, or "" when Slack did not name it."""
        return self.authorizations[0].user_id if self.authorizations else ""


class _File(_Part):
    id: Id
    name: str | None = None
    mimetype: str | None = None
    size: int = 0
    url_private: str = ""
    url_private_download: str = ""

    @property
    def shared(self) -> SharedFile:
        """As we name it; nothing of it is believed."""
        return SharedFile(
            platform="slack",
            id=self.id,
            name=self.name or "",
            size_bytes=self.size,
            media_type=self.mimetype or "",
            url=self.url_private_download or self.url_private,
        )


class _Message(_Part):
    channel: Id
    ts: Ts
    user: Id
    text: str | None = None
    thread_ts: Ts | None = None
    channel_type: str = ""
    files: tuple[_File, ...] = ()

    @property
    def direct(self) -> bool:
        return self.channel_type == "im" or self.channel.startswith("D")


class _Container(_Part):
    channel_id: Id | None = None
    message_ts: Ts | None = None
    thread_ts: Ts | None = None


class _TappedMessage(_Part):
    ts: Ts
    thread_ts: Ts | None = None


class _Action(_Part):
    action_id: str
    action_ts: Ts
    value: str = ""


class _BlockActions(_Part):
    team: _Named | None = None
    user: _Person
    channel: _Named | None = None
    container: _Container = _Container()
    message: _TappedMessage | None = None
    actions: tuple[dict[str, Any], ...]


class _Option(_Part):
    value: str


class _Value(_Part):
    value: str | None = None
    selected_date: str | None = None
    selected_option: _Option | None = None

    @property
    def raw(self) -> str:
        """What the person entered, "" for nothing."""
        chosen = self.selected_option.value if self.selected_option else None
        return self.value or self.selected_date or chosen or ""


class _State(_Part):
    values: dict[str, dict[str, _Value]] = {}


class _View(_Part):
    id: Id
    hash: str
    private_metadata: str
    state: _State = _State()


class _ViewSubmission(_Part):
    team: _Named | None = None
    user: _Person
    view: _View


class FormOrigin(_Part):
    """What a form carries to find its way back: the button's data and the conversation."""

    button: str
    conversation: str


class _SlashCommand(_Part):
    team_id: Id
    channel_id: Id
    user_id: Id
    user_name: str = ""
    command: str
    text: str = ""
    trigger_id: str = Field(min_length=1)


def receive(payload: Mapping[str, Any]) -> Update | None:
    """The update in a verified payload, or None for what is not for us (answered 200).

    Raises BadPayload for what Slack does not send.
    """
    try:
        return _read(payload)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, fault["loc"])) for fault in error.errors())
        raise BadPayload(f"not a Slack payload: {fields}") from error


def _read(payload: Mapping[str, Any]) -> Update | None:
    if "type" not in payload:
        if "ssl_check" in payload:
            return None
        return _slash_command(payload)
    kind = payload["type"]
    if not isinstance(kind, str):
        raise BadPayload("not a Slack payload: type")
    reader = _READERS.get(kind)
    return reader(payload) if reader else None


def _event(payload: Mapping[str, Any]) -> Update | None:
    callback = _EventCallback.model_validate(payload)
    kind, event = callback.event.get("type"), callback.event
    if kind not in ("message", "app_mention") or not _from_a_person(event, callback.bot):
        return None
    message = _Message.model_validate(event)
    text = message.text or ""
    if kind == "message" and not message.direct and not mentions(text, callback.bot):
        return None
    thread = "" if message.direct else message.thread_ts or message.ts
    return _said(
        id=f"slack:{callback.team_id}:{message.channel}:{message.ts}",
        conversation=Address(callback.team_id, message.channel, thread).conversation,
        actor=Actor(platform="slack", workspace=callback.team_id, user=message.user),
        text=plain(cut_mention(text, callback.bot)),
        files=tuple(file.shared for file in message.files),
    )


def _from_a_person(event: Mapping[str, Any], bot: str) -> bool:
    return (
        event.get("subtype") in _READ_SUBTYPES
        and not event.get("bot_id")
        and bool(event.get("user"))
        and event.get("user") != bot
    )


def _said(
    *, id: str, conversation: str, actor: Actor, text: str, files: tuple[SharedFile, ...]
) -> Update:
    """Slack has no slash commands in threads, so `/name …` written to the bot is one as well."""
    command = _COMMAND.fullmatch(text)
    if command is None:
        return MessageReceived(
            id=id, conversation=conversation, actor=actor, text=text, files=files
        )
    return CommandGiven(
        id=id,
        conversation=conversation,
        actor=actor,
        name=command["name"],
        text=(command["text"] or "").strip(),
    )


def _slash_command(payload: Mapping[str, Any]) -> CommandGiven:
    slash = _SlashCommand.model_validate(payload)
    name, text = slash.command.removeprefix("/"), slash.text.strip()
    if name == "signoff":
        first, _, text = text.partition(" ")
        name = first.removeprefix("/").lower() or "help"
    return CommandGiven(
        id=f"slack:command:{slash.team_id}:{slash.trigger_id}",
        conversation=Address(slash.team_id, slash.channel_id).conversation,
        actor=Actor(
            platform="slack",
            workspace=slash.team_id,
            user=slash.user_id,
            name=slash.user_name,
        ),
        name=name,
        text=text.strip(),
    )


def _block_actions(payload: Mapping[str, Any]) -> CardTapped | None:
    tap = _BlockActions.model_validate(payload)
    ours = [a for a in tap.actions if str(a.get("action_id", "")).startswith(ACTION_PREFIX)]
    channel = tap.channel.id if tap.channel else tap.container.channel_id
    if not ours or channel is None:
        return None
    action = _Action.model_validate(ours[0])
    actor = _actor(tap.team, tap.user)
    return CardTapped(
        id=f"slack:action:{actor.workspace}:{actor.user}:{channel}:{action.action_ts}",
        conversation=Address(actor.workspace, channel, _tapped_thread(tap, channel)).conversation,
        actor=actor,
        button=action.value,
        message_id=_tapped_message(tap, channel),
    )


def _tapped_message(tap: _BlockActions, channel: str) -> str:
    ts = tap.message.ts if tap.message else tap.container.message_ts
    return f"{channel}:{ts}" if ts else ""


def _tapped_thread(tap: _BlockActions, channel: str) -> str:
    if channel.startswith("D"):
        return ""
    message_ts = tap.message.ts if tap.message else tap.container.message_ts
    thread = (tap.message.thread_ts if tap.message else None) or tap.container.thread_ts
    # A card that others answered in a thread is that thread's root: it still stands in the channel.
    return thread if thread and thread != message_ts else ""


def _view_submission(payload: Mapping[str, Any]) -> FormSubmitted | None:
    view = payload.get("view")
    if isinstance(view, Mapping) and view.get("callback_id") != FORM_CALLBACK:
        return None
    sent = _ViewSubmission.model_validate(payload)
    origin = FormOrigin.model_validate(_metadata(sent.view.private_metadata))
    actor = _actor(sent.team, sent.user)
    values = {
        block: next((value.raw for value in entered.values()), "")
        for block, entered in sent.view.state.values.items()
    }
    return FormSubmitted(
        # A refused form is sent again from the same view: with other values, if not another hash.
        id=f"slack:view:{actor.workspace}:{sent.view.id}:{sent.view.hash}:{_digest(values)}",
        conversation=origin.conversation,
        actor=actor,
        button=origin.button,
        values=values,
    )


def _digest(values: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def _metadata(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadPayload("not a form of ours: private_metadata") from error


def _actor(team: _Named | None, user: _Person) -> Actor:
    workspace = team.id if team else user.team_id
    if workspace is None:
        raise BadPayload("not a Slack payload: team")
    return Actor(
        platform="slack", workspace=workspace, user=user.id, name=user.name or user.username
    )


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Update | None]] = {
    "event_callback": _event,
    "block_actions": _block_actions,
    "view_submission": _view_submission,
}
