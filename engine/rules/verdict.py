"""A model's verdict on an instruction, read strictly; nothing is guessed from words (001 §3)."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from cards.frozen import Frozen
from engine.text.answer import AnswerFaults, object_schema, read_answer

MAX_EVIDENCE = 20
MAX_CHARS = 2000


def _says_something(text: str) -> str:
    if not any(c.isalnum() for c in text):
        raise ValueError("should be text that says something")
    return text


_Said = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=MAX_CHARS),
    AfterValidator(_says_something),
]


class Verdict(Frozen):
    """Whether the instruction is met, why, on what, and how sure the model is (0 to 1)."""

    passed: bool
    reason: _Said
    confidence: float = Field(ge=0, le=1)
    evidence: tuple[_Said, ...] = Field(max_length=MAX_EVIDENCE)

    @field_validator("evidence", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        if isinstance(given, str):
            return (given,)
        return tuple(given) if isinstance(given, list) else given


SCHEMA: dict[str, Any] = object_schema(
    {
        "passed": {"type": "boolean"},
        "reason": {"type": "string"},
        "confidence": {"type": "number", "description": "from 0 to 1"},
        "evidence": {"type": "array", "items": {"type": "string"}},
    }
)
"""What the model is asked for."""


def read_verdict(text: str) -> Verdict | AnswerFaults:
    """The verdict that a text holds; two verdicts in one text are none."""
    return read_answer(text, Verdict, strict=True)
