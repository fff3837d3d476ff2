"""As much of some data as there is room for: whole fields and entries, the rest by name."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_NAMED = 12
"""So many of the things that are left out are named; the others are counted."""

_Path = tuple[str, ...]
_NOTHING = object()
_LINE_END = re.compile(r"[\n。！？；]|[.!?;](?=\s)")
_WORD_END = re.compile(r"[\s，、,]")
# A text is cut where a sentence ends, if one does within this share of its end.
_LAST_PART = 2


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not shown of a value: of `total` characters or entries the first `shown` are."""

    path: str
    unit: str
    total: int
    shown: int = 0

    def __str__(self) -> str:
        path = self.path or "it"
        if self.shown:
            return f"{path} (only the first {self.shown} of {self.total} {self.unit} are here)"
        return f"{path} ({self.total} {self.unit})"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """JSON of at most so many characters, and what it leaves out."""

    text: str
    left_out: tuple[LeftOut, ...] = ()

    @property
    def names(self) -> str:
        """What is left out, on one line; "" for nothing."""
        named = [str(each) for each in self.left_out[:MOST_NAMED]]
        more = len(self.left_out) - len(named)
        return "; ".join([*named, f"{more} more"] if more else named)


def excerpt(data: Any, limit: int) -> Excerpt:
    """The data as JSON, whole if it fits `limit` characters, which are four at least.

    Else its longest values are shortened first: a list to its first entries, a text to its first
    sentences; a field of which nothing fits is left out.
    """
    text = _dump(data)
    if len(text) <= limit:
        return Excerpt(text)
    sizes: dict[_Path, int] = {}
    # The most that each value may take for all of them to fit.
    low, high = 0, limit
    while low < high:
        room = (low + high + 1) // 2
        fits = len(_Cut(room, sizes).apply(data)) <= limit
        low, high = (room, high) if fits else (low, room - 1)
    cut = _Cut(low, sizes)
    free = limit - len(cut.apply(data))
    whole, groups = set[_Path](), set[_Path]()
    for path in filter(None, cut.dropped):
        # Fields of one size may all have been one character too long; so may groups of them.
        new = {path[:end] for end in range(1, len(path))} - groups
        takes = sizes[path] + sum(len(_dump(each[-1])) + len(": , {}") for each in (path, *new))
        if takes - len("{}") <= free:
            free -= takes - len("{}")
            whole.add(path)
            groups |= new
    cut = _Cut(low, sizes, whole)
    return Excerpt(cut.apply(data), tuple(cut.left_out))


def _dump(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)


@dataclass(slots=True)
class _Cut:
    """Data with no value longer than `room` characters of JSON, but for those at paths `whole`.

    `dropped` are the paths of values of which nothing is kept.
    """

    room: int
    sizes: dict[_Path, int]
    whole: set[_Path] = field(default_factory=set)
    left_out: list[LeftOut] = field(default_factory=list)
    dropped: list[_Path] = field(default_factory=list)

    def apply(self, data: Any) -> str:
        kept = self.value(data, ())
        if kept is _NOTHING:
            return "{}" if isinstance(data, Mapping) else "null"
        return _dump(kept)

    def value(self, data: Any, path: _Path) -> Any:
        if isinstance(data, Mapping) and data:
            return self.mapping(data, path)
        if path not in self.sizes:
            self.sizes[path] = len(_dump(data))
        if self.sizes[path] <= self.room or path in self.whole:
            return data
        match data:
            case str():
                return self.text(data, path)
            case list() | tuple() if data:
                return self.entries(data, path)
        return self.drop(path, "characters", self.sizes[path])

    def drop(self, path: _Path, unit: str, total: int) -> object:
        self.left_out.append(LeftOut(".".join(path), unit, total))
        self.dropped.append(path)
        return _NOTHING

    def mapping(self, data: Mapping[str, Any], path: _Path) -> Any:
        inner = {str(name): self.value(each, (*path, str(name))) for name, each in data.items()}
        return {name: each for name, each in inner.items() if each is not _NOTHING} or _NOTHING

    def text(self, text: str, path: _Path) -> Any:
        end = fitting_end(text, self.room)
        if not end:
            return self.drop(path, "characters", len(text))
        self.left_out.append(LeftOut(".".join(path), "characters", len(text), end))
        return text[:end]

    def entries(self, entries: Sequence[Any], path: _Path) -> Any:
        """The first whole entries; the first one, shortened, where not even that fits."""
        kept: list[Any] = []
        used = 2
        for entry in entries:
            used += len(_dump(entry)) + 2
            if used > self.room:
                break
            kept.append(entry)
        if not kept and isinstance(entries[0], Mapping):
            # Its values share the room.
            inner = _Cut(self.room // (len(entries[0]) + 1), self.sizes, self.whole)
            first = inner.value(entries[0], (*path, "0"))
            if first is not _NOTHING and len(_dump(first)) + 2 <= self.room:
                kept.append(first)
                self.left_out += inner.left_out
        if not kept:
            return self.drop(path, "entries", len(entries))
        if len(kept) < len(entries):
            self.left_out.append(LeftOut(".".join(path), "entries", len(entries), len(kept)))
        return kept


def fitting_end(text: str, room: int) -> int:
    """Where the longest beginning of a text that fits `room` characters as JSON ends.

    It ends with a sentence or a word, where there are any.
    """
    if len(text) < room and len(_dump(text)) <= room:
        return len(text)
    end = min(len(text), max(0, room - 2))
    while end and (size := len(_dump(text[:end]))) > room:
        end = min(end - 1, end * room // size)
    least = end - end // _LAST_PART
    for ends in (_LINE_END, _WORD_END):
        if found := [match.end() for match in ends.finditer(text, least, end)]:
            return found[-1]
    return end
