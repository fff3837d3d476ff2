"""A platform's limit for everything that is sent, kept by all workers together."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from engine.ports.platform import Platform, Rate

# So many are asked for at once; a worker that has nothing more to send keeps the rest.
_AT_ONCE = 5


@dataclass(slots=True)
class _Spent:
    left: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Throttle:
    """Lets one message after another pass, as fast as the platform's `overall` allows."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._taken: defaultdict[str, _Spent] = defaultdict(_Spent)

    async def passed(self, platform: Platform) -> None:
        """Return when a message may go out; raises StoreUnavailable."""
        pace = platform.overall
        if not pace.every_s:
            return
        taken, wanted = self._taken[platform.name], min(_AT_ONCE, pace.burst)
        async with taken.turn:
            if not taken.left:
                while wait_s := await self._rate.ask(platform.name, pace, wanted):  # noqa: ASYNC110
                    await asyncio.sleep(wait_s)
                taken.left = wanted
            taken.left -= 1
