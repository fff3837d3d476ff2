"""Things that texts name, as a project says: by a pattern of their ids, or by a list of names."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Literal, Protocol

from cards.frozen import Frozen
from cards.linear import find_spans
from engine.text.entities import (
    day_spans,
    entity_mark,
    file_spans,
    folded_name,
    has_plural,
    shown_names,
    singulars,
)
from engine.text.language import HAN, LocalizedText

Case = Literal["upper", "lower", "as_written"]

MAX_NAMES = 100_000
"""No list of names is longer."""

MAX_ID_CHARS = 80
"""Nothing longer is taken for an id or a name."""

_MAX_WORDS = 8
# A shorter word of a list has to be written as it stands there: "IT" is no "it"; "l-3" is L-3.
_SURE_LETTERS = 4
# Chinese is written without spaces: a Latin name ends where it begins.
_WORD = re.compile(r"[^\W_㐀-鿿]+(?:['’&.\-_/][^\W_㐀-鿿]+)*")
_ANY_DAY = date(2000, 1, 1)
_MAX_KEPT = 4096
_KEPT_CHARS = 300
_DIGIT = re.compile(r"[0-9]")
_BETWEEN_DIGITS = re.compile(r"[0-9].[0-9]")
_UNHYPHENED = re.compile(r"(?<![A-Za-z0-9-])([A-Za-z]{1,8})( ?)([0-9]{1,12})(?![A-Za-z0-9])")
_PREFIX = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{1,8}(?=-)")
_CLASS = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True, order=True)
class EntityMatch:
    """Where a text that is NFKC names an entity, `text[start:end]`, and which."""

    start: int
    end: int
    kind: str
    id: str


class NamedEntity(Frozen):
    """What a text named when it was read, as it is kept: the words, where they begin, and which.

    `version` is that of the lists which were read with it, `names` what its list calls it.
    """

    kind: str
    id: str
    text: str
    start: int
    version: str = ""
    names: tuple[str, ...] = ()


class EntityKind(Protocol):
    """One kind of entity: how it is found in texts."""

    @property
    def name(self) -> str:
        """Its name in fields and tools."""
        ...

    @property
    def label(self) -> LocalizedText | None:
        """What people call one of them."""
        ...

    def find(self, text: str) -> Iterator[EntityMatch]:
        """Every place of an NFKC text that names one of them."""
        ...


@dataclass(frozen=True)
class PatternKind:
    """Entities whose ids have a form, a regular expression of RE2's kind.

    An id is found where no letter or digit of Latin writing stands beside it. With `case` upper or
    lower it may be written in either, and is made so. Characters of `without` do not count, and a
    hyphen behind letters of the pattern may be left out (`wx0415` for `WX-0415`).
    """

    name: str
    pattern: str
    case: Case = "as_written"
    without: str = ""
    label: LocalizedText | None = None

    def __hash__(self) -> int:
        """By what tells kinds apart: what is kept by kinds is asked for at every step."""
        return hash((self.name, self.pattern))

    def find(self, text: str) -> Iterator[EntityMatch]:
        """Every id in the text."""
        found = [*self._as_written(text)]
        for each in (*self._apart(text), *self._without_hyphen(text)):
            if not any(each.start < other.end and other.start < each.end for other in found):
                found.append(each)
        yield from sorted(found)

    @cached_property
    def _written(self) -> str:
        return self.pattern if self.case == "as_written" else f"(?i:{self.pattern})"

    def _as_written(self, text: str) -> Iterator[EntityMatch]:
        for start, end in find_spans(self._written, text):
            if match := self._match(text, start, end, text[start:end]):
                yield match

    def _apart(self, text: str) -> Iterator[EntityMatch]:
        """Ids in which characters of `without` stand that the pattern does not have."""
        # "10-12" are two numbers, wherever a hyphen does not count.
        places = [
            at
            for at, letter in enumerate(text)
            if letter not in self.without or _BETWEEN_DIGITS.match(text, max(0, at - 1))
        ]
        if len(places) == len(text):
            return
        plain = "".join(text[at] for at in places)
        for first, end in find_spans(self._written, plain):
            start, last = places[first], places[max(first, end - 1)]
            if match := self._match(text, start, last + 1, plain[first:end]):
                yield match

    def _without_hyphen(self, text: str) -> Iterator[EntityMatch]:
        """Ids whose letters and digits stand without the hyphen of the pattern between them."""
        for said in _UNHYPHENED.finditer(text) if self._prefixes else ():
            letters, gap, digits = said.groups()
            written = f"{letters}-{digits}"
            if letters.casefold() not in self._prefixes or (gap and len(letters) == 1):
                continue
            whole = [*find_spans(self._written, written)] == [(0, len(written))]
            if whole and (match := self._match(text, *said.span(), written)):
                yield match

    @cached_property
    def _prefixes(self) -> frozenset[str]:
        """Letters that the pattern has as they are before a hyphen."""
        return frozenset(map(str.casefold, _PREFIX.findall(_CLASS.sub("", self.pattern))))

    def _match(self, text: str, start: int, end: int, said: str) -> EntityMatch | None:
        if not 0 < end - start <= MAX_ID_CHARS or _runs_on(text, start, end):
            return None
        return EntityMatch(start, end, self.name, self._id_of(said))

    def _id_of(self, said: str) -> str:
        plain = "".join(letter for letter in said if letter not in self.without)
        return _cased(plain, self.case)


@dataclass(frozen=True, eq=False)
class ListKind:
    """Entities by names: `names` has the ids for each name, an id's own writing among them.

    `called` has by id what people read for it: its first name, and its first in the other writing.
    """

    name: str
    names: Mapping[str, tuple[str, ...]]
    label: LocalizedText | None = None
    called: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _ids(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """By folded name: the names that are alike, with their ids."""
        ids: dict[str, dict[str, tuple[str, ...]]] = {}
        for name, own in self.names.items():
            if folded := folded_name(name):
                ids.setdefault(folded, {})[name] = own
        return ids

    def index(self) -> None:
        """Make ready now what is otherwise made for the first text."""
        assert (self._most_words, self._longest_han) is not None

    @cached_property
    def _longest_han(self) -> int:
        return max((len(name) for name in self._ids if HAN.search(name)), default=0)

    @cached_property
    def _most_words(self) -> int:
        counts = (len(_WORD.findall(name)) for name in self._ids)
        return min(max(counts, default=0), _MAX_WORDS)

    def find(self, text: str) -> Iterator[EntityMatch]:
        """Every name in the text, the longest at each place."""
        words = [match.span() for match in _WORD.finditer(text)]
        for first, (start, _) in enumerate(words):
            within = (end for _, end in words[first : first + self._most_words])
            ends = [each for last in within for each in _without_genitive(text, last)]
            for end in reversed(ends):
                if end - start <= MAX_ID_CHARS and (ids := self._ids_of(text[start:end])):
                    yield from (EntityMatch(start, end, self.name, id_) for id_ in ids)
                    break
        if self._longest_han:
            yield from self._han(text)

    def _han(self, text: str) -> Iterator[EntityMatch]:
        """Names with Chinese in them, which no space parts from what stands beside.

        A name begins with a letter: the colon before it is no part of it.
        """
        for start in (at for at, letter in enumerate(text) if letter.isalnum()):
            for end in range(min(len(text), start + self._longest_han), start + 1, -1):
                said = text[start:end]
                if not (HAN.search(said) and said[-1].isalnum()):
                    continue
                if (ids := self._ids_of(said)) and not _runs_on(text, start, end):
                    yield from (EntityMatch(start, end, self.name, id_) for id_ in ids)
                    break

    def _ids_of(self, said: str) -> tuple[str, ...]:
        """All that have the name: as it is written, or else as an id, or else as any name."""
        alike = self._ids.get(folded_name(said), {})
        if said in alike:
            return alike[said]
        if len(said) < _SURE_LETTERS and said.isascii() and not _DIGIT.search(said):
            return ()
        own = tuple(name for name, ids in alike.items() if name in ids)
        named = own or tuple(dict.fromkeys(id_ for ids in alike.values() for id_ in ids))
        return named or self._ids_of_several(said)

    def _ids_of_several(self, said: str) -> tuple[str, ...]:
        """All of which the text says a name in the plural."""
        if not said.endswith("s"):
            return ()
        ids = (
            id_
            for one in singulars(folded_name(said))
            for name, own in self._ids.get(one, {}).items()
            if has_plural(name)
            for id_ in own
            if id_ != name
        )
        return tuple(dict.fromkeys(ids))


@dataclass(frozen=True, eq=False)
class Entities:
    """All kinds that a text is searched for; `version` names the lists among them."""

    kinds: Sequence[EntityKind] = ()
    version: str = ""
    _matched: dict[str, tuple[EntityMatch, ...]] = field(
        default_factory=dict, init=False, repr=False
    )

    def find(self, text: str) -> tuple[EntityMatch, ...]:
        """What an NFKC text names, in order; of matches that overlap, the longest and the first.

        All that share a name are named by it. A part of a file's name, or of a day, is none.
        """
        found = [
            (match.start - match.end, order, match)
            for order, kind in enumerate(self.kinds)
            for match in kind.find(text)
        ]
        if not found:
            return ()
        others = [*file_spans(text), *((start, end) for start, end, _ in day_spans(text, _ANY_DAY))]
        taken: list[EntityMatch] = []
        for _, _, match in sorted(found, key=lambda each: each[:2]):
            free = all(
                match.end <= other.start or other.end <= match.start or _share(match, other)
                for other in taken
            )
            if free and not any(_is_part(match, *span) for span in others):
                taken.append(match)
        return tuple(sorted(taken))

    def matches(self, text: str) -> tuple[EntityMatch, ...]:
        """What any text names, in order, and where it stands in the text as it was written."""
        if not self.kinds:
            return ()
        # A message is read by several, each of which asks what its parts name.
        if (kept := self._matched.get(text)) is not None:
            return kept
        plain, places = normalised_with_places(text)
        found = tuple(
            replace(match, start=places[match.start], end=places[match.end])
            for match in self.find(plain)
        )
        if len(self._matched) >= _MAX_KEPT:
            self._matched.clear()
        if len(text) <= _KEPT_CHARS:
            self._matched[text] = found
        return found

    def kinds_and_ids(self, text: str) -> tuple[tuple[str, str], ...]:
        """The kinds and ids that any text names, in order, each once."""
        return tuple(dict.fromkeys((match.kind, match.id) for match in self.matches(text)))

    def ids(self, text: str, kind: str = "") -> tuple[str, ...]:
        """The ids that any text names, of one kind or all, in order, each once."""
        return tuple(dict.fromkeys(id_ for of, id_ in self.kinds_and_ids(text) if kind in ("", of)))

    def normalised(self, text: str, kind: str) -> str | None:
        """The one entity of the kind that a form's field names; None for none or several.

        What is a listed id as it stands is that one, whatever else it may mean.
        """
        lists = (each for each in self.kinds if isinstance(each, ListKind) and each.name == kind)
        if any(text in each.names.get(text, ()) for each in lists):
            return text
        ids = self.ids(text, kind)
        return ids[0] if len(ids) == 1 else None

    def names_of(self, kind: str, id_: str) -> tuple[str, ...]:
        """What the kind's list calls the one of that id; nothing where it has no name for it."""
        lists = (each for each in self.kinds if isinstance(each, ListKind) and each.name == kind)
        return next((names for each in lists if (names := each.called.get(id_))), ())

    def record(self, text: str) -> tuple[NamedEntity, ...]:
        """What any text names, to be kept with it."""
        return tuple(
            NamedEntity(
                kind=match.kind,
                id=match.id,
                text=text[match.start : match.end],
                start=match.start,
                version=self.version,
                names=self.names_of(match.kind, match.id),
            )
            for match in self.matches(text)
        )

    def by_id(self, text: str) -> str:
        """The text with its id for every name of one entity."""
        for match in reversed(unshared(self.matches(text))):
            text = f"{text[: match.start]}{match.id}{text[match.end :]}"
        return text

    def marked(self, text: str) -> str:
        """The text with the letter of its kind for each letter of an entity: as long as before."""
        for match in self.matches(text):
            mark = entity_mark(match.kind) * (match.end - match.start)
            text = f"{text[: match.start]}{mark}{text[match.end :]}"
        return text


