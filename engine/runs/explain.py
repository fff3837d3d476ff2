"""Why a run is where it is: whether each skill can run and why, and every step so far."""

import json
from collections.abc import Sequence
from typing import Any

from cards.frozen import Frozen
from engine.frames.ends import end_of, with_stored_status
from engine.frames.job_graph import Job
from engine.frames.state import PlannerFrame, Run, position_of
from engine.jobs.graph import job_graph_of
from engine.jobs.views import outline, state_of
from engine.planner.phases import PhaseManager
from engine.planner.situation import SkillAvailability, check_availability
from engine.playbooks.conditions import explain
from engine.playbooks.model import Playbook


class SkillStatus(Frozen):
    """Whether a skill may be chosen now, and why."""

    skill: str
    available: bool
    why: str


class PastStep(Frozen):
    """A step of the past: when, where it led, who changed what, and why.

    `judged` is what came of an SOP's node, and by whom.
    """

    at: str
    frame: str
    outcome: str
    to: str
    by: str
    changed: tuple[str, ...]
    why: str
    judged: str = ""


class JobProgress(Frozen):
    """A job of the run's job graph: how far it is, how often it was begun, what went wrong last."""

    job: str
    expert: str
    state: str
    needs: tuple[str, ...]
    attempts: int
    error: str


class RunExplanation(Frozen):
    """A run explained; `missing` are paths that the phase still wants, `end` is how it ended."""

    run: str
    playbook: str
    digest: str
    request: str
    status: str
    end: str = ""
    phase: str
    at: str
    missing: tuple[str, ...]
    waiting: tuple[str, ...]
    skills: tuple[SkillStatus, ...]
    jobs: tuple[JobProgress, ...] = ()
    steps: tuple[PastStep, ...]


def explain_run(
    run: Run, playbook: Playbook, entries: Sequence[str], *, ended: str
) -> RunExplanation:
    """Why the run is where it is."""
    planner = next((frame for frame in run.frames if isinstance(frame, PlannerFrame)), None)
    # A child run is in no phase: it has only its own frames.
    phase = playbook.phase(planner.phase) if planner else None
    skills = check_availability(playbook, phase, run.state) if phase else ()
    missing = PhaseManager(playbook, run.request).missing(phase, run.state) if phase else ()
    return RunExplanation(
        run=run.id,
        playbook=run.playbook,
        digest=run.digest,
        request=run.request,
        status=ended or run.status,
        end=end_of(with_stored_status(run, ended)) or "",
        phase=phase.id if phase else "",
        at=position_of(run.frames[-1]),
        missing=missing,
        waiting=run.waiting,
        skills=tuple(_skill_status(each, run.state.tree()) for each in skills),
        jobs=tuple(_job_progress(job) for _, job in outline(graph))
        if (graph := job_graph_of(run))
        else (),
        steps=tuple(_past_step(json.loads(entry)) for entry in entries),
    )


def _job_progress(job: Job) -> JobProgress:
    return JobProgress(
        job=job.id,
        expert=job.assigned_expert,
        state=state_of(job),
        needs=job.dependencies,
        attempts=job.attempt,
        error=job.error,
    )


def _skill_status(judged: SkillAvailability, tree: dict[str, Any]) -> SkillStatus:
    met = [explain(c, tree) for c in judged.skill.requires] if judged.available else []
    why = "; ".join((judged.why, *met))
    return SkillStatus(skill=judged.skill.id, available=judged.available, why=why)


def _past_step(entry: dict[str, object]) -> PastStep:
    changes, judged = entry.get("changes"), entry.get("judged")
    return PastStep(
        at=str(entry.get("at", "")),
        frame=str(entry.get("frame", "")),
        outcome=str(entry.get("outcome") or entry.get("event") or ""),
        to=str(entry.get("to", "")),
        by=str(entry.get("by", "")),
        changed=tuple(changes) if isinstance(changes, dict) else (),
        why=str(entry.get("why", "")),
        judged="{node} {result} by {by}".format(**judged) if isinstance(judged, dict) else "",
    )
