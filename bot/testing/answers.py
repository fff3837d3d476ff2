"""What a program was answered, as tests look at it."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from bot.api.bodies import Invalid, Refusal, SkillAnswer
from bot.api.skills import ApiAnswer
from engine.playbooks.nesting import split_path


def kind_of(answer: ApiAnswer) -> str:
    """What is to happen next, or the word of the refusal."""
    match answer.body:
        case SkillAnswer(output=output):
            return output.control.action
        case Refusal(error=error) | Invalid(error=error):
            return error


def problems_of(answer: ApiAnswer) -> Iterator[str]:
    """Each thing that it says is wrong."""
    match answer.body:
        case SkillAnswer(output=output):
            yield from output.problems
        case Refusal(why=why):
            yield why
        case Invalid(faults=faults):
            yield from (f"{fault.path}: {fault.message}" for fault in faults)


def set_value(answer: ApiAnswer, path: str) -> JsonValue:
    """What it sets in the state under that path, None for nothing."""
    if not isinstance(answer.body, SkillAnswer):
        return None
    group, name = split_path(path)
    values: Any = answer.body.output.model_dump(mode="json")[group or "data"]
    # Leaves of a group stand inside each other.
    while isinstance(values, dict) and name not in values and "." in name:
        head, _, name = name.partition(".")
        values = values.get(head)
    found: JsonValue = values.get(name) if isinstance(values, dict) else None
    return found


def questions_of(answer: ApiAnswer) -> Sequence[str]:
    """The paths of what somebody has to give."""
    if not isinstance(answer.body, SkillAnswer):
        return ()
    return [q.field.removeprefix("data.") for q in answer.body.output.control.questions]
