"""The JSON array in a model's answer: bare, in a fence, in prose, or not there (004 §1)."""

import re
from collections.abc import Iterator
from typing import Any, Final

from engine.text.answer import DECODER, code_blocks
from engine.text.thoughts import without_thoughts

CUT_CHARS: Final = 2000
"""As much of an unreadable answer is shown to people."""
STARTS = 500
_OPEN_FENCE = re.compile(r"^\s*```[^\n`\[{]*\n?")
_ARRAY = re.compile(r"\[\s*\{\s*\"")
_KEYS = ("steps", "plan")


class _Unfinished(Exception):
    """A plan begins in the text and has no end."""


def strip_code_fences(text: str) -> str:
    """What stands inside the text's code fences; the text itself when it has none."""
    blocks = code_blocks(text)
    if blocks:
        return "\n".join(block.strip() for block in blocks)
    # One that was cut off has no end.
    return _OPEN_FENCE.sub("", text).strip()


def coerce_json_array(text: str) -> list[Any] | None:
    """The plan's array of steps, or None when there is none, or more than one that differ.

    The whole text is read first, then what stands in fences, then arrays inside of prose. A lone
    step is a plan, and so is an object that holds one under `steps` or `plan`.
    """
    text = without_thoughts(text)
    for candidate in dict.fromkeys((text.strip(), strip_code_fences(text))):
        whole = _loads(candidate)
        plan = whole if isinstance(whole, list) else _plan(whole)
        if plan is not None:
            return plan
    for candidate in dict.fromkeys((strip_code_fences(text), text)):
        try:
            plans = list(_find_plans(candidate))
        except _Unfinished:
            return None
        if plans:
            return plans[0] if all(plan == plans[0] for plan in plans) else None
    return None


def cut_answer(text: str) -> str:
    """At most 2,000 characters of an answer."""
    return text.strip()[:CUT_CHARS]


def _find_plans(text: str) -> Iterator[list[Any]]:
    """The plans among the arrays and objects in the text, whatever stands around them."""
    at = 0
    for _ in range(STARTS):
        starts = [place for sign in "[{" if (place := text.find(sign, at)) >= 0]
        if not starts:
            return
        at = min(starts)
        try:
            value, at = DECODER.raw_decode(text, at)
        except RecursionError:
            return
        except ValueError:
            if _ARRAY.match(text, at):
                # A plan that is cut off: its whole steps are not the plan.
                raise _Unfinished from None
            at += 1
            continue
        plan = _plan(value)
        if plan is not None:
            yield plan


def _plan(value: Any) -> list[Any] | None:
    """The list of steps that a JSON value is or holds; a list without any step is none."""
    if isinstance(value, dict):
        if _is_step(value):
            return [value]
        inner = next((value[key] for key in _KEYS if isinstance(value.get(key), list)), None)
        return None if inner is None else _plan(inner)
    if isinstance(value, list) and any(_is_step(step) for step in value):
        return value
    return None


def _is_step(value: Any) -> bool:
    return isinstance(value, dict) and ("type" in value or "name" in value)


def _loads(text: str) -> Any:
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
