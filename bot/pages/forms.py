"""The forms of the pages: that they come from here, and what is in them."""

import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

from aiohttp import web

FORM_BYTES = 64 * 1024

Form = Mapping[str, str]


async def form_of(request: web.Request) -> Form | None:
    """The text fields of a form that this very site sent; None for one from elsewhere."""
    origin = request.headers.get("Origin")
    elsewhere = origin is not None and urlsplit(origin).netloc.lower() != request.host.lower()
    if elsewhere or request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return None
    form = await request.clone(client_max_size=FORM_BYTES).post()
    return {name: value for name, value in form.items() if isinstance(value, str)}


def same(given: str, expected: str) -> bool:
    """Whether they are equal; how long that takes says nothing of it. "" equals nothing."""
    if not expected:
        return False
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())
