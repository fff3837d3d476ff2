"""Ports for servers that are told theirs, so that they can be killed and started again on it."""

import secrets
import socket

_LOWEST, _COUNT = 10_000, 10_000
"""Below those that the system hands out by itself, also with the 10,000 that a Cluster adds."""


def free_port() -> int:
    """A port of this machine that no other caller gets before this process ends."""
    while True:
        port = _LOWEST + secrets.randbelow(_COUNT)
        # Nobody uses the UDP port of that number: who has bound it owns the number.
        mark = socket.socket(type=socket.SOCK_DGRAM)
        try:
            mark.bind(("127.0.0.1", port))
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            mark.close()
            continue
        mark.detach()
        return port
