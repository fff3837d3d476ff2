"""Whether the service's port can be listened on."""

import errno
import os
import socket
from typing import Any

from bot.settings import Settings
from engine.errors import DefinitionError


def check_port(settings: Settings) -> None:
    """Raise DefinitionError for an address that is not this machine's, or a port that is taken."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except OSError:
        found = []
    wrong = [_bind_error(family, address) for family, _, _, _, address in found]
    if not found or all(number == errno.EADDRNOTAVAIL for number in wrong):
        raise DefinitionError(
            f"SIGNOFF_HOST: should be an address of this machine, not {settings.host!r}"
        )
    for number in wrong:
        if number not in (0, errno.EADDRNOTAVAIL):
            raise DefinitionError(
                f"PORT: should be a free port; {settings.port} cannot be listened on at"
                f" {settings.host}: {os.strerror(number)}"
            )


def _bind_error(family: int, address: Any) -> int:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            return error.errno or errno.EADDRNOTAVAIL
    return 0
