"""A platform's limit for everything that is sent, kept by all workers together."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from engine.ports.platform import Platform, Rate

# So many are asked for at once, and are good for so long.
_AT_ONCE = 5
_GOOD_S = 1.0


@dataclass(slots=True)
class _Taken:
    left: int = 0
    until: float = 0.0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Throttle:
    """Lets one message after another pass, as fast as the platform's `overall` allows."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._taken: defaultdict[str, _Taken] = defaultdict(_Taken)

    async def passed(self, platform: Platform) -> None:
        """Return when a message may go out; raises StoreUnavailable."""
        if not platform.overall.every_s:
            return
        taken, clock = self._taken[platform.name], asyncio.get_running_loop().time
        async with taken.turn:
            if not taken.left or clock() > taken.until:
                ask = self._rate.ask
                while wait_s := await ask(platform.name, platform.overall, _AT_ONCE):  # noqa: ASYNC110
                    await asyncio.sleep(wait_s)
                taken.left, taken.until = _AT_ONCE, clock() + _GOOD_S
            taken.left -= 1
