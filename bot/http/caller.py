"""Who sends a request, and from where."""

import hmac
import ipaddress
from collections.abc import Collection

from aiohttp import web
from pydantic import SecretStr

from engine.ports.settings import Network

HEADER = "X-Forwarded-For"


def has_admin_token(request: web.Request, token: SecretStr) -> bool:
    """Whether the request carries the admin token, compared in constant time (design §9)."""
    expected = f"Bearer {token.get_secret_value()}"
    given = request.headers.get("Authorization", "")
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


def find_client_address(request: web.Request, proxies: Collection[Network]) -> str:
    """The address of the client, or "".

    XX"""
    hops = ",".join(request.headers.getall(HEADER, ())).split(",")
    address = request.remote or ""
    for hop in reversed(hops):
        if not _is_within(address, proxies) or not _is_address(hop):
            break
        address = hop.strip()
    return address


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip())
    except ValueError:
        return False
    return True


def _is_within(address: str, proxies: Collection[Network]) -> bool:
    if not _is_address(address):
        return False
    found = ipaddress.ip_address(address)
    return any(found in network for network in proxies)
