"""A text and the fields that it may be for."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from cards.model import Field
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.readers.find import find_readings
from engine.text.readers.reading import Reading, ReadingKind
from engine.text.values import LINK, cue_pattern, field_names
from engine.text.vocabulary import Vocabulary, make_vocabulary

NEAR = 80
"""So many characters beside a word are looked at for what belongs to it."""

_TO_VALUE = rf"(?:\s*(?:(?:on|by|in|about)(?![A-Za-z])|在|约|大约|改到)\s*|{LINK})"
_OR = re.compile(
    r"\s{0,3},?\s{0,3}(?:or(?:\s(?:on|by|at|from|until|till))?(?![a-z])|或者?|还是)\s{0,3}",
    re.IGNORECASE,
)
TWO_WAYS = "form.two_ways"


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A stretch of a text, `text[start:end]`, and the values that it gives by field name.

    `cued`: words that name the field stand beside the value. Of a `faulty` one the values are keys
    of the catalogue that say what is wrong.
    """

    start: int
    end: int
    values: Mapping[str, str]
    cued: bool = True
    faulty: bool = False


@dataclass(frozen=True)
class FormText:
    """A text in NFKC, said on a day, the fields that are asked for, and what it may name.

    `text` is as it is read, letter for letter of what was `written`. `request` are the words that
    ask for the form.
    """

    text: str
    fields: Sequence[Field]
    today: date
    entities: Entities = NO_ENTITIES
    written: str = ""
    request: tuple[str, ...] = ()

    def as_written(self, part: str, since: int = 0) -> str:
        """The first such part of the text from a place on, in the letters that the person wrote."""
        start = self.text.find(part, since) if self.written else -1
        return part if start < 0 else self.written[start : start + len(part)]

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """What the text gives as values, weak ones among them."""
        return find_readings(self.text, self.today, weak=True)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the form itself."""
        return make_vocabulary(self.fields)

    def of_kind(self, *kinds: ReadingKind) -> Iterator[Reading]:
        """The readings of some kinds."""
        return (reading for reading in self.readings if reading.kind in kinds)

    @cached_property
    def alternatives(self) -> tuple[frozenset[int], Sequence[int]]:
        """Where days and times end that others stand beside as a choice, and where those begin."""
        read = list(self.of_kind("date", "time"))
        begins = {reading.start for reading in read}
        found = [
            (reading.end, match.end())
            for reading in read
            if (match := _OR.match(self.text, reading.end)) and match.end() in begins
        ]
        return frozenset(end for end, _ in found), sorted({begin for _, begin in found})

    def reading_at(self, place: int) -> Reading | None:
        """The reading that begins there."""
        return next((reading for reading in self.readings if reading.start == place), None)

    def own_names(self, field: Field) -> tuple[str, ...]:
        """The words that name this field and no other of the form."""
        return self._own_names[field.name]

    @cached_property
    def _own_names(self) -> Mapping[str, tuple[str, ...]]:
        names = {field.name: field_names(field) for field in self.fields}
        counts = Counter(word for own in names.values() for word in {w.lower() for w in own})
        return {
            field: tuple(word for word in own if counts[word.lower()] == 1)
            for field, own in names.items()
        }

    def mentions(self, names: Sequence[str], after: str = LINK) -> Iterator[re.Match[str]]:
        """Where the text has one of the names, each match with what links it to a value."""
        if names:
            found = re.finditer(cue_pattern(names) + after, self.text, re.IGNORECASE)
            yield from (match for match in found if not self.is_begun(names, match.start()))

    def is_begun(self, names: Sequence[str], start: int) -> bool:
        """Whether the name there only begins a word that asks for the form, as 退 does 退货."""
        if not self._request_words:
            return False
        name = re.compile(cue_pattern(names), re.IGNORECASE).match(self.text, start)
        end = name.end() if name else start
        return any(first <= start < end < last for first, last in self._request_words)

    @cached_property
    def _request_words(self) -> tuple[tuple[int, int], ...]:
        """Where the text has Chinese words of the request."""
        words = [word for word in self.request if not word.isascii() and len(word) > 1]
        found = re.finditer(f"(?=({'|'.join(map(re.escape, words))}))", self.text) if words else ()
        return tuple(match.span(1) for match in found)

    def is_named(self, names: Sequence[str], start: int, end: int) -> bool:
        """Whether one of the names stands right before the place, or behind it as in `for the`."""
        if not names:
            return False
        if any(match.end() == start for match in self.mentions(names, after=_TO_VALUE)):
            return True
        behind = rf"\s?(?:for|as|的|作为)\s?(?:(?:the|my|a|an)\s)?{cue_pattern(names)}"
        return bool(re.compile(behind, re.IGNORECASE).match(self.text, end))
