"""What carrying out a job graph costs beside its experts, who answer at once; and its memory."""

import gc
import itertools
import time
from collections import deque
from pathlib import Path
from typing import Any

from engine.frames.job_graph import Job, JobGraph, JobsFrame
from engine.frames.outcome import ChildRunEnded, Done, FrameEntered, StepContext
from engine.frames.state import Patch, Run
from engine.jobs.frame import advance
from engine.mail import ChildRunReported, RunStarted
from engine.ports.model import ModelUsage
from engine.runs.run import advance_run
from tests.bench.figures import ms, table
from tests.bench.plan import Plan, Result
from tests.fakes.job_playbook import playbook
from tests.fakes.services import services_of
from tests.fakes.study import Study
from tests.fakes.walk import People, new_run

SIZES = (10, 100, 1000)
WIDTH = 10
GOAL_MS = 1.0
_BOOK = playbook(("  concurrency: 3\n", f"  concurrency: {WIDTH}\n"))
_PAGE_BYTES = 4096
_IDS = itertools.count(1)


async def jobs(plan: Plan, folder: Path) -> Result:
    """Each size alone: the graph's own decisions, and the whole steps of its run."""
    rows: dict[str, dict[str, float]] = {}
    faults: list[str] = []
    for size in SIZES:
        deciding, grown = await _decisions(_graph(size))
        steps, stored = await _steps(_graph(size))
        if len(deciding) != size or len(steps) != size:
            faults.append(f"{size} jobs: {len(deciding)} decisions, {len(steps)} steps")
        rows[f"{size:,}"] = {
            "scheduling p50 cpu ms": ms(deciding, 0.5),
            "p99 cpu ms": ms(deciding, 0.99),
            "memory KiB / job": grown / size / 1024,
            "whole step p50 cpu ms": ms(steps, 0.5),
            "state KiB": stored / 1024,
        }
    title = f"A job graph, {WIDTH} jobs at a time (goal: {GOAL_MS:g} ms of scheduling a job)"
    return Result("jobs", {"sizes": rows}, table(title, rows, first="jobs"), faults)


def _graph(size: int) -> JobGraph:
    """Layers of ten jobs, each of which needs two of the layer before."""

    def needs(number: int) -> tuple[str, ...]:
        before = number - number % WIDTH - WIDTH
        if before < 0:
            return ()
        return tuple({f"j{before + (number * k) % WIDTH:04}": None for k in (1, 3)})

    made = tuple(
        Job(
            id=f"j{number:04}",
            goal=f"the goal of job {number}",
            context="what it has to know " * 5,
            completion_criteria="what can be checked",
            thinking="why it is needed",
            dependencies=needs(number),
            assigned_expert="records",
        )
        for number in range(size)
    )
    return JobGraph(status="running", jobs=made)


def _context(run: Run) -> StepContext:
    services = services_of(
        records=Study(),
        people=People(),
        new_id=lambda _: f"00-{next(_IDS):06d}",
        project=lambda _: "SIGNOFF-101",
    )
    return StepContext(run, _BOOK, services)


async def _decisions(graph: JobGraph) -> tuple[list[float], int]:
    """Processor seconds at each end of a job; bytes that memory grew by after a tenth of them."""
    frame = JobsFrame(skill="write-report", graph=graph)
    context = _context(new_run(_BOOK, frames=(frame,)))
    taken: list[float] = []
    at_tenth = 0
    waiting = deque[str]()
    answer: Any = await advance(frame, FrameEntered(), context)
    while not isinstance(answer, Done):
        waiting.extend(child.key for child in answer.children)
        ended = ChildRunEnded(waiting.popleft(), "completed", _SUCCESS, "", ModelUsage())
        before = time.thread_time()
        answer = await advance(answer.frame, ended, context)
        taken.append(time.thread_time() - before)
        if len(taken) == max(1, len(graph.jobs) // 10):
            at_tenth = _resident()
    return taken, _resident() - at_tenth


_SUCCESS = Patch(by="write-report", end="SUCCESS", response="what was found")


async def _steps(graph: JobGraph) -> tuple[list[float], int]:
    """Processor seconds of each step of the run, read from and written as JSON; its length."""
    run = new_run(_BOOK, frames=(JobsFrame(skill="write-report", graph=graph),))
    body, taken, largest = run.stored(), list[float](), 0
    keys: dict[str, str] = {}
    waiting = deque[str]()
    mail: Any = RunStarted()
    while True:
        before = time.thread_time()
        stepped = await advance_run(mail, _context(Run.model_validate_json(body)))
        if isinstance(mail, ChildRunReported):
            taken.append(time.thread_time() - before)
        body = stepped.effects.runs[0].body
        largest = max(largest, len(body))
        for write in stepped.effects.runs[1:]:
            child = Run.model_validate_json(write.body)
            keys[child.key] = child.id
            waiting.append(child.key)
        if not waiting:
            return taken, largest
        key = waiting.popleft()
        mail = ChildRunReported(
            run=keys[key],
            key=key,
            status="completed",
            patch=_SUCCESS.model_dump_json(),
            reason="",
        )


def _resident() -> int:
    """The bytes of memory that this process holds."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
