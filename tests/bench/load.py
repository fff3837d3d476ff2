"""The people who write: at a steady rate for latencies, or so many at once for throughput."""

import asyncio
import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter

from tests.bench.messages import Kind, lookup
from tests.bench.stubs import Stub
from tests.bench.wire import Client

PATIENCE_S = 60.0


@dataclass
class Seen:
    """What was measured: seconds from a message to its acknowledgement and to its answer."""

    acks_s: list[float] = field(default_factory=list)
    answers_s: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    took_s: float = 0.0

    @property
    def per_s(self) -> float:
        """Messages answered per second."""
        return len(self.answers_s) / self.took_s if self.took_s else 0.0


class Load:
    """Messages to one bot; every conversation waits for its answer before it says more.

    `numbers` gives each message an id of its own, over all loads on one store.
    """

    def __init__(
        self, kind: Kind, port: int, stub: Stub, conversations: int, numbers: Iterator[int]
    ) -> None:
        self.kind = kind
        self._client = Client(port)
        self._numbers = numbers
        self._free = deque(kind.place(n) for n in range(conversations))
        self._waiting: dict[str, asyncio.Future[str]] = {}
        stub.told = self._told

    # Time is read from perf_counter: the loop's own clock may be only as fine as a millisecond.
    async def window(self, messages: int, at_once: int) -> Seen:
        """So many messages, always `at_once` of them on their way."""
        seen = Seen()
        left = itertools.count()

        async def person() -> None:
            while next(left) < messages:
                await self.say(seen, perf_counter())

        begun = perf_counter()
        async with asyncio.TaskGroup() as people:
            for _ in range(at_once):
                people.create_task(person())
        seen.took_s = perf_counter() - begun
        return seen

    async def steady(self, messages: int, per_s: float) -> Seen:
        """So many messages at a fixed rate, however slow the answers are."""
        seen = Seen()
        begun = perf_counter()
        async with asyncio.TaskGroup() as people:
            for n in range(messages):
                due = begun + n / per_s
                await asyncio.sleep(max(0.0, due - perf_counter()))
                people.create_task(self.say(seen, due))
        seen.took_s = perf_counter() - begun
        return seen

    async def say(self, seen: Seen, due: float, text: str = "") -> None:
        """One message, a look-up if not another, until it is answered.

        `due` is when it was to be sent.
        """
        place = self._free.popleft()
        told = self._waiting[place] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        asked, who = (text, "") if text else lookup(number)
        try:
            async with asyncio.timeout(PATIENCE_S):
                answer = await self._client.ask(
                    self.kind.request(self._client.port, place, number, asked)
                )
                seen.acks_s.append(perf_counter() - due)
                if answer.status != 200:
                    seen.faults.append(f"HTTP {answer.status}")
                    return
                _check(await told, who, seen)
                seen.answers_s.append(perf_counter() - due)
        except (OSError, TimeoutError) as error:
            seen.faults.append(f"{place}: {type(error).__name__}")
        finally:
            self._waiting.pop(place, None)
            self._free.append(place)

    def close(self) -> None:
        """Let go of all connections."""
        self._client.close()

    def _told(self, place: str, text: str) -> None:
        waiting = self._waiting.get(place)
        if waiting is not None and not waiting.done():
            waiting.set_result(text)


def _check(answer: str, who: str, seen: Seen) -> None:
    # An echo says the question, our answer says the value: both name the subject.
    if who not in answer:
        seen.faults.append(f"{who}: answered {answer[:80]}")
