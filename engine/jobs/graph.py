"""What becomes of a job graph: every change of it, as a function from graph to graph (spec 002)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.frames.job_graph import (
    LESSON_CHARS,
    MAX_LESSONS,
    RESULT_CHARS,
    ROOT,
    Job,
    JobGraph,
    PlannedJob,
    cut,
)

_OPEN = ("created", "running")


@dataclass(frozen=True, slots=True)
class GraphProgress:
    """How a graph stands: the jobs that can be begun now (`free`), how many are `done`, how many
    are `busy`, and whether one `asks` a person."""

    free: tuple[Job, ...]
    done: int
    busy: int
    asks: bool


def standing(graph: JobGraph, now: datetime) -> GraphProgress:
    """How the graph stands; one that does not go on has no job to begin."""
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
    """These jobs run, each in a new attempt."""

    def begun(job: Job) -> Job:
        update = {"status": "running", "attempt": job.attempt + 1, "not_before": None, "seen": ""}
        return job.model_copy(update=update)

    running = graph.model_copy(update={"status": "running"})
    return _each(running, names, begun) if names else running


def wake(graph: JobGraph, key: str) -> JobGraph:
    """The back-off of the job of that key is over, whatever our clock says."""
    names = [job.id for job in graph.jobs if job.not_before and job.key == key]
    return _each(graph, names, lambda job: job.model_copy(update={"not_before": None}))


def see(graph: JobGraph, name: str, seen: str) -> JobGraph:
    """The job's child run waits for a person, is blocked, or goes on."""
    return _each(graph, (name,), lambda job: job.model_copy(update={"seen": seen}))


def finish(graph: JobGraph, name: str, result: str) -> JobGraph:
    """The job has its result; with the last one the graph has finished."""
    update = {"status": "finished", "result": cut(result, RESULT_CHARS), "error": "", "seen": ""}
    after = _each(graph, (name,), lambda job: job.model_copy(update=update))
    if all(job.status == "finished" for job in after.jobs):
        return after.model_copy(update={"status": "finished"})
    return after


def retry(graph: JobGraph, name: str, error: str, at: datetime) -> JobGraph:
    """After an EXECUTION_ERROR: the job is to run again, not before that moment."""

    def again(job: Job) -> Job:
        update = {"status": "created", "errors": job.errors + 1, "not_before": at, "seen": ""}
        return job.model_copy(update={**update, "error": error})

    return _each(graph, (name,), again)


def send_back(graph: JobGraph, name: str, lesson: str) -> JobGraph:
    """After an INPUT_DATA_ERROR: the job and its direct predecessors run again, with the lesson.

    A predecessor that runs again already keeps the lesson for whenever it is begun anew. Whatever
    else used those predecessors keeps its result.
    """
    found = graph.job(name)
    assert found is not None, "only a job of the graph is sent back"
    lesson = cut(lesson, LESSON_CHARS)

    def taught(job: Job) -> Job:
        lessons = (*job.lessons, lesson)[-MAX_LESSONS:] if lesson else job.lessons
        update: dict[str, object] = {"lessons": lessons}
        if job.status == "finished":
            update |= {"status": "created", "result": "", "errors": 0}
        return job.model_copy(update=update)

    after = _each(graph, found.dependencies, taught)
    sent = {"status": "created", "sent_back": found.sent_back + 1, "seen": "", "error": lesson}
    # A job without predecessors has nobody but itself to learn the lesson.
    lessons = found.lessons if found.dependencies else taught(found).lessons
    again = found.model_copy(update={**sent, "lessons": lessons})
    return _each(after, (name,), lambda _: again)


def hand_over(graph: JobGraph, name: str, why: str) -> JobGraph:
    """After a JOB_TOO_COMPLICATED_ERROR: the Leader has the job next."""
    update = {"status": "created", "leading": True, "errors": 0, "error": why, "seen": ""}
    return _each(graph, (name,), lambda job: job.model_copy(update=update))


def decompose(graph: JobGraph, name: str, planned: Sequence[PlannedJob]) -> JobGraph:
    """These jobs in the place of that one: the first of them need what it needed, and what needed
    it needs the last of them. Each has one life less."""
    old = graph.job(name)
    assert old is not None, "only a job of the graph is decomposed"
    inner = {dependency for each in planned for dependency in each.dependencies}
    last = tuple(_named(old, each.id) for each in planned if each.id not in inner)
    parts = tuple(_part(old, each) for each in planned)
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
    needs = tuple(_named(old, name) for name in planned.dependencies) or old.dependencies
    return Job(
        **{
            **planned.model_dump(),
            "id": _named(old, planned.id),
            "dependencies": needs,
            "life_cycle": old.life_cycle - 1,
            "lessons": old.lessons,
            "inside": "" if old.id == ROOT else old.id,
        }
    )


def _named(old: Job, name: str) -> str:
    """Unique in the graph: a part has the name of what it is part of before its own."""
    return name if old.id == ROOT else f"{old.id}.{name}"


def stop(graph: JobGraph, error: str) -> JobGraph:
    """Whatever has no result yet is stopped; what runs may end, and what it returns is discarded.

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
    """The job has failed, unless it has a result, and with it the graph; the others are stopped
    (fail_job_graph, spec 002 §6.1)."""
    job = graph.job(name)
    if job is None or graph.status not in _OPEN:
        return graph
    if job.status in _OPEN:
        update = {"status": "failed", "error": error, "not_before": None, "seen": ""}
        graph = _each(graph, (name,), lambda each: each.model_copy(update=update))
    return stop(graph, error).model_copy(update={"status": "failed"})


def recover(graph: JobGraph, feedback: str = "") -> JobGraph:
    """A graph that was stopped or has failed goes on: what has no result is to run again.

    Finished jobs keep their results, counts of errors begin anew, and the error stays readable
    until something else happens (recover_original_job, spec 002 §6.1).
    """
    if graph.status not in ("stopped", "failed"):
        return graph
    fresh = {"status": "created", "errors": 0, "sent_back": 0, "not_before": None, "seen": ""}
    jobs = tuple(
        job if job.status == "finished" else job.model_copy(update=fresh) for job in graph.jobs
    )
    said = (*graph.feedback, feedback) if feedback else graph.feedback
    update = {"status": "running", "jobs": jobs, "error": "", "feedback": said[-MAX_LESSONS:]}
    return graph.model_copy(update=update)


def _each(graph: JobGraph, names: Collection[str], change: Callable[[Job], Job]) -> JobGraph:
    jobs, left = list(graph.jobs), len(names)
    for at, job in enumerate(graph.jobs):
        if not left:
            break
        if job.id in names:
            jobs[at], left = change(job), left - 1
    return graph.model_copy(update={"jobs": tuple(jobs)})
