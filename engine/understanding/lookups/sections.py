"""Which section of the documents, or answer that is a text, explains every word of a question."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from cards.model import Lang
from engine.frames.intents import Lookup
from engine.ports.library import Document, Serves
from engine.text import wording
from engine.text.language import detect_language, suits_language
from engine.text.search_words import is_chinese
from engine.tools.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from engine.tools.model import Tool
from engine.understanding.lookups.rule_words import HEADED, index_words, needed_words, says_little
from engine.understanding.lookups.text import LookupText

# What is so, or was, of some one thing is asked of the thing itself, and no rule tells it.
_PARTICULAR = re.compile(
    r"\b(?:my|mine|his|her|their|this|that|these|those|he|she|him|they|them|was|were|did|had|been"
    r"|already|now|it(?!.{1,80} to\b))\b|[我他她它](?:的|们)|[他她它这那]"
    r"|(?<!应)该|[了过](?:没有?|吗|么)|已经?|正在|目前|现在"
)

_THEIR_OWN = re.compile(
    r"(^\W*(?:may|can|could|must|should|do|does)"
    r" (?!the\b|he\b|she\b|they\b|it\b|this\b|that\b|these\b|those\b|my\b|his\b|her\b|their\b)"
    r"[a-z].{0,80}?\b)their\b"
)
"""What is "their own" of somebody whom a question names in general is nobody's in particular."""

_WHAT_TO_DO = re.compile(
    r"\bwhat (?:do|does|should|must|can|shall) (?:i|we|one|you|people|[a-z]{2,20}) do(?![a-z])"
    r"|\bwhat(?: is|'s)? to (?:do|be done)(?![a-z])|(?:怎么|咋)办[呢啊呀]?(?:\W|$)"
)
"""Asks what to do in a case that it names: what it hangs on is what is asked."""

NAMED_SHARE, LETTER_SHARE = 0.6, 0.5
"""The same for a question of a thing that it names, and of which it has but a character."""

CASE_WORDS, CASE_LETTERS = 2, 3
"""So many words, or Chinese characters, say which case is meant."""

