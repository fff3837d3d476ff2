"""Random job graphs, results, orders of work and crashes: order, once, an end, and the same one."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.frames.job_graph import JobFrame, JobGraph
from engine.frames.state import Run
from engine.ports.model import Completion
from engine.runs.run import StepResult
from tests.fakes.job_playbook import job, plan, playbook, says, whose
from tests.fakes.run_tree import RunTree
from tests.fakes.tries import tries
from tests.fakes.walk import new_run

NAMES = tuple("abcdefg")
BOOK = playbook(("  retry_after_s: 0.05\n", "  retry_after_s: 1\n"))
LIKELY = ("SUCCESS",) * 6
VERDICTS = (*LIKELY, "EXECUTION_ERROR", "INPUT_DATA_ERROR", "JOB_TOO_COMPLICATED_ERROR", "ASK")


@dataclass(frozen=True)
class World:
    """What everybody will answer: by the job's name, one answer an attempt, then success."""

    needs: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, tuple[str, ...]]
    retries: int = 1


@st.composite
def worlds(draw: Callable[..., Any]) -> World:
    count = draw(st.integers(1, len(NAMES)))
    names = NAMES[:count]
    needs = {
        name: tuple(draw(st.lists(st.sampled_from(names[:n]), unique=True))) if n else ()
        for n, name in enumerate(names)
    }
    some = st.lists(st.sampled_from(VERDICTS), max_size=3).map(tuple)
    return World(needs, {name: draw(some) for name in names})


@dataclass
class WorldModel:
    """The n-th answer to a job is the world's n-th, however often a crash had it given in vain."""

    world: World
    attempt: Callable[[], int]

    async def complete(
        self,
        messages: Any,
        *,
        tools: Any = (),
        schema: Any = None,
        max_tokens: int = 1000,
        heard: Any = None,
        purpose: Any = "",
    ) -> Completion:
        """By who asks, and in which attempt."""
        contents = [message.content for message in messages]
        who = whose(contents, schema)
        if who == "leader":
            return Completion(self._plan(contents[1]))
        if any("The person answered" in text for text in contents[2:]):
            return Completion(says("SUCCESS", f"{who} after an answer"))
        name = who.rpartition(".")[2]
        said = self.world.answers.get(name, ())
        number = self.attempt() - 1
        status = said[number] if number < len(said) else "SUCCESS"
        if status == "ASK":
            return Completion(says(None, question=f"what of {who}?"))
        if status == "SUCCESS":
            return Completion(says(status, f"{who} done"))
        return Completion(says(status, lesson=f"{who}: {status}"))

    def _plan(self, told: str) -> str:
        if "Why it is too much" not in told:
            jobs = [job(name, "statistics", *needs) for name, needs in self.world.needs.items()]
            return plan(*jobs)
        return plan(job("x"), job("y", "protocol", "x"))


@dataclass
class Watch:
    """What happened, in order: begins and finishes of jobs."""

    began: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    sent_back: Counter[str] = field(default_factory=Counter)
    last: dict[str, str] = field(default_factory=dict)

    def note(self, graph: JobGraph) -> None:
        """The graph after a step of its own run."""
        now = {each.id: each.status for each in graph.jobs}
        for each in graph.jobs:
            was = self.last.get(each.id, "created")
            if each.status == "running" and was != "running":
                assert each.leading or all(now[need] == "finished" for need in each.dependencies)
                self.began.append((each.id, now))
            if each.status == "finished" and was != "finished":
                self.finished.append(each.id)
            if was == "finished" and each.status != "finished":
                self.sent_back[each.id] += 1
        self.last = now


@dataclass
class Ended:
    """How it ended, as far as people can tell, and what was seen on the way."""

    watch: Watch
    tree: RunTree

    @property
    def seen(self) -> dict[str, Any]:
        """What a crash must not change."""
        root = self.tree.root
        return {
            "status": root.status,
            "data": root.state.data,
            "graph": [each.model_dump() for each in self.tree.graph.jobs] if self.rests else [],
            "steps": self.tree.steps,
            "finished": self.watch.finished,
            "part": (root.part.state, root.part.text),
            "children": sorted(
                (run.key, run.status) for run in self.tree.runs.values() if run.parent
            ),
        }

    @property
    def rests(self) -> bool:
        """Whether the graph stands still, and asks whether it goes on."""
        return self.tree.root.status == "suspended"


