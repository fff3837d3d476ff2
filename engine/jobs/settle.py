"""What a child run's end means for its job and for the graph (spec 002 §4)."""

from datetime import datetime, timedelta
from typing import assert_never

from pydantic import ValidationError

from cards.model import Lang
from cards.texts import say
from engine.frames.job_graph import DECOMPOSED, Job, JobGraph, PlannedJob, cut
from engine.frames.outcome import ChildRunEnded, StepContext
from engine.jobs import graph as graphs
from engine.jobs.decompose import read_jobs
from engine.playbooks.job_graph import JobsPart

LEADER_RETRIES = 2
MAX_SENT_BACK = 2
MAX_WAIT_S = 300.0
ERROR_CHARS = 1000


def awaited(graph: JobGraph, key: str) -> Job | None:
    """The job that runs under that key; None for what was stopped, or begun anew since."""
    name, _, attempt = key.rpartition("#")
    job = graph.job(name)
    if job is None or job.status != "running" or str(job.attempt) != attempt:
        return None
    return job


def settled(
    graph: JobGraph, job: Job, ended: ChildRunEnded, part: JobsPart, context: StepContext
) -> JobGraph:
    """The graph after the end of that job's child run."""
    now, lang = context.services.now, context.run.lang
    told = cut(ended.reason, ERROR_CHARS)
    match ended.status:
        case "suspended":
            return graphs.see(graph, job.id, "waiting")
        case "blocked":
            return graphs.see(graph, job.id, "blocked")
        case "running":
            return graphs.see(graph, job.id, "")
        case "completed":
            return _judged(graph, job, ended, part, now, lang)
        case "stopped":
            return graphs.stop(graph, told)
        case "failed" | "cancelled":
            return _error(graph, job, told, part, now)
    assert_never(ended.status)


def _judged(
    graph: JobGraph, job: Job, ended: ChildRunEnded, part: JobsPart, now: datetime, lang: Lang
) -> JobGraph:
    told = next(iter(ended.patch.problems or ()), ended.reason)
    match ended.patch.end:
        case "SUCCESS":
            return graphs.finish(graph, job.id, ended.patch.response or "")
        case "EXECUTION_ERROR":
            return _error(graph, job, told, part, now, ended.patch.retry_after_s)
        case "INPUT_DATA_ERROR" if job.sent_back < MAX_SENT_BACK:
            return graphs.send_back(graph, job.id, told)
        case "INPUT_DATA_ERROR":
            why = say("jobs.sent_back", lang, n=MAX_SENT_BACK, why=told)
            return graphs.fail(graph, job.id, why)
        case "JOB_TOO_COMPLICATED_ERROR" if job.life_cycle > 0:
            return graphs.hand_over(graph, job.id, told)
        case "JOB_TOO_COMPLICATED_ERROR":
            return graphs.fail(graph, job.id, say("jobs.too_complicated", lang, why=told))
        case verdict if verdict == DECOMPOSED:
            return _decomposed(graph, job, ended.patch.response or "", part, lang)
    return graphs.fail(graph, job.id, told)


def _error(
    graph: JobGraph, job: Job, told: str, part: JobsPart, now: datetime, away_s: float = 0.0
) -> JobGraph:
    """Again after a while that doubles each time, or the end of the graph.

    What is away for `away_s` is not asked before: no try would be more than one in vain.
    """
    expert = part.named(job.assigned_expert)
    tries = expert.retry_count if expert and not job.leading else LEADER_RETRIES
    if job.errors >= tries:
        return graphs.fail(graph, job.id, told)
    wait_s = min(max(part.retry_after_s, away_s) * 2**job.errors, max(MAX_WAIT_S, away_s))
    return graphs.retry(graph, job.id, told, now + timedelta(seconds=wait_s))


def _decomposed(graph: JobGraph, job: Job, response: str, part: JobsPart, lang: Lang) -> JobGraph:
    planned = _read(response)
    # Another job may have been decomposed meanwhile.
    if not planned or len(planned) > room(graph, part):
        return graphs.fail(graph, job.id, say("jobs.too_many", lang, n=part.max_jobs))
    return graphs.decompose(graph, job.id, planned)


def _read(response: str) -> tuple[PlannedJob, ...]:
    try:
        return read_jobs(response)
    except ValidationError:
        # No version of us wrote that; nothing is planned.
        return ()


def room(graph: JobGraph, part: JobsPart) -> int:
    """How many jobs may take the place of one."""
    return part.max_jobs - len(graph.jobs) + 1
