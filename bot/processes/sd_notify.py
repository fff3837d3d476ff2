"""What systemd is told of the service: that it is ready, lives, and stops (sd_notify(3))."""

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from bot.waits import pause

READY, ALIVE, STOPPING = "READY=1", "WATCHDOG=1", "STOPPING=1"
_MOST_S = 3600.0


class Notifier:
    """Sends datagrams to NOTIFY_SOCKET; where there is none, nothing is told.

    `every_s` is how often systemd wants to hear ALIVE at least: half of its WatchdogSec.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        wanted = environment.get("WATCHDOG_USEC", "")
        # systemd may mean another process, whose environment this one has been given.
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        micros = int(wanted) if wanted.isdecimal() and ours else 0
        self.every_s = min(micros / 2e6, _MOST_S) or _MOST_S

    def tell(self, state: str) -> None:
        """Tell systemd; it is no fault of ours when it does not listen."""
        if not self._address:
            return
        # A name that begins with @ has no file.
        address = self._address.replace("@", "\0", 1) if self._address[0] == "@" else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as talking:
            talking.setblocking(False)
            talking.sendto(state.encode(), address)

    async def run(self, stop: asyncio.Event) -> None:
        """Ready from now on, and alive as long as the event loop turns, until `stop`."""
        self.tell(READY)
        while not stop.is_set():
            self.tell(ALIVE)
            await pause(stop, self.every_s)
        self.tell(STOPPING)
