"""The security of the pages: headers, forms of our own only, no redirects elsewhere."""

import hmac
import re
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urlsplit

from aiohttp import web

from engine.errors import StoreError

FORM_BYTES = 64 * 1024
Form = Mapping[str, str]
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
ErrorPage = Callable[[web.Request, int, str], web.Response]


def protect(handler: Handler, error_page: ErrorPage) -> Handler:
    """The handler with security headers on every response, and errors as pages.

    `error_page(request, status, key)` is the page with the sentence of that key.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            response = await handler(request)
        except StoreError:
            response = error_page(request, 503, "pages.away")
        except web.HTTPRequestEntityTooLarge:
            response = error_page(request, 413, "pages.too_large")
        response.headers.update(SECURITY_HEADERS)
        return response

    return answer


def local_path(text: str) -> str:
    """The path if it is one of these pages, else that of the first one."""
    return text if _LOCAL.fullmatch(text) and "\\" not in text else "/runs"


async def read_form(request: web.Request) -> Form | None:
    """The text fields of a form that this site sent; None for one of another site."""
    origin = request.headers.get("Origin")
    elsewhere = origin is not None and urlsplit(origin).netloc.lower() != request.host.lower()
    if elsewhere or request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return None
    form = await request.clone(client_max_size=FORM_BYTES).post()
    return {name: value for name, value in form.items() if isinstance(value, str)}


def is_same_secret(given: str, expected: str) -> bool:
    """Whether both are equal, compared in constant time; "" equals nothing."""
    if not expected:
        return False
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())