NO_ENTITIES = Entities()


@lru_cache(maxsize=64)
def entities_of(kinds: tuple[PatternKind, ...]) -> Entities:
    """The entities of these patterns alone; the same object for the same ones."""
    return Entities(kinds)


@lru_cache(maxsize=256)
def entities_as_recorded(
    patterns: tuple[PatternKind, ...], named: tuple[NamedEntity, ...]
) -> Entities:
    """The entities of the patterns, and those that a text named when it was read, by their ids too.

    What a text named is a value by its id, and that id is looked at again.
    """
    names: dict[str, dict[str, tuple[str, ...]]] = {}
    called: dict[str, dict[str, tuple[str, ...]]] = {}
    for each in named:
        known = names.setdefault(each.kind, {})
        known[each.text] = tuple(dict.fromkeys((*known.get(each.text, ()), each.id)))
        called.setdefault(each.kind, {})[each.id] = each.names
    for each in named:
        names[each.kind].setdefault(each.id, (each.id,))
    lists = (ListKind(kind, texts, called=called[kind]) for kind, texts in names.items())
    return Entities((*patterns, *lists))


def list_of(
    kind: str, rows: Iterable[tuple[str, Iterable[str]]], label: LocalizedText | None = None
) -> ListKind:
    """The kind of a list of ids with their other names. An id is always a name of its own."""
    listed = list(rows)
    names: dict[str, tuple[str, ...]] = {id_: (id_,) for id_, _ in listed}
    own = frozenset(names)
    for id_, others in listed:
        for name in others:
            if name not in own and id_ not in names.get(name, ()):
                names[name] = (*names.get(name, ()), id_)
    # Who reads the id of one as the name of another takes it for that.
    called = {
        id_: told
        for id_, others in listed
        if (told := shown_names(n for n in others if n not in own))
    }
    return ListKind(kind, names, label, called)


