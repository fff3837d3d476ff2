"""The lane places of a worker: shared ones, and some that are kept for runs and for commands."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.ports.storage.store import LaneRoom


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
