"""Slack payloads to updates: pure, for payloads whose signature is already verified (design §3)."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from adapters.slack.address import Address
from adapters.slack.inbound.markup import begins_with_mention, cut_mention, mentions, plain
from adapters.slack.inbound.shortcuts import message_action, said, slash_command
from adapters.slack.payload import (
    ACTION_PREFIX,
    FORM_CALLBACK,
    FormOrigin,
    Id,
    Named,
    PayloadPart,
    SlackUser,
    Ts,
    actor_of,
)
from engine.errors import BadPayload
from engine.events import (
    Actor,
    CardTapped,
    CommandGiven,
    FormSubmitted,
    MessageEdited,
    MessageReceived,
    SharedFile,
    Update,
)

_READ_SUBTYPES = (None, "file_share", "thread_broadcast")


class _Authorization(PayloadPart):
    user_id: str = ""


class _Profile(PayloadPart):
    team: str = ""
    is_restricted: bool = False
    is_ultra_restricted: bool = False


class _MessageWriter(PayloadPart):
    """Where somebody who wrote in a channel belongs, as far as the event tells."""

    user_team: str | None = None
    source_team: str | None = None
    team: str | None = None
    user_profile: _Profile | None = None

    def is_guest(self, workspace: str, *, shared: bool) -> bool:
        """Whether the workspace only lets them in; in a channel that others share, if in doubt."""
        profile = self.user_profile or _Profile()
        home = self.user_team or profile.team
        if shared:
            home = home or self.source_team or self.team or "nobody knows"
        limited = profile.is_restricted or profile.is_ultra_restricted
        return limited or (home or workspace) != workspace


class _EventCallback(PayloadPart):
    team_id: Id
    event: dict[str, Any]
    is_ext_shared_channel: bool = False
    authorizations: tuple[_Authorization, ...] | None = None

    @property
    def bot(self) -> str:
        """The bot's user id, or "" when Slack did not name it."""
        return self.authorizations[0].user_id if self.authorizations else ""


class _File(PayloadPart):
    id: Id
    name: str | None = None
    mimetype: str | None = None
    size: int = 0
    url_private: str = ""
    url_private_download: str = ""

    def shared(self, workspace: str) -> SharedFile:
        """As we name it, in a message of that workspace; nothing of it is believed."""
        return SharedFile(
            platform="slack",
            id=self.id,
            name=self.name or "",
            size_bytes=self.size,
            media_type=self.mimetype or "",
            url=self.url_private_download or self.url_private,
            workspace=workspace,
        )


class _Message(PayloadPart):
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

    @property
    def answered(self) -> str:
        """The message in whose thread it stands, "" for none."""
        return "" if self.thread_ts in (None, self.ts) else str(self.thread_ts)


class _Change(PayloadPart):
    channel: Id
    channel_type: str = ""
    ts: Ts
    message: dict[str, Any]
    previous_message: dict[str, Any] | None = None


class _Container(PayloadPart):
    channel_id: Id | None = None
    message_ts: Ts | None = None
    thread_ts: Ts | None = None


class _TappedMessage(PayloadPart):
    ts: Ts
    thread_ts: Ts | None = None


class _Option(PayloadPart):
    value: str


class _Action(PayloadPart):
    action_id: str
    action_ts: Ts
    value: str = ""
    selected_option: _Option | None = None


class _BlockActions(PayloadPart):
    team: Named | None = None
    user: SlackUser
    channel: Named | None = None
    container: _Container = _Container()
    message: _TappedMessage | None = None
    actions: tuple[dict[str, Any], ...]


class _Value(PayloadPart):
    value: str | None = None
    selected_date: str | None = None
    selected_option: _Option | None = None
    selected_user: Id | None = None

    def raw(self, workspace: str) -> str:
        """What the person entered, "" for nothing; somebody of that workspace by their account."""
        chosen = self.selected_option.value if self.selected_option else None
        person = f"slack:{workspace}:{self.selected_user}" if self.selected_user else None
        return self.value or self.selected_date or chosen or person or ""


class _FormState(PayloadPart):
    values: dict[str, dict[str, _Value]] = {}


class _View(PayloadPart):
    id: Id
    hash: str
    private_metadata: str
    state: _FormState = _FormState()


class _ViewSubmission(PayloadPart):
    team: Named | None = None
    user: SlackUser
    view: _View


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
        return slash_command(payload)
    kind = payload["type"]
    if not isinstance(kind, str):
        raise BadPayload("not a Slack payload: type")
    reader = _READERS.get(kind)
    return reader(payload) if reader else None


