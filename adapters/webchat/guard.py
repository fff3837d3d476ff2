"""What every request must be before a handler sees it: local, same-origin, JSON, and small."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from engine.errors import BadPayload

MAX_BODY_BYTES = 1024 * 1024
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; object-src 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def guarded(handler: Handler) -> Handler:
    """`handler` behind the Host check, with errors as JSON and the security headers on everything.

    The Host check is what stops DNS rebinding: a foreign page cannot make a browser send ours.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            _check_host(request)
            response = await handler(request)
        except web.HTTPException as refused:
            refused.headers.update(SECURITY_HEADERS)
            raise
        except BadPayload as wrong:
            response = as_json(400, {"error": str(wrong)})
        if not response.prepared:
            response.headers.update(SECURITY_HEADERS)
        return response

    return answer


def as_json(status: int, body: dict[str, Any]) -> web.Response:
    """A JSON answer."""
    return web.json_response(body, status=status)


async def json_body(request: web.Request) -> bytes:
    """The raw body of a same-origin JSON request of at most 1 MiB; raises 403 or 413."""
    origin = request.headers.get("Origin")
    if request.content_type != "application/json":
        raise _refused(web.HTTPForbidden, "Content-Type: must be application/json")
    if origin is not None and urlsplit(origin).netloc.lower() != request.headers["Host"].lower():
        raise _refused(web.HTTPForbidden, "Origin: must be this page")
    # A copy, so that the limit is ours whatever the application around us allows.
    return await _read(request.clone(client_max_size=MAX_BODY_BYTES))


async def _read(request: web.Request) -> bytes:
    try:
        return await request.read()
    except web.HTTPRequestEntityTooLarge as big:
        too_large = web.HTTPRequestEntityTooLarge(MAX_BODY_BYTES)
        too_large.text = json.dumps({"error": f"body: at most {MAX_BODY_BYTES} bytes"})
        too_large.content_type = "application/json"
        raise too_large from big


def _check_host(request: web.Request) -> None:
    if not _LOOPBACK.fullmatch(request.headers.get("Host", "")):
        raise _refused(web.HTTPForbidden, "Host: only a loopback address is served")


def _refused(kind: type[web.HTTPForbidden], reason: str) -> web.HTTPForbidden:
    return kind(text=json.dumps({"error": reason}), content_type="application/json")
