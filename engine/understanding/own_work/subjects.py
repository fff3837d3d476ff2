"""What a question about work may be about: requests and cases, by the words that speak of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from engine.playbooks.end_kinds import RunEnd
from engine.text.entities import fold
from engine.text.search_words import stem
from engine.understanding.own_work import words

LATIN = re.compile(r"[a-z]+")
CHINESE = re.compile(r"[\u3400-\u9fff]+")
NUMBER = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*")
SHORT = 4
"""Words with no more letters are known whole."""

LONG = 4
"""So many Chinese characters may have words of any question among them."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """A field of a request or case: what people call it (labels and cues), and its type.

    `options` are those of a choice, each by all that people call it. `is_own` where the request
    itself asks for it, or its reviewer filled it in.
    """

    path: str
    names: tuple[str, ...]
    type: str = "text"
    is_known: bool = False
    options: tuple[tuple[str, ...], ...] = ()
    is_own: bool = False


@dataclass(frozen=True)
class WorkSubject:
    """A request of the person, or a case that they may see, and the words that speak of it.

    `names` are those of the request, its playbook and its entities, `examples` how people ask for
    it, `people` who have to do with it, `values` what it is about, and `others` what it might have
    been about and is not. `named` is the text of all that it has and is called by. `end` is how it
    ended, None while it goes on. `own_names` are those of the request and its phases,
    `sibling_names` those of the others of its playbook, `own_values` what it asked for itself.
    """

    key: str
    names: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    fields: tuple[FieldNames, ...] = ()
    named: str = ""
    end: RunEnd | None = None
    is_here: bool = False
    is_put_forward: bool = False
    is_case: bool = False
    own_names: tuple[str, ...] = ()
    sibling_names: tuple[str, ...] = ()
    own_values: tuple[str, ...] = ()

    @cached_property
    def vocabulary(self) -> "WorkVocabulary":
        """Words of the request itself."""
        return WorkVocabulary.of((*self.names, *self.examples, *self.people))

    @cached_property
    def own_vocabulary(self) -> "WorkVocabulary":
        """Words of this request alone, where others are of the same case."""
        own, others = WorkVocabulary.of(self.own_names), WorkVocabulary.of(self.sibling_names)
        return WorkVocabulary(own.latin - others.latin, own.pairs - others.pairs)

    @cached_property
    def sibling_vocabulary(self) -> "WorkVocabulary":
        """Words of other requests of its playbook alone."""
        own, others = WorkVocabulary.of(self.own_names), WorkVocabulary.of(self.sibling_names)
        return WorkVocabulary(others.latin - own.latin, others.pairs - own.pairs)

    @cached_property
    def letters(self) -> frozenset[str]:
        """Every Chinese character of its names."""
        return frozenset(c for name in self.names for c in name if CHINESE.match(c))

    @cached_property
    def known_values(self) -> tuple[str, ...]:
        """What it is about, as texts are compared, the longest first."""
        return _as_compared(self.values)

    @cached_property
    def own_values_as_compared(self) -> tuple[str, ...]:
        """What no other request of its case is about, in the same way."""
        return _as_compared(self.own_values)

    @cached_property
    def other_values(self) -> tuple[str, ...]:
        """What it is not about, in the same way."""
        own = " ".join(self.known_values)
        return tuple(value for value in _as_compared(self.others) if value not in own)

    @cached_property
    def by_name(self) -> tuple[tuple[FieldNames, str, "WorkVocabulary"], ...]:
        """Each name of each field as it is compared, with its words."""
        return tuple((f, *_name_as_compared(name)) for f in self.fields for name in f.names)

    @cached_property
    def with_options(self) -> tuple[FieldNames, ...]:
        """The fields that are a choice."""
        return tuple(f for f in self.fields if len(f.options) > 1)


def _as_compared(values: Iterable[str]) -> tuple[str, ...]:
    found = {fold(value).strip() for value in values}
    return tuple(sorted((value for value in found if len(value) > 1), key=len, reverse=True))


@dataclass(frozen=True)
class WorkVocabulary:
    """Latin words by their stems, and pairs of Chinese characters."""

    latin: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> "WorkVocabulary":
        """The words of these texts that point somewhere."""
        found = [_words_of(text) for text in texts]
        latin = frozenset[str]().union(*(latin for latin, _ in found))
        return cls(latin, frozenset[str]().union(*(pairs for _, pairs in found)))

    def __bool__(self) -> bool:
        return bool(self.latin or self.pairs)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The words of five letters and more without their last one."""
        return frozenset(word[:-1] for word in self.latin if len(word) > SHORT)

    @cached_property
    def word_list(self) -> str:
        """The words, each behind a blank."""
        return f" {' '.join(self.latin)}"


# What names of fields are is the same for every question.
@lru_cache(maxsize=4096)
def _name_as_compared(name: str) -> tuple[str, WorkVocabulary]:
    return fold(name), WorkVocabulary.of((name,))


# Examples and names of playbooks are the same for every question.
@lru_cache(maxsize=4096)
def _words_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    text = fold(text)
    latin = {stem(word) for word in LATIN.findall(text) if word not in words.GENERIC}
    pairs = set[str]()
    for run in CHINESE.findall(text):
        for part in words.GENERIC_ZH.sub(" ", run).split():
            pairs |= {part[i : i + 2] for i in range(len(part) - 1)}
        if len(run) < LONG:
            pairs |= {run[i : i + 2] for i in range(len(run) - 1)} - words.WHEN_ZH
    return frozenset(latin), frozenset(pairs)
