"""Where a request came from: what a named proxy says, else who is connected."""

import ipaddress
from collections.abc import Collection

from aiohttp import web

from engine.ports.settings import Network

HEADER = "X-Forwarded-For"


def client_address(request: web.Request, proxies: Collection[Network]) -> str:
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
