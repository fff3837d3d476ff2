"""An expert's answer: its verdict on the job, or a question, or every fault of it (002 §4)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import ValidationError

from cards.forms import storable
from cards.frozen import Frozen
from engine.frames.job_graph import Verdict
from engine.skills.one_object import one_object
from engine.yaml.faults import plain_faults

QUESTION_CHARS = 1000


class ExpertAnswer(Frozen):
    """A valid answer; with a `question`, there is no verdict yet."""

    status: Verdict | None = None
    result: str = ""
    lesson: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """The answer, or what is wrong with it: `path: message` each."""

    answer: ExpertAnswer | None
    faults: tuple[str, ...] = ()


SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"anyOf": [{"type": "string", "enum": get_args(Verdict)}, {"type": "null"}]},
        "result": {"type": "string"},
        "lesson": {"type": "string"},
        "question": {"type": "string"},
    },
    "required": ["status", "result", "lesson", "question"],
    "additionalProperties": False,
}


def read_answer(text: str) -> Read:
    """The expert's text as an answer that can be used."""
    data, wrong = one_object(text)
    if data is None:
        return Read(None, (wrong,))
    known = {name: value for name, value in data.items() if value is not None}
    try:
        answer = ExpertAnswer.model_validate_json(json.dumps(known), extra="forbid")
    except ValidationError as error:
        found = plain_faults(ExpertAnswer, error)
        return Read(None, tuple(f"{'.'.join(map(str, path))}: {told}" for path, told in found))
    faults = tuple(_faults(answer))
    return Read(None, faults) if faults else Read(answer)


def _faults(answer: ExpertAnswer) -> list[str]:
    if not storable("".join((answer.result, answer.lesson, answer.question))):
        return ["should be without NUL and half characters"]
    if answer.question.strip():
        told = f"question: should be at most {QUESTION_CHARS} characters"
        return [told] if len(answer.question) > QUESTION_CHARS else []
    if answer.status is None:
        return ["status: is required where there is no question"]
    if answer.status == "SUCCESS":
        return [] if answer.result.strip() else ["result: should not be empty with SUCCESS"]
    return [] if answer.lesson.strip() else [f"lesson: should not be empty with {answer.status}"]
