"""Whether the store is still the one that the data folder belongs to, and as safe (`/readyz`)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from bot.kept_note import KeptNote
from bot.waits import pause
from engine.errors import StoreError
from engine.ports.clock import Clock
from engine.ports.storage.operations import StoreState

log = structlog.get_logger()
INTERVAL_S: Final = 30.0
CLOCK_S: Final = 60.0
"""By so much the clocks of store and machine may differ."""

ANOTHER: Final = (
    "it is not the store that this installation works with: another one, or an emptied one, is in"
    " its place; bring the old one back, or remove {file} from the data folder where it is meant"
)


class StoreWatch:
    """Looks at the store again and again; `problems` are empty while all is well.

    The store's identity is a `note` in the data folder, so that one that was exchanged while
    nothing ran is noticed too. `clock` is None where the process goes by another time than its
    machine's. What is unsafe is not told where an operator `allows_unsafe` stores.
    """

    def __init__(
        self,
        read: Callable[[], Awaitable[StoreState]],
        clock: Clock | None,
        note: KeptNote,
        *,
        durability: str,
        allows_unsafe: bool,
    ) -> None:
        self._read = read
        self._clock = clock
        self._allows_unsafe = allows_unsafe
        self._note = note
        self.durability = durability
        self.problems: Sequence[str] = ()

    async def run(self, stop: asyncio.Event) -> None:
        """Look twice a minute until `stop`; a change is logged."""
        while not stop.is_set():
            await self.check()
            await pause(stop, INTERVAL_S)

    async def check(self) -> None:
        """Look now. A store that is away says nothing of what it is."""
        try:
            state = await self._read()
        except StoreError:
            return
        is_ours = await asyncio.to_thread(self._is_noted, state.identity)
        problems = [] if self._allows_unsafe else [*state.faults]
        if not is_ours:
            problems.append(ANOTHER.format(file=self._note.name))
        problems += self._clock_problems(state.server_s)
        self.durability = state.durability
        if bool(problems) != bool(self.problems) or len(problems) != len(self.problems):
            for problem in problems:
                log.error("store_unsound", problem=problem)
            if not problems:
                log.info("store_sound", durability=state.durability)
        self.problems = problems

    def _is_noted(self, identity: str) -> bool:
        """Whether it is the store that is noted; the first one is."""
        noted = self._note.read()
        if not noted:
            self._note.write(identity)
        return noted in ("", identity)

    def _clock_problems(self, server_s: float) -> list[str]:
        if self._clock is None or not server_s:
            return []
        ahead_s = server_s - self._clock.now().timestamp()
        if abs(ahead_s) <= CLOCK_S:
            return []
        way = "ahead of" if ahead_s > 0 else "behind"
        return [
            f"its clock is {abs(ahead_s):.0f} s {way} this machine's, and cards and timers end by"
            " the store's; set both by one time server"
        ]
