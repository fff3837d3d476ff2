"""Slack's two ways in: signed HTTP requests, and a bolt app for sockets (design §3).

Both hand a payload to `hand_over`. Bolt acknowledges events before its listeners run, so there are
none: one middleware, before everything else of bolt's, hands over and answers itself. HTTP requests
need nothing of bolt, and cost less without it (tests/bench).
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.logger.messages import warning_client_prioritized_and_token_skipped
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import Clock as SignatureClock
from slack_sdk.signature import SignatureVerifier

from adapters.slack.address import Address
from adapters.slack.api import WebApi, web_client
from adapters.slack.inbound.acknowledge import acknowledge, notice_without_update, show_ephemeral
from adapters.slack.inbound.receive import receive
from adapters.slack.languages import LanguageOf, unknown_language
from adapters.slack.outbound.home import Homes, read_home_opened
from adapters.slack.payload import workspace_of
from adapters.slack.workspace.install import Install, read_uninstall
from adapters.slack.workspace.workspaces import Workspaces
from engine.errors import (
    BadPayload,
    BadSignature,
    Gone,
    PlatformError,
    Rejected,
    StoreUnavailable,
    Unavailable,
)
from engine.events import DirectAnswer, Update
from engine.ports.clock import Clock
from engine.ports.platform import Intake

MAX_BODY_BYTES = 1 << 20
_FORM_FIELDS = 100
# Parts of the 3 s in which Slack wants its answer.
_DIRECT_S = 1.0
_ANSWER_S = 2.7

log = structlog.get_logger("slack")

Handler = Callable[[web.Request], Awaitable[web.Response]]
Next = Callable[[], Awaitable[BoltResponse]]


class BodyTooLarge(Rejected):
    """The body is over MAX_BODY_BYTES."""

    status = 413


class _VerifierClock(SignatureClock):
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> float:
        return self._clock.now().timestamp()


@dataclass(frozen=True, slots=True)
class SlackEntry:
    """What both ways in lead to; without `homes` there is no Home tab.

    With `install`, workspaces install and remove the app themselves. `language_of` says what a
    person wants to read.
    """

    intake: Intake
    workspaces: Workspaces
    homes: Homes | None = None
    install: Install | None = None
    language_of: LanguageOf = unknown_language


async def hand_over(payload: dict[str, Any], entry: SlackEntry) -> BoltResponse:
    """Hand the payload's update to intake, then answer. Raises Rejected."""
    if payload.get("type") == "url_verification":
        return BoltResponse(status=200, body={"challenge": payload.get("challenge")})
    until = asyncio.get_running_loop().time() + _ANSWER_S
    try:
        async with asyncio.timeout_at(until):
            if entry.install and (gone := read_uninstall(payload)):
                await entry.install.forget(*gone)
                return BoltResponse(status=200, body="")
            return await _handle_update(payload, entry, until)
    except Gone as error:
        # The workspace removed the app meanwhile: nobody is left to be answered.
        log.warning("slack_not_installed", error=str(error))
        return BoltResponse(status=200, body="")
    except (Unavailable, StoreUnavailable, TimeoutError) as error:
        log.warning("slack_not_taken", error=str(error) or "time limit")
        return BoltResponse(status=503, body="", headers={"Retry-After": "5"})


async def _handle_update(payload: dict[str, Any], entry: SlackEntry, until: float) -> BoltResponse:
    """Raises Rejected; for the workspace's token Gone, Unavailable and StoreUnavailable."""
    update = receive(payload)
    if update is None:
        if notice := notice_without_update(payload, entry.language_of):
            await show_ephemeral(notice, payload, await entry.workspaces.api(workspace_of(payload)))
        elif entry.homes and (actor := read_home_opened(payload)):
            await entry.homes.open(actor)
        return BoltResponse(status=200, body="")
    api = await entry.workspaces.api(update.actor.workspace)
    update = await _move_to_direct(update, api)
    outcome = await entry.intake(update)
    answer = await acknowledge(
        update,
        outcome,
        payload=payload,
        api=api,
        until=until,
        lang=entry.language_of(update.actor),
    )
    if entry.homes and isinstance(outcome, DirectAnswer):
        entry.homes.refresh_soon(update.actor)
    return answer


