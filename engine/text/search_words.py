"""What is compared: Latin words, and pairs of neighbouring Chinese characters."""

import re
from functools import lru_cache

from engine.text.entities import fold

MOST = 64
"""Of a longer query only the first words count."""

_CJK = "\u3400-\u4dbf\u4e00-\u9fff"
RUNS = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
"""Stretches of Chinese, and of other letters and digits."""

_QUESTION_WORDS = (
    "a about an and any are as at be been by can could did do does find for from get had has have "
    "how i if in into is it its know look many may me much must my of often on one or our please "
    "say says shall should show so some tell than that the their them then there these they this "
    "to up us was we were what when where which who whom whose why will with would you your"
)
QUESTION_WORDS = frozenset(_QUESTION_WORDS.split())
"""Words that questions are made of, and that point nowhere."""

QUESTION_WORDS_CJK = re.compile(
    "什么|怎么|怎样|多少|多久|多长|哪些|哪个|哪里|如何|是否|可以|能否|需要|请问|一下|关于|有关|时候|告诉"
    "|帮我|查找|搜索|知道|规定|要求|应该|[的了是有吗呢么几]"
)


def is_chinese(run: str) -> bool:
    """Whether one of the `RUNS` of a normalised text is Chinese."""
    return "\u3400" <= run[0] <= "\u9fff"


def words(text: str) -> list[str]:
    """Every word of a text, in order, as documents are indexed."""
    found: list[str] = []
    for run in RUNS.findall(fold(text)):
        if is_chinese(run):
            found += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        else:
            found.append(stem(run))
    return found


def query_words(query: str) -> list[str]:
    """The words that a query is about, each once; those that questions are made of are left out."""
    plain = QUESTION_WORDS_CJK.sub(" ", fold(query))
    plain = " ".join(
        word for word in plain.split() if word.strip("?!.,;:'\"") not in QUESTION_WORDS
    )
    found = (word for word in words(plain) if word not in QUESTION_WORDS and len(word) > 1)
    return list(dict.fromkeys(found))[:MOST]


# Names and examples are made of the same words, question after question.
@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """An English word without its plural, -ed or -ing: "locking" and "locked" are one word."""
    if not word.isascii() or len(word) < 5:
        plural = len(word) == 4 and word[-1] == "s" and word[-2] != "s"
        return word[:-1] if plural else _bare(word)
    for end in ("ings", "ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(end) and not word.endswith("ss") and len(word) - len(end) >= 3:
            stem = word[: -len(end)] + ("y" if end in ("ied", "ies") else "")
            return _bare(stem)
    return _bare(word)


def _bare(stem: str) -> str:
    """One form of "file" and "fil", of "stop" and "stopp", of "cancel" and "cancell"."""
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeious"
    if doubled and (stem[-1] != "l" or len(stem) > 5):
        return stem[:-1]
    return stem[:-1] if len(stem) > 3 and stem[-1] == "e" else stem
