"""Every change of a job graph, as a function from graph to graph; pure (spec 002)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from cards.clipping import shorten
from engine.frames.job_graph import (
    LESSON_CHARS,
    MAX_LESSONS,
    RESULT_CHARS,
    ROOT,
    Job,
    JobGraph,
    JobsFrame,
    JobWrite,
    PlannedJob,
)
from engine.frames.outcome import GraphOrder
from engine.frames.state import Run

_OPEN = ("created", "running")


def job_graph_of(run: Run) -> JobGraph | None:
    """The job graph that the run is in, or rests in; None for any other run."""
    frame = next((f for f in reversed(run.frames) if isinstance(f, JobsFrame)), None)
    return frame.graph if frame else None


def can_take(order: GraphOrder, run: Run, job: str = "") -> bool:
    """Whether the run's graph can follow the order now (spec 002 §6.1).

    It can be stopped, and `job` can be failed, while it goes on; else it can be recovered.
    """
    graph = job_graph_of(run)
    if graph is None:
        return False
    if order == "recover":
        return graph.status in ("stopped", "failed")
    return graph.status in _OPEN and (order == "stop" or graph.job(job) is not None)


@dataclass(frozen=True, slots=True)
class GraphProgress:
    """How far a graph is: the jobs that can begin now (`free`), how many are `done`, how many are
    `busy`, and whether one `asks` a person."""

    free: tuple[Job, ...]
    done: int
    busy: int
    asks: bool


def measure_progress(graph: JobGraph, now: datetime) -> GraphProgress:
    """How far the graph is; one that does not go on has no job to begin."""
    finished, created = set[str](), list[Job]()
    busy, asks = 0, False
    # One pass: graphs may be long, and this is asked at every step.
    for job in graph.jobs:
        match job.status:
            case "finished":
                finished.add(job.id)
            case "created":
                created.append(job)
            case "running":
                busy += not job.seen
                asks = asks or job.seen == "waiting"
    goes_on = graph.status in _OPEN
    ready = [job for job in created if goes_on and finished.issuperset(job.dependencies)]
    free = tuple(job for job in ready if not (job.not_before and job.not_before > now))
    return GraphProgress(free, len(finished), busy, asks)


def begin(graph: JobGraph, names: Collection[str]) -> JobGraph:
    """Run these jobs, each in a new attempt."""

    def begin_attempt(job: Job) -> Job:
        update = {"status": "running", "attempt": job.attempt + 1, "not_before": None, "seen": ""}
        return job.model_copy(update=update)

    running = graph.model_copy(update={"status": "running"})
    return _change(running, names, begin_attempt) if names else running


def end_backoff(graph: JobGraph, key: str) -> JobGraph:
    """End the back-off of the job with that key, whatever our clock says."""
    names = [job.id for job in graph.jobs if job.not_before and job.key == key]
    return _change(graph, names, lambda job: job.model_copy(update={"not_before": None}))


def set_seen(graph: JobGraph, name: str, seen: str) -> JobGraph:
    """Store whether the job's child run waits for a person, is blocked, or goes on ("")."""
    return _change(graph, (name,), lambda job: job.model_copy(update={"seen": seen}))


def note_made(graph: JobGraph, key: str, made: Sequence[JobWrite]) -> JobGraph:
    """Keep what was written for the job of that key, whatever else comes of its attempt."""
    name = key.rpartition("#")[0]

    def with_made(job: Job) -> Job:
        calls = {each.call: each for each in (*job.made, *made)}
        return job.model_copy(update={"made": tuple(calls.values())})

    return _change(graph, (name,), with_made) if made else graph


def finish(graph: JobGraph, name: str, result: str) -> JobGraph:
    """Give the job its result; with the last one the graph has finished."""
    update = {
        "status": "finished",
        "result": shorten(result, RESULT_CHARS),
        "error": "",
        "seen": "",
        "old_result": "",
    }
    after = _change(graph, (name,), lambda job: job.model_copy(update=update))
    if all(job.status == "finished" for job in after.jobs):
        return after.model_copy(update={"status": "finished"})
    return after


def retry(graph: JobGraph, name: str, error: str, at: datetime) -> JobGraph:
    """After an EXECUTION_ERROR: run the job again, not before that moment."""

    def again(job: Job) -> Job:
        update = {"status": "created", "errors": job.errors + 1, "not_before": at, "seen": ""}
        return job.model_copy(update={**update, "error": error})

    return _change(graph, (name,), again)


