"""Notifies systemd that the service is ready, alive, and stopping (sd_notify(3))."""

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from bot.waits import pause

READY, ALIVE, STOPPING = "READY=1", "WATCHDOG=1", "STOPPING=1"
_MOST_S = 3600.0


class Notifier:
    """Sends states to NOTIFY_SOCKET, if there is one.

    `every_s` is how often ALIVE is due: half of systemd's WatchdogSec.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        wanted = environment.get("WATCHDOG_USEC", "")
        # The variable may be meant for another process, whose environment was inherited.
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        micros = int(wanted) if wanted.isdecimal() and ours else 0
        self.every_s = min(micros / 2e6, _MOST_S) or _MOST_S

    def send(self, state: str) -> None:
        """Send a state; it is no fault of ours when systemd does not listen."""
        if not self._address:
            return
        # A name with @ is an abstract socket.
        address = self._address.replace("@", "\0", 1) if self._address[0] == "@" else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.setblocking(False)
            channel.sendto(state.encode(), address)

    async def run(self, stop: asyncio.Event) -> None:
        """Send READY, then ALIVE as long as the event loop turns, and STOPPING after `stop`."""
        self.send(READY)
        while not stop.is_set():
            self.send(ALIVE)
            await pause(stop, self.every_s)
        self.send(STOPPING)
