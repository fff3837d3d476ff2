"""Which words of a question a tool explains by its cues, examples and arguments (promise 4)."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Literal
from weakref import WeakKeyDictionary

from engine.text.entities import NUMBER_MARK, fold_cue, masked
from engine.text.entity_kinds import Entities
from engine.text.search_words import QUESTION_WORDS, QUESTION_WORDS_CJK
from engine.tools.model import Tool
from engine.understanding.lookups.arguments import argument_words, arguments_of, option_words
from engine.understanding.lookups.text import (
    STAND_INS,
    bare,
    one_wording,
    remove_cues,
    says,
    with_any_day,
)

_ANY_DAY = date(2000, 1, 1)
_LATIN = re.compile(r"[^\W\d_\u3400-\u9fff]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(_LATIN.findall(text))


LINKS = _words(
    "a an the of for at on in and or s my our your this that these those latest last most recent"
    " recently right current currently now today please pls kindly thanks thank to by with about as"
    " per all any some only just also too both info information detail details hi hello hey ok okay"
)
"""Words that say nothing by themselves."""

_ASKING = _words(
    "is are was were be been am do does did has have had can could will would shall may might i"
    " you we us me it its they them he she his her their there here what which who whom whose when"
    " where how much many long old far often show list look looking lookup up find display tell"
    " give get see view search read check know want need like help let so then out anything"
    " something anybody anyone somebody someone whether wonder wondering exactly actually again re"
    " ve ll d m got one"
)
_WHICH = _words("who whom whose when where how much many long old far often")
_PERIOD = _words("from since after starting between until till before through onward onwards")
_ZH_LINKS = (
    "请问|帮我|帮忙|麻烦|一下|现在|目前|当前|最近|最新|今天|这个|那个|关于|有关|以及|所有|全部|情况|信息"
    "|详情|谢谢|您好|你好|[请的了在和与及跟或为于这那该个些吧啊呀哦嗯我你您他她它们]"
)
_ZH_WHICH = "什么时候|哪里|哪天|哪几|多少|几|谁"
_ZH_ASKING = (
    "什么|啥|咋|来着|哪些|哪一?[个位]|哪|是不是|有没有|是否|怎么样|怎样|到底|能不能|可不可以|可以|可否"
    "|查询|查看|查找|查|看看|看|显示|列出|列|告诉|给|想知道|知道|了解|想|要|需要|一共|总共|共|是|有|能|会|吗|呢|么"
    "|把|将|对|都|也|还|又|再|就|出|来|下|找"
)
_ZH_PERIOD = "以来|之后|以后|之前|以前|之间|截至|截止|为止|[自从到至起前]"


_ZH_COMPARES = (
    r"[最更较][^近新\W]|变[差好大小多少高低]|恶化|好转|[上下]降|[上下]一?次|[增减][加少多]|首次|[上下]涨"
    r"|合计|总[共计和额]|平均|趋势|变化|差异"
)
COMPARES = re.compile(
    r"(?<![a-z])(?:better|best|worse|worst|first|last|latest|newest|oldest|earliest|recent|next"
    r"|previous|former|more|most|less|least|fewer|fewest|only|longer|longest|shorter|shortest"
    r"|higher|highest|lower|lowest|larger|largest|bigger|biggest|smaller|smallest|heavier|heaviest"
    r"|lighter|lightest|cheaper|cheapest|faster|fastest|slower|slowest|sooner|later|total|average"
    r"|gain(?:ed)?|loss|lost|up|down|risen|rising|fallen|falling|grown|growing|improv[a-z]*"
    r"|worsen[a-z]*|increas[a-z]*|decreas[a-z]*|declin[a-z]*|drop[a-z]*|trend[a-z]*|chang[a-z]*|differ[a-z]*)(?![a-z])"
    f"|{_ZH_COMPARES}"
)
"""Words that compare, count together, or choose among several."""

_ASKED_WHICH = re.compile(
    r"(?<![a-z])(?:who|whom|whose|when|where|how (?:much|many|long|old|far|often|soon))(?![a-z])"
    r"|什么时候|何时|哪里|哪儿|哪天|哪几|多少|多久|多长|几[次个天人例]|谁"
)
# An article that begins a text, and who speaks, are no such letters.
_LETTER = re.compile(r"(?<![A-Za-z0-9'’])(?!I\b|^A [a-z])[A-Z](?![A-Za-z0-9'’.])")
_SEVERAL = re.compile(
    r"哪些|哪几|(?<![a-z])(?:which (?:of|[a-z]*[a-rt-z]s|[a-z]*ies)|how many(?: [a-z]+)?)(?![a-z])"
)
_NEWEST = re.compile(
    r"(?<![a-z])(?:latest|last|newest|most recent|first|oldest|most|only|both|any other)(?![a-z])"
    r"|最[近新早后]|首个|第一"
)

_ORDINAL = re.compile(f"第 ?{NUMBER_MARK} ?(?P<of>.?)")

Put = Literal["told", "asked", "exactly"]
"""How a text is put: as no question, as one, or as one whose question word has to be explained."""


@dataclass(frozen=True, slots=True)
class KnownWords:
    """What a tool explains: Latin words, and pairs of neighbouring Chinese characters.

    Its examples come by their bare text, and by the words that say what they are about.
    """

    latin: frozenset[str]
    pairs: frozenset[str]
    by_text: Mapping[str, str]
    by_content: Mapping[tuple[str, ...], str]

    def unexplained(self, text: str, put: Put, *, period: bool) -> str:
        """What is left of a masked text; `period` where a time from and until may be named."""
        plain = STAND_INS.sub(" ", text)
        latin = [word for word in _LATIN.findall(plain) if self.latin.isdisjoint(_forms(word))]
        known = _LATIN_WORDS[put, period]
        left = [word for word in latin if known.isdisjoint(_forms(word))]
        small = _ZH_WORDS[put, period]
        left += [rest for run in _CHINESE.findall(plain) if (rest := self._chinese(run, small))]
        return " ".join(left)

    def _chinese(self, run: str, small: re.Pattern[str]) -> str:
        spoken = (
            letter if not _pairs_at(run, i) & self.pairs else " " for i, letter in enumerate(run)
        )
        # What stood apart stays apart, as it may be told.
        left = small.sub(lambda found: found["kept"] or " ", "".join(spoken))
        return " ".join(left.split())


def _pairs_at(run: str, at: int) -> frozenset[str]:
    """The pairs of a character and its neighbours; one that stands alone is its own."""
    beside = {run[max(0, at - 1) : at + 1], run[at : at + 2]}
    return frozenset(pair for pair in beside if len(pair) == min(2, len(run)))


def _pairs(run: str) -> Iterator[str]:
    yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))


_ZH_SAID: dict[Put, tuple[str, ...]] = {
    "told": (),
    "asked": (_ZH_WHICH, _ZH_ASKING),
    "exactly": (_ZH_ASKING,),
}
_ZH_WORDS = {
    (put, period): re.compile(
        "|".join((f"(?P<kept>{_ZH_COMPARES})", _ZH_LINKS, *words, *((_ZH_PERIOD,) * period)))
    )
    for put, words in _ZH_SAID.items()
    for period in (False, True)
}
_ZH_NO_MATTER = re.compile("|".join((_ZH_LINKS, _ZH_WHICH, _ZH_ASKING, _ZH_PERIOD)))
_LATIN_SAID: dict[Put, frozenset[str]] = {
    "told": LINKS,
    "asked": LINKS | _ASKING,
    "exactly": (LINKS | _ASKING) - _WHICH,
}
_LATIN_WORDS = {
    (put, period): words | _PERIOD if period else words
    for put, words in _LATIN_SAID.items()
    for period in (False, True)
}


SMALL_WORDS = LINKS | _ASKING | QUESTION_WORDS
"""Latin words of which questions to documents are made, and that say nothing by themselves."""


def without_small_chinese(run: str) -> Iterator[int]:
    """The places of a Chinese text that are no part of such words."""
    spared = run
    for small in (QUESTION_WORDS_CJK, _ZH_NO_MATTER):
        spared = small.sub(lambda found: " " * len(found[0]), spared)
    return (at for at, letter in enumerate(spared) if letter != " ")


_KEPT: WeakKeyDictionary[Entities, dict[object, KnownWords]] = WeakKeyDictionary()


def known_words(tool: Tool[Any], entities: Entities) -> KnownWords:
    """What the tool's cues, examples and arguments explain; kept as long as the entities are."""
    kept = _KEPT.setdefault(entities, {})
    key = (tool.arguments, tool.examples, tuple(tool.cues), tool.labels)
    if key not in kept:
        kept[key] = _known_words(tool, entities)
    return kept[key]


