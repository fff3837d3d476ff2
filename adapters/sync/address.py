"""Which addresses changes may be sent to."""

import ipaddress
from urllib.parse import urlsplit


def wrong_with(address: str) -> str | None:
    """Why no change can be sent to this address, as a clause; None when one can."""
    try:
        parts = urlsplit(address)
        port, host = parts.port, parts.hostname
    except ValueError:
        return "is not an address"
    if parts.scheme not in ("http", "https"):
        return "should begin with https://"
    if not host or port == 0 or not address.isascii() or not address.isprintable():
        return "is not an address"
    if " " in address or parts.fragment:
        return "should have no space and no #"
    if parts.username is not None or parts.password is not None:
        return "should have no name and no password in it: changes are signed"
    if parts.scheme == "http" and not _is_loopback(host):
        return "should begin with https://, because it is not on this machine"
    return None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
