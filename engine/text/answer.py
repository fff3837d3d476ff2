"""A model's answer read: the JSON object in it, or every fault of it for the next try.

The object may stand in a code fence or between sentences, after thoughts in tags.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from engine.text.thoughts import without_thoughts
from engine.yaml.faults import Fault, describe_errors, key_text

MAX_FAULTS = 20
NOT_ONE = "the answer is not one JSON object"
MORE_THAN_ONE = "the answer holds more than one JSON object; send one"
_FENCE = re.compile(r"```[^\n`]*((?:\n[^`]*)?(?:`{1,2}[^`]+)*)```")
_BEGINS = re.compile(r'\{\s*"')
M = TypeVar("M", bound=BaseModel)


class AnswerFaults(tuple[str, ...]):
    """What is wrong with an answer, `path: message` each, for the model's next try."""

    __slots__ = ()

    @classmethod
    def at(cls, faults: Iterable[Fault]) -> "AnswerFaults":
        """The first 20 of these faults as texts."""
        told = [
            f"{'.'.join(map(key_text, path))}: {message}" if path else message
            for path, message in faults
        ]
        return cls(told[:MAX_FAULTS])


def read_answer(text: str, form: type[M], *, strict: bool = False) -> M | AnswerFaults:
    """The one JSON object in a model's text as a `form`; else every fault of it.

    With `strict`, no value is taken for another type. A key that stands twice is a fault, and so
    are two objects that could be meant.
    """
    try:
        found = _one_object(text)
        return form.model_validate_json(json.dumps(found), strict=strict, extra="forbid")
    except ValidationError as error:
        return AnswerFaults.at(describe_errors(form, error))
    except _Unfit as error:
        return AnswerFaults((str(error),))
    except (ValueError, RecursionError):
        return AnswerFaults((NOT_ONE,))


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with these keys; a model that leaves one out writes null."""
    # Servers that hold a model to a schema want every key required.
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


class RepeatedKey(dict[str, Any]):
    """An object in which a `key` stands twice: nobody knows which value is meant."""

    key = ""


class _Unfit(ValueError):
    """A text that holds no single object; the message says why."""


def _one_object(text: str) -> dict[str, Any]:
    """The JSON object of a text; with two that could be meant, neither is."""
    if not text.lstrip().startswith("{"):
        text = without_thoughts(text)
    try:
        return _parse_between_braces(text)
    except json.JSONDecodeError:
        blocks = [block for block in code_blocks(text) if "{" in block]
    if len(blocks) > 1 or (blocks and _BEGINS.search(_FENCE.sub("", text))):
        raise _Unfit(MORE_THAN_ONE)
    return _parse_between_braces(blocks[0] if blocks else "")


def _parse_between_braces(text: str) -> dict[str, Any]:
    begin, end = text.find("{"), text.rfind("}")
    if not 0 <= begin < end or text[:begin].rstrip().endswith("["):
        raise _Unfit(NOT_ONE)
    found: dict[str, Any] = DECODER.decode(text[begin : end + 1])
    if twice := repeated_key(found):
        raise _Unfit(f"key {key_text(twice)!r} stands twice in one object")
    return found


def code_blocks(text: str) -> list[str]:
    """What stands in each of the text's code fences."""
    return _FENCE.findall(text)


def repeated_key(value: Any) -> str:
    """A key that stands twice in one object somewhere in what `DECODER` read, "" for none."""
    if isinstance(value, RepeatedKey):
        return value.key
    inside = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return ""
    return next(filter(None, map(repeated_key, inside)), "")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    twice = RepeatedKey(found)
    twice.key = next(name for name in names if names.count(name) > 1)
    return twice


def _refuse(name: str) -> None:
    raise _Unfit(f"{name} is no JSON number")


DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse)
"""Reads JSON as models write it: no NaN, and a key that stands twice is seen."""
