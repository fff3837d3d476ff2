"""Text of people and data inside Markdown sentences of ours."""

import re
from typing import Any

from cards.values import is_money, money_text

_OPENING = re.compile(r"^(\d*)([-+=.)])")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|#]")


def literal(text: str) -> str:
    """Return Markdown that shows just `text`, on one line, with all mark-up escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def quote(text: str) -> str:
    """Return Markdown that quotes just `text`, line by line, with all mark-up escaped."""
    lines = (_OPENING.sub(r"\1\\\2", literal(line)) for line in text.strip().splitlines())
    return "\n".join(f"> {line}".rstrip() for line in lines)


def format_value(value: Any) -> str:
    """Return a value as a person would write it: 62 and not 62.0, 120.50 EUR."""
    if is_money(value):
        return money_text(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
