"""Something that is known: what it says, what people call it, and what of an answer it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from engine.playbooks.end_kinds import RunEnd
from engine.text.entities import fold
from engine.text.search_words import stem
from engine.understanding.own_work.asked import AskedFor, Wanted
from engine.understanding.own_work.naming import has_like, lacks_letter, points_somewhere
from engine.understanding.own_work.near_words import meanings
from engine.understanding.own_work.subjects import CHINESE, LATIN, NUMBER, WorkVocabulary

FactKind = Literal["value", "unknown", "request", "sentence", "files"]

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


@dataclass(frozen=True)
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

    @cached_property
    def vocabulary(self) -> WorkVocabulary:
        """The stems, to be found by what is like them."""
        return WorkVocabulary(self.stems)

    def has(self, word: str) -> bool:
        """Whether a stem, a number or a pair of Chinese characters is of these words."""
        if word in self.stems or word in self.pairs:
            return True
        if len(word) < 4 or not word.isascii():
            return False
        # "frame" is in "unframe", and "yard" in "shipyard".
        if word in self.vocabulary.word_list or has_like(self.vocabulary, word):
            return True
        return any((len(e) > 3 and e in word) or lacks_letter(word, e) for e in self.stems)


def answer_kinds(fact: CaseFact, asked: AskedFor) -> frozenset[Wanted]:
    """What of all that a question may ask for the fact is."""
    of_fact = {"request": _of_request, "sentence": _of_sentence}.get(fact.kind, _of_value)
    return frozenset(of_fact(fact, asked))


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
