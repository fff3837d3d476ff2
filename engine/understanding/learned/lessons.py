"""What examples teach: a classifier, and which words open a request or are of whose work."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from engine.text import wording
from engine.text.entities import ENTITY_MARKS, fold
from engine.text.entity_kinds import Entities
from engine.text.language import HAN
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.grammar.slips import SLIPS
from engine.understanding.learned.classifier import Classifier, Example, Learned, digest_of
from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.learned.training import learn

QUESTION, SMALLTALK, STATEMENT, ELSEWHERE = "qa_query", "smalltalk", "statement", "elsewhere"
"""Routes beside the playbooks: to know something, talk, things told, work that nobody here does."""

FIRST = 0.25
"""A word that begins so large a share of the examples it stands in is a verb."""

LONG = 5
"""A shorter word is taken as it is written."""

OTHER_LETTER = 8
"""In a word as long as this one letter may be another; in a shorter one that is another word."""

LONGEST = 30
"""So is a longer one, which would be tried without each of its letters."""

_LATIN = re.compile(r"[a-z][a-z'-]*")
_LONGER = re.compile(r"[a-z][a-z'-]+")
_MARK = re.compile(f"[{ENTITY_MARKS}]")
_CHINESE_RUN = re.compile(r"[\u3400-\u9fff]+")
_EDGES = " \n.!。~"
_BY = frozenset("按照用以从在这那我要需")
_SMALL_WORDS = frozenset(
    re.findall(r"\w+", "a an the new of for to in on at with and or my our his her this that all")
)


@dataclass(frozen=True, slots=True)
class _Tokenized:
    """What is known of the examples' tokens."""

    tokens: dict[str, Counter[str]] = field(default_factory=dict)
    by_group: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    places: dict[str, dict[str, Sequence[int]]] = field(default_factory=dict)
    bare: dict[str, list[str]] = field(default_factory=dict)


