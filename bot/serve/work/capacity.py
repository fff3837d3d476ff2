"""Whose work goes on: the lane places of a worker, and one thing at a time for each person."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from engine.ports.storage.store import LaneRoom

MOMENT_S: Final = 0.1
LONGEST_QUEUE: Final = 32


class LanePlaces:
    """Who holds a place; `freed` is called when there is room where there was none."""

    def __init__(self, room: LaneRoom, freed: Callable[[], None]) -> None:
        self._all = room
        self._freed = freed
        self._held: Counter[str] = Counter()

    def room(self) -> LaneRoom:
        """For how many more lanes there is room."""
        run, control = (
            self._all.run - self._held["run"],
            self._all.control - self._held["control"],
        )
        shared = self._all.shared - self._held["talk"] + min(0, run) + min(0, control)
        # Lanes that come back from a model wait for no place, so that there may be too many.
        return LaneRoom(max(0, shared), max(0, run), max(0, control))

    def take(self, kind: str) -> "LanePlace":
        """A place for one more lane."""
        self.change(kind, 1)
        return LanePlace(self, kind)

    def change(self, kind: str, by: int) -> None:
        """So many more lanes of that kind hold a place, or fewer."""
        before = self.room()
        self._held[kind] += by
        after = self.room()
        if any(
            was == 0 < now
            for was, now in (
                (before.shared, after.shared),
                (before.run, after.run),
                (before.control, after.control),
            )
        ):
            self._freed()


@dataclass(slots=True)
class LanePlace:
    """A lane's place, which it gives up while it waits elsewhere."""

    places: LanePlaces
    kind: str
    _away: int = 0
    _ended: bool = False

    @contextmanager
    def left(self) -> Iterator[None]:
        """Others have the place until the block ends; several blocks may be open at once."""
        self._move(1)
        try:
            yield
        finally:
            self._move(-1)

    def end(self) -> None:
        """The lane is held no more; a block that is still open changes nothing any more."""
        if not self._away:
            self.places.change(self.kind, -1)
        self._ended = True

    def _move(self, by: int) -> None:
        was_away, self._away = bool(self._away), self._away + by
        if not self._ended and was_away != bool(self._away):
            self.places.change(self.kind, 1 if was_away else -1)


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
