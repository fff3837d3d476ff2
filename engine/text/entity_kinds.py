"""Things that texts name, as a project says: by a pattern of their ids, or by a list of names."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from cards.linear import find_spans

Case = Literal["upper", "lower", "as_written"]

MAX_NAMES = 100_000
"""No list of names is longer."""

MAX_ID_CHARS = 80
"""Nothing longer is taken for an id or a name."""

_MAX_WORDS = 8
# A shorter word of a list has to be written as it stands there: "IT" is no "it".
_SURE_LETTERS = 4
_WORD = re.compile(r"[^\W_]+(?:['’&.\-_/][^\W_]+)*")
_AROUND = re.compile(r"^\W+|\W+$")
_HAN = re.compile(r"[㐀-鿿]")


@dataclass(frozen=True, slots=True, order=True)
class EntityMatch:
    """Where a text that is NFKC names an entity, `text[start:end]`, and which."""

    start: int
    end: int
    kind: str
    id: str


class EntityKind(Protocol):
    """One kind of entity: how it is found in texts."""

    @property
    def name(self) -> str:
        """What a project calls the kind."""
        ...

    def find(self, text: str) -> Iterator[EntityMatch]:
        """Every place of an NFKC text that names one of them."""
        ...


@dataclass(frozen=True)
class PatternKind:
    """Entities whose ids have a form, a regular expression of RE2's kind.

    An id is found where no letter or digit of Latin writing stands beside it. With `case` upper or
    lower it may be written in either, and is made so; characters of `without` do not count.
    """

    name: str
    pattern: str
    case: Case = "as_written"
    without: str = ""

    def find(self, text: str) -> Iterator[EntityMatch]:
        """Every id in the text."""
        pattern = self.pattern if self.case == "as_written" else f"(?i:{self.pattern})"
        for start, end in find_spans(pattern, text):
            if 0 < end - start <= MAX_ID_CHARS and not _runs_on(text, start, end):
                yield EntityMatch(start, end, self.name, self._id_of(text[start:end]))

    def _id_of(self, said: str) -> str:
        plain = "".join(letter for letter in said if letter not in self.without)
        return _cased(plain, self.case)


@dataclass(frozen=True)
class ListKind:
    """Entities by names: `names` has the id for each name, an id's own writing among them."""

    name: str
    names: Mapping[str, str]

    @cached_property
    def _ids(self) -> Mapping[str, tuple[str, str]]:
        """By folded name: the name, and its id; of names that are alike, the first."""
        ids: dict[str, tuple[str, str]] = {}
        for name, id_ in self.names.items():
            if folded := _folded(name):
                ids.setdefault(folded, (name, id_))
        return ids

    @cached_property
    def _longest_han(self) -> int:
        return max((len(name) for name in self._ids if _HAN.search(name)), default=0)

    @cached_property
    def _most_words(self) -> int:
        counts = (len(_WORD.findall(name)) for name in self._ids)
        return min(max(counts, default=0), _MAX_WORDS)

    def find(self, text: str) -> Iterator[EntityMatch]:
        """Every name in the text, the longest at each place."""
        words = [match.span() for match in _WORD.finditer(text)]
        for first, (start, _) in enumerate(words):
            for _, end in reversed(words[first : first + self._most_words]):
                if end - start <= MAX_ID_CHARS and (id_ := self._id_of(text[start:end])):
                    yield EntityMatch(start, end, self.name, id_)
                    break
        if self._longest_han:
            yield from self._han(text)

    def _han(self, text: str) -> Iterator[EntityMatch]:
        """Names with Chinese in them, which no space parts from what stands beside."""
        for start in range(len(text)):
            for end in range(min(len(text), start + self._longest_han), start + 1, -1):
                said = text[start:end]
                if not _HAN.search(said):
                    continue
                if (id_ := self._id_of(said)) and not _runs_on(text, start, end):
                    yield EntityMatch(start, end, self.name, id_)
                    break

    def _id_of(self, said: str) -> str:
        name, id_ = self._ids.get(_folded(said), ("", ""))
        short = len(said) < _SURE_LETTERS and said.isascii()
        return "" if short and said != name else id_


@dataclass(frozen=True)
class Entities:
    """All kinds that a project has."""

    kinds: Sequence[EntityKind] = ()

    def find(self, text: str) -> tuple[EntityMatch, ...]:
        """What an NFKC text names, in order; of matches that overlap, the longest and the first."""
        found = [
            (match.start - match.end, order, match)
            for order, kind in enumerate(self.kinds)
            for match in kind.find(text)
        ]
        taken: list[EntityMatch] = []
        for _, _, match in sorted(found, key=lambda each: each[:2]):
            if all(match.end <= other.start or other.end <= match.start for other in taken):
                taken.append(match)
        return tuple(sorted(taken))

    def ids(self, text: str, kind: str = "") -> tuple[str, ...]:
        """The ids that any text names, of one kind or all, in order, each once."""
        found = self.find(unicodedata.normalize("NFKC", text))
        return tuple(dict.fromkeys(m.id for m in found if kind in ("", m.kind)))

    def normalised(self, text: str, kind: str) -> str | None:
        """The one entity of the kind that a form's field names; None for none or several."""
        ids = self.ids(text, kind)
        return ids[0] if len(ids) == 1 else None


def list_of(kind: str, rows: Iterable[tuple[str, Iterable[str]]]) -> ListKind:
    """The kind of a list of ids with their other names. An id is always a name of its own."""
    listed = list(rows)
    own = {id_: id_ for id_, _ in listed}
    others = {name: id_ for id_, names in listed for name in names if name not in own}
    return ListKind(kind, {**others, **own})


def _folded(text: str) -> str:
    """As names are compared: without regard to case, spaces and what stands around them."""
    return _AROUND.sub("", " ".join(unicodedata.normalize("NFKC", text).casefold().split()))


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
