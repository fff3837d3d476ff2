"""Which of the things that are known answer a question best: by its words, and what it asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.text.entities import fold
from engine.text.search_words import QUESTION_WORDS, stem
from engine.understanding.own_work import words
from engine.understanding.own_work.asked import AskedFor, Wanted, read_asked, without_fillers
from engine.understanding.own_work.facts import CaseFact, FactKind, answer_kinds
from engine.understanding.own_work.naming import holds_name
from engine.understanding.own_work.near_words import meanings
from engine.understanding.own_work.subjects import CHINESE, LATIN, NUMBER

NAMED, VALUED, MEANT, LETTER = 2.0, 1.4, 1.0, 0.25
"""What a word counts that a name has, that a value has, that is only near, and a character."""

SPENT = 0.3
"""What a word counts for a second thing, once a better one has it."""

SPENT_BY_REQUEST = 0.7
"""The same for a request: of several by one person, all may be meant."""

WHOLE_NAME = 1.5
"""What a name gains of which the question has every word."""

GENERIC_SHARE = 0.5
"""What a word of any question counts, where a name has it."""

GIVEN = 0.25
"""What a value counts that the question itself has: it asks for something else."""

SAME_REQUEST = 0.6
"""What a value gains that is of the same request as one that the question has."""

LENGTH_COST = 0.0025
"""What each character of a text costs: of two that fit alike, the shorter."""

_BEGINS: Final = re.compile(
    r"(?<![a-z])(?:start(?:s|ed)?|begin(?:s|ning)?|first|from|open(?:s|ing)?)(?![a-z])|开始|起|首"
    r"|开工"
)
_ENDS: Final = re.compile(
    r"(?<![a-z])(?:end(?:s|ed)?|last|until|till|finish(?:ed|es)?|over|return(?:s|ed)?"
    r"|done|ready|(?:get|gets|got|have|has|com|give)[a-z]* .{1,20}back)(?![a-z])|结束|到期|止"
    r"|最后|完工|归还|还回|弄完|为止|到哪|到几"
)


@dataclass(frozen=True, slots=True)
class FittingFact:
    """A fact, how well it fits, and which words of the question it has."""

    fact: CaseFact
    score: float
    hits: frozenset[str]
    is_of_kind: bool


@dataclass(frozen=True, slots=True)
class BestFits:
    """The facts, best first. `is_sure` where they have every word of the question.

    It `is_apart` where they have none that points somewhere, nor what one of them means. `share`
    is how much of the words that point somewhere the best ones have, from 0 to 1.
    """

    asked: AskedFor
    fits: tuple[FittingFact, ...] = ()
    is_sure: bool = False
    is_apart: bool = False
    share: float = 0.0


def best_fits(question: str, facts: Sequence[CaseFact]) -> BestFits:
    """The facts that fit a question, each after those that have more of what it asks for."""
    asked = read_asked(question)
    scale = _Scale.of(question, facts, asked)
    # What a fact has of the question stays, whichever others have been chosen.
    left, chosen, spent = list(map(scale.bearing, facts)), list[FittingFact](), set[str]()
    got: set[Wanted] = set()
    while left:
        near = chosen[0].fact.owner if chosen and chosen[0].hits else ""
        fits = [scale.fit(each, spent, got, near) for each in left]
        at = max(range(len(fits)), key=lambda number: fits[number].score)
        if fits[at].score <= 0:
            break
        chosen.append(fits[at])
        spent |= fits[at].hits
        got |= left.pop(at).kinds
    covered = frozenset[str]().union(*(fit.hits for fit in chosen[:3]))
    share = len(covered & scale.weights.keys()) / max(1, len(scale.weights))
    is_sure = _is_sure(scale, chosen)
    return BestFits(asked, tuple(chosen), is_sure, not scale.bears(facts), share)


_CERTAIN: Final[frozenset[Wanted]] = frozenset(
    ("person", "time", "amount", "count", "place", "reason", "files", "rejected")
)
"""What a sure answer has, where it is asked for."""


def _is_sure(scale: "_Scale", chosen: Sequence[FittingFact]) -> bool:
    """Whether the best facts have every word that points somewhere, and are what is asked for."""
    if not chosen or not chosen[0].hits:
        return False
    got = frozenset().union(*(scale.kinds_of(fit.fact) for fit in chosen[:3]))
    certain = scale.asked.wanted & _CERTAIN
    if not certain <= got or (certain and not chosen[0].is_of_kind):
        return False
    covered = frozenset().union(*(fit.hits for fit in chosen[:3]))
    # Two characters beside each other may be the end of one word and the start of another.
    letters = chosen[0].fact.letters
    return all(
        word in covered or (bool(CHINESE.fullmatch(word)) and letters.issuperset(word))
        for word in scale.weights
    )


@dataclass(frozen=True, slots=True)
class _Bearing:
    """What a fact has of a question, whatever others have.

    `counts` are of the words that it has, `shares` of what only points to it; its `kinds` count
    `kinds_count` times. `base` is for what kind of thing it is, `form` for how it is written, and
    all that together counts `factor` times.
    """

    fact: CaseFact
    counts: dict[str, float]
    shares: tuple[float, ...]
    kinds: frozenset[Wanted]
    kinds_count: float
    base: float
    form: tuple[float, ...]
    factor: float


@dataclass(frozen=True)
class _Scale:
    """Weighs facts against a question: its words, the rarer the heavier, and what it asks for.

    `weights` are those of words that point somewhere, `generic` of those of any question. `owners`
    are requests of which the question has a value.
    """

    said: str
    asked: AskedFor
    weights: dict[str, float]
    generic: dict[str, float]
    letters: dict[str, float]
    meant: dict[int, float]
    owners: frozenset[str]

    @classmethod
    def of(cls, question: str, facts: Sequence[CaseFact], asked: AskedFor) -> "_Scale":
        """The scale for a question about these facts."""
        said = without_fillers(question)
        latin = [w for w in LATIN.findall(said) if len(w) > 1 and w not in QUESTION_WORDS]
        pointing = {stem(w) for w in latin if w not in words.GENERIC} | {*NUMBER.findall(said)}
        parts = [
            part for run in CHINESE.findall(said) for part in words.GENERIC_ZH.sub(" ", run).split()
        ]
        pointing |= {part[i : i + 2] for part in parts for i in range(len(part) - 1)}
        every = {stem(w) for w in latin} | {
            run[i : i + 2] for run in CHINESE.findall(said) for i in range(len(run) - 1)
        }
        letters = {c for part in parts for c in part}
        owned = [fact for fact in facts if fact.owner and fact.kind == "value"]
        given = {
            f.owner for f in owned if _is_given(f, said) or any(map(f.value_words.has, pointing))
        }
        return cls(
            said,
            asked,
            {w: _rarity(sum(f.has(w) for f in facts)) for w in pointing},
            {w: _rarity(sum(f.name_words.has(w) for f in facts)) for w in every - pointing},
            {c: _rarity(sum(c in f.letters for f in facts)) for c in letters},
            {n: _rarity(sum(n in f.meanings for f in facts)) for n in meanings(question)},
            frozenset(given),
        )

    def bearing(self, fact: CaseFact) -> "_Bearing":
        """What the fact has of the question, whatever others have."""
        counts = dict[str, float]()
        for word, weight in self.weights.items():
            if fact.name_words.has(word):
                counts[word] = NAMED * weight
            elif fact.value_words.has(word):
                counts[word] = VALUED * weight
        generic = [
            w for w in self.generic if w in fact.name_words.stems or w in fact.name_words.pairs
        ]
        near = [n for n in self.meant if n in fact.meanings]
        letters = [c for c in self.letters if c in fact.letters]
        bears = bool(counts or near or letters)
        shares = (
            sum(GENERIC_SHARE * self.generic[w] for w in generic),
            sum(MEANT * self.meant[n] for n in near),
            sum(LETTER * self.letters[c] for c in letters),
        )
        is_beside = self.asked.lists_values and fact.kind in ("request", "sentence")
        form = (
            WHOLE_NAME * any(self._names(name) for name in fact.titles),
            -A_TITLE * (fact.kind == "sentence" and fact.is_first),
            -LENGTH_COST * len(fact.text) * (fact.kind != "sentence"),
            -BESIDE * is_beside,
        )
        return _Bearing(
            fact,
            counts,
            shares,
            kinds=self.kinds_of(fact),
            kinds_count=1 if bears or fact.kind != "sentence" else UNBORNE,
            base=self._extra(fact, bears=bears) + _BASE[fact.kind],
            form=form,
            factor=GIVEN if _is_given(fact, self.said) and not self.asked.is_yes_no else 1,
        )

    def fit(
        self, bearing: "_Bearing", spent: set[str], got: set[Wanted], near_to: str = ""
    ) -> FittingFact:
        """How well a fact fits, where others have these words and kinds already.

        What is of the request that is `near_to` the best fits better.
        """
        fact, score = bearing.fact, 0.0
        again = SPENT_BY_REQUEST if fact.kind == "request" else SPENT
        for word, count in bearing.counts.items():
            score += count * (again if word in spent else 1)
        for share in bearing.shares:
            score += share
        bonus = sum(
            _WEIGHT[kind] * (_AGAIN.get(kind, SPENT) if kind in got else 1)
            for kind in bearing.kinds
        )
        score += bearing.kinds_count * bonus
        score += bearing.base
        of_same = fact.owner and (fact.owner in self.owners or fact.owner == near_to)
        score += SAME_REQUEST * (bool(of_same) and fact.kind == "value")
        for share in bearing.form:
            score += share
        score *= bearing.factor
        return FittingFact(fact, score, frozenset(bearing.counts), bool(bearing.kinds))

    def bears(self, facts: Sequence[CaseFact]) -> bool:
        """Whether a fact has one of the words that point somewhere, or what one of them means."""
        if not self.weights:
            return True
        pointing, meant = self.weights.keys(), self.meant.keys()
        return any(
            any(map(fact.has, pointing)) or not meant.isdisjoint(fact.meanings) for fact in facts
        )

    def _names(self, title: str) -> bool:
        """Whether the question has the name, or every word of a longer one."""
        if holds_name(self.said, title):
            return True
        latin = {stem(w) for w in LATIN.findall(title) if w not in QUESTION_WORDS}
        own = self.weights.keys() | self.generic.keys()
        if len(latin) > 1:
            return latin <= own
        letters = {c for run in CHINESE.findall(title) for c in run}
        return len(letters) > 3 and all(c in self.said for c in letters)

    def kinds_of(self, fact: CaseFact) -> frozenset[Wanted]:
        """What of all that the question asks for the fact is."""
        if fact.kind == "value" and _is_given(fact, self.said):
            return frozenset()
        return answer_kinds(fact, self.asked) & self.asked.wanted

    def _extra(self, fact: CaseFact, *, bears: bool) -> float:
        """What a question tells of the form of its answer, beside the kind of it."""
        if fact.kind == "sentence":
            return 1.2 * self.asked.quotes
        if fact.kind == "request":
            decided = 0.8 * (bears and "person" in self.asked.wanted)
            return decided + (1.2 if bears else 0.5) * self.asked.is_yes_no
        label = fold(" ".join(fact.names))
        edges = ((_BEGINS, _ENDS), (_ENDS, _BEGINS))
        suits = any(
            own.search(self.said) and own.search(label) and not other.search(label)
            for own, other in edges
        )
        return 1.0 * (suits and fact.type in ("date", "time"))


_BASE: Final[dict[FactKind, float]] = {
    "sentence": 0.7,
    "request": 0.45,
    "value": 0.35,
    "unknown": 0.3,
    "files": 0.1,
}
"""What comes first where nothing of a question is known."""

A_TITLE: Final = 0.6
"""What the title of a text loses, which says little."""

BESIDE: Final = 1.5
"""What requests and sentences lose where values of several kinds are asked for."""

UNBORNE: Final = 0.45
"""What the kind counts of a sentence that has no word of the question."""


def _is_given(fact: CaseFact, said: str) -> bool:
    """Whether a folded question has the value itself."""
    found = [fold(value).strip() for value in fact.values] if fact.kind == "value" else []
    return any(len(value) > 1 and holds_name(said, value) for value in found)


def _rarity(many: int) -> float:
    return float(1 / max(1, many) ** 0.5)


_AGAIN: Final[dict[Wanted, float]] = {
    "person": 0.7,
    "time": 0.8,
    "amount": 0.8,
    "place": 0.7,
    "name": 0.7,
    "count": 0.8,
    "status": 0.9,
    "verdict": 0.8,
    "rejected": 0.9,
    "open": 0.9,
}
"""What a kind counts for a second thing: of several days all may be meant."""

_WEIGHT: Final[dict[Wanted, float]] = {
    "files": 2.4,
    "name": 1.4,
    "person": 1.6,
    "time": 2.0,
    "amount": 1.8,
    "count": 1.4,
    "place": 1.4,
    "reason": 2.2,
    "verdict": 1.4,
    "rejected": 2.4,
    "open": 2.0,
    "status": 1.7,
}
