"""Typed leaves of the state: what a playbook keeps of a matter, and how people are asked (003)."""

from typing import Literal

from cards.frozen import Frozen
from engine.text.language import Bilingual

CellType = Literal["text", "integer", "number", "date", "choice"]
LeafType = Literal["text", "integer", "number", "date", "choice", "boolean", "list"]


class Column(Frozen):
    """A column of a list leaf, whose rows are flat mappings; bounds are as those of a leaf."""

    label: Bilingual
    type: CellType = "text"
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    options: tuple[str, ...] = ()


class Leaf(Frozen):
    """A typed leaf of profile or data, and how people are asked for it.

    `multiline` text has lines of its own. `inherit` lets it be taken from the rest of the message
    too, not only from the run's piece. An `identity` says whom the data is about. `columns` belong
    to a `list`, `options` to a `choice`. A number is from `minimum` to `maximum`, both included; a
    text is as the regular expression `pattern` says, the whole of it (RE2: no look-around, no
    references back).
    """

    label: Bilingual
    type: LeafType = "text"
    required: bool = True
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    multiline: bool = False
    options: tuple[str, ...] = ()
    columns: dict[str, Column] = {}
    cues: tuple[str, ...] = ()
    hint: Bilingual | None = None
    inherit: bool = False
    identity: bool = False
