"""What is compared of questions and sections: their words, figures, and what allows or forbids."""

import re
from collections.abc import Iterator
from typing import Final

from engine.text.entities import fold
from engine.text.search_words import RUNS, is_chinese, stem, words
from engine.understanding.lookups.text import one_wording
from engine.understanding.lookups.words import SMALL_WORDS, without_small_chinese

_ALSO_NOUNS = frozenset(("check", "display", "help", "list", "search", "view"))

_HOW_MUCH: Final = re.compile(r"多少钱|几点|多晚")
"""What asks for an amount or an hour, which a section that answers has in figures."""

_EVENING_ZH: Final = re.compile("晚上|夜里|夜间|晚间")
_HOURS: Final = frozenset(("evening", "evenings", "night", "nights", "until", "till"))
"""What a section tells that has an hour."""

_CASE_ZH: Final = re.compile("如果|假如|要是|倘若|万一|一旦|的话|怎么办|咋办")
_CASE: Final = frozenset(("if", "case", "when", "whenever", "once", "during"))
"""What says that something may happen, which a section need not say so."""

_FIGURES: Final = "0"
"""Stands in the index for any figures."""

_MODAL: Final = frozenset(
    stem(word) for word in ("allow", "allowed", "permitted", "forbidden", "prohibited", "banned")
)
_RULES: Final = (*_MODAL, "not", "no", "never", "only", "may", "must")
_MODAL_ZH: Final = ("允许", "准许", "禁止", "不准", "不许")
_RULES_ZH: Final = (*_MODAL_ZH, "不得", "须", "可以", "只能")
"""Words that allow or forbid: who asks for one is answered by any other."""

_BEHIND_VERB: Final = ("了", "着")
"""Stands behind a verb, which another of its characters may begin: 漏了 of what is 泄漏."""

HEADED: Final = "^"
"""Stands in the index before a character of a heading."""


def index_words(text: str) -> set[str]:
    """The words of a text, and its Chinese characters by themselves; any figures are one word."""
    runs = filter(is_chinese, RUNS.findall(fold(text)))
    found = {*words(text), *(letter for run in runs for letter in run)}
    return found | ({_FIGURES} if any(map(str.isdigit, text)) else set())


def says_little(forms: tuple[str, ...]) -> bool:
    """Whether a needed word says nothing of what is asked about."""
    return _FIGURES in forms or forms[-1] in (_RULES[-1], _RULES_ZH[-1])


def needed_words(text: str) -> Iterator[tuple[str, ...]]:
    """What a section has to have: of each word one of its forms.

    "List" and the like are bidden first ("list the guests"), and named behind another word ("the
    guest list"). A Chinese character that is no part of a small word is one; its forms are the
    pairs in which it stands, itself in a heading, and itself between small words.
    """
    before = ""
    for run in RUNS.findall(one_wording(fold(text))):
        if is_chinese(run):
            yield from _needed_chinese(run)
            continue
        if run in _HOURS:
            yield (stem(run), _FIGURES)
        elif stem(run) in _MODAL:
            yield (stem(run), *_RULES)
        elif run in _CASE:
            continue
        elif run not in SMALL_WORDS or (run in _ALSO_NOUNS and before):
            yield (stem(run),)
        before = "" if run in SMALL_WORDS else run


def _needed_chinese(run: str) -> Iterator[tuple[str, ...]]:
    places = set(without_small_chinese(run))
    for found in _CASE_ZH.finditer(run):
        places -= {*range(*found.span())}
    for pattern, forms in ((_HOW_MUCH, (_FIGURES,)), (_EVENING_ZH, (_FIGURES,))):
        for found in pattern.finditer(run):
            places -= {*range(*found.span())}
            yield (found[0][:2], *forms)
    for word in _MODAL_ZH:
        at = run.find(word)
        if at >= 0 and places & {at, at + 1}:
            places -= {at, at + 1}
            yield (word, *_RULES_ZH)
    for at in sorted(places):
        pairs = tuple(run[i : i + 2] for i in (at - 1, at) if 0 <= i < len(run) - 1)
        alone = not places & {at - 1, at + 1} or run[at + 1 : at + 2] in _BEHIND_VERB
        yield (*pairs, run[at]) if alone else (*pairs, HEADED + run[at])
