"""Checks of every request (host, origin, type, size); headers and bodies of responses."""

import json
import math
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar, assert_never
from urllib.parse import urlsplit

from aiohttp import HttpVersion11, web

from adapters.webchat.render import render_form
from engine.errors import BadPayload
from engine.events import (
    Accepted,
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormWanted,
    NotForUs,
    NotRecorded,
    Outcome,
)

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
RETRY_AFTER_S = "3"
_STATUSES: Mapping[str, int] = {"rate_limited": 429, "conflict": 409}
_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
HttpError = TypeVar("HttpError", bound=web.HTTPException)


class RequestGuard:
    """Wraps handlers with the Host check, errors as JSON, and security headers.

    The Host check stops DNS rebinding: a foreign page cannot make a browser send our host. `hosts`
    ("NAME" or "NAME:PORT") are served besides loopback addresses. `refuses_proxies` is for pages
    that are this machine's alone: what a proxy forwards comes from anybody.
    """

    def __init__(self, hosts: Collection[str] = (), *, refuses_proxies: bool = False) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)
        self._refuses_proxies = refuses_proxies

    def __call__(self, handler: Handler) -> Handler:
        """Return the handler behind the checks."""

        async def answer(request: web.Request) -> web.StreamResponse:
            try:
                self._check_host(request)
                if self._refuses_proxies:
                    _check_sender(request)
                response = await handler(request)
            except web.HTTPException as error:
                error.headers.update(_response_headers(error.status))
                raise
            except BadPayload as wrong:
                response = json_response(400, {"error": str(wrong)})
            if not response.prepared:
                response.headers.update(_response_headers(response.status))
            return response

        return answer

    async def json_body(self, request: web.Request) -> bytes:
        """Return the raw body of a same-origin JSON request, at most 1 MiB.

        Raises 403, 413, 415.
        """
        self.check_origin(request, "application/json")
        # On a copy, so that our limit holds whatever the application allows.
        return await _read_body(request.clone(client_max_size=MAX_BODY_BYTES))

    def check_origin(self, request: web.Request, content_type: str) -> None:
        """Raises 403 for another origin, 415 for a type that foreign pages could send."""
        if request.content_type != content_type:
            told = f"Content-Type: must be {content_type}"
            raise http_error(web.HTTPUnsupportedMediaType, told)
        origin = request.headers.get("Origin")
        # A proxy may have put another Host in place of ours.
        ours = {request.headers["Host"].lower(), *self._hosts}
        if origin is not None and urlsplit(origin).netloc.lower() not in ours:
            raise http_error(web.HTTPForbidden, "Origin: must be this page")

    def _check_host(self, request: web.Request) -> None:
        host = request.headers.get("Host", "")
        if not _LOOPBACK.fullmatch(host) and host.lower() not in self._hosts:
            served = ", ".join(["a loopback address", *sorted(self._hosts)])
            raise http_error(web.HTTPForbidden, f"Host: only {served} is served")


def forwarding_mark(request: web.Request) -> str:
    """What shows that a proxy forwarded the request; "" where nothing does.

    HTTP/1.0 is what nginx forwards by unless it is told otherwise; no browser speaks it.
    """
    for name in request.headers:
        if name.lower() in ("forwarded", "via") or name.lower().startswith("x-forwarded-"):
            return name
    return "" if request.version >= HttpVersion11 else "HTTP/1.0"


def _check_sender(request: web.Request) -> None:
    mark = forwarding_mark(request)
    if mark:
        why = (
            f"{mark}: a proxy forwarded this, and without a sign-in this page is for this machine"
            " alone; set SIGNOFF_PUBLIC_URL, and SIGNOFF_WEB_LOGIN or SIGNOFF_WEB_USER_HEADER"
        )
        raise http_error(web.HTTPForbidden, why)


def _response_headers(status: int) -> dict[str, str]:
    away = status == web.HTTPServiceUnavailable.status_code
    return SECURITY_HEADERS | ({"Retry-After": RETRY_AFTER_S} if away else {})


def no_such_request(routes: Iterable[web.RouteDef]) -> Handler:
    """Return the handler of what none of the routes takes: 405 where another method would be."""
    methods: dict[str, set[str]] = {}
    for route in routes:
        methods.setdefault(route.path, set()).add(route.method)

    async def refuse(request: web.Request) -> web.StreamResponse:
        allowed = ", ".join(sorted(methods.get(request.path, ())))
        if not allowed:
            return json_response(404, {"error": "path: there is no such request"})
        response = json_response(405, {"error": f"method: must be {allowed}"})
        response.headers["Allow"] = allowed
        return response

    return refuse


def json_response(status: int, body: dict[str, Any]) -> web.Response:
    """A JSON answer."""
    return web.json_response(body, status=status)


async def _read_body(request: web.Request) -> bytes:
    try:
        return await request.read()
    except web.HTTPRequestEntityTooLarge as big:
        too_large = web.HTTPRequestEntityTooLarge(MAX_BODY_BYTES)
        too_large.text = json.dumps({"error": f"body: at most {MAX_BODY_BYTES} bytes"})
        too_large.content_type = "application/json"
        raise too_large from big


def http_error(kind: type[HttpError], reason: str) -> HttpError:
    """An HTTP error with the reason as JSON."""
    return kind(text=json.dumps({"error": reason}), content_type="application/json")


def outcome_response(outcome: Outcome) -> web.Response:
    """What an update came to, as JSON."""
    match outcome:
        case Accepted() | NotForUs():
            return json_response(202, {})
        case DirectAnswer():
            return _direct_answer(outcome)
        case ConfirmWanted(confirm=confirm):
            return json_response(200, {"confirm": confirm.model_dump(mode="json")})
        case FormWanted(form=form):
            return json_response(200, {"form": render_form(form)})
        case FormRefused(errors=errors):
            return json_response(422, {"errors": errors, "code": "invalid"})
        case NotRecorded(text=text):
            return json_response(503, {"text": text, "code": "unavailable"})
        case _:
            assert_never(outcome)


def _direct_answer(answer: DirectAnswer) -> web.Response:
    """Say what came of it; a refusal of a rule is 200, since it is an answer to the person."""
    body: dict[str, object] = {"ok": answer.ok, "text": answer.text}
    if answer.code is None:
        return json_response(200, body)
    response = json_response(_STATUSES.get(answer.code, 200), body | {"code": answer.code})
    if answer.wait_s:
        response.headers["Retry-After"] = str(math.ceil(answer.wait_s))
    return response
