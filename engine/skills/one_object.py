"""The one JSON object of a model's answer, wherever in the text it stands."""

import json
from typing import Any

from engine.yaml.faults import key_text

NOT_ONE = "the answer is not one JSON object"


def one_object(text: str) -> tuple[dict[str, Any] | None, str]:
    """The object, or None and what is wrong; it may stand in a fence or between sentences."""
    try:
        data = json.loads(_unwrapped(text), object_pairs_hook=_object_of)
    except _Twice as error:
        return None, str(error)
    except (ValueError, RecursionError):
        return None, NOT_ONE
    return (data, "") if isinstance(data, dict) else (None, NOT_ONE)


class _Twice(Exception):
    """Nobody knows which of the two values is meant."""


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(f"key {key_text(key)!r} stands twice in one object")
        found[key] = value
    return found


def _unwrapped(text: str) -> str:
    """The JSON object in a text that may stand in a fence or between sentences."""
    begin, end = text.find("{"), text.rfind("}")
    return text[begin : end + 1] if 0 <= begin < end else text