def _known_words(tool: Tool[Any], entities: Entities) -> KnownWords:
    texts = [masked(entities.marked(e).lower(), _ANY_DAY) for e in tool.examples]
    texts += [*map(fold_cue, (*tool.cues, *tool.labels)), *argument_words(tool)]
    clear = {text: e for e in reversed(tool.examples) for text in _clear(entities.marked(e))}
    return KnownWords(
        *_vocabulary(texts),
        {bare(text): example for text, example in clear.items()},
        {words: example for text, example in clear.items() if (words := content(text))},
    )


def _clear(marked: str) -> Iterator[str]:
    """A marked example as texts are compared, also with a date for each weekday."""
    for text in (with_any_day(marked), marked):
        yield one_wording(masked(text, _ANY_DAY))


def own_words(
    tool: Tool[Any], cues: Sequence[str], taken: Mapping[str, Any], said: str
) -> KnownWords:
    """What the tool explains of a question in which it has these cues and takes these arguments.

    Its examples and its other cues and options say what it can be asked, not what was. A word that
    compares is explained by a label only where the question has all of that label.
    """
    labels = map(fold_cue, tool.labels)
    texts = [*map(fold_cue, cues)]
    texts += [label if says(said, label) else _without_comparisons(label) for label in labels]
    for argument in arguments_of(tool):
        texts += [argument.name.replace("_", " "), *map(fold_cue, argument.said)]
        value = taken.get(argument.name, ())
        chosen = value if isinstance(value, list) else [value]
        texts += [word for word, option in option_words(argument) if option in chosen]
    return KnownWords(*_vocabulary(texts), {}, {})


