"""Slack's verified payloads to updates; pure (design §3)."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from adapters.slack.address import Address
from adapters.slack.inbound.markup import (
    has_leading_mention,
    has_mention,
    remove_mention,
    to_plain_text,
)
from adapters.slack.inbound.shortcuts import message_action, message_or_command, slash_command
from adapters.slack.payload import (
    ACTION_PREFIX,
    EMPTIED,
    FORM_CALLBACK,
    FormOrigin,
    Id,
    NamedObject,
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
    """The workspace of a message's writer, as far as the event tells."""

    user_team: str | None = None
    source_team: str | None = None
    team: str | None = None
    user_profile: _Profile | None = None

    def is_guest(self, workspace: str, *, shared: bool) -> bool:
        """Whether they are only guests of the workspace; in a shared channel, also if in doubt."""
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

    def to_shared_file(self, workspace: str) -> SharedFile:
        """Return the file in our words, in a message of that workspace; all of it is unverified."""
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
    def parent(self) -> str:
        """The message whose thread it is in, "" for none."""
        return "" if self.thread_ts in (None, self.ts) else str(self.thread_ts)


class _MessageChange(PayloadPart):
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
    team: NamedObject | None = None
    user: SlackUser
    channel: NamedObject | None = None
    container: _Container = _Container()
    message: _TappedMessage | None = None
    actions: tuple[dict[str, Any], ...]


class _EnteredValue(PayloadPart):
    value: str | None = None
    selected_date: str | None = None
    selected_time: str | None = None
    selected_option: _Option | None = None
    selected_user: Id | None = None
    selected_options: tuple[_Option, ...] = ()
    files: tuple[_File, ...] = ()

    def raw(self, workspace: str) -> str:
        """Return what the person entered, "" for nothing; a person by their account."""
        chosen = self.selected_option.value if self.selected_option else None
        person = f"slack:{workspace}:{self.selected_user}" if self.selected_user else None
        picked = self.selected_date or self.selected_time
        return self.value or picked or chosen or person or ""


class _FormState(PayloadPart):
    values: dict[str, dict[str, _EnteredValue]] = {}


class _View(PayloadPart):
    id: Id
    hash: str
    private_metadata: str
    state: _FormState = _FormState()


class _ViewSubmission(PayloadPart):
    team: NamedObject | None = None
    user: SlackUser
    view: _View


