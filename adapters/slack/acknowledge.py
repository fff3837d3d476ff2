"""An outcome as Slack's answer to the request that brought the update (design §3, ingress)."""

import asyncio
from collections.abc import Mapping
from typing import Any, assert_never

import structlog
from slack_bolt.response import BoltResponse

from adapters.slack.address import Address
from adapters.slack.api import WebApi
from adapters.slack.blocks import notice
from adapters.slack.forms import answer, field_errors, modal
from cards.texts import say
from cards.view import FormView
from engine.errors import PlatformError
from engine.events import (
    Accepted,
    Answered,
    CardTapped,
    CommandGiven,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
    Outcome,
    Update,
)

# Slack waits 3 s in all, and a trigger for a form lives as long.
_TELL_S = 2.0
_FORM_S = 2.5

log = structlog.get_logger("slack")

Payload = Mapping[str, Any]


async def acknowledge(
    update: Update, outcome: Outcome, *, payload: Payload, api: WebApi
) -> BoltResponse:
    """The answer to Slack. What the person is to see is shown before, best effort, in time."""
    match update:
        case MessageReceived():
            return await _event(update, outcome, api)
        case CommandGiven():
            if payload.get("type") == "event_callback":
                return await _event(update, outcome, api)
            return await _command(update, outcome, payload, api)
        case CardTapped():
            return await _tap(update, outcome, payload, api)
        case FormSubmitted():
            return _form(update, outcome, payload)
        case _:
            assert_never(update)


async def _event(
    update: MessageReceived | CommandGiven, outcome: Outcome, api: WebApi
) -> BoltResponse:
    if isinstance(outcome, NotRecorded):
        return BoltResponse(status=503, body="", headers={"Retry-After": "5"})
    if text := _text(outcome):
        await _tell(update, text, api)
    return BoltResponse(status=200, body="")


async def _command(
    update: CommandGiven, outcome: Outcome, payload: Payload, api: WebApi
) -> BoltResponse:
    if isinstance(outcome, FormWanted):
        await _open(update, outcome.form, payload, api)
    text = _text(outcome)
    if not text:
        return BoltResponse(status=200, body="")
    return BoltResponse(status=200, body={"response_type": "ephemeral"} | notice(text))


async def _tap(update: CardTapped, outcome: Outcome, payload: Payload, api: WebApi) -> BoltResponse:
    if isinstance(outcome, FormWanted):
        await _open(update, outcome.form, payload, api)
    elif text := _text(outcome):
        await _tell(update, text, api)
    return BoltResponse(status=200, body="")


def _form(update: FormSubmitted, outcome: Outcome, payload: Payload) -> BoltResponse:
    view = payload["view"]
    match outcome:
        case Accepted():
            return BoltResponse(status=200, body="")
        case Answered(ok=True, tells=False):
            return _modal_action("clear")
        case Answered(text=text):
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
        case Answered(text=text) | NotRecorded(text=text):
            return text
        case FormRefused(errors=errors):
            return " ".join(errors.values())
        case _:
            return ""


async def _open(
    update: CardTapped | CommandGiven, form: FormView, payload: Payload, api: WebApi
) -> None:
    fields = {
        "trigger_id": payload.get("trigger_id"),
        "view": modal(form, update.conversation),
    }
    try:
        async with asyncio.timeout(_FORM_S):
            try:
                await api.call("views.open", fields)
            except PlatformError as error:
                log.warning("form_not_opened", update=update.id, error=str(error))
                await _tell(update, say("slack.no_form", form.lang), api)
    except TimeoutError:
        log.warning("form_not_opened", update=update.id, error="time limit")


async def _tell(update: Update, text: str, api: WebApi) -> None:
    try:
        async with asyncio.timeout(_TELL_S):
            place = Address.parse(update.conversation).place
            fields = place | {"user": update.actor.user} | notice(text)
            await api.call("chat.postEphemeral", fields)
    except (PlatformError, TimeoutError) as error:
        log.warning("notice_not_shown", update=update.id, error=str(error) or "time limit")