def _event(payload: Mapping[str, Any]) -> Update | None:
    callback = _EventCallback.model_validate(payload)
    if callback.event.get("subtype") == "message_changed":
        return _changed(payload, _Change.model_validate(callback.event))
    kind, event = callback.event.get("type"), callback.event
    if kind not in ("message", "app_mention") or not _from_a_person(event, callback.bot):
        return None
    message = _Message.model_validate(event)
    text = message.text or ""
    addressed = kind == "app_mention" or message.direct or mentions(text, callback.bot)
    if not addressed and (not message.answered or begins_with_mention(text)):
        return None
    at = Address(callback.team_id, message.channel, message.answered)
    shared = callback.is_ext_shared_channel
    guest = _MessageWriter.model_validate(event).is_guest(callback.team_id, shared=shared)
    name = f"slack:{callback.team_id}:{message.channel}:{message.ts}"
    update = said(
        id=name,
        message=name,
        conversation=(at.whole if message.direct else at.below(message.ts)).conversation,
        actor=Actor(platform="slack", workspace=callback.team_id, user=message.user, guest=guest),
        text=plain(cut_mention(text, callback.bot)),
        files=tuple(file.shared(callback.team_id) for file in message.files),
        thread=at.conversation if message.direct and at.thread else "",
    )
    if addressed:
        return update
    return update.model_copy(update={"overheard": True}) if update.kind == "message" else None


def _changed(payload: Mapping[str, Any], change: _Change) -> Update | None:
    """What its writer made of a message; Slack tells of previews that it adds in the same way.

    One in which the bot is mentioned from now on is a message to it, and no edit of one.
    """
    now, before = change.message, change.previous_message
    if before is None or now.get("text") == before.get("text"):
        return None
    where = {"type": "message", "channel": change.channel, "channel_type": change.channel_type}
    was, to = (_event({**payload, "event": {**each, **where}}) for each in (before, now))
    if not isinstance(to, MessageReceived | CommandGiven):
        return None
    if not _is_addressed(was) and _is_addressed(to):
        return to
    at = "".join(filter(str.isdigit, change.ts)).zfill(20)
    return MessageEdited(id=f"{to.id}/edit/{change.ts}", to=to, at=at)


def _is_addressed(update: Update | None) -> bool:
    return update is not None and not (isinstance(update, MessageReceived) and update.overheard)


def _from_a_person(event: Mapping[str, Any], bot: str) -> bool:
    return (
        event.get("subtype") in _READ_SUBTYPES
        and not event.get("bot_id")
        and bool(event.get("user"))
        and event.get("user") != bot
    )


def _block_actions(payload: Mapping[str, Any]) -> CardTapped | None:
    tap = _BlockActions.model_validate(payload)
    ours = [a for a in tap.actions if str(a.get("action_id", "")).startswith(ACTION_PREFIX)]
    channel = tap.channel.id if tap.channel else tap.container.channel_id
    if channel is None and on_home(payload):
        # The person's own tab: what comes of it is said in their direct messages.
        channel = tap.user.id
    if not ours or channel is None:
        return None
    action = _Action.model_validate(ours[0])
    actor = actor_of(tap.team, tap.user)
    return CardTapped(
        id=f"slack:action:{actor.workspace}:{actor.user}:{channel}:{action.action_ts}",
        conversation=Address(actor.workspace, channel, _tapped_thread(tap, channel)).conversation,
        actor=actor,
        button=action.selected_option.value if action.selected_option else action.value,
        message_id=_tapped_message(tap, channel),
    )


def _tapped_message(tap: _BlockActions, channel: str) -> str:
    ts = tap.message.ts if tap.message else tap.container.message_ts
    return f"{channel}:{ts}" if ts else ""


def on_home(payload: Mapping[str, Any]) -> bool:
    """Whether a tap was made on the Home tab, where no notice can be shown."""
    view = payload.get("view")
    return isinstance(view, Mapping) and view.get("type") == "home"


def _tapped_thread(tap: _BlockActions, channel: str) -> str:
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
    actor = actor_of(sent.team, sent.user)
    values = {
        block: next((value.raw(actor.workspace) for value in entered.values()), "")
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


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Update | None]] = {
    "event_callback": _event,
    "block_actions": _block_actions,
    "message_action": message_action,
    "view_submission": _view_submission,
}
