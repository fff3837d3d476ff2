"""How each platform stands, as this process last found it: for `/readyz` and the log."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import structlog

from bot.waits import pause
from cards.frozen import Frozen
from engine.errors import PlatformError
from engine.ports.clock import Clock
from engine.ports.platform import Platform, Probed

log = structlog.get_logger()
EVERY_S: Final = 60.0
AGAIN_S: Final = 10.0
"""While something is wrong."""
WITHIN_S: Final = 10.0


class PlatformStatus(Frozen):
    """`error` is in our words: nothing that a platform or a library said, for it may hold secrets.

    `since` is when it came to stand so.
    """

    state: str = "unknown"
    error: str = ""
    since: datetime | None = None


class Standings:
    """Asks the platforms whether they take the token, and how what listens to them fares."""

    def __init__(self, platforms: Mapping[str, Platform], clock: Clock) -> None:
        self._platforms = platforms
        self._clock = clock
        self._found: dict[str, PlatformStatus] = dict.fromkeys(platforms, PlatformStatus())
        self._deaf: dict[str, str] = {}

    @property
    def now(self) -> Mapping[str, PlatformStatus]:
        """`ok`, `failing` with the error, or `unknown` before anybody asked."""
        return dict(self._found)

    def listening(self, name: str, error: Exception | None) -> None:
        """What listens to a platform broke off, or is well again."""
        if error is None:
            self._deaf.pop(name, None)
        else:
            self._deaf[name] = f"does not listen: {_told(error)}"
            self._note(name, self._deaf[name])

    async def run(self, stop: asyncio.Event) -> None:
        """Ask now and then until `stop`."""
        while not stop.is_set():
            await self.ask()
            well = all(each.state == "ok" for each in self._found.values())
            await pause(stop, EVERY_S if well else AGAIN_S)

    async def ask(self) -> None:
        """Ask every platform once, all at the same time."""
        async with asyncio.TaskGroup() as group:
            for name, platform in self._platforms.items():
                group.create_task(self._ask(name, platform))

    async def _ask(self, name: str, platform: Platform) -> None:
        error = ""
        try:
            if isinstance(platform, Probed):
                async with asyncio.timeout(WITHIN_S):
                    error = await platform.probe()
        except (PlatformError, TimeoutError) as failed:
            error = _told(failed)
        except Exception as failed:
            # Whatever a platform answers, this process goes on.
            error = f"answers what was not expected ({type(failed).__name__})"
        self._note(name, error or self._deaf.get(name, ""))

    def _note(self, name: str, error: str) -> None:
        before, state = self._found[name], "failing" if error else "ok"
        if (before.state, before.error) == (state, error):
            return
        self._found[name] = PlatformStatus(state=state, error=error, since=self._clock.now())
        if error:
            log.warning("platform_failing", platform=name, error=error)
        elif before.state == "failing":
            log.info("platform_back", platform=name)


def _told(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "does not answer"
    if not isinstance(error, PlatformError):
        return type(error).__name__
    return "does not answer" if error.retryable else "refuses us; see signoff doctor"
