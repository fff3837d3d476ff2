"""One thing after the other of what a person wants, so that what others want comes in between."""

import asyncio
from collections import defaultdict, deque
from typing import Final

MOMENT_S: Final = 0.1
LONGEST_QUEUE: Final = 32


class PersonGate:
    """Lets one piece of a person's work through at a time, in the order in which they came.

    Between two of them it rests for as long as the first took, a moment at most: so half of the
    time at least is for others.
    """

    def __init__(self, moment_s: float = MOMENT_S) -> None:
        self.moment_s = moment_s
        self._since: dict[str, float] = {}
        self._waiting: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)

    def is_busy(self, person: str) -> bool:
        """Whether whoever enters now has to wait."""
        return person in self._since

    def is_full(self, person: str) -> bool:
        """Whether so many wait that one more should wait elsewhere."""
        return person in self._waiting and len(self._waiting[person]) >= LONGEST_QUEUE

    def drain(self, error: Exception) -> None:
        """Nobody waits any more: whoever does has this error."""
        for turn in (turn for waiting in self._waiting.values() for turn in waiting):
            if not turn.done():
                turn.set_exception(error)
        self._waiting.clear()

    async def enter(self, person: str) -> None:
        """Return when it is their turn; whoever entered must leave."""
        loop = asyncio.get_running_loop()
        if not self.is_busy(person):
            self._since[person] = loop.time()
            return
        turn = loop.create_future()
        self._waiting[person].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and not turn.exception():
                self.leave(person)
            raise

    def leave(self, person: str) -> None:
        """Let the next one through, after a rest, if somebody waits."""
        loop = asyncio.get_running_loop()
        if person in self._waiting:
            rest_s = min(loop.time() - self._since[person], self.moment_s)
            loop.call_later(rest_s, self._pass_on, person, loop)
        else:
            del self._since[person]

    def _pass_on(self, person: str, loop: asyncio.AbstractEventLoop) -> None:
        waiting = self._waiting[person]
        while waiting and waiting[0].done():
            waiting.popleft()
        if waiting:
            self._since[person] = loop.time()
            waiting.popleft().set_result(None)
        else:
            del self._since[person]
        if not waiting:
            del self._waiting[person]
