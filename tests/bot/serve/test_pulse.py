"""What a watchdog is shown of a worker: its beats, and whose work is on the processor."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from bot.processes.worker import beat_interval_s
from bot.serve.work.pulse import Pulse
from tests.fakes.platforms.patience import until


@pytest.fixture
def pulse() -> Pulse:
    return Pulse()


def run(pulse: Pulse, work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner() as runner:
        pulse.attach(runner.get_loop())
        runner.run(work)


def test_each_step_names_its_lane_and_nothing_is_named_between(pulse: Pulse) -> None:
    seen: list[tuple[str, ...]] = []

    async def step(turn: asyncio.Event, following: asyncio.Event) -> None:
        for _ in range(2):
            await turn.wait()
            turn.clear()
            seen.append(pulse.lanes)
            following.set()

    async def both() -> None:
        one, two = asyncio.Event(), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(pulse.run_named("talk:one", step(one, two)))
            group.create_task(pulse.run_named("talk:two", step(two, one)))
            seen.append(pulse.lanes)
            one.set()
        seen.append(pulse.lanes)

    run(pulse, both())
    assert seen == [(), *[("talk:one",), ("talk:two",)] * 2, ()]


def test_what_a_lane_begins_names_it_as_well(pulse: Pulse) -> None:
    seen: dict[str, tuple[str, ...]] = {}

    async def child() -> None:
        await asyncio.sleep(0)
        seen["task"] = pulse.lanes

    async def lane() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(child())
            group.create_task(asyncio.wait_for(child(), 9))
        await asyncio.gather(child())

    async def other() -> None:
        await asyncio.sleep(0)
        seen["other"] = pulse.lanes

    async def all_of_it() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(pulse.run_named("run:1", lane()))
            group.create_task(other())

    run(pulse, all_of_it())
    assert seen == {"task": ("run:1",), "other": ()}


def test_a_thread_names_its_lane_while_no_step_does(pulse: Pulse) -> None:
    begun, done, seen = threading.Event(), threading.Event(), list[tuple[str, ...]]()

    def work() -> None:
        begun.set()
        done.wait()

    async def lane() -> None:
        await asyncio.to_thread(work)
        seen.append(pulse.lanes)

    async def look() -> None:
        await until(begun.is_set)
        seen.append(pulse.lanes)
        done.set()

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(pulse.run_named("talk:a", lane()))
            group.create_task(look())
        await asyncio.to_thread(lambda: seen.append(pulse.lanes))

    run(pulse, both())
    assert seen == [("talk:a",), ("talk:a",), ()]


@pytest.mark.parametrize("raised", [ValueError("no"), asyncio.CancelledError()])
def test_what_fails_or_is_cancelled_leaves_no_name(pulse: Pulse, raised: BaseException) -> None:
    seen: list[tuple[str, ...]] = []

    async def lane() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append(pulse.lanes)
            raise raised

    async def cancelled() -> None:
        task = asyncio.ensure_future(pulse.run_named("talk:a", lane()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(type(raised)):
            await task
        seen.append(pulse.lanes)

    run(pulse, cancelled())
    assert seen == [("talk:a",), ()]


def test_beats_are_counted_until_the_end_and_then_awaited_no_more(pulse: Pulse) -> None:
    found: list[int] = []

    async def beating() -> None:
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(pulse.run("holder-1", 0.0, stop))
            await until(lambda: pulse.beats >= 3)
            found.append(pulse.beats)
            stop.set()

    run(pulse, beating())
    assert found[0] >= 3
    assert (pulse.beats, pulse.holder) == (0, "holder-1")
    pulse.clear()
    assert (pulse.beats, pulse.holder, pulse.lanes) == (0, "", ())


@pytest.mark.parametrize("name", ["talk:" + "x" * 5000, "talk:web:local:会议室"])
def test_any_name_can_be_shown(pulse: Pulse, name: str) -> None:
    seen: list[tuple[str, ...]] = []

    async def lane() -> None:
        seen.append(pulse.lanes)

    run(pulse, pulse.run_named(name, lane()))
    ((shown,),) = seen
    assert name.startswith(shown)
    assert len(shown) > 9


@pytest.mark.parametrize(
    ("watchdog_s", "every_s"), [(0, 1.0), (0.3, 0.02), (1.5, 0.1), (15, 1.0), (3600, 1.0)]
)
def test_a_worker_is_heard_often_enough_and_never_all_the_time(
    watchdog_s: float, every_s: float
) -> None:
    assert beat_interval_s(watchdog_s) == pytest.approx(every_s)