class Lessons:
    """What is learned of examples, each part of it at its first use."""

    def __init__(self, examples: Sequence[Example], entities: Entities) -> None:
        self.examples = examples
        self._marked = [entities.marked(example.text) for example in examples]
        # Most are as they are compared already, and stand in memory once.
        self.said = [_same(normalize(text), text) for text in self._marked]
        """Each example as it is compared: folded, without politeness."""
        self._kept: Learned | None = None
        self._openings: dict[str, frozenset[str]] = {}
        self.sizes = Counter(example.route for example in examples)
        """How many examples each route has."""

    @cached_property
    def verbatim(self) -> Mapping[str, frozenset[str]]:
        """The groups of each example, by its plain text."""
        found: dict[str, set[str]] = {}
        for example, marked, said in zip(self.examples, self._marked, self.said, strict=True):
            if not example.is_name:
                plain = _same(plain_example(fold(marked)), said)
                found.setdefault(plain, set()).add(example.group)
        # Most texts are of one group: its set is the same one for all of them.
        sets: dict[frozenset[str], frozenset[str]] = {}
        return {
            text: sets.setdefault(own := frozenset(groups), own) for text, groups in found.items()
        }

    @cached_property
    def digest(self) -> str:
        """Names what the classifier learns, for what keeps it."""
        return digest_of(self.examples, self.said)

    @property
    def is_learned(self) -> bool:
        """Whether there is a classifier already."""
        return "classifier" in self.__dict__

    def recall(self, body: bytes) -> bool:
        """Take what was learned before under the digest; False when the bytes cannot be read.

        They are not read where it is learned already.
        """
        if self.is_learned:
            return True
        self._kept = Learned.unpack(body)
        return self._kept is not None

    @cached_property
    def classifier(self) -> Classifier:
        """Takes one to two seconds of processor time to learn, next to none when recalled."""
        kept, self._kept = self._kept, None
        return Classifier(self.examples, kept or learn(self.examples, self.said))

    def teach(self) -> bytes:
        """Learn the examples, whatever was learned before; what it came to, packed."""
        learned = learn(self.examples, self.said)
        if not self.is_learned:
            self._kept = learned
        return learned.pack()

    @cached_property
    def request_verbs(self) -> frozenset[str]:
        """English words that requests and questions begin with: verbs, not nouns."""
        bidding = self._texts_of(lambda route: route not in (SMALLTALK, STATEMENT))
        words = [_LATIN.findall(text) for text in bidding]
        first = Counter(found[0] for found in words if found)
        every = Counter(word for found in words for word in found)
        often = (w for w, n in first.items() if n > 1 and n >= every[w] * FIRST)
        # "I'd" begins what is wished for and what is told.
        return frozenset(w for w in often if len(w) > 1 and w not in _SMALL_WORDS and "'" not in w)

    @cached_property
    def openings(self) -> frozenset[str]:
        """Chinese characters that many requests begin with."""
        others = (QUESTION, SMALLTALK, STATEMENT, ELSEWHERE)
        first = Counter(text[:1] for text in self._texts_of(lambda route: route not in others))
        often = [c for c, n in first.items() if n > 3 and c not in _BY]
        return frozenset(c for c in often if HAN.match(c))

    def _texts_of(self, wanted: Callable[[str], bool]) -> list[str]:
        pairs = zip(self.examples, self.said, strict=True)
        return [text for example, text in pairs if wanted(example.route)]

    @cached_property
    def said_by_route(self) -> Mapping[str, str]:
        """The texts of each route's examples, a line for each."""
        found: dict[str, list[str]] = {}
        for example, text in zip(self.examples, self.said, strict=True):
            found.setdefault(example.route, []).append(text)
        return {route: "\n".join(texts) for route, texts in found.items()}

    @cached_property
    def said_by_group(self) -> Mapping[str, str]:
        """The texts of each group's examples, a line for each."""
        found: dict[str, list[str]] = {}
        for example, text in zip(self.examples, self.said, strict=True):
            found.setdefault(example.group, []).append(text)
        return {group: "\n".join(texts) for group, texts in found.items()}

    @cached_property
    def troubled(self) -> Mapping[str, int]:
        """How many examples of each group tell of what does not work."""
        return self._count(lambda said: GRAMMAR.says("trouble", said))

    @cached_property
    def undoing(self) -> Mapping[str, int]:
        """How many examples of each group bid to cancel, stop or take back something."""
        return self._count(wording.retracts)

    def _count(self, tells: Callable[[str], bool]) -> Mapping[str, int]:
        return Counter(
            each.group
            for each, said in zip(self.examples, self.said, strict=True)
            if not each.is_name and tells(said)
        )

    def openings_of(self, group: str) -> frozenset[str]:
        """How the examples of the group open."""
        if (known := self._openings.get(group)) is None:
            pairs = zip(self.examples, self.said, strict=True)
            known = frozenset(opening_of(text) for each, text in pairs if each.group == group)
            self._openings[group] = known
        return known

    @property
    def tokens(self) -> Mapping[str, Counter[str]]:
        """How many examples of each route have a word, or a pair of Chinese characters."""
        return self._tokenized.tokens

    @property
    def by_group(self) -> Mapping[str, list[tuple[int, str]]]:
        """The examples of each group, each with how many tokens it has."""
        return self._tokenized.by_group

    @property
    def places(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """By group and token, which of the group's examples have it."""
        return self._tokenized.places

    @property
    def bare(self) -> Mapping[str, list[str]]:
        """By group, those of its examples, as they are compared, that have no token."""
        return self._tokenized.bare

    @cached_property
    def _tokenized(self) -> "_Tokenized":
        found, same = _Tokenized(), dict[str, str]()
        # What each example is made of is not kept, and a token stands in memory once.
        for example, text in zip(self.examples, self.said, strict=True):
            words = [same.setdefault(word, word) for word in tokens(text)]
            if not words:
                found.bare.setdefault(example.group, []).append(text)
            counted = found.tokens.setdefault(example.route, Counter())
            group = found.by_group.setdefault(example.group, [])
            places = found.places.setdefault(example.group, {})
            for word in words:
                # Three of four have one place: a tuple takes half of what a list does.
                places[word] = (*places.get(word, ()), len(group))
                if not example.is_name:
                    counted[word] = counted.get(word, 0) + 1
            group.append((len(words), example.text))
        return found

    @cached_property
    def question_groups(self) -> frozenset[str]:
        """The groups of questions."""
        return frozenset(e.group for e in self.examples if e.route == QUESTION)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The English words that stand in more than one example."""
        seen = Counter(w for text in self._marked for w in set(_LATIN.findall(fold(text))))
        return frozenset(word for word, n in seen.items() if n > 1)

    @cached_property
    def _slips(self) -> Mapping[str, str]:
        """Words by what is left of them without one letter."""
        long = sorted(word for word in self._words if len(word) >= LONG)
        return {slip: word for word in long for slip in (word, *_without_one_letter(word))}

    def correct_typos(self, said: str) -> str:
        """The folded text with slips of the pen made good, where an example has a word so near."""
        return _LATIN.sub(lambda found: self._correct_word(found[0]), said)

    def _correct_word(self, word: str) -> str:
        known = word in self._words or word in SLIPS
        if not LONG <= len(word) <= LONGEST or known or not word.isalpha():
            return word
        near = [
            self._slips[slip] for slip in (word, *_without_one_letter(word)) if slip in self._slips
        ]
        return next((w for w in near if _is_slip(word, w)), word)


def _is_slip(word: str, meant: str) -> bool:
    """Whether one may be a slip of the other: "acces" of "access", but no noun of its plural, and
    no short word of another that has one other letter, as "night" and "right".
    """
    if meant.startswith(word) or word.startswith(meant):
        return meant == word + word[-1]
    swapped = sorted(word) == sorted(meant)
    return swapped or len(word) != len(meant) or len(word) >= OTHER_LETTER


def plain_example(folded: str) -> str:
    """A folded text as it is compared with whole examples: a mark at its end says nothing."""
    return folded.strip(_EDGES)


def tokens(said: str) -> frozenset[str]:
    """The words of a folded text, its pairs of Chinese characters, and the marks of entities."""
    words = _LONGER.findall(said)
    if said.isascii():
        return frozenset(words)
    words += _MARK.findall(said)
    for run in _CHINESE_RUN.findall(said):
        words += map("".join, pairwise(run))
    return frozenset(words)


def first_word(said: str) -> str:
    """The English word that a folded text begins with; "" where it begins with none."""
    word = _LATIN.match(said)
    return word[0] if word else ""


def opening_of(said: str) -> str:
    """The first English word or the first two Chinese characters, without politeness."""
    bare = strip_politeness(said)[0].strip()
    return first_word(bare) or bare[:2]


def _same(text: str, other: str) -> str:
    """The text; where it is equal to the other, that very object."""
    return other if text == other else text


def _without_one_letter(word: str) -> list[str]:
    return [word[:at] + word[at + 1 :] for at in range(len(word))]


def normalize(text: str) -> str:
    """A marked text as it is compared: folded, without what is quoted and without politeness."""
    return strip_politeness(fold(wording.unquoted(text)))[0]
