"""The admin token in a request: `Authorization: Bearer <SIGNOFF_ADMIN_TOKEN>` (design §9)."""

import hmac

from aiohttp import web
from pydantic import SecretStr


def bears(request: web.Request, token: SecretStr) -> bool:
    """Whether the request carries exactly the token; how long that takes says nothing of it."""
    expected = f"Bearer {token.get_secret_value()}"
    given = request.headers.get("Authorization", "")
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())
