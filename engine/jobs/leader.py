"""The Leader: a model decomposes a job; faulty plans go back to it with their faults (002 §3)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from cards.forms import is_storable
from cards.frozen import Frozen
from engine.dialogue import DialogueResult, ModelTask
from engine.frames.job_graph import DECOMPOSED, UNUSABLE, LeaderFrame, PlannedJob
from engine.frames.outcome import Done, FrameInput, StepContext, StepOutcome
from engine.frames.state import Patch
from engine.jobs.prompts import leader_opening
from engine.jobs.shared import advance_job, jobs_part
from engine.text.answer import AnswerFaults, object_schema, read_answer
from engine.yaml.faults import Fault, key_text, suggestion

OUTPUT_TOKENS = 8000
CUT_OFF = "the answer was cut off at its greatest length; plan fewer or shorter jobs"
_JOBS = TypeAdapter(tuple[PlannedJob, ...])


class _Answer(Frozen):
    jobs: tuple[PlannedJob, ...]


async def advance(frame: LeaderFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """One answer of the model; a faulty one goes back with its exact faults, three are enough."""
    part, brief = jobs_part(frame.skill, context), frame.brief
    experts = [expert.name for expert in part.experts]
    task = ModelTask(
        opening=lambda: leader_opening(brief, part, context),
        read=lambda text: read_plan(text, experts, brief.room),
        schema=plan_schema(experts),
        max_tokens=OUTPUT_TOKENS,
        cut_off=CUT_OFF,
    )
    outcome = await advance_job(frame, task, context, verdict=UNUSABLE, text="jobs.faulty_plan")
    if not isinstance(outcome, DialogueResult):
        return outcome
    names = ", ".join(job.id for job in outcome.value)
    patch = Patch(by=frame.skill, end=DECOMPOSED, response=write_jobs(outcome.value))
    return Done(patch, f"{brief.job.id} becomes {names}")


def read_plan(
    text: str, experts: Collection[str], room: int
) -> tuple[PlannedJob, ...] | AnswerFaults:
    """The Leader's answer as at most `room` jobs for these experts, or its faults."""
    answer = read_answer(text, _Answer)
    if isinstance(answer, AnswerFaults):
        return answer
    return AnswerFaults.at(_faults(answer.jobs, experts, room)) or answer.jobs


def read_jobs(text: str) -> tuple[PlannedJob, ...]:
    """Jobs from what `write_jobs` gave."""
    return _JOBS.validate_json(text)


def write_jobs(jobs: tuple[PlannedJob, ...]) -> str:
    """Jobs as JSON, for `read_jobs`."""
    return _JOBS.dump_json(jobs).decode()


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


def plan_schema(experts: Sequence[str]) -> Mapping[str, Any]:
    """The JSON schema that the Leader's answer is asked in."""
    text = {"type": "string"}
    job = {
        "id": text,
        "goal": text,
        "context": text,
        "completion_criteria": text,
        "dependencies": {"type": "array", "items": text},
        "assigned_expert": {"type": "string", "enum": list(experts)},
        "thinking": text,
    }
    jobs = {"type": "array", "items": object_schema(job)}
    return object_schema({"jobs": jobs})
