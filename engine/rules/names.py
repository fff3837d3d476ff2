"""The names that the parts of a rule may read, and the types of what stands there."""

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cards.fields.table import FIELD_TYPES
from cards.values import FILE_TEXT

OUTER = "$"
"""Before a name: it is read outside of the list operators, or of the record, that stand around."""
OVER_ENTRIES: Final = frozenset({"all", "some", "none", "filter", "map", "reduce"})
"""Operators whose second operand, the body, is evaluated for each entry of the first."""
CONTENTS: Final = "$contents"
"""Where a record has what its files contain, by dotted name; no name begins so."""
CURRENT, ACCUMULATOR = "current", "accumulator"
"""What the body of a `reduce` reads: the entry, and what came of those before."""

_ROW = "row"
_FILTERS = 32
_WITHOUT_PARTS = frozenset(
    kind
    for kind, traits in FIELD_TYPES.items()
    if kind != "file" and traits.shape not in ("money", "rows")
)
_PARTS: Mapping[str, Mapping[str, str]] = {
    "money": {"value": "number", "currency": "text"},
    "file": {FILE_TEXT: "text"},
}


@dataclass(frozen=True, slots=True)
class RuleNames:
    """What a part of a rule may read: the type of each name, "" where that is not known.

    Without `types` no name is known, and all may be read. `columns` are the types of the columns of
    lists, by the list's name. `outer` is what names with a `$` are read in, None for the same
    names. `is_entry` in the body of a list operator, where the empty name is the entry itself.
    """

    types: Mapping[str, str] | None = None
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    outer: "RuleNames | None" = None
    is_entry: bool = False

    def of_body(self, operator: str, entries: object) -> "RuleNames":
        """The names that the body of a list operator may read, which goes over those entries."""
        scope, name = self._place(_list_read(entries))
        columns = scope.columns.get(name)
        types = columns
        if operator == "reduce":
            types = {ACCUMULATOR: "", CURRENT: "" if columns is None else _ROW}
            types |= {f"{CURRENT}.{column}": kind for column, kind in (columns or {}).items()}
        return RuleNames(types, outer=self.outer or self, is_entry=True)

    def type_of(self, name: str) -> str:
        """The type of what stands at a name; "" where it is not known."""
        scope, bare = self._place(name)
        if not scope.types:
            return ""
        group, _, part = bare.rpartition(".")
        return scope.types.get(bare) or _PARTS.get(scope.types.get(group, ""), {}).get(part, "")

    def fault(self, name: object, operator: str) -> str:
        """What is wrong with a name that an operator reads; "" for one that may be read."""
        if name == "" and self.is_entry:
            return ""
        if not isinstance(name, str) or name in ("", OUTER):
            return f"{operator!r} takes names written out, not expressions"
        scope, bare = self._place(name)
        if scope.types is None or bare in scope.types:
            return ""
        whole = next((each for each in _wholes(bare) if each in scope.types), None)
        if whole is None:
            return f"unknown name {name!r}{suggest(bare, scope.types)}"
        return _part_fault(whole, bare[len(whole) + 1 :], scope.types)

    def _place(self, name: str) -> tuple["RuleNames", str]:
        if name.startswith(OUTER):
            return self.outer or self, name[len(OUTER) :]
        return self, name


def _part_fault(whole: str, part: str, types: Mapping[str, str]) -> str:
    kind = types[whole]
    if kind in _WITHOUT_PARTS:
        return f"{whole!r} is of type {kind} and has no {part!r} in it"
    known = _PARTS.get(kind)
    if kind == _ROW:
        known = {name.removeprefix(f"{whole}."): "" for name in types if name.startswith(whole)}
    if known is None or part in known:
        return ""
    return f"unknown name {part!r} in {whole!r}{suggest(part, known)}"


def _wholes(name: str) -> Iterator[str]:
    """What a dotted name may be a part of, the longest first."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def name_read(part: object) -> str | None:
    """The name that a part of a rule reads, when it is a `var`."""
    given: Any = part.get("var") if isinstance(part, dict) else None
    given = given[0] if isinstance(given, list) and given else given
    return given if isinstance(given, str) else None


def _list_read(entries: object) -> str:
    """The name of the list whose entries those are, filtered or not; "" for any other list."""
    for _ in range(_FILTERS):
        given = entries.get("filter") if isinstance(entries, dict) else None
        if not isinstance(given, list) or not given:
            break
        entries = given[0]
    return name_read(entries) or ""


def suggest(word: object, known: Collection[str]) -> str:
    """A hint at the known word that is nearest; "" when none is."""
    near = difflib.get_close_matches(str(word), sorted(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
