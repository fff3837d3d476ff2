"""An outcome as Slack's answer to the request that brought the update (design §3, ingress)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never

import structlog
from slack_bolt.response import BoltResponse

from adapters.slack.address import Address
from adapters.slack.api import AS_WRITTEN, WebApi
from adapters.slack.inbound.receive import on_home
from adapters.slack.inbound.shortcuts import SHORTCUT
from adapters.slack.languages import Speaks, lang_of, unknown
from adapters.slack.outbound.blocks import notice, notices
from adapters.slack.outbound.forms import answer, field_errors, modal
from adapters.slack.payload import workspace_of
from cards.model import Lang
from cards.showing.view import FormView
from cards.texts import COMPLETE, say
from engine.errors import PlatformError, RateLimited, is_about_content
from engine.events import (
    Accepted,
    Actor,
    CardTapped,
    CommandGiven,
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageEdited,
    MessageReceived,
    NotForUs,
    NotRecorded,
    Outcome,
    Update,
    note_shown,
)

_TELL_S = 2.0
# What is left of Slack's time after a form did not open, to say so.
_SAY_SO_S = 0.7
_LATE = "time limit"
_USED = "exchanged_trigger_id"
_EPHEMERAL = {"response_type": "ephemeral"}
log = structlog.get_logger("slack")
Payload = Mapping[str, Any]


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


async def acknowledge(
    update: Update,
    outcome: Outcome,
    *,
    payload: Payload,
    api: WebApi,
    until: float,
    lang: Lang | None = None,
) -> BoltResponse:
    """The answer to Slack. What the person is to see is shown before, best effort, and noted.

    `until` is when Slack has to have the answer, by the event loop's time. `lang` is what they want
    to read, None for the language that they wrote in.
    """
    match update:
        case MessageEdited():
            return await _event(update, outcome, api)
        case MessageReceived() | CommandGiven():
            match payload.get("type"):
                case "event_callback":
                    return await _event(update, outcome, api)
                case "message_action":
                    return await _shortcut(update, outcome, payload, api, lang)
                case _:
                    return await _command(update, outcome, payload, api, until, lang)
        case CardTapped():
            if not _is_again(outcome) and await _tap(update, outcome, payload, api, until):
                await note_shown(outcome)
            return BoltResponse(status=200, body="")
        case FormSubmitted():
            await note_shown(outcome)
            return _form(update, outcome, payload)
        case _:
            assert_never(update)


async def _event(
    update: MessageReceived | CommandGiven | MessageEdited, outcome: Outcome, api: WebApi
) -> BoltResponse:
    if isinstance(outcome, NotRecorded):
        return BoltResponse(status=503, body="", headers={"Retry-After": "5"})
    if (text := _text(outcome)) and not _is_again(outcome) and await _tell(update, text, api):
        await note_shown(outcome)
    return BoltResponse(status=200, body="")


async def _command(
    update: MessageReceived | CommandGiven,
    outcome: Outcome,
    payload: Payload,
    api: WebApi,
    until: float,
    lang: Lang | None,
) -> BoltResponse:
    text = _text(outcome)
    await note_shown(outcome)
    if isinstance(outcome, FormWanted) and not outcome.again:
        text = await _open(update, outcome.form, payload, api, until)
    if isinstance(outcome, Accepted) and _elsewhere(update, payload.get("channel_id")):
        text = say("slack.answer_there", lang or lang_of(update.text))
    if not text:
        return BoltResponse(status=200, body="")
    return BoltResponse(status=200, body=_EPHEMERAL | notice(text))


async def _shortcut(
    update: MessageReceived | CommandGiven,
    outcome: Outcome,
    payload: Payload,
    api: WebApi,
    lang: Lang | None,
) -> BoltResponse:
    """Slack shows nothing of the answer to a shortcut: what is to be read is posted."""
    channel, text = payload.get("channel"), _text(outcome)
    at = channel.get("id") if isinstance(channel, Mapping) else None
    if isinstance(outcome, Accepted) and _elsewhere(update, at):
        text = "" if outcome.duplicate else say("slack.answer_there", lang or lang_of(update.text))
    if text and not _is_again(outcome) and await tell(Remark(text), payload, api):
        await note_shown(outcome)
    return BoltResponse(status=200, body="")


def _elsewhere(update: Update, channel: object) -> bool:
    """Whether the answer comes at another place than where it was asked."""
    return Address.parse(update.conversation).channel != channel


async def tell(remark: Remark, payload: Payload, api: WebApi) -> bool:
    """Shows a remark to the one person it is for, in time; whether Slack did."""

    async def show(shown: dict[str, Any]) -> None:
        if not remark.conversation:
            await api.respond(str(payload.get("response_url", "")), _EPHEMERAL | shown)
            return
        place = Address.parse(remark.conversation).place
        fields = place | {"user": remark.user} | AS_WRITTEN
        await api.call("chat.postEphemeral", fields | shown)

    try:
        async with asyncio.timeout(_TELL_S):
            await _noticed(remark.text, partial(_when_allowed, show))
    except (PlatformError, TimeoutError) as error:
        reason = str(error) or "time limit"
        log.warning("remark_not_shown", conversation=remark.conversation, error=reason)
        return False
    return True


async def _when_allowed(
    show: Callable[[dict[str, Any]], Awaitable[object]], shown: dict[str, Any]
) -> None:
    """Shows it, once more where Slack limits the rate for a moment. Raises PlatformError."""
    try:
        await show(shown)
    except RateLimited as error:
        if error.retry_after_s >= _TELL_S:
            raise
        await asyncio.sleep(error.retry_after_s)
        await show(shown)


async def _noticed(text: str, show: Callable[[dict[str, Any]], Awaitable[object]]) -> None:
    """Shows a notice, and plainer where Slack refuses what it holds. Raises PlatformError."""
    *ways, last = notices(text)
    for fields in ways:
        try:
            await show(fields)
            return
        except PlatformError as error:
            if not is_about_content(error):
                raise
            log.warning("notice_refused", error=str(error))
    await show(last)


async def _tap(
    update: CardTapped, outcome: Outcome, payload: Payload, api: WebApi, until: float
) -> bool:
    """Whether the person was shown something."""
    text = _text(outcome)
    if isinstance(outcome, FormWanted):
        text = await _open(update, outcome.form, payload, api, until)
    elif text and on_home(payload):
        text = text if await _modal(answer(text), payload, api, until) else ""
    return not text or await _tell(update, text, api)


def _form(update: FormSubmitted, outcome: Outcome, payload: Payload) -> BoltResponse:
    view = payload["view"]
    match outcome:
        case Accepted() | NotForUs() | ConfirmWanted():
            return BoltResponse(status=200, body="")
        case DirectAnswer(ok=True, tells=False):
            return _modal_action("clear")
        case DirectAnswer(text=text):
            return _modal_action("update", view=answer(text))
        case FormWanted(form=form):
            return _modal_action("update", view=modal(form, update.conversation))
        case NotRecorded(text=text):
            errors = field_errors({"": text}, view)
        case FormRefused():
            errors = field_errors(outcome.errors, view)
        case _:
            assert_never(outcome)
    if not errors:
        return _modal_action("update", view=answer(_text(outcome)))
    return _modal_action("errors", errors=errors)


def _modal_action(action: str, **more: Any) -> BoltResponse:
    return BoltResponse(status=200, body={"response_action": action, **more})


def _text(outcome: Outcome) -> str:
    """What the person is to read, "" for nothing."""
    match outcome:
        case DirectAnswer(text=text) | NotRecorded(text=text):
            return text
        case FormRefused(errors=errors):
            return " ".join(errors.values())
        case _:
            return ""


def _is_again(outcome: Outcome) -> bool:
    return isinstance(outcome, DirectAnswer | FormWanted | FormRefused) and outcome.again != ""


async def _open(update: Update, form: FormView, payload: Payload, api: WebApi, until: float) -> str:
    """Shows the form; what the person is told where it did not open, "" where it did."""
    fault = await _modal(modal(form, update.conversation), payload, api, until)
    if not fault:
        return ""
    # A form of a trigger that was used stands open, and one that took too long may.
    perhaps = fault == _LATE or fault.endswith(_USED)
    return say("slack.late_form" if perhaps else "slack.no_form", form.lang)


async def _modal(view: dict[str, Any], payload: Payload, api: WebApi, until: float) -> str:
    """Opens a modal; why it did not open, "" where it did."""
    fields = {"trigger_id": payload.get("trigger_id"), "view": view}
    try:
        async with asyncio.timeout_at(until - _SAY_SO_S):
            await api.call("views.open", fields)
    except (PlatformError, TimeoutError) as error:
        fault = str(error) or _LATE
        log.warning("modal_not_opened", error=fault)
        return fault
    return ""


async def _tell(update: Update, text: str, api: WebApi) -> bool:
    return await tell(Remark(text, update.conversation, update.actor.user), {}, api)
