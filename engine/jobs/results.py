"""The result of a job's child run, applied to the job graph (spec 002 §4)."""

from datetime import datetime, timedelta
from typing import assert_never

from pydantic import ValidationError

from cards.clipping import shorten
from cards.model import Lang
from cards.texts import say
from engine.frames.job_graph import DECOMPOSED, Job, JobGraph
from engine.frames.outcome import ChildRunEnded, StepContext
from engine.jobs import graph as graphs
from engine.jobs.leader import LeaderPlan, read_leader_plan
from engine.playbooks.job_graph import JobsPart, find_expert

LEADER_RETRIES = 2
MAX_SENT_BACK = 2
MAX_WAIT_S = 300.0
ERROR_CHARS = 1000


def awaited_job(graph: JobGraph, key: str) -> Job | None:
    """The job that runs under that key; None if it was stopped, or has begun anew since."""
    name, _, attempt = key.rpartition("#")
    job = graph.job(name)
    if job is None or job.status != "running" or str(job.attempt) != attempt:
        return None
    return job


def settle(
    graph: JobGraph, job: Job, ended: ChildRunEnded, part: JobsPart, context: StepContext
) -> JobGraph:
    """The graph after a change of the status of that job's child run."""
    now, lang = context.services.now, context.run.lang
    reason = shorten(ended.reason, ERROR_CHARS)
    match ended.status:
        case "suspended":
            return graphs.set_seen(graph, job.id, "waiting")
        case "blocked":
            return graphs.set_seen(graph, job.id, "blocked")
        case "running":
            return graphs.set_seen(graph, job.id, "")
        case "completed":
            return _apply_verdict(graph, job, ended, part, now, lang)
        case "stopped":
            return graphs.stop(graph, reason)
        case "failed" | "cancelled":
            return _retry_or_fail(graph, job, reason, part, now)
    assert_never(ended.status)


def _apply_verdict(
    graph: JobGraph, job: Job, ended: ChildRunEnded, part: JobsPart, now: datetime, lang: Lang
) -> JobGraph:
    reason = next(iter(ended.patch.problems or ()), ended.reason)
    match ended.patch.end:
        case "SUCCESS":
            return graphs.finish(graph, job.id, ended.patch.response or "")
        case "EXECUTION_ERROR":
            return _retry_or_fail(graph, job, reason, part, now, ended.patch.retry_after_s)
        case "INPUT_DATA_ERROR" if job.sent_back < MAX_SENT_BACK:
            return graphs.send_back(graph, job.id, reason)
        case "INPUT_DATA_ERROR":
            why = say("jobs.sent_back", lang, n=MAX_SENT_BACK, why=reason)
            return graphs.fail(graph, job.id, why)
        case "JOB_TOO_COMPLICATED_ERROR" if job.life_cycle > 0:
            return graphs.give_to_leader(graph, job.id, reason)
        case "JOB_TOO_COMPLICATED_ERROR":
            return graphs.fail(graph, job.id, say("jobs.too_complicated", lang, why=reason))
        case verdict if verdict == DECOMPOSED:
            return _decompose(graph, job, ended.patch.response or "", part, lang)
    return graphs.fail(graph, job.id, reason)


def _retry_or_fail(
    graph: JobGraph, job: Job, error: str, part: JobsPart, now: datetime, away_s: float = 0.0
) -> JobGraph:
    """Run the job again after a back-off that doubles each time; after the last try fail.

    The back-off is at least `away_s`, for which the model is away.
    """
    expert = find_expert((*part.experts, *graph.experts), job.assigned_expert)
    tries = expert.retry_count if expert and not job.leading else LEADER_RETRIES
    if job.errors >= tries:
        return graphs.fail(graph, job.id, error)
    wait_s = min(max(part.retry_after_s, away_s) * 2**job.errors, max(MAX_WAIT_S, away_s))
    return graphs.retry(graph, job.id, error, now + timedelta(seconds=wait_s))


def _decompose(graph: JobGraph, job: Job, response: str, part: JobsPart, lang: Lang) -> JobGraph:
    plan = _read(response)
    # Another job may have been decomposed meanwhile.
    if not plan.jobs or len(plan.jobs) > free_room(graph, part):
        return graphs.fail(graph, job.id, say("jobs.too_many", lang, n=part.max_jobs))
    known = {expert.name for expert in graph.experts}
    if known.intersection(expert.name for expert in plan.experts):
        return graphs.fail(graph, job.id, say("jobs.same_experts", lang))
    after = graphs.decompose(graph, job.id, plan.jobs)
    return after.model_copy(update={"experts": (*graph.experts, *plan.experts)})


def _read(response: str) -> LeaderPlan:
    try:
        return read_leader_plan(response)
    except ValidationError:
        # No version of ours wrote it.
        return LeaderPlan()


def free_room(graph: JobGraph, part: JobsPart) -> int:
    """How many jobs may take the place of one job."""
    return part.max_jobs - len(graph.jobs) + 1