def _share(match: EntityMatch, other: EntityMatch) -> bool:
    """Whether these words call two of a kind, and not one that is found in two ways."""
    is_same_place = (match.start, match.end, match.kind) == (other.start, other.end, other.kind)
    return is_same_place and match.id != other.id


def unshared(matches: Sequence[EntityMatch]) -> tuple[EntityMatch, ...]:
    """Those whose words name nothing else as well."""
    places = Counter((each.start, each.end) for each in matches)
    return tuple(each for each in matches if places[each.start, each.end] == 1)


def _without_genitive(text: str, end: int) -> tuple[int, ...]:
    """Where a name may end, of a word that ends there: `Acme` in `Acme's`."""
    return (end - 2, end) if text[end - 2 : end] in ("'s", "’s") else (end,)


def _cased(text: str, case: Case) -> str:
    match case:
        case "upper":
            return text.upper()
        case "lower":
            return text.lower()
        case "as_written":
            return text


def _runs_on(text: str, start: int, end: int) -> bool:
    """Whether Latin letters or digits go on beside the place, as in `E-77` for `E-7`."""
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    return (_is_latin(before) and _is_latin(first)) or (_is_latin(last) and _is_latin(after))


def _is_latin(letter: str) -> bool:
    return letter.isascii() and letter.isalnum()


def _is_part(match: EntityMatch, start: int, end: int) -> bool:
    inside = start <= match.start and match.end <= end
    return inside and end - start > match.end - match.start


def normalised_with_places(text: str) -> tuple[str, Sequence[int]]:
    """The text in NFKC, and where each letter of that, and its end, stands in the text."""
    if unicodedata.is_normalized("NFKC", text):
        return text, range(len(text) + 1)
    letters = [unicodedata.normalize("NFKC", letter) for letter in text]
    plain = "".join(letters)
    if plain != unicodedata.normalize("NFKC", text):
        # Letters with marks of their own behind them; what stands so is looked for as it is.
        return text, range(len(text) + 1)
    places = [at for at, letter in enumerate(letters) for _ in letter]
    return plain, [*places, len(text)]
