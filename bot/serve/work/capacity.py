"""Whose work goes on: the lane places of a worker, and one thing at a time for each person."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from engine.ports.storage.store import LaneCapacity

MOMENT_S: Final = 0.1
LONGEST_QUEUE: Final = 32


class LanePlaces:
    """The places that lanes hold; `on_room` is called when there is room again."""

    def __init__(self, room: LaneCapacity, on_room: Callable[[], None]) -> None:
        self._all = room
        self._on_room = on_room
        self._taken: Counter[str] = Counter()

    def room(self) -> LaneCapacity:
        """For how many more lanes there is room."""
        run, control = (
            self._all.run - self._taken["run"],
            self._all.control - self._taken["control"],
        )
        shared = self._all.shared - self._taken["talk"] + min(0, run) + min(0, control)
        # Lanes that come back from a model wait for no place, so that there may be too many.
        return LaneCapacity(max(0, shared), max(0, run), max(0, control))

    def are_taken(self) -> bool:
        """Whether any lane holds a place."""
        return any(self._taken.values())

    def take(self, kind: str) -> "LanePlace":
        """A place for one more lane."""
        self.change(kind, 1)
        return LanePlace(self, kind)

    def change(self, kind: str, by: int) -> None:
        """Let so many more lanes of that kind hold a place, or fewer."""
        before = self.room()
        self._taken[kind] += by
        after = self.room()
        if any(
            was == 0 < now
            for was, now in (
                (before.shared, after.shared),
                (before.run, after.run),
                (before.control, after.control),
            )
        ):
            self._on_room()


@dataclass(slots=True)
class LanePlace:
    """A lane's place, which it vacates while it waits elsewhere."""

    places: LanePlaces
    kind: str
    _away: int = 0
    _ended: bool = False

    @contextmanager
    def vacate(self) -> Iterator[None]:
        """Give the place to others until the block ends; several blocks may be open at once."""
        self._move(1)
        try:
            yield
        finally:
            self._move(-1)

    def end(self) -> None:
        """Free the place for good; blocks that are still open have no effect any more."""
        if not self._away:
            self.places.change(self.kind, -1)
        self._ended = True

    def _move(self, by: int) -> None:
        was_away, self._away = bool(self._away), self._away + by
        if not self._ended and was_away != bool(self._away):
            self.places.change(self.kind, 1 if was_away else -1)


class PersonGate:
    """Lets one mail of a person begin at a time, in the order in which they came.

    Between two of them it waits for as long as the first took, at most `moment_s`: at least half
    of the time is for other people.
    """

    def __init__(self, moment_s: float = MOMENT_S) -> None:
        self.moment_s = moment_s
        self._since: dict[str, float] = {}
        self._waiting: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)

    def is_busy(self, person: str) -> bool:
        """Whether the person's next mail would have to wait."""
        return person in self._since

    def is_full(self, person: str) -> bool:
        """Whether LONGEST_QUEUE mails of the person wait already."""
        return person in self._waiting and len(self._waiting[person]) >= LONGEST_QUEUE

    def drain(self, error: Exception) -> None:
        """Raise the error in everything that waits."""
        for turn in (turn for waiting in self._waiting.values() for turn in waiting):
            if not turn.done():
                turn.set_exception(error)
        self._waiting.clear()

    async def enter(self, person: str) -> None:
        """Wait for a turn of the person; each `enter` needs its `leave`."""
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
        """End the turn; the next one begins after a rest."""
        loop = asyncio.get_running_loop()
        if person in self._waiting:
            rest_s = min(loop.time() - self._since[person], self.moment_s)
            loop.call_later(rest_s, self._begin_next, person, loop)
        else:
            del self._since[person]

    def _begin_next(self, person: str, loop: asyncio.AbstractEventLoop) -> None:
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
