"""Masks personal data and keys in what is kept for operators, by patterns."""

import re
from collections.abc import Callable, Iterable, Sequence

import re2

from cards.linear import compile_linear

MASK = "***"
DEFAULT_MASK = re.compile(
    r"(?:(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+|[A-Za-z0-9._%+-]{1,64})"
    r"@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|(?<![0-9])[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx](?![0-9])"
    r"|(?<![0-9])(?:\+?86[-\s]?)?1[3-9][0-9]{9}(?![0-9])"
    r"|(?<![0-9])\+[0-9][0-9()\s-]{7,17}[0-9](?![0-9])"
)
"""E-mail addresses, Chinese identity numbers, Chinese mobile numbers, international numbers."""

KEYS = (
    r"(?:\b|_)sk-[A-Za-z0-9_-]{12,}",
    r"(?:\b|_)gh[a-z]_[A-Za-z0-9]{20,}",
    r"(?:\b|_)eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){2}",
)
"""Keys of models and code hosts, and signed tokens."""
_MIN_CHARS = 4
_FIVE_DIGITS = re.compile("[0-9]{5}")


def compile_key_mask(own: Iterable[str], patterns: Sequence[str]) -> Callable[[str], str]:
    """A function that masks everything that looks like a key, and the service's `own` keys.

    `patterns` match the keys of platforms; no pattern holds a space.
    """
    return compile_mask(
        [*patterns, *KEYS, *(re2.escape(key) for key in own if len(key) >= _MIN_CHARS)]
    )


def _mask_default(text: str) -> str:
    # Each of the patterns has one of these, and most texts have none.
    if "@" not in text and "+" not in text and not _FIVE_DIGITS.search(text):
        return text
    return DEFAULT_MASK.sub(MASK, text)


def compile_mask(patterns: Sequence[str] | None) -> Callable[[str], str]:
    """A function that replaces what any of the patterns matches, by default DEFAULT_MASK.

    Raises BadPattern.
    """
    if patterns is None:
        return _mask_default
    if not patterns:
        return str
    pattern = compile_linear("|".join(f"(?:{each})" for each in patterns))
    # As bytes, so that half a surrogate pair, which UTF-8 does not have, stays as it is.
    return lambda text: pattern.sub(MASK.encode(), text.encode("utf-8", "surrogatepass")).decode(
        "utf-8", "surrogatepass"
    )
