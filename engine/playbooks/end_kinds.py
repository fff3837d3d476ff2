"""How a run ends, beside its status (design §14)."""

from collections.abc import Mapping
from typing import Final, Literal

from cards.frozen import Frozen

RunEnd = Literal["done", "rejected", "refused", "failed", "withdrawn", "cancelled", "expired"]
SopEnd = Literal["done", "rejected", "refused", "failed", "expired"]
"""What an end of an SOP may be; the others are for people to choose."""

USUAL: Final[Mapping[str, RunEnd]] = {
    "completed": "done",
    "failed": "failed",
    "stopped": "withdrawn",
    "cancelled": "cancelled",
}
"""How a run of that status has ended when nothing else is known, as of older runs."""


class Ending(Frozen):
    """How a skill ended: which end it reached, and what people are told of it (Markdown).

    It is `cancelled` when who asked took it back where they only had to confirm.

    `approved` when a person approved it.
    """

    end: RunEnd
    said: str = ""
    approved: bool = False