def send_back(graph: JobGraph, name: str, lesson: str) -> JobGraph:
    """After an INPUT_DATA_ERROR: the job and its direct predecessors run again, with the lesson.

    A predecessor that already runs keeps the lesson for its next attempt. Other jobs that used
    the predecessors keep their results.
    """
    sent = graph.job(name)
    assert sent is not None, "only a job of the graph is sent back"
    lesson = shorten(lesson, LESSON_CHARS)

    def with_lesson(job: Job) -> Job:
        lessons = (*job.lessons, lesson)[-MAX_LESSONS:] if lesson else job.lessons
        update: dict[str, object] = {"lessons": lessons}
        if job.status == "finished":
            update |= {"status": "created", "result": "", "errors": 0, "old_result": job.result}
        return job.model_copy(update=update)

    after = _change(graph, sent.dependencies, with_lesson)
    update = {"status": "created", "sent_back": sent.sent_back + 1, "seen": "", "error": lesson}
    # A job without predecessors learns the lesson itself.
    lessons = sent.lessons if sent.dependencies else with_lesson(sent).lessons
    again = sent.model_copy(update={**update, "lessons": lessons})
    return _change(after, (name,), lambda _: again)


def give_to_leader(graph: JobGraph, name: str, why: str) -> JobGraph:
    """After a JOB_TOO_COMPLICATED_ERROR: let the Leader decompose the job."""
    update = {"status": "created", "leading": True, "errors": 0, "error": why, "seen": ""}
    return _change(graph, (name,), lambda job: job.model_copy(update=update))


def decompose(graph: JobGraph, name: str, planned: Sequence[PlannedJob]) -> JobGraph:
    """Put these jobs in the place of that one, each with one life less.

    The first of them depend on what it depended on; what depended on it depends on the last.
    """
    old = graph.job(name)
    assert old is not None, "only a job of the graph is decomposed"
    inner = {dependency for part in planned for dependency in part.dependencies}
    last = tuple(_full_id(old, part.id) for part in planned if part.id not in inner)
    parts = tuple(_part(old, part) for part in planned)
    jobs: list[Job] = []
    for job in graph.jobs:
        if job.id == name:
            jobs += parts
        elif name in job.dependencies:
            at = job.dependencies.index(name)
            needs = (*job.dependencies[:at], *last, *job.dependencies[at + 1 :])
            jobs.append(job.model_copy(update={"dependencies": tuple(dict.fromkeys(needs))}))
        else:
            jobs.append(job)
    gone = old.model_copy(update={"status": "finished", "seen": ""})
    decomposed = (*graph.decomposed, gone)
    return graph.model_copy(update={"jobs": tuple(jobs), "decomposed": decomposed})


def _part(old: Job, planned: PlannedJob) -> Job:
    needs = tuple(_full_id(old, name) for name in planned.dependencies) or old.dependencies
    return Job(
        **{
            **planned.model_dump(),
            "id": _full_id(old, planned.id),
            "dependencies": needs,
            "life_cycle": old.life_cycle - 1,
            "lessons": old.lessons,
            "made": old.made,
            "inside": "" if old.id == ROOT else old.id,
        }
    )


def _full_id(old: Job, name: str) -> str:
    """An id that is unique in the graph: it begins with that of the decomposed job."""
    return name if old.id == ROOT else f"{old.id}.{name}"


def stop(graph: JobGraph, error: str) -> JobGraph:
    """Stop all jobs without a result; what still runs may end, and its result is discarded.

    A graph that has ended stays as it is (stop_job_graph, spec 002 §6.1).
    """
    if graph.status not in _OPEN:
        return graph
    stopped = {"status": "stopped", "not_before": None, "seen": ""}
    jobs = tuple(
        job.model_copy(update=stopped) if job.status in _OPEN else job for job in graph.jobs
    )
    return graph.model_copy(update={"status": "stopped", "jobs": jobs, "error": error})


def fail(graph: JobGraph, name: str, error: str) -> JobGraph:
    """Fail the graph and the job, unless the job has a result; stop the others.

    (fail_job_graph, spec 002 §6.1)
    """
    job = graph.job(name)
    if job is None or graph.status not in _OPEN:
        return graph
    if job.status in _OPEN:
        update = {"status": "failed", "error": error, "not_before": None, "seen": ""}
        graph = _change(graph, (name,), lambda job: job.model_copy(update=update))
    return stop(graph, error).model_copy(update={"status": "failed"})


def recover(graph: JobGraph, feedback: str = "") -> JobGraph:
    """Let a stopped or failed graph go on: jobs without a result run again.

    Finished jobs keep their results, counts of errors begin anew, and the error stays readable
    until something else happens (recover_original_job, spec 002 §6.1).
    """
    if graph.status not in ("stopped", "failed"):
        return graph
    fresh = {"status": "created", "errors": 0, "sent_back": 0, "not_before": None, "seen": ""}
    jobs = tuple(
        job if job.status == "finished" else job.model_copy(update=fresh) for job in graph.jobs
    )
    remarks = (*graph.feedback, feedback) if feedback else graph.feedback
    update = {"status": "running", "jobs": jobs, "error": "", "feedback": remarks[-MAX_LESSONS:]}
    return graph.model_copy(update=update)


def _change(graph: JobGraph, names: Collection[str], change: Callable[[Job], Job]) -> JobGraph:
    jobs, left = list(graph.jobs), len(names)
    for at, job in enumerate(graph.jobs):
        if not left:
            break
        if job.id in names:
            jobs[at], left = change(job), left - 1
    return graph.model_copy(update={"jobs": tuple(jobs)})
