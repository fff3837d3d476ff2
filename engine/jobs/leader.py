"""The Leader: a model decomposes a job; faulty plans go back to it with their faults (002 §3)."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field, TypeAdapter

from cards.forms import is_storable
from cards.frozen import Frozen
from engine.dialogue import DialogueResult, ModelTask
from engine.frames.job_graph import DECOMPOSED, UNUSABLE, Brief, LeaderFrame, PlannedJob
from engine.frames.outcome import Done, FrameInput, StepContext, StepOutcome
from engine.frames.state import Patch
from engine.jobs.prompts import leader_opening
from engine.jobs.shared import advance_job, jobs_part
from engine.playbooks.job_graph import LEADER, Expert, JobsPart
from engine.text.answer import (
    DECODER,
    AnswerFaults,
    code_blocks,
    object_schema,
    read_answer,
    repeated_key,
)
from engine.yaml.faults import Fault, key_text, suggestion

OUTPUT_TOKENS = 8000
CUT_OFF = "the answer was cut off at its greatest length; plan fewer or shorter jobs"
_JOBS = TypeAdapter(tuple[PlannedJob, ...])


class PlannedExpert(Frozen):
    """An expert as the Leader makes one."""

    name: str = Field(max_length=40, pattern=r"^[\w-]+$")
    profile: str = Field(pattern=r"\S", max_length=2000)
    tools: tuple[str, ...]


class LeaderPlan(Frozen):
    """The jobs in the place of one, and the experts that were made for them."""

    jobs: tuple[PlannedJob, ...] = ()
    experts: tuple[Expert, ...] = ()


class _Answer(Frozen):
    jobs: tuple[PlannedJob, ...]
    experts: tuple[PlannedExpert, ...] = ()


@dataclass(frozen=True, slots=True)
class Team:
    """Who there is, and whom the Leader may still make: `most` of them, out of these `tools`."""

    names: tuple[str, ...]
    tools: tuple[str, ...] = ()
    most: int = 0
    retry_count: int = 2


def _team(brief: Brief, part: JobsPart) -> Team:
    names = tuple(expert.name for expert in (*part.experts, *brief.experts))
    making = part.made_experts
    left = making.most - len(brief.experts) if making else 0
    if making is None or left <= 0:
        return Team(names)
    return Team(names, making.tools, left, making.retry_count)


async def advance(frame: LeaderFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """One answer of the model; a faulty one goes back with its exact faults, three are enough."""
    part, brief = jobs_part(frame.skill, context), frame.brief
    team = _team(brief, part)
    task = ModelTask(
        purpose="jobs",
        opening=lambda: leader_opening(brief, part, team.most, context),
        read=lambda text: read_plan(text, team, brief.room),
        schema=plan_schema(team),
        max_tokens=OUTPUT_TOKENS,
        cut_off=CUT_OFF,
    )
    outcome = await advance_job(frame, task, context, verdict=UNUSABLE, text="jobs.faulty_plan")
    if not isinstance(outcome, DialogueResult):
        return outcome
    names = ", ".join(job.id for job in outcome.value.jobs)
    patch = Patch(by=frame.skill, end=DECOMPOSED, response=outcome.value.model_dump_json())
    made = "".join(f"; makes {expert.name}" for expert in outcome.value.experts)
    return Done(patch, f"{brief.job.id} becomes {names}{made}")


def read_plan(text: str, team: Team, room: int) -> LeaderPlan | AnswerFaults:
    """The Leader's answer as at most `room` jobs for this team, or its faults."""
    answer = read_answer(_with_jobs(text), _Answer)
    if isinstance(answer, AnswerFaults):
        return answer
    names = (*team.names, *(expert.name for expert in answer.experts))
    faults = [*_expert_faults(answer.experts, team), *_faults(answer.jobs, names, room)]
    made = (
        Expert(**expert.model_dump(), retry_count=team.retry_count) for expert in answer.experts
    )
    return AnswerFaults.at(faults) or LeaderPlan(jobs=answer.jobs, experts=tuple(made))


def _with_jobs(text: str) -> str:
    """The text, and a bare array of jobs as the object in which they are asked for."""
    bare = [each for each in (text, *code_blocks(text)) if each.strip().startswith("[")]
    for each in bare:
        try:
            jobs = DECODER.decode(each.strip())
        except (ValueError, RecursionError):
            continue
        if jobs and all(isinstance(job, dict) and "goal" in job for job in jobs):
            return json.dumps({"jobs": jobs}) if not repeated_key(jobs) else text
    return text


