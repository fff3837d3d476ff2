"""Who sends a request, and from where."""

import hmac
import ipaddress
from collections.abc import Collection

from aiohttp import web
from pydantic import SecretStr

from engine.ports.settings import Network

HEADER = "X-Forwarded-For"


def has_admin_token(request: web.Request, token: SecretStr) -> bool:
    """Whether the request carries exactly the token; how long that takes says nothing of it."""
    expected = f"Bearer {token.get_secret_value()}"
    given = request.headers.get("Authorization", "")
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


def find_client_address(request: web.Request, proxies: Collection[Network]) -> str:
    """The client's address, "" when there is none.

    Behind one of `proxies` it is the last of `X-Forwarded-For` that is none of theirs: whatever
    stands before it the client may have written itself. Nobody else's header is believed.
    """
    given = ",".join(request.headers.getall(HEADER, ())).split(",")
    address = request.remote or ""
    for named in reversed(given):
        if not _is_one_of(address, proxies) or not _is_address(named):
            break
        address = named.strip()
    return address


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip())
    except ValueError:
        return False
    return True


def _is_one_of(address: str, proxies: Collection[Network]) -> bool:
    if not _is_address(address):
        return False
    found = ipaddress.ip_address(address)
    return any(found in network for network in proxies)