NEAR_SHARE: Final = 0.25
"""A section that has less of a question's words is not near it."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A text that answers: how it is looked up, its name, and where it belongs."""

    lookup: Lookup
    title: str
    heading: str
    body: str
    shelf: tuple[str, str]
    asked: tuple[str, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class NearSection:
    """A section that has words of a question, how many, and what share of all of them.

    `answer` is the tool that answers with it, "" for none; `name` says which section it is.
    """

    lookup: Lookup
    name: str
    words: int
    share: float
    answer: str = ""


class SectionIndex:
    """The sections of documents, by their words.

    What an answer that quotes one has as examples counts as its heading; an answer that is a text
    is a section by itself. A set of sections is a number here, with a bit for each of them, so that
    what a word leaves of them is found at once.
    """

    def __init__(self, documents: Iterable[Document], answers: Sequence[Tool[Any]] = ()) -> None:
        self._entries = [*_sections(documents, answers), *_texts(answers)]
        self._having: dict[str, int] = {}
        self._headed: dict[str, int] = {}
        self._titled: dict[str, int] = {}
        self._heading_sizes: list[int] = []
        for number, entry in enumerate(self._entries):
            headed = index_words(entry.heading or entry.title)
            self._heading_sizes.append(len(headed))
            for word in headed:
                self._titled[word] = self._titled.get(word, 0) | 1 << number
            headed |= index_words("\n".join(entry.asked))
            headed |= {HEADED + letter for letter in headed if is_chinese(letter)}
            body = index_words(f"{entry.title}\n{entry.body}")
            for own, place in ((headed, self._headed), (headed | body, self._having)):
                for word in own:
                    place[word] = place.get(word, 0) | 1 << number
        self._among = (1 << len(self._entries)) - 1
        self._shelves: dict[tuple[str, str], int] = {}
        for number, entry in enumerate(self._entries):
            self._shelves[entry.shelf] = self._shelves.get(entry.shelf, 0) | 1 << number

    def among(self, serves: Serves) -> "SectionIndex":
        """The same, of the documents of these playbooks alone."""
        view = copy(self)
        view._among = sum(own for shelf, own in self._shelves.items() if serves(*shelf))
        return view

    def find(self, asked: LookupText) -> tuple[Lookup, str] | None:
        """The look-up of the one section that explains the question, and why.

        Its heading has a word of it. Of several sections it is the one whose heading has most of
        the question's words, and else least; None where that does not part them. What to do in a
        case is told by the one section that has all of the case, whatever its heading.
        """
        if not self._among or not _is_general(asked):
            return None
        needed = list(needed_words(asked.text))
        left = self._explaining(needed)
        if left.bit_count() == 1 and _tells_the_case(asked, needed):
            entry = self._entries[left.bit_length() - 1]
            return entry.lookup, f"{_name(entry)} has all of the case"
        ranked = sorted(self._ranked(left, needed), reverse=True)
        if not ranked or (len(ranked) > 1 and ranked[0][:3] == ranked[1][:3]):
            return None
        entry = self._entries[ranked[0][3]]
        return entry.lookup, f"{_name(entry)} has every word"

    def near(self, asked: LookupText, lang: Lang) -> list[NearSection]:
        """The sections that have words of a question in general, those that have most first.

        One word alone has to stand in the heading, or in hardly any other section. Of a question
        of a thing that it names, or of which a section has a single Chinese character, it has more.
        """
        if not self._among or not _is_general(asked):
            return []
        needed = [forms for forms in needed_words(asked.text) if not says_little(forms)]
        having = [_union(self._having, forms) & self._among for forms in needed]
        headed = [_union(self._headed, forms) for forms in needed]
        most, found = max(1, self._among.bit_count() // 4), list[tuple[float, int, NearSection]]()
        for number, entry in enumerate(self._entries):
            at = [n for n, places in enumerate(having) if places >> number & 1]
            is_telling = any(headed[n] >> number & 1 or having[n].bit_count() <= most for n in at)
            share = len(at) / max(1, len(needed))
            by_letter = len(at) == 1 and not self._has_word(needed[at[0]], number)
            least = NAMED_SHARE if asked.named else LETTER_SHARE if by_letter else NEAR_SHARE
            if not is_telling or share < least or not suits_language(_said(entry), lang):
                continue
            weight = sum(1 / having[n].bit_count() for n in at)
            name = ": ".join(filter(None, (entry.title, entry.heading)))
            near = NearSection(entry.lookup, name, len(at), share, entry.answer)
            found.append((-weight, number, near))
        return [near for _, _, near in sorted(found, key=lambda each: each[:2])]

    def _has_word(self, forms: Iterable[str], number: int) -> bool:
        """Whether a section has one of these forms that is more than a Chinese character."""
        words = (f for f in forms if not (is_chinese(f[-1]) and len(f.removeprefix(HEADED)) == 1))
        return bool(_union(self._having, words) >> number & 1)

    def _explaining(self, needed: Sequence[tuple[str, ...]]) -> int:
        """The sections that have one of the forms of every word."""
        left = self._among if needed else 0
        for forms in needed:
            left &= _union(self._having, forms)
        return left

    def _ranked(
        self, left: int, needed: Sequence[tuple[str, ...]]
    ) -> Iterator[tuple[int, int, int, int]]:
        """Of each section: how many words its heading has, with what it is asked and by itself; how
        few others; and its number.
        """
        in_headings = [_union(self._headed, forms) for forms in needed]
        alone = [_union(self._titled, forms) for forms in needed]
        while left:
            number = left.bit_length() - 1
            left ^= 1 << number
            if shared := sum(having >> number & 1 for having in in_headings):
                own = sum(having >> number & 1 for having in alone)
                yield shared, own, -self._heading_sizes[number], number


_KEPT: dict[tuple[object, ...], SectionIndex] = {}
_MAX_KEPT: Final = 8


def index_sections(
    documents: tuple[Document, ...], answers: Sequence[Tool[Any]] = ()
) -> SectionIndex:
    """The sections of these documents, and the answers that quote them or are texts."""
    told = tuple((a.name, a.examples, a.quotes, a.text, a.project) for a in answers)
    key = (documents, told)
    if key not in _KEPT:
        if len(_KEPT) >= _MAX_KEPT:
            _KEPT.clear()
        _KEPT[key] = SectionIndex(documents, answers)
    return _KEPT[key]


def _sections(documents: Iterable[Document], answers: Sequence[Tool[Any]]) -> Iterator[_Entry]:
    """Each section of the documents, with what the answers that quote it are asked."""
    quoting: dict[tuple[str, str], list[Tool[Any]]] = {}
    for tool in answers:
        for place in tool.quotes:
            quoting.setdefault(place, []).append(tool)
    for document in documents:
        name = f"{document.playbook}/{document.file}"
        for section in document.sections:
            own = quoting.get((name, section.heading), [])
            body = "\n".join(section.paragraphs)
            lang = detect_language(f"{section.heading} {body}")
            asked = (example for tool in own for example in tool.examples)
            yield _Entry(
                Lookup(
                    tool=KNOWLEDGE_SEARCH.name,
                    arguments={"document": name, "section": section.heading},
                ),
                document.title,
                section.heading,
                body,
                (document.playbook, document.project),
                tuple(example for example in asked if suits_language(example, lang)),
                own[0].name if own else "",
            )


def _texts(answers: Sequence[Tool[Any]]) -> Iterator[_Entry]:
    """Each answer that is a text."""
    for tool in answers:
        if tool.text:
            shelf = (tool.playbook, tool.project)
            lookup = Lookup(tool=tool.name, arguments={})
            yield _Entry(lookup, "", "", tool.text, shelf, tool.examples, tool.name)


def _name(entry: _Entry) -> str:
    if not entry.lookup.arguments:
        return entry.lookup.tool
    return f"{entry.lookup.arguments['document']}: {entry.heading or entry.title!r}"


def _said(entry: _Entry) -> str:
    return f"{entry.heading} {entry.body}"


def _is_general(asked: LookupText) -> bool:
    """A question or a bidding to show, which holds nothing off, and is of no particular thing."""
    if asked.days or asked.files or not (wording.asks(asked.said) or wording.reads(asked.said)):
        return False
    return not (
        wording.forbids(asked.said)
        or (wording.denies(asked.said) and not wording.asks(asked.said))
        or (wording.hinged(asked.said) and not _WHAT_TO_DO.search(asked.said))
        or wording.vague_time(asked.clear)
        or _PARTICULAR.search(_THEIR_OWN.sub(r"\1", asked.said))
    )


def _tells_the_case(asked: LookupText, needed: Sequence[tuple[str, ...]]) -> bool:
    """Whether it asks what to do in a case of which these words say enough."""
    least = CASE_LETTERS if any(is_chinese(forms[0]) for forms in needed) else CASE_WORDS
    return len(needed) >= least and bool(_WHAT_TO_DO.search(asked.said))


def _union(places: Mapping[str, int], forms: Iterable[str]) -> int:
    found = 0
    for form in forms:
        found |= places.get(form, 0)
    return found


NO_SECTIONS = SectionIndex(())