def read_leader_plan(text: str) -> LeaderPlan:
    """What a Leader's run gave; earlier versions gave a list of jobs. Raises ValidationError."""
    if text.startswith("["):
        return LeaderPlan(jobs=_JOBS.validate_json(text))
    return LeaderPlan.model_validate_json(text)


def _expert_faults(experts: Sequence[PlannedExpert], team: Team) -> list[Fault]:
    """What is wrong with the experts that the Leader makes."""
    faults: list[Fault] = []
    if len(experts) > team.most:
        faults.append((("experts",), f"should have at most {team.most} entries"))
    names = [*team.names, LEADER]
    for number, expert in enumerate(experts):
        at = ("experts", number)
        if expert.name in names:
            faults.append(((*at, "name"), f"{expert.name!r} is taken; give another name"))
        names.append(expert.name)
        if not is_storable(expert.profile):
            faults.append(((*at, "profile"), "should be without NUL and half characters"))
        for place, tool in enumerate(expert.tools):
            if tool not in team.tools:
                hint = suggestion(tool, team.tools)
                fault = f"{key_text(tool)!r} is not among the tools for new experts; {hint}"
                faults.append(((*at, "tools", place), fault.rstrip("; ")))
    return faults


def _faults(jobs: Sequence[PlannedJob], experts: Collection[str], room: int) -> list[Fault]:
    faults: list[Fault] = []
    if not 1 <= len(jobs) <= room:
        faults.append((("jobs",), f"should have 1 to {room} entries, not {len(jobs)}"))
    names = [job.id for job in jobs]
    for number, job in enumerate(jobs):
        at = ("jobs", number)
        if job.id in names[:number]:
            faults.append(((*at, "id"), f"{job.id!r} stands twice"))
        if job.assigned_expert not in experts:
            hint = suggestion(job.assigned_expert, experts)
            fault = f"there is no expert {key_text(job.assigned_expert)!r}; {hint}"
            faults.append(((*at, "assigned_expert"), fault))
        for place, name in enumerate(job.dependencies):
            fault = _dependency_fault(name, job, place, names)
            faults += [((*at, "dependencies", place), fault)] if fault else []
        texts = (job.goal, job.context, job.completion_criteria, job.thinking)
        if not is_storable("".join(texts)):
            faults.append((at, "should be without NUL and half characters"))
    if not faults and (circle := _circle(jobs)):
        fault = f"depend on each other in a circle: {' -> '.join(circle)}"
        faults.append((("jobs",), fault))
    return faults


def _dependency_fault(name: str, job: PlannedJob, place: int, names: Collection[str]) -> str:
    if name == job.id:
        return "a job cannot depend on itself"
    if name in job.dependencies[:place]:
        return f"{key_text(name)!r} stands twice"
    if name not in names:
        return f"there is no job {key_text(name)!r}; {suggestion(name, names)}".rstrip("; ")
    return ""


def _circle(jobs: Sequence[PlannedJob]) -> list[str]:
    """Ids that depend on each other in a circle, the first of them again at the end; [] if none."""
    left: dict[str, Sequence[str]] = {job.id: job.dependencies for job in jobs}
    while free := [name for name, needs in left.items() if not any(n in left for n in needs)]:
        for name in free:
            del left[name]
    if not left:
        return []
    way = [next(iter(left))]
    while way[-1] not in way[:-1]:
        way.append(next(name for name in left[way[-1]] if name in left))
    return way[way.index(way[-1]) :]


def plan_schema(team: Team) -> Mapping[str, Any]:
    """The JSON schema that the Leader's answer is asked in."""
    text = {"type": "string"}
    job = {
        "id": text,
        "goal": text,
        "context": text,
        "completion_criteria": text,
        "dependencies": {"type": "array", "items": text},
        # A name that is made with the plan cannot be in a list.
        "assigned_expert": text if team.most else {"type": "string", "enum": list(team.names)},
        "thinking": text,
    }
    parts = {"jobs": {"type": "array", "items": object_schema(job)}}
    if team.most:
        tools = {"type": "array", "items": {"type": "string", "enum": list(team.tools)}}
        made = object_schema({"name": text, "profile": text, "tools": tools})
        parts["experts"] = {"type": "array", "items": made}
    return object_schema(parts)
