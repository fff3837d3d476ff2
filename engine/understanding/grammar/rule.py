"""A rule of the grammar: what a turn of phrase does to what stands beside it."""

from dataclasses import dataclass
from typing import Literal

Role = Literal[
    "opening",
    "favour",
    "closing",
    "tag",
    "inquiry",
    "reason",
    "undo",
    "off",
    "hang",
    "say",
    "tell",
    "past",
    "ask",
    "maybe",
    "wish",
    "seek",
    "cancel",
    "retract",
    "chat",
    "trouble",
]
"""`opening` and `closing` are taken away before and behind what is asked for, as they say nothing
about it; `favour` (before) and `tag` (behind) too, and their question is none. An `inquiry` before
or behind says that the rest is a question. The others mark what stands beside them: a `reason` for
it, what takes back what was before (`undo`), holds it `off`, lets it `hang` on something, is what
others `say`, tells of it (`tell`, `past` in its own clause), asks after it, or `maybe` asks. Signs
are of the whole: somebody `wish`es for something, or `seek`s to know it, wants undone what is named
(`cancel`), takes back or puts off what stands before it (`retract`), says it for its own sake
(`chat`), or tells that something does not work (`trouble`).
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A form (a pattern of a folded text), and sentences around `{x}` that are read by it alone."""

    role: Role
    form: str
    frames: tuple[str, ...]


def rule(role: Role, form: str, *frames: str) -> Rule:
    """A rule with the frames that hold it."""
    return Rule(role, form, frames)
