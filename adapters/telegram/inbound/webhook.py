"""POST /telegram/webhook: checks the secret, reads the body, hands it over, answers."""

import hmac
import json
from typing import Any

import structlog
from aiohttp import web

from adapters.telegram.inbound.update_handler import UpdateHandler
from engine.errors import BadPayload, BadSignature, Rejected
from engine.ports.platform import Intake

PATH = "/telegram/webhook"
LONGEST_BODY_BYTES = 1 << 20
# Telegram keeps to it.
_LATER = {"Retry-After": "5"}
_log = structlog.get_logger(__name__)
_SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


class _TooLarge(Rejected):
    """The body is longer than any update."""

    status = 413


class Webhook:
    """Takes Telegram's updates over HTTP; after a 503 it delivers again."""

    def __init__(self, updates: UpdateHandler, secret: str, intake: Intake) -> None:
        self._updates = updates
        self._secret = secret.encode()
        self._intake = intake

    async def handle(self, request: web.Request) -> web.Response:
        """Answer 200 when taken or not for us, 503 when not recorded, else 401, 413 or 400."""
        try:
            raw = await self._read(request)
            settled = await self._settle(raw)
        except Rejected as refusal:
            return web.Response(status=refusal.status, text=str(refusal))
        if settled:
            return web.Response()
        return web.Response(status=503, headers=_LATER)

    async def _settle(self, raw: Any) -> bool:
        """Handle the update; False when it has to come again. Raises BadPayload for no update.

        One that cannot be read is passed over: refused, it would hold up its chat for a day.
        """
        try:
            return await self._updates.take(raw, self._intake)
        except BadPayload as error:
            if not isinstance(raw, dict) or not isinstance(raw.get("update_id"), int):
                raise
            _log.warning("telegram_update_unreadable", error=str(error))
            return True

    async def _read(self, request: web.Request) -> Any:
        given = request.headers.get(_SECRET_HEADER, "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._secret):
            raise BadSignature("wrong secret")
        body = bytearray()
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > LONGEST_BODY_BYTES:
                raise _TooLarge("too large")
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as exc:
            raise BadPayload("no JSON") from exc
