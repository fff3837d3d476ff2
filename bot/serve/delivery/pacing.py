"""When something is sent: after how long again, and within a platform's limit."""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass, field

from engine.ports.platform import Platform, Rate

LONGEST_S = 300.0
"""The longest pause between two tries, seconds."""
# Some hundred doublings more are no number any more.
_DOUBLINGS = 20
# Sends that a worker asks for at once; it keeps what it does not use.
_AT_ONCE = 5


def backoff_s(attempts: int) -> float:
    """Seconds to wait after so many failed tries: twice as long each time, never over LONGEST_S."""
    # Jitter only spreads load.
    return min(2.0 ** min(attempts, _DOUBLINGS), LONGEST_S) * random.uniform(0.5, 1.0)  # noqa: S311


@dataclass(slots=True)
class _Spent:
    left: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Throttle:
    """Lets messages pass as fast as the platform's `overall` pace allows, over all workers."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._taken: defaultdict[str, _Spent] = defaultdict(_Spent)

    async def wait_turn(self, platform: Platform) -> None:
        """Wait until a message may be sent. Raises StoreUnavailable."""
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
