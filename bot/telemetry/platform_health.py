"""Whether each platform takes our token and listens, for `/readyz` and the log."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import structlog

from bot.waits import pause
from cards.frozen import Frozen
from engine.errors import PlatformError
from engine.ports.clock import Clock
from engine.ports.platform import Platform, SupportsProbe

log = structlog.get_logger()
INTERVAL_S: Final = 60.0
FAILING_INTERVAL_S: Final = 10.0
PROBE_TIMEOUT_S: Final = 10.0


class PlatformStatus(Frozen):
    """`error` is in our words: nothing that a platform or a library said, for it may hold secrets.

    `since` is when the status last changed.
    """

    state: str = "unknown"
    error: str = ""
    since: datetime | None = None


class PlatformHealth:
    """Probes the platforms, and remembers which of them failed to listen."""

    def __init__(self, platforms: Mapping[str, Platform], clock: Clock) -> None:
        self._platforms = platforms
        self._clock = clock
        self._statuses: dict[str, PlatformStatus] = dict.fromkeys(platforms, PlatformStatus())
        self._listen_errors: dict[str, str] = {}

    @property
    def statuses(self) -> Mapping[str, PlatformStatus]:
        """`ok`, `failing` with the error, or `unknown` before the first probe."""
        return dict(self._statuses)

    def set_listen_error(self, name: str, error: Exception | None) -> None:
        """Listening to a platform failed with this error; None when it works again."""
        if error is None:
            self._listen_errors.pop(name, None)
        else:
            self._listen_errors[name] = f"does not listen: {_describe(error)}"
            self._set_status(name, self._listen_errors[name])

    async def run(self, stop: asyncio.Event) -> None:
        """Probe every minute until `stop`, every ten seconds while something fails."""
        while not stop.is_set():
            await self.probe()
            is_well = all(each.state == "ok" for each in self._statuses.values())
            await pause(stop, INTERVAL_S if is_well else FAILING_INTERVAL_S)

    async def probe(self) -> None:
        """Probe every platform once, all at the same time."""
        async with asyncio.TaskGroup() as group:
            for name, platform in self._platforms.items():
                group.create_task(self._probe(name, platform))

    async def _probe(self, name: str, platform: Platform) -> None:
        fault = ""
        try:
            if isinstance(platform, SupportsProbe):
                async with asyncio.timeout(PROBE_TIMEOUT_S):
                    fault = await platform.probe()
        except (PlatformError, TimeoutError) as error:
            fault = _describe(error)
        except Exception as error:
            # Whatever a platform answers, this process goes on.
            fault = f"answers what was not expected ({type(error).__name__})"
        self._set_status(name, fault or self._listen_errors.get(name, ""))

    def _set_status(self, name: str, error: str) -> None:
        before, state = self._statuses[name], "failing" if error else "ok"
        if (before.state, before.error) == (state, error):
            return
        status = PlatformStatus(state=state, error=error, since=self._clock.now())
        self._statuses[name] = status
        if error:
            log.warning("platform_failing", platform=name, error=error)
        elif before.state == "failing":
            log.info("platform_back", platform=name)


def _describe(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "does not answer"
    if not isinstance(error, PlatformError):
        return type(error).__name__
    return "does not answer" if error.retryable else "refuses us; see signoff doctor"
