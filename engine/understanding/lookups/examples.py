"""What the examples of many tools say, found by the words of a question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from engine.text.entity_kinds import Entities
from engine.tools.model import Tool
from engine.understanding.lookups.words import KnownWords, known_words, needed_words

_MAX_KEPT = 64
"""So many sets of tools are kept, one for each set of roles that somebody has."""


@dataclass(frozen=True, slots=True)
class ExampleIndex:
    """The tools that read and have examples, with what each of them explains.

    A set of tools is a number here, with a bit for each of them. `uncued` are those without cues.
    """

    tools: tuple[Tool[Any], ...]
    known: tuple[KnownWords, ...]
    by_text: Mapping[str, int]
    by_content: Mapping[tuple[str, ...], int]
    by_word: Mapping[str, int]
    uncued: int

    def alike(self, plain: str, about: tuple[str, ...]) -> Iterator[tuple[Tool[Any], KnownWords]]:
        """The tools with an example of this bare text, or with the same words of matter."""
        return self._of(self.by_text.get(plain, 0) | self.by_content.get(about, 0))

    def explaining(self, clear: str) -> Iterator[tuple[Tool[Any], KnownWords]]:
        """The tools without cues that may explain every word of a masked text."""
        left = self.uncued
        for forms in needed_words(clear):
            having = 0
            for form in forms:
                having |= self.by_word.get(form, 0)
            left &= having
            if not left:
                break
        return self._of(left)

    def _of(self, left: int) -> Iterator[tuple[Tool[Any], KnownWords]]:
        while left:
            lowest = left & -left
            left ^= lowest
            number = lowest.bit_length() - 1
            yield self.tools[number], self.known[number]


@dataclass(slots=True)
class _Kept:
    """Indexes by the ids of their tools, and the one that was asked for last."""

    by_ids: dict[tuple[int, ...], ExampleIndex] = field(default_factory=dict)
    last: tuple[Sequence[Tool[Any]], ExampleIndex] | None = None


_KEPT: WeakKeyDictionary[Entities, _Kept] = WeakKeyDictionary()


def index_examples(tools: Sequence[Tool[Any]], entities: Entities) -> ExampleIndex:
    """The index of these tools; kept as long as the entities are."""
    kept = _KEPT.setdefault(entities, _Kept())
    if kept.last and kept.last[0] is tools and isinstance(tools, tuple):
        return kept.last[1]
    key = tuple(id(tool) for tool in tools if tool.readonly and tool.examples)
    if key not in kept.by_ids:
        if len(kept.by_ids) >= _MAX_KEPT:
            kept.by_ids.clear()
        # The index holds its tools, so that nothing else gets one of their ids.
        kept.by_ids[key] = _make_index(tools, entities)
    kept.last = tools, kept.by_ids[key]
    return kept.by_ids[key]


def _make_index(tools: Sequence[Tool[Any]], entities: Entities) -> ExampleIndex:
    listed = tuple(tool for tool in tools if tool.readonly and tool.examples)
    known = tuple(known_words(tool, entities) for tool in listed)
    by_text: dict[str, int] = {}
    by_content: dict[tuple[str, ...], int] = {}
    by_word: dict[str, int] = {}
    for number, each in enumerate(known):
        places: tuple[tuple[Any, dict[Any, int]], ...] = (
            (each.by_text, by_text),
            (each.by_content, by_content),
            (each.latin | each.pairs, by_word),
        )
        for words, place in places:
            for word in words:
                place[word] = place.get(word, 0) | 1 << number
    uncued = sum(1 << number for number, tool in enumerate(listed) if not tool.cues)
    return ExampleIndex(listed, known, by_text, by_content, by_word, uncued)
