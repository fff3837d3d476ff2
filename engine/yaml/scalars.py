"""What a scalar of YAML means, whichever parser found it (design §10)."""

import re

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,14})\.[0-9]{1,15}")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "": None}


def parse_scalar(text: str, *, quoted: bool) -> str | int | float | bool | None:
    """Its value: text, unless it is plain and looks like a decimal number, true, false or null."""
    if quoted:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "-0123456789":
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def is_no_number(text: str, *, quoted: bool) -> bool:
    """Whether a scalar is one of YAML's numbers that are in no order with others (.inf, .nan)."""
    return not quoted and _NO_NUMBER.fullmatch(text) is not None
