"""The numbers that stand in a text."""

import re
from typing import Final

_NUMBERS: Final = re.compile(
    r"(?<![A-Za-z0-9_.,])(?<![0-9]-)-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})?"
    r"(?:\.[0-9]{1,15}|(?<=[0-9]))(?![0-9]|[.,][0-9])"
)


def numbers_in(text: str) -> set[float]:
    """The numbers that stand in a text, with or without separators; none that is part of a name."""
    return {*numbers_in_order(text)}


def numbers_in_order(text: str) -> list[float]:
    """The same in the order in which they stand, each as often as it does."""
    return [float(match[0].replace(",", "")) for match in _NUMBERS.finditer(text)]
