"""What every answer of the pages carries, and where they lead."""

import re
from collections.abc import Awaitable, Callable

from aiohttp import web

from engine.errors import StoreError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, a browser would not say which page a form comes from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_LOCAL = re.compile(r"/(?:runs|pending|blocked|traces)(?:[/?].*)?")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Told = Callable[[web.Request, int, str], web.Response]


def guarded(handler: Handler, told: Told) -> Handler:
    """`handler` with the security headers on whatever it answers, and faults as pages.

    `told(request, status, key)` is the page that says the sentence of that key.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            response = await handler(request)
        except StoreError:
            response = told(request, 503, "pages.away")
        except web.HTTPRequestEntityTooLarge:
            response = told(request, 413, "pages.too_large")
        response.headers.update(SECURITY_HEADERS)
        return response

    return answer


def local_path(text: str) -> str:
    """The path when it is one of these pages, else the first of them."""
    return text if _LOCAL.fullmatch(text) and "\\" not in text else "/runs"
