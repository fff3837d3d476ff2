"""Answers Slack's requests by the outcome of their update (design §3, ingress)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never

import structlog
from slack_bolt.response import BoltResponse

from adapters.slack.address import Address
from adapters.slack.api import AS_WRITTEN, WebApi
from adapters.slack.inbound.receive import is_on_home
from adapters.slack.inbound.shortcuts import SHORTCUT
from adapters.slack.languages import LanguageOf, lang_of, unknown_language
from adapters.slack.outbound.blocks import notice, notices
from adapters.slack.outbound.forms import answer_modal, field_errors, form_modal
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

_EPHEMERAL_S = 2.0
# Kept of Slack's time to say that a form did not open.
_FALLBACK_S = 0.7
_LATE = "time limit"
_USED = "exchanged_trigger_id"
_EPHEMERAL = {"response_type": "ephemeral"}
log = structlog.get_logger("slack")
Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EphemeralNotice:
    """A text that only `user` sees, in `conversation`; "" is where the payload came from."""

    text: str
    conversation: str = ""
    user: str = ""


def notice_without_update(
    payload: Mapping[str, Any], language_of: LanguageOf = unknown_language
) -> EphemeralNotice | None:
    """Return the notice for a payload that is no update: a shortcut on a message without text."""
    if payload.get("type") == "message_action" and payload.get("callback_id") == SHORTCUT:
        return _no_text_notice(payload, language_of)
    return None


def _no_text_notice(payload: Mapping[str, Any], language_of: LanguageOf) -> EphemeralNotice:
    """Return the notice, in all complete languages where the person's is not known."""
    user = payload.get("user")
    name = str(user.get("id", "")) if isinstance(user, Mapping) else ""
    lang = language_of(Actor(platform="slack", workspace=workspace_of(payload), user=name))
    langs = (lang,) if lang else COMPLETE
    return EphemeralNotice(" ".join(say("slack.no_text", each) for each in langs))


async def acknowledge(
    update: Update,
    outcome: Outcome,
    *,
    payload: Payload,
    api: WebApi,
    until: float,
    lang: Lang | None = None,
) -> BoltResponse:
    """Return the answer to Slack, after showing the person what they are to see, best effort.

    `until` is Slack's deadline, by the event loop's time. `lang` is what the person wants to read,
    None for the language that they wrote in.
    """
    match update:
        case MessageEdited():
            return await _acknowledge_event(update, outcome, api)
        case MessageReceived() | CommandGiven():
            match payload.get("type"):
                case "event_callback":
                    return await _acknowledge_event(update, outcome, api)
                case "message_action":
                    return await _acknowledge_shortcut(update, outcome, payload, api, lang)
                case _:
                    return await _acknowledge_command(update, outcome, payload, api, until, lang)
        case CardTapped():
            if not _is_repeat(outcome) and await _acknowledge_tap(
                update, outcome, payload, api, until
            ):
                await note_shown(outcome)
            return BoltResponse(status=200, body="")
        case FormSubmitted():
            await note_shown(outcome)
            return _acknowledge_form(update, outcome, payload)
        case _:
            assert_never(update)


async def _acknowledge_event(
    update: MessageReceived | CommandGiven | MessageEdited, outcome: Outcome, api: WebApi
) -> BoltResponse:
    if isinstance(outcome, NotRecorded):
        return BoltResponse(status=503, body="", headers={"Retry-After": "5"})
    if (
        (text := _text_of(outcome))
        and not _is_repeat(outcome)
        and await _show_to_actor(update, text, api)
    ):
        await note_shown(outcome)
    return BoltResponse(status=200, body="")


async def _acknowledge_command(
    update: MessageReceived | CommandGiven,
    outcome: Outcome,
    payload: Payload,
    api: WebApi,
    until: float,
    lang: Lang | None,
) -> BoltResponse:
    text = _text_of(outcome)
    await note_shown(outcome)
    if isinstance(outcome, FormWanted) and not outcome.again:
        text = await _open_form(update, outcome.form, payload, api, until)
    if isinstance(outcome, Accepted) and _is_answered_elsewhere(update, payload.get("channel_id")):
        text = say("slack.answer_there", lang or lang_of(update.text))
    if not text:
        return BoltResponse(status=200, body="")
    return BoltResponse(status=200, body=_EPHEMERAL | notice(text))


async def _acknowledge_shortcut(
    update: MessageReceived | CommandGiven,
    outcome: Outcome,
    payload: Payload,
    api: WebApi,
    lang: Lang | None,
) -> BoltResponse:
    """Post what is to be read: Slack shows nothing of the answer to a shortcut."""
    channel, text = payload.get("channel"), _text_of(outcome)
    at = channel.get("id") if isinstance(channel, Mapping) else None
    if isinstance(outcome, Accepted) and _is_answered_elsewhere(update, at):
        text = "" if outcome.duplicate else say("slack.answer_there", lang or lang_of(update.text))
    if (
        text
        and not _is_repeat(outcome)
        and await show_ephemeral(EphemeralNotice(text), payload, api)
    ):
        await note_shown(outcome)
    return BoltResponse(status=200, body="")


