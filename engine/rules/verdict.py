"""A model's verdict on an instruction, read strictly; nothing is guessed from words (001 §3)."""

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, ValidationError, field_validator

from cards.frozen import Frozen
from engine.yaml.faults import key_text, plain_faults

MAX_EVIDENCE = 20
MAX_CHARS = 2000
NO_OBJECT = "the answer is not one JSON object"
_FENCE = re.compile(r"```[^\n`]*\n([^`]*(?:`{1,2}[^`]+)*)```")


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


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "passed": {"type": "boolean"},
        "reason": {"type": "string"},
        "confidence": {"type": "number", "description": "from 0 to 1"},
        "evidence": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["passed", "reason", "confidence", "evidence"],
    "additionalProperties": False,
}
"""What the model is asked for."""


def read_verdict(text: str) -> Verdict | tuple[str, ...]:
    """The verdict that a text holds, bare, in a fence or in prose; else every fault of it.

    Two verdicts in one text are none.
    """
    try:
        data = json.loads(_unwrapped(text), object_pairs_hook=_once, parse_constant=_no_number)
        found = Verdict.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        faults = plain_faults(Verdict, error)
        return tuple(
            f"{'.'.join(map(key_text, path))}: {message}" if path else message
            for path, message in faults
        )
    except _Unfit as error:
        return (str(error),)
    except (ValueError, RecursionError):
        return (NO_OBJECT,)
    return found


class _Unfit(Exception):
    """A text that holds no single verdict; the message says why."""


def _unwrapped(text: str) -> str:
    """The JSON object of a text; with two that could be meant, neither is."""
    fenced = [block for block in _FENCE.findall(text) if "{" in block]
    around = _FENCE.sub("", text)
    if len(fenced) > 1 or (fenced and '"passed"' in around):
        raise _Unfit("the answer holds more than one JSON object; send one")
    text = fenced[0] if fenced else text
    begin, end = text.find("{"), text.rfind("}")
    if not 0 <= begin < end or text[:begin].rstrip().endswith("["):
        raise _Unfit(NO_OBJECT)
    return text[begin : end + 1]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise _Unfit(f"a key stands twice: {', '.join(map(key_text, sorted(twice)))}")
    return dict(pairs)


def _no_number(name: str) -> None:
    raise _Unfit(f"{name} is no JSON number")
