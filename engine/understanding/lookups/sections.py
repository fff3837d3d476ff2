"""Which section of the documents explains every word of a question."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

from engine.frames.intents import Lookup
from engine.ports.library import Document, Section, Serves
from engine.text import wording
from engine.text.entities import fold
from engine.text.search_words import RUNS, is_chinese, stem, words
from engine.tools.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from engine.understanding.lookups.text import LookupText
from engine.understanding.lookups.words import SMALL_WORDS, without_small_chinese

# What is so, or was, of some one thing is asked of the thing itself, and no rule tells it.
_PARTICULAR = re.compile(
    r"\b(?:my|mine|his|her|their|this|that|these|those|he|she|him|they|them|was|were|did|had|been"
    r"|already|now|it(?!.{1,80} to\b))\b|[我他她它](?:的|们)|[他她它这那]"
    r"|(?<!应)该|[了过](?:没有?|吗|么)|已经?|正在|目前|现在"
)


_ALSO_NOUNS = frozenset(("check", "display", "help", "list", "search", "view"))


@dataclass(frozen=True, slots=True)
class _Entry:
    document: Document
    section: Section


class SectionIndex:
    """The sections of documents, by their words.

    A set of sections is a number here, with a bit for each of them, so that what a word leaves of
    them is found at once.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._entries = [_Entry(d, section) for d in documents for section in d.sections]
        self._having: dict[str, int] = {}
        self._headed: dict[str, int] = {}
        self._heading_sizes: list[int] = []
        for number, entry in enumerate(self._entries):
            title, heading = entry.document.title, entry.section.heading or entry.document.title
            headed = _index_words(heading)
            body = _index_words("\n".join((title, *entry.section.paragraphs)))
            self._heading_sizes.append(len(headed))
            for own, place in ((headed, self._headed), (headed | body, self._having)):
                for word in own:
                    place[word] = place.get(word, 0) | 1 << number
        self._among = (1 << len(self._entries)) - 1
        self._shelves: dict[tuple[str, str], int] = {}
        for number, entry in enumerate(self._entries):
            shelf = (entry.document.playbook, entry.document.project)
            self._shelves[shelf] = self._shelves.get(shelf, 0) | 1 << number

    def among(self, serves: Serves) -> "SectionIndex":
        """The same, of the documents of these playbooks alone."""
        view = copy(self)
        view._among = sum(own for shelf, own in self._shelves.items() if serves(*shelf))
        return view

    def find(self, asked: LookupText) -> tuple[Lookup, str] | None:
        """The look-up of the one section that explains the question, and why.

        Its heading has a word of it. Of several sections it is the one whose heading has most of
        the question's words, and else least; None where that does not part them.
        """
        if not self._among or not _is_general(asked):
            return None
        needed = list(_needed_words(asked.text))
        left = self._explaining(needed)
        ranked = sorted(self._ranked(left, needed), reverse=True)
        if not ranked or (len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]):
            return None
        entry = self._entries[ranked[0][2]]
        document = f"{entry.document.playbook}/{entry.document.file}"
        arguments = {"document": document, "section": entry.section.heading}
        why = f"{document}: {entry.section.heading or entry.document.title!r} has every word"
        return Lookup(tool=KNOWLEDGE_SEARCH.name, arguments=arguments), why

    def _explaining(self, needed: Sequence[tuple[str, ...]]) -> int:
        """The sections that have one of the forms of every word."""
        left = self._among if needed else 0
        for forms in needed:
            left &= _union(self._having, forms)
        return left

    def _ranked(
        self, left: int, needed: Sequence[tuple[str, ...]]
    ) -> Iterator[tuple[int, int, int]]:
        """Of each section: how many words its heading has, how few others, and its number."""
        in_headings = [_union(self._headed, forms) for forms in needed]
        while left:
            number = left.bit_length() - 1
            left ^= 1 << number
            if shared := sum(having >> number & 1 for having in in_headings):
                yield shared, -self._heading_sizes[number], number


NO_SECTIONS = SectionIndex(())


@lru_cache(maxsize=8)
def index_sections(documents: tuple[Document, ...]) -> SectionIndex:
    """The sections of these documents."""
    return SectionIndex(documents)


def _is_general(asked: LookupText) -> bool:
    """A question or a bidding to show, which holds nothing off, and is of no particular thing."""
    if asked.days or asked.files or not (wording.asks(asked.said) or wording.reads(asked.said)):
        return False
    return not (
        wording.forbids(asked.said)
        or (wording.denies(asked.said) and not wording.asks(asked.said))
        or wording.hinged(asked.said)
        or wording.vague_time(asked.clear)
        or _PARTICULAR.search(asked.said)
    )


def _union(places: Mapping[str, int], forms: Iterable[str]) -> int:
    found = 0
    for form in forms:
        found |= places.get(form, 0)
    return found


def _index_words(text: str) -> set[str]:
    """The words of a text, and its Chinese characters by themselves."""
    runs = filter(is_chinese, RUNS.findall(fold(text)))
    return {*words(text), *(letter for run in runs for letter in run)}


def _needed_words(text: str) -> Iterator[tuple[str, ...]]:
    """What a section has to have: of each word one of its forms.

    "List" and the like are bidden first ("list the guests"), and named behind another word ("the
    guest list"). A Chinese character that is no part of a small word is one; its forms are the
    pairs in which it stands, and itself between small words.
    """
    before = ""
    for run in RUNS.findall(fold(text)):
        if not is_chinese(run):
            if run not in SMALL_WORDS or (run in _ALSO_NOUNS and before):
                yield (stem(run),)
            before = "" if run in SMALL_WORDS else run
            continue
        places = set(without_small_chinese(run))
        for at in places:
            pairs = tuple(run[i : i + 2] for i in (at - 1, at) if 0 <= i < len(run) - 1)
            alone = not places & {at - 1, at + 1}
            yield (*pairs, run[at]) if alone else pairs
