"""Words of a text that need no explanation: those of the form, its examples, and small ones."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cards.model import Field
from engine.text.values import field_names, unit_words

KEPT = 64
"""The vocabularies of so many forms are kept."""

_LATIN = re.compile(r"[^\W\d_\u3400-\u9fff]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_NUMBER = re.compile(r"[0-9]+")
_FILLERS = frozenset(
    re.findall(
        r"\w+",
        "a an the of for to in on at with and my our his her their its it this that these is "
        "was are were be been has have he she they i we you me please pls kindly thanks much "
        "very thank ok okay yes so just now here s d ll m data value reading score "
        "result measured record recorded enter entered log set change changed update updated "
        "correct corrected correction make made put as well also "
        "then too hi hello hey could can would will like want need let us today form answer "
        "instead rather",
    )
)
_SMALL = re.compile(
    "数据|信息|测得|测量|结果|数值|分别|麻烦|谢谢|多谢|好的|一下|记录|录入"
    "|登记|填写|填报|改为|改成|更正|修改|更新|设为|日期|时间|当天|以及|另外|还有|然后|可以|可否|需要"
    "|现在|马上|您好|你好|评分|编号|本次|这次"
    "|[的了是为在和与及也都他她我您你它这那此次该测分请帮录填改设把将给就吧啊哦嗯呀值有能吗想要先到好]"
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words, and pairs of neighbouring Chinese characters, that need no explanation.

    So do `lone` characters that stand by themselves, as between an id and a space.
    """

    words: frozenset[str]
    pairs: frozenset[str]
    lone: frozenset[str]
    phrases: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _TextWords:
    words: frozenset[str]
    pairs: frozenset[str]
    lone: frozenset[str]


def make_vocabulary(fields: Sequence[Field], examples: Iterable[str] = ()) -> Vocabulary:
    """The names of the fields, units, and all that stands in the examples."""
    named = (name.lower() for f in fields for name in (*field_names(f), *f.words))
    return _make((*named, *unit_words()), tuple(examples))


@lru_cache(maxsize=KEPT)
def _make(named: tuple[str, ...], examples: tuple[str, ...]) -> Vocabulary:
    told = _collect_words(examples)
    own = _collect_words(named)
    chinese = sorted((n for n in named if _CHINESE.search(n)), key=len, reverse=True)
    return Vocabulary(
        own.words | told.words | _FILLERS,
        own.pairs | told.pairs,
        own.lone | told.lone,
        re.compile("|".join(map(re.escape, chinese)) or r"(?!)"),
    )


@lru_cache(maxsize=KEPT)
def _collect_words(texts: tuple[str, ...]) -> _TextWords:
    """The words of texts: those of a playbook's examples are the same each time."""
    lower = [text.lower() for text in texts]
    runs = [run for text in lower for run in _CHINESE.findall(text)]
    pairs = {run[i : i + 2] for run in runs for i in range(len(run))}
    return _TextWords(
        frozenset(word for text in lower for word in _LATIN.findall(text)),
        frozenset(pair for pair in pairs if len(pair) == 2),
        frozenset(run for run in runs if len(run) == 1),
    )


def unexplained_text(text: str, known: Vocabulary) -> str:
    """What is left of a text that has been looked at; "" when only fillers are."""
    said = text.lower()
    words = [w for w in _LATIN.findall(said) if not {w, w.removesuffix("s")} & known.words]
    # A name of a field may be a part of a word that the examples have.
    rest = _CHINESE.sub(lambda run: run[0] if _unexplained_chinese(run[0], known) else "", said)
    strange = "".join(
        _unexplained_chinese(run, known) for run in _CHINESE.findall(known.phrases.sub("", rest))
    )
    return " ".join([*words, *filter(None, [strange]), *_NUMBER.findall(said)])


def _unexplained_chinese(run: str, known: Vocabulary) -> str:
    if run in known.lone:
        return ""
    rest = "".join(
        letter if not {run[max(0, i - 1) : i + 1], run[i : i + 2]} & known.pairs else " "
        for i, letter in enumerate(run)
    )
    return _SMALL.sub("", rest).replace(" ", "")


NO_WORDS = make_vocabulary(())
"""The vocabulary of no form: only small words need no explanation."""