def _is_answered_elsewhere(update: Update, channel: object) -> bool:
    """Whether the answer comes in another channel than the question."""
    return Address.parse(update.conversation).channel != channel


async def show_ephemeral(ephemeral: EphemeralNotice, payload: Payload, api: WebApi) -> bool:
    """Show a notice to its person, in time; whether Slack did."""

    async def show(shown: dict[str, Any]) -> None:
        if not ephemeral.conversation:
            await api.respond(str(payload.get("response_url", "")), _EPHEMERAL | shown)
            return
        place = Address.parse(ephemeral.conversation).place
        fields = place | {"user": ephemeral.user} | AS_WRITTEN
        await api.call("chat.postEphemeral", fields | shown)

    try:
        async with asyncio.timeout(_EPHEMERAL_S):
            await _show_notice(ephemeral.text, partial(_retry_once, show))
    except (PlatformError, TimeoutError) as error:
        reason = str(error) or "time limit"
        log.warning("remark_not_shown", conversation=ephemeral.conversation, error=reason)
        return False
    return True


async def _retry_once(
    show: Callable[[dict[str, Any]], Awaitable[object]], shown: dict[str, Any]
) -> None:
    """Show it, again after a short rate limit. Raises PlatformError."""
    try:
        await show(shown)
    except RateLimited as error:
        if error.retry_after_s >= _EPHEMERAL_S:
            raise
        await asyncio.sleep(error.retry_after_s)
        await show(shown)


async def _show_notice(text: str, show: Callable[[dict[str, Any]], Awaitable[object]]) -> None:
    """Show a notice, plainer where Slack refuses its content. Raises PlatformError."""
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


async def _acknowledge_tap(
    update: CardTapped, outcome: Outcome, payload: Payload, api: WebApi, until: float
) -> bool:
    """Show the outcome of a tap; whether all that is to be shown was."""
    text = _text_of(outcome)
    if isinstance(outcome, FormWanted):
        text = await _open_form(update, outcome.form, payload, api, until)
    elif text and is_on_home(payload):
        text = text if await _open_modal(answer_modal(text), payload, api, until) else ""
    return not text or await _show_to_actor(update, text, api)


def _acknowledge_form(update: FormSubmitted, outcome: Outcome, payload: Payload) -> BoltResponse:
    view = payload["view"]
    match outcome:
        case Accepted() | NotForUs() | ConfirmWanted():
            return BoltResponse(status=200, body="")
        case DirectAnswer(ok=True, tells=False):
            return _modal_action("clear")
        case DirectAnswer(text=text):
            return _modal_action("update", view=answer_modal(text))
        case FormWanted(form=form):
            return _modal_action("update", view=form_modal(form, update.conversation))
        case NotRecorded(text=text):
            errors = field_errors({"": text}, view)
        case FormRefused():
            errors = field_errors(outcome.errors, view)
        case _:
            assert_never(outcome)
    if not errors:
        return _modal_action("update", view=answer_modal(_text_of(outcome)))
    return _modal_action("errors", errors=errors)


def _modal_action(action: str, **more: Any) -> BoltResponse:
    return BoltResponse(status=200, body={"response_action": action, **more})


def _text_of(outcome: Outcome) -> str:
    """Return what the person is to read, "" for nothing."""
    match outcome:
        case DirectAnswer(text=text) | NotRecorded(text=text):
            return text
        case FormRefused(errors=errors):
            return " ".join(errors.values())
        case Accepted() | NotForUs() | FormWanted() | ConfirmWanted():
            return ""
        case _:
            assert_never(outcome)


def _is_repeat(outcome: Outcome) -> bool:
    return isinstance(outcome, DirectAnswer | FormWanted | FormRefused) and outcome.again != ""


async def _open_form(
    update: Update, form: FormView, payload: Payload, api: WebApi, until: float
) -> str:
    """Open the form; returns what to say where it did not open, "" where it did."""
    fault = await _open_modal(form_modal(form, update.conversation), payload, api, until)
    if not fault:
        return ""
    # With a used trigger the form is open; after a timeout it may be.
    may_be_open = fault == _LATE or fault.endswith(_USED)
    return say("slack.late_form" if may_be_open else "slack.no_form", form.lang)


async def _open_modal(view: dict[str, Any], payload: Payload, api: WebApi, until: float) -> str:
    """Open a modal; returns why it did not open, "" where it did."""
    fields = {"trigger_id": payload.get("trigger_id"), "view": view}
    try:
        async with asyncio.timeout_at(until - _FALLBACK_S):
            await api.call("views.open", fields)
    except (PlatformError, TimeoutError) as error:
        fault = str(error) or _LATE
        log.warning("modal_not_opened", error=fault)
        return fault
    return ""


async def _show_to_actor(update: Update, text: str, api: WebApi) -> bool:
    return await show_ephemeral(
        EphemeralNotice(text, update.conversation, update.actor.user), {}, api
    )
