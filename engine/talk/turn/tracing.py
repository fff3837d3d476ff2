"""How traces are kept: for how long, and what is taken out of them."""

from collections.abc import Callable
from dataclasses import dataclass

Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Tracing:
    """`keep_s` is 0 where no trace is kept; `mask` takes personal data out of a text."""

    keep_s: float
    mask: Mask