async def _move_to_direct(update: Update, api: WebApi) -> Update:
    """Return the update with the person's direct messages (D…) where it names the person (U…).

    When Slack does not name the channel in time it stays as it is: an answer still arrives, without
    the context of what was said there before.
    """
    at = Address.parse(update.conversation)
    if at.channel[0] not in "UW":
        return update
    try:
        async with asyncio.timeout(_DIRECT_S):
            channel = await api.direct(at.channel)
    except (PlatformError, TimeoutError) as error:
        log.warning("direct_not_opened", update=update.id, error=str(error) or "time limit")
        return update
    return update.model_copy(update={"conversation": Address(at.team, channel).conversation})


class _SocketMiddleware(AsyncMiddleware):
    """Hands over payloads of a socket. A class, as bolt inspects the arguments of functions."""

    def __init__(self, entry: SlackEntry) -> None:
        self._entry = entry

    async def async_process(
        self, *, req: AsyncBoltRequest, resp: BoltResponse, next: Next
    ) -> BoltResponse:
        try:
            return await hand_over(req.body, self._entry)
        except Rejected as error:
            return BoltResponse(status=error.status, body=str(error))


def bolt_app(entry: SlackEntry) -> AsyncApp:
    """Return an app that passes every request to the entry."""
    return AsyncApp(
        name="signoff",
        logger=_logger(),
        client=web_client(entry.workspaces.api_url, None),
        before_authorize=_SocketMiddleware(entry),
        # Without one bolt asks auth.test; nothing gets as far as this.
        authorize=_no_authorization,
        # A socket is authenticated by its own token.
        request_verification_enabled=False,
        ssl_check_enabled=False,
        ignoring_self_events_enabled=False,
        attaching_function_token_enabled=False,
    )


def _logger() -> logging.Logger:
    logger = logging.getLogger("slack_bolt.signoff")
    logger.addFilter(_is_for_operators)
    return logger


def _is_for_operators(record: logging.LogRecord) -> bool:
    # Bolt finds our setting in the environment and warns that it does not use it; we do.
    return record.getMessage() != warning_client_prioritized_and_token_skipped()


async def _no_authorization() -> AuthorizeResult:
    return AuthorizeResult(enterprise_id=None, team_id=None)


def events_handler(entry: SlackEntry, *, signing_secret: str, clock: Clock) -> Handler:
    """Return the aiohttp handler of POST /slack/events: 401, 413, 400, or the update's answer.

    The signature is verified before the body is parsed at all.
    """
    verifier = SignatureVerifier(signing_secret, _VerifierClock(clock))

    async def handle(request: web.Request) -> web.Response:
        try:
            body = await _read(request)
            _verify(verifier, request, body)
            answer = await hand_over(parse_body(body, request.content_type), entry)
        except Rejected as error:
            return web.Response(status=error.status, text=str(error))
        return await to_aiohttp_response(answer)

    return handle


async def _read(request: web.Request) -> bytes:
    if (request.content_length or 0) > MAX_BODY_BYTES:
        raise BodyTooLarge("over 1 MiB")
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise BodyTooLarge("over 1 MiB")
    return bytes(body)


def _verify(verifier: SignatureVerifier, request: web.Request, body: bytes) -> None:
    timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
    signature = request.headers.get("X-Slack-Signature", "")
    try:
        # compare_digest takes only ASCII text.
        valid = signature.isascii() and verifier.is_valid(body, timestamp, signature)
    except ValueError as error:
        raise BadSignature("bad signature") from error
    if not valid:
        raise BadSignature("bad signature")


def parse_body(body: bytes, content_type: str) -> dict[str, Any]:
    """Return the payload in a body, JSON or a form. Raises BadPayload."""
    try:
        text = body.decode()
        if content_type == "application/x-www-form-urlencoded":
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_FORM_FIELDS)
            form: dict[str, Any] = dict(pairs)
            parsed = json.loads(form["payload"]) if "payload" in form else form
        else:
            parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPayload("not JSON") from error
    if not isinstance(parsed, dict):
        raise BadPayload("not a JSON object")
    return parsed