def carry_out(world: World, seed: int, crashes: Callable[[], bool] = lambda: False) -> Ended:
    order = random.Random(seed)
    watch = Watch()
    current: list[Run] = []

    def attempt() -> int:
        frame = current[-1].frames[-1]
        assert isinstance(frame, JobFrame)
        return frame.brief.job.attempt

    run = new_run(BOOK, message="prepare a report", text="report")
    tree = RunTree(BOOK, run, WorldModel(world, attempt))
    tree.choose = order.randrange
    tree.crashes = crashes
    tree.before = current.append

    def note(mail: str, before: Run, stepped: StepResult) -> None:
        if before.id == run.id and before.frames[-1].kind == "jobs" and tree.jobs:
            watch.note(tree.graph)

    tree.on_step = note
    asyncio.run(_to_the_end(tree))
    return Ended(watch, tree)


async def _to_the_end(tree: RunTree) -> None:
    await tree.start(3000)
    while asked := [card for card in tree.open_cards() if card.kind == "clarify"]:
        await tree.answer(asked[0], "submit", answer="42")
        await tree.go_on(3000)
    assert tree.steps < 3000, "it ends"


@settings(max_examples=tries(20), deadline=None, print_blob=True)
@given(world=worlds(), seed=st.integers(0, 10_000), crash=st.integers(0, 10_000))
def test_a43_crashes_at_any_checkpoint_change_nothing(world: World, seed: int, crash: int) -> None:
    calm = carry_out(world, seed)
    dice = random.Random(crash)
    rough = carry_out(world, seed, lambda: dice.random() < 0.4)
    assert rough.seen == calm.seen


# A job's back-off begins while what it needs is being done again.
BACKING_OFF = World(
    {"a": (), "b": (), "c": ("a",), "d": (), "e": (), "f": ("a",)},
    {"c": ("INPUT_DATA_ERROR", "EXECUTION_ERROR"), "f": ("INPUT_DATA_ERROR",)},
)


@settings(max_examples=tries(30), deadline=None, print_blob=True)
@given(world=worlds(), seed=st.integers(0, 10_000))
@example(world=BACKING_OFF, seed=473)
def test_a43_it_ends_in_order_and_nothing_finished_runs_twice(world: World, seed: int) -> None:
    ended = carry_out(world, seed)
    counts = Counter(ended.watch.finished)
    for name, count in counts.items():
        # Only an INPUT_DATA_ERROR has a finished job run again, once for each time.
        assert count <= 1 + ended.watch.sent_back[name]
    if ended.rests:
        assert ended.tree.graph.status == "failed"
        assert not any(each.status in ("created", "running") for each in ended.tree.graph.jobs)
    else:
        assert ended.tree.root.status == "completed"
    assert all(run.status != "running" for run in ended.tree.runs.values())


def expected(world: World) -> dict[str, int]:
    """The oracle: how often each job runs when no verdict depends on when others end.

    Without input errors, a job runs once for each execution error before its success; `statistics`
    is tried again once, and `JOB_TOO_COMPLICATED_ERROR` hands it over to two others.
    """
    runs = {}
    for name, answers in world.answers.items():
        errors = 0
        for answer in (*answers, "SUCCESS"):
            errors += 1
            if answer != "EXECUTION_ERROR":
                break
        runs[name] = errors
    return runs


@st.composite
def calm_worlds(draw: Callable[..., Any]) -> World:
    world = draw(worlds())
    some = st.sampled_from([(), ("EXECUTION_ERROR",), ("ASK",), ("SUCCESS",)])
    return World(world.needs, {name: draw(some) for name in world.needs})


@settings(max_examples=tries(15), deadline=None, print_blob=True)
@given(world=calm_worlds(), seeds=st.tuples(st.integers(0, 9999), st.integers(0, 9999)))
def test_a43_the_end_is_the_oracles_in_whatever_order_workers_take_the_jobs(
    world: World, seeds: tuple[int, int]
) -> None:
    for seed in seeds:
        ended = carry_out(world, seed)
        assert ended.tree.root.status == "completed"
        attempts = {
            run.frames[0].brief.job.id: run.frames[0].brief.job.attempt
            for run in ended.tree.runs.values()
            if isinstance(run.frames[0], JobFrame)
        }
        assert attempts == expected(world)
        used = {need for needs in world.needs.values() for need in needs}
        last = [name for name in world.needs if name not in used]
        report = str(ended.tree.root.state.data["report"])
        assert [text.partition(" ")[0] for text in report.split("\n\n")] == last


@pytest.mark.parametrize("seed", range(3))
def test_a_wrong_order_would_be_noticed(seed: int) -> None:
    watch = Watch()
    tree = carry_out(World({"a": (), "b": ("a",)}, {}), seed).tree
    frame = next(r.frames[0] for r in tree.runs.values() if r.key == "b#1")
    assert isinstance(frame, JobFrame)
    early = JobGraph(
        status="running",
        jobs=(
            frame.brief.job.model_copy(update={"id": "a", "status": "running", "dependencies": ()}),
            frame.brief.job.model_copy(update={"status": "running", "dependencies": ("a",)}),
        ),
    )
    with pytest.raises(AssertionError):
        watch.note(early)
