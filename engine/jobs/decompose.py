"""The Leader's answer: the jobs it plans, or every fault of it, for its next try (spec 002 §3)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from cards.forms import storable
from cards.frozen import Frozen
from engine.frames.job_graph import PlannedJob
from engine.text.answer import AnswerFaults, object_schema, read_answer
from engine.yaml.faults import Fault, key_text, suggestion

_JOBS = TypeAdapter(tuple[PlannedJob, ...])


class _Answer(Frozen):
    jobs: tuple[PlannedJob, ...]


def read_plan(
    text: str, experts: Collection[str], room: int
) -> tuple[PlannedJob, ...] | AnswerFaults:
    """The Leader's text as jobs for these experts, `room` of them at most."""
    answer = read_answer(text, _Answer)
    if isinstance(answer, AnswerFaults):
        return answer
    return AnswerFaults.at(_faults(answer.jobs, experts, room)) or answer.jobs


def read_jobs(text: str) -> tuple[PlannedJob, ...]:
    """Jobs as `written` gives them."""
    return _JOBS.validate_json(text)


def written(jobs: tuple[PlannedJob, ...]) -> str:
    """Jobs as JSON."""
    return _JOBS.dump_json(jobs).decode()


def _faults(jobs: Sequence[PlannedJob], experts: Collection[str], room: int) -> list[Fault]:
    found: list[Fault] = []
    if not 1 <= len(jobs) <= room:
        found.append((("jobs",), f"should have 1 to {room} entries, not {len(jobs)}"))
    names = [job.id for job in jobs]
    for number, job in enumerate(jobs):
        at = ("jobs", number)
        if job.id in names[:number]:
            found.append(((*at, "id"), f"{job.id!r} stands twice"))
        if job.assigned_expert not in experts:
            hint = suggestion(job.assigned_expert, experts)
            told = f"there is no expert {key_text(job.assigned_expert)!r}; {hint}"
            found.append(((*at, "assigned_expert"), told))
        for place, name in enumerate(job.dependencies):
            told = _dependency_fault(name, job, place, names)
            found += [((*at, "dependencies", place), told)] if told else []
        texts = (job.goal, job.context, job.completion_criteria, job.thinking)
        if not storable("".join(texts)):
            found.append((at, "should be without NUL and half characters"))
    if not found and (circle := _circle(jobs)):
        told = f"depend on each other in a circle: {' -> '.join(circle)}"
        found.append((("jobs",), told))
    return found


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
