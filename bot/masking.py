"""Personal data taken out of what is kept for operators, by patterns."""

import re
from collections.abc import Callable, Sequence

MASK = "***"
DEFAULT_MASK = (
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    r"(?<![0-9])[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx](?![0-9])",
    r"(?<![0-9])(?:\+?86[-\s]?)?1[3-9][0-9]{9}(?![0-9])",
    r"(?<![0-9])\+[0-9][0-9()\s-]{7,17}[0-9](?![0-9])",
)
"""E-mail addresses, Chinese identity numbers, Chinese mobile numbers, international numbers."""


def masking(patterns: Sequence[str]) -> Callable[[str], str]:
    """A function that replaces what any of the patterns finds."""
    if not patterns:
        return str
    found = re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    return lambda text: found.sub(MASK, text)
