"""Personal data taken out of what is kept for operators, by patterns."""

import re
from collections.abc import Callable, Iterable, Sequence

MASK = "***"
DEFAULT_MASK = (
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    r"(?<![0-9])[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx](?![0-9])",
    r"(?<![0-9])(?:\+?86[-\s]?)?1[3-9][0-9]{9}(?![0-9])",
    r"(?<![0-9])\+[0-9][0-9()\s-]{7,17}[0-9](?![0-9])",
)
"""E-mail addresses, Chinese identity numbers, Chinese mobile numbers, international numbers."""

KEYS = (
    r"xox[a-z]-[A-Za-z0-9-]{8,}",
    r"xapp-[A-Za-z0-9-]{8,}",
    r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{12,}",
    r"(?<![0-9])[0-9]{6,12}:[A-Za-z0-9_-]{30,}",
    r"(?<![A-Za-z0-9])gh[a-z]_[A-Za-z0-9]{20,}",
    r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){2}",
)
"""What looks like a key of Slack, Telegram, a model, a code host, or like a signed token."""
_LEAST = 4


def no_keys(own: Iterable[str]) -> Callable[[str], str]:
    """A function that masks what looks like a key, and the service's `own` ones wherever they are.

    None of the patterns holds a space.
    """
    return masking([*KEYS, *(re.escape(key) for key in own if len(key) >= _LEAST)])


def masking(patterns: Sequence[str]) -> Callable[[str], str]:
    """A function that replaces what any of the patterns finds."""
    if not patterns:
        return str
    found = re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    return lambda text: found.sub(MASK, text)
