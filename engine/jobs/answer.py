"""An expert's answer: its verdict on the job, or a question, or every fault of it (002 §4)."""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import model_validator

from cards.forms import storable
from cards.frozen import Frozen
from engine.frames.job_graph import Verdict
from engine.text.answer import AnswerFaults, object_schema, read_answer

QUESTION_CHARS = 1000


class ExpertAnswer(Frozen):
    """A valid answer; with a `question`, there is no verdict yet."""

    status: Verdict | None = None
    result: str = ""
    lesson: str = ""
    question: str = ""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        known = given.items() if isinstance(given, dict) else ()
        return {name: value for name, value in known if value is not None}


SCHEMA: Mapping[str, Any] = object_schema(
    {
        "status": {"anyOf": [{"type": "string", "enum": get_args(Verdict)}, {"type": "null"}]},
        "result": {"type": "string"},
        "lesson": {"type": "string"},
        "question": {"type": "string"},
    }
)


def read_expert_answer(text: str) -> ExpertAnswer | AnswerFaults:
    """The expert's text as an answer that can be used."""
    answer = read_answer(text, ExpertAnswer)
    if isinstance(answer, AnswerFaults):
        return answer
    return AnswerFaults(_faults(answer)) or answer


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