def without_ordinal(clear: str, tool: Tool[Any]) -> str:
    """A masked text without 第3节, where the tool takes a number that is called so, as 节次 is."""
    counted = (a for a in arguments_of(tool) if a.type in ("integer", "number"))
    letters = {letter for a in counted for said in a.said for letter in said if not said.isascii()}
    if not letters or NUMBER_MARK not in clear:
        return clear
    return _ORDINAL.sub(
        lambda found: f" {NUMBER_MARK} {'' if found['of'] in letters else found['of']}", clear
    )


def unanswered_words(tool: Tool[Any], said: str) -> str:
    """The words of a folded question that say how it is asked, of which the tool has no example.

    They ask for a person, a place, a moment or a count, for several things where the tool tells of
    one, or for the newest where it tells of many.
    """
    said = one_wording(said)
    asked = (_ASKED_WHICH, _SEVERAL if tool.shape != "many" else _NEWEST)
    found = [match[0].strip() for each in asked for match in each.finditer(said)]
    if not found:
        return ""
    texts = " ".join(map(_cue_wording, (*tool.cues, *tool.labels, *tool.examples)))
    return " ".join(word for word in dict.fromkeys(found) if not says(texts, word))


def unread_letters(text: str, taken: Mapping[str, Any]) -> str:
    """The single capital letters of a text, as of "arm A", that none of these arguments has."""
    values = {str(v).casefold() for v in taken.values()}
    return " ".join(each for each in _LETTER.findall(text) if each.casefold() not in values)


# Cues, labels and words for arguments are few, and compared with every question.
@lru_cache(maxsize=4096)
def _cue_wording(text: str) -> str:
    return one_wording(fold_cue(text))


@lru_cache(maxsize=4096)
def _without_comparisons(label: str) -> str:
    return COMPARES.sub("\n", label)


def _vocabulary(texts: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    every = [_vocabulary_of(text) for text in texts]
    return (
        frozenset[str]().union(*(latin for latin, _ in every)),
        frozenset[str]().union(*(pairs for _, pairs in every)),
    )


@lru_cache(maxsize=8192)
def _vocabulary_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    text = one_wording(text)
    return (
        frozenset(form for word in _LATIN.findall(text) for form in _forms(word)),
        frozenset(pair for run in _CHINESE.findall(text) for pair in _pairs(run)),
    )


def needed_words(clear: str) -> Iterator[Collection[str]]:
    """What a tool has to know to explain every word of a masked text exactly, at the least.

    That is one of the forms of each Latin word, and of each Chinese text one of its pairs.
    """
    plain = STAND_INS.sub(" ", clear)
    small = _LATIN_WORDS["exactly", True]
    yield from (_forms(word) for word in _LATIN.findall(plain) if not _forms(word) & small)
    for run in _CHINESE.findall(plain):
        if _ZH_WORDS["exactly", True].sub("", run):
            yield [*_pairs(run)]


def takes_period(tool: Tool[Any]) -> bool:
    """Whether a time from and until may be named for the tool."""
    return sum(argument.type == "date" for argument in arguments_of(tool)) > 1


def content(clear: str) -> tuple[str, ...]:
    """The words of a masked text that say what it is about, in no order."""
    words = [_stem(w) for w in _LATIN.findall(STAND_INS.sub(" ", clear)) if w not in _SMALL]
    chinese = (_ZH_SMALL.sub("", run) for run in _CHINESE.findall(clear))
    return (*sorted(words), *sorted(filter(None, chinese)))


def has_matter(clear: str) -> bool:
    """Whether a masked text has a word that says what it is about, beside a question word."""
    return any(word not in _WHICH for word in content(clear))


def is_bare(clear: str) -> bool:
    """Whether a masked text is nothing but key words in Latin letters."""
    words = _LATIN.findall(STAND_INS.sub(" ", clear))
    return not _CHINESE.search(clear) and not any(word in _ASKING for word in words)


def without_latin_cues(clear: str, cues: Sequence[str]) -> str:
    """A masked text without the words that begin with these folded cues.

    Chinese cues stay: what stands beside them may belong to the same word. One that is a single
    character goes, but where it stands in a longer one.
    """
    longer = "\n".join(cue for cue in cues if len(cue) > 1 and cue in clear)
    latin = [cue for cue in cues if cue.isascii() or (len(cue) == 1 and cue not in longer)]
    return remove_cues(clear, latin, whole=True)


def _forms(word: str) -> frozenset[str]:
    return frozenset({word, _stem(word)})


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_SMALL = (LINKS | _ASKING) - _WHICH
_ZH_SMALL = re.compile(
    f"{_ZH_LINKS}|什么(?!时候)|哪些|哪个|怎么样|怎样|查询|查看|查找|查|看看|看|显示|列出|告诉|给|想知道|知道|了解|是|有|吗|呢|么"
)
