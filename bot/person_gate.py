"""So much of one person is worked on at once, so that what others want comes in between."""

import asyncio
from collections import Counter, defaultdict, deque
from typing import Final

AT_ONCE: Final = 4


class PersonGate:
    """Lets `AT_ONCE` pieces of work of one person through at a time, in the order they came."""

    def __init__(self) -> None:
        self._inside: Counter[str] = Counter()
        self._waiting: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)

    async def enter(self, person: str) -> None:
        """Return when it is their turn; whoever enters must leave."""
        if self._inside[person] < AT_ONCE:
            self._inside[person] += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting[person].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(person)
            raise

    def leave(self, person: str) -> None:
        """Let the next one through, if somebody waits."""
        waiting = self._waiting[person]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._waiting[person]
        self._inside[person] -= 1
        if not self._inside[person]:
            del self._inside[person]
