"""Which of the things that are known answer a question best: by its words, and what it asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from engine.playbooks.end_kinds import RunEnd
from engine.text.entities import fold
from engine.text.search_words import QUESTION_WORDS, stem
from engine.understanding.own_work import words
from engine.understanding.own_work.asked import AskedFor, Wanted, read_asked, without_fillers
from engine.understanding.own_work.naming import holds_name, is_like, points_somewhere
from engine.understanding.own_work.near_words import meanings
from engine.understanding.own_work.subjects import CHINESE, LATIN, NUMBER

FactKind = Literal["value", "unknown", "request", "sentence", "files"]

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

_AGENT: Final = re.compile(
    r"(?<![a-z])(?:[a-z]{2,}(?:er|or|ist|ian|man|woman)|clients?|agents?|students?|patients?"
    r"|applicants?|tenants?|assistants?|accountants?|firm|company|people|person|staff|crew|team"
    r"|group|board|party|witness|expert|jury|guests?|name|contact|chair|head|host|who)s?(?![a-z])"
    r"|(?:人|者|员|师|方|商|公司|厂|长|手|单位|家|委|队|谁)(?=\W|$)"
)
"""How labels of people and organisations end."""
_NO_AGENT: Final = re.compile(
    r"(?<![a-z])(?:number|order|matter|water|paper|letter|weather|cover|corner|cent(?:er|re)|power"
    r"|floor|door|colou?r|error|timber|filter|summer|winter|chapter|folder|answer|other|after|over"
    r"|under|however|offer|tender|never|ever|before|for)(?![a-z])"
)
_WHY: Final = re.compile(
    r"(?<![a-z])(?:why|reasons?|because|grounds)(?![a-z])|理由|原因|缘由|为何|为什么"
)
_PLACE: Final = re.compile(
    r"(?<![a-z])(?:where|place|room|hall|address|site|venue|location|city|town|at|house|street"
    r"|building|station|country|storage|kept|destination)s?(?![a-z])"
    r"|地|处|所|室|馆|院|场|址|城|市|厅|店|哪"
)
_HOUSE: Final = re.compile(r"[馆院场厅店城市室楼址]$")
_CALLED: Final = re.compile(r"(?<![a-z])(?:name|title|called|subject)s?(?![a-z])|名|标题|题目")
_NAME: Final = re.compile(
    r"(?:[A-Z][\w'’-]+|of|the|de|von|and|&)(?: (?:[A-Z][\w'’-]+|of|the|and|&))*"
)
_DIGITS: Final = re.compile(
    r"[0-9]|(?<![a-z])(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
    r"|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand|half|both|none|dozen)(?![a-z])"
    r"|[一二两三四五六七八九十百千半]",
    re.IGNORECASE,
)
_DATED: Final = re.compile(
    r"[12][0-9]{3}|[0-9][:.][0-9]{2}|[0-9]年|[0-9一二三四五六七八九十][月日号点]"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|week|month|year"
)
_BEGINS: Final = re.compile(
    r"(?<![a-z])(?:start(?:s|ed)?|begin(?:s|ning)?|first|from|open(?:s|ing)?)(?![a-z])|开始|起|首"
    r"|开工"
)
_ENDS: Final = re.compile(
    r"(?<![a-z])(?:end(?:s|ed)?|last|until|till|finish(?:ed|es)?|over|return(?:s|ed)?"
    r"|done|ready|(?:get|gets|got|have|has|com|give)[a-z]* .{1,20}back)(?![a-z])|结束|到期|止"
    r"|最后|完工|归还|还回|弄完|为止|到哪|到几"
)


@dataclass(frozen=True)
class CaseFact:
    """Something that is known, which a text tells; or that a field `is_unknown` so far.

    `names` are what people call it (labels, cues, requests' names), `values` what it says, `people`
    who has to do with it. `type` is the field's. `end` is how the request ended that it is of, with
    a reason or without. It `is_first` of the fields, or of
    the sentences of a text that begins with its title. `owner` is the request that it belongs to,
    "" where that is not known.
    """

    kind: FactKind
    text: str
    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    type: str = ""
    path: str = ""
    owner: str = ""
    end: RunEnd | None = None
    has_reason: bool = False
    is_first: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether it is a field that nobody has said anything of."""
        return self.kind == "unknown"

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The names of a field that say something by themselves, folded."""
        if self.kind not in ("value", "unknown"):
            return ()
        found = (fold(name).strip() for name in self.names)
        return tuple(name for name in found if len(name) > 1 and points_somewhere(name))

    @cached_property
    def name_words(self) -> "_Words":
        """The words of its names and people."""
        return _Words.of((*self.names, *self.people))

    @cached_property
    def letters(self) -> frozenset[str]:
        """Every Chinese character of it."""
        return self.name_words.letters | self.value_words.letters

    @cached_property
    def meanings(self) -> frozenset[int]:
        """What it has words of."""
        return self.name_words.meanings | self.value_words.meanings

    def has(self, word: str) -> bool:
        """Whether it has the stem, number or pair."""
        return self.name_words.has(word) or self.value_words.has(word)

    @cached_property
    def value_words(self) -> "_Words":
        """The words of what it says."""
        return _Words.of(self.values)


@dataclass(frozen=True, slots=True)
class _Words:
    stems: frozenset[str]
    pairs: frozenset[str]
    letters: frozenset[str]
    meanings: frozenset[int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "_Words":
        folded = [fold(text) for text in texts]
        runs = [run for text in folded for run in CHINESE.findall(text)]
        return cls(
            frozenset(stem(w) for text in folded for w in LATIN.findall(text) if len(w) > 1)
            | frozenset(n for text in folded for n in NUMBER.findall(text)),
            frozenset(run[i : i + 2] for run in runs for i in range(len(run) - 1)),
            frozenset(c for run in runs for c in run),
            frozenset().union(*(meanings(text) for text in folded)),
        )

    def has(self, word: str) -> bool:
        """Whether a stem, a number or a pair of Chinese characters is of these words."""
        if word in self.stems or word in self.pairs:
            return True
        if len(word) < 4 or not word.isascii():
            return False
        # "frame" is in "unframe", and "yard" in "shipyard".
        return any(
            is_like(word, each) or word in each or (len(each) > 3 and each in word)
            for each in self.stems
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
    """The facts, best first. `is_sure` where they have every word of the question."""

    asked: AskedFor
    fits: tuple[FittingFact, ...] = ()
    is_sure: bool = False


def best_fits(question: str, facts: Sequence[CaseFact]) -> BestFits:
    """The facts that fit a question, each after those that have more of what it asks for."""
    asked = read_asked(question)
    scale = _Scale.of(question, facts, asked)
    left, chosen, spent = list(facts), list[FittingFact](), set[str]()
    got: set[Wanted] = set()
    while left:
        near = chosen[0].fact.owner if chosen and chosen[0].hits else ""
        fits = [scale.fit(fact, spent, got, near) for fact in left]
        best = max(fits, key=lambda fit: fit.score)
        if best.score <= 0:
            break
        chosen.append(best)
        left.remove(best.fact)
        spent |= best.hits
        got |= scale.kinds_of(best.fact)
    return BestFits(asked, tuple(chosen), _is_sure(scale, chosen))


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
    return all(word in covered for word in scale.weights)


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

    def fit(
        self, fact: CaseFact, spent: set[str], got: set[Wanted], near_to: str = ""
    ) -> FittingFact:
        """How well a fact fits, where others have these words and kinds already.

        What is of the request that is `near_to` the best fits better.
        """
        score, hits = 0.0, set[str]()
        for word, weight in self.weights.items():
            counts = (
                NAMED if fact.name_words.has(word) else VALUED if fact.value_words.has(word) else 0
            )
            if counts:
                hits.add(word)
                again = SPENT_BY_REQUEST if fact.kind == "request" else SPENT
                score += counts * weight * (again if word in spent else 1)
        generic = [
            w for w in self.generic if w in fact.name_words.stems or w in fact.name_words.pairs
        ]
        score += sum(GENERIC_SHARE * self.generic[w] for w in generic)
        near = [n for n in self.meant if n in fact.meanings]
        score += sum(MEANT * self.meant[n] for n in near)
        letters = [c for c in self.letters if c in fact.letters]
        score += sum(LETTER * self.letters[c] for c in letters)
        kinds, bears = self.kinds_of(fact), bool(hits or near or letters)
        bonus = sum(
            _WEIGHT[kind] * (_AGAIN.get(kind, SPENT) if kind in got else 1) for kind in kinds
        )
        score += bonus if bears or fact.kind != "sentence" else UNBORNE * bonus
        score += self._extra(fact, bears=bears) + _BASE[fact.kind]
        of_same = fact.owner and (fact.owner in self.owners or fact.owner == near_to)
        score += SAME_REQUEST * (bool(of_same) and fact.kind == "value")
        score += WHOLE_NAME * any(self._names(name) for name in fact.titles)
        score -= A_TITLE * (fact.kind == "sentence" and fact.is_first)
        score -= LENGTH_COST * len(fact.text) * (fact.kind != "sentence")
        if self.asked.lists_values and fact.kind in ("request", "sentence"):
            score -= BESIDE
        if _is_given(fact, self.said) and not self.asked.is_yes_no:
            score *= GIVEN
        return FittingFact(fact, score, frozenset(hits), bool(kinds))

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
        of_fact = {"request": _of_request, "sentence": _of_sentence}.get(fact.kind, _of_value)
        return frozenset(of_fact(fact, self.asked)) & self.asked.wanted

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


def _of_value(fact: CaseFact, asked: AskedFor) -> set[Wanted]:
    label, value = fold(" ".join(fact.names)), " ".join(fact.values)
    if fact.kind == "files":
        return {"files"}
    found: set[Wanted] = {"open"} if fact.is_unknown else set()
    if fact.is_first or _CALLED.search(label):
        found.add("name")
    if fact.type in ("date", "time"):
        found.add("time")
    elif fact.type == "money":
        found |= {"amount"}
    elif fact.type in ("integer", "number"):
        found.add("count")
        if "count" in asked.wanted:
            found.add("amount")
    elif fact.type == "place":
        found.add("place")
    elif fact.type in ("person", "email") or _is_agent(label, value, fact):
        found.add("person")
    if fact.type in ("", "text", "choice", "entity") and (
        _PLACE.search(label) or (" " in value and _NAME.fullmatch(value)) or _HOUSE.search(value)
    ):
        found.add("place")
    if _DIGITS.search(value) and fact.type in ("", "text"):
        found.add("count")
    if fact.end not in (None, "done") and not fact.is_unknown:
        found.add("rejected")
    if _WHY.search(label):
        found.add("reason")
    return found


def _is_agent(label: str, value: str, fact: CaseFact) -> bool:
    """Whether the label or the value speaks of a person or an organisation."""
    if fact.type not in ("", "text", "choice", "entity"):
        return False
    agents = _AGENT.findall(_NO_AGENT.sub(" ", label))
    return bool(agents) or (not fact.is_first and " " in value and bool(_NAME.fullmatch(value)))


def _of_request(fact: CaseFact, asked: AskedFor) -> set[Wanted]:
    found: set[Wanted] = {"status"}
    if asked.decides or {"open", "rejected", "reason"} & asked.wanted:
        found.add("person")
    found |= {"open"} if fact.end is None else {"verdict"}
    found |= {"reason"} if fact.has_reason else set()
    found |= {"rejected"} if fact.end in ("rejected", "refused", "failed") else set()
    if asked.decides and not asked.chooses:
        found.add("time")
    return found


def _of_sentence(fact: CaseFact, asked: AskedFor) -> set[Wanted]:
    value = " ".join(fact.values)
    found: set[Wanted] = {"time"} if _DATED.search(value) else set()
    found |= {"count"} if _DIGITS.search(value) else set()
    return found