def receive(payload: Mapping[str, Any]) -> Update | None:
    """Return the update in a verified payload, None for what is not for us (answered 200).

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


def _read_event(payload: Mapping[str, Any]) -> Update | None:
    callback = _EventCallback.model_validate(payload)
    if callback.event.get("subtype") == "message_changed":
        return _read_change(payload, _MessageChange.model_validate(callback.event))
    kind, event = callback.event.get("type"), callback.event
    if kind not in ("message", "app_mention") or not _is_from_person(event, callback.bot):
        return None
    message = _Message.model_validate(event)
    text = message.text or ""
    addressed = kind == "app_mention" or message.direct or has_mention(text, callback.bot)
    if not addressed and (not message.parent or has_leading_mention(text)):
        return None
    at = Address(callback.team_id, message.channel, message.parent)
    shared = callback.is_ext_shared_channel
    guest = _MessageWriter.model_validate(event).is_guest(callback.team_id, shared=shared)
    name = f"slack:{callback.team_id}:{message.channel}:{message.ts}"
    update = message_or_command(
        id=name,
        message=name,
        conversation=(at.whole if message.direct else at.below(message.ts)).conversation,
        actor=Actor(platform="slack", workspace=callback.team_id, user=message.user, guest=guest),
        text=to_plain_text(remove_mention(text, callback.bot)),
        files=tuple(file.to_shared_file(callback.team_id) for file in message.files),
        thread=at.conversation if message.direct and at.thread else "",
    )
    if addressed:
        return update
    return update.model_copy(update={"overheard": True}) if update.kind == "message" else None


def _read_change(payload: Mapping[str, Any], change: _MessageChange) -> Update | None:
    """Return the edit of a message; None for previews that Slack adds.

    A message that mentions the bot only from now on is a new message to it.
    """
    after, before = change.message, change.previous_message
    if before is None or after.get("text") == before.get("text"):
        return None
    event = {"type": "message", "channel": change.channel, "channel_type": change.channel_type}
    was, to = (_read_event({**payload, "event": {**each, **event}}) for each in (before, after))
    if not isinstance(to, MessageReceived | CommandGiven):
        return None
    if not _is_addressed(was) and _is_addressed(to):
        return to
    at = "".join(filter(str.isdigit, change.ts)).zfill(20)
    return MessageEdited(id=f"{to.id}/edit/{change.ts}", to=to, at=at)


def _is_addressed(update: Update | None) -> bool:
    return update is not None and not (isinstance(update, MessageReceived) and update.overheard)


def _is_from_person(event: Mapping[str, Any], bot: str) -> bool:
    return (
        event.get("subtype") in _READ_SUBTYPES
        and not event.get("bot_id")
        and bool(event.get("user"))
        and event.get("user") != bot
    )


def _read_tap(payload: Mapping[str, Any]) -> CardTapped | None:
    tap = _BlockActions.model_validate(payload)
    ours = [a for a in tap.actions if str(a.get("action_id", "")).startswith(ACTION_PREFIX)]
    channel = tap.channel.id if tap.channel else tap.container.channel_id
    if channel is None and is_on_home(payload):
        # The person's own tab: answers go to their direct messages.
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


def is_on_home(payload: Mapping[str, Any]) -> bool:
    """Whether a tap was made on the Home tab, where no notice can be shown."""
    view = payload.get("view")
    return isinstance(view, Mapping) and view.get("type") == "home"


def _tapped_thread(tap: _BlockActions, channel: str) -> str:
    message_ts = tap.message.ts if tap.message else tap.container.message_ts
    thread = (tap.message.thread_ts if tap.message else None) or tap.container.thread_ts
    # The root of a thread is still in the channel.
    return thread if thread and thread != message_ts else ""


def _read_form(payload: Mapping[str, Any]) -> FormSubmitted | None:
    view = payload.get("view")
    if isinstance(view, Mapping) and view.get("callback_id") != FORM_CALLBACK:
        return None
    sent = _ViewSubmission.model_validate(payload)
    origin = FormOrigin.model_validate(_parse_metadata(sent.view.private_metadata))
    actor = actor_of(sent.team, sent.user)
    entered = {
        block: next(iter(given.values()), _EnteredValue())
        for block, given in sent.view.state.values.items()
    }
    ticks = {block for block, each in entered.items() if each.selected_options}
    entered = {block: each for block, each in entered.items() if not block.endswith(EMPTIED)}
    chosen = {block: each.files[0] for block, each in entered.items() if each.files}
    standing = {n: v for n, v in origin.standing.items() if f"{n}{EMPTIED}" not in ticks}
    values = {
        block: each.raw(actor.workspace) or standing.get(block, "")
        for block, each in entered.items()
    }
    digest = _digest({**values, **{block: file.id for block, file in chosen.items()}})
    return FormSubmitted(
        # A refused form comes again from the same view, with other values if not another hash.
        id=f"slack:view:{actor.workspace}:{sent.view.id}:{sent.view.hash}:{digest}",
        conversation=origin.conversation,
        actor=actor,
        button=origin.button,
        values=values,
        uploads={block: file.to_shared_file(actor.workspace) for block, file in chosen.items()},
    )


def _digest(values: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def _parse_metadata(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadPayload("not a form of ours: private_metadata") from error


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Update | None]] = {
    "event_callback": _read_event,
    "block_actions": _read_tap,
    "message_action": message_action,
    "view_submission": _read_form,
}
