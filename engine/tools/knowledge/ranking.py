"""Ranking of short texts in Chinese and English by the words they share with a question."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

_LATIN = re.compile(r"[a-z0-9]+(?:-[0-9]+)?")
_CJK = re.compile(r"[\u4e00-\u9fff]+")
_QUESTION_WORDS = (
    "a an and any are at be by can could did do does for from had has have how i if in is it its "
    "many may me much must my of on or our say says shall should so tell that the their there "
    "they this to us was we were what when where which who why will with would you your about "
    "please show find look up"
)
_COMMON = frozenset(_QUESTION_WORDS.split())
_COMMON_CJK = re.compile(
    "什么|怎么|怎样|多少|多久|哪些|哪个|如何|是否|可以|需要|请问|一下|关于|时候|样|要求|规定"
    "|[的了是有吗呢么几]"
)

MIN_SHARE = 0.12
"""Less than this share of a question's weight in common is no match."""

SATURATION = 1.5
"""How soon more of the same word in a text stops counting."""


def tokens(text: str) -> list[str]:
    """Words of `text`: Latin words without plural s, and neighbouring pairs of Chinese characters.

    Words that questions are made of and that point nowhere are left out.
    """
    words = [_singular(word) for word in _LATIN.findall(text.lower())]
    for run in _CJK.findall(_COMMON_CJK.sub(" ", text)):
        words += [run[i : i + 2] for i in range(len(run) - 1)]
    return [word for word in words if word not in _COMMON]


def rank(query: str, texts: Mapping[str, Counter[str]]) -> list[tuple[str, float]]:
    """Names of the texts that match, best first, with scores from 0 to 1; equal ones by name.

    A word counts more the fewer texts have it; words that no text has count against a match.
    """
    words = set(tokens(query))
    weight = _weights(words, texts.values())
    total = sum(weight.values())
    scores = {
        name: sum(weight[w] * text[w] / (text[w] + SATURATION) for w in words) / total
        for name, text in texts.items()
        if total
    }
    matches = [(name, score) for name, score in scores.items() if score >= MIN_SHARE]
    return sorted(matches, key=lambda item: (-item[1], item[0]))


def _weights(words: Iterable[str], texts: Iterable[Counter[str]]) -> dict[str, float]:
    every = list(texts)
    return {w: log(1 + (len(every) + 1) / (sum(w in t for t in every) + 0.5)) for w in words}


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
