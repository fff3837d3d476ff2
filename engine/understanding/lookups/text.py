"""A text as look-ups look at it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache

from engine.text import wording
from engine.text.entities import (
    DAY_MARK,
    ENTITY_MARKS,
    FILE_MARK,
    NUMBER_MARK,
    day_spans,
    file_names,
    fold,
    masked,
)
from engine.text.entity_kinds import Entities, EntityMatch
from engine.text.readers.find import find_readings
from engine.text.readers.numerals import read_han
from engine.text.readers.periods import Period, find_periods

_NUMBER = re.compile(
    r"(?<![\w.])[+-]?[0-9]{1,15}(?:,[0-9]{3}){0,4}(?:\.[0-9]{1,9})?(?![\w.]{0,9}[0-9])"
)
_COUNTS_ON = r"(?=[\u3400-\u9fff])(?![次个名位])"
_HAN_ORDINAL = re.compile(rf"第[零一二两三四五六七八九十百]{{1,6}}{_COUNTS_ON}")
_ORDINAL = re.compile(rf"第(?P<n>[0-9]{{1,6}}|[零一二两三四五六七八九十百]{{1,6}}){_COUNTS_ON}")
"""第3节, 第三节: one by its number; 第一次 is the first of something, and has none."""
_MARKED = re.compile(rf"[{ENTITY_MARKS}]+")
_ANY_DAY = date(2000, 1, 1)
_A_DAY = _ANY_DAY.isoformat()


_ONE_WORDING = (
    (re.compile("多会[儿子]?|何时|几时"), "什么时候"),
    (re.compile("哪儿|哪块儿?"), "哪里"),
    (re.compile("啥"), "什么"),
    (re.compile("咋"), "怎么"),
    (re.compile(r"(?<![\w])在吗(?=\W*$)"), "在不在"),
    (re.compile(r"(?<![有还了])了?没有?(?=\W*$)"), "了吗"),
)
"""Words that people have for the same question word or particle, and the one that stands for it."""


def one_wording(text: str) -> str:
    """A text with one of the words that ask the same, as questions are compared."""
    if text.isascii():
        return text
    for words, one in _ONE_WORDING:
        text = words.sub(one, text)
    return _HAN_ORDINAL.sub(f"第 {NUMBER_MARK} ", text) if "第" in text else text


@dataclass(frozen=True, slots=True)
class LookupText:
    """A text: `said` is marked, without quotations and folded; `clear` is masked as well, and has
    one word for those that ask the same.

    `days` come with what stands right before and behind each of them, and so does the `period` that
    is named by what day it is, such as last month: `clear` has it as a day then. `numbers` are
    those that are no part of an entity, a day or a file's name. `ordinals` are those of 第3节: a
    look-up without a number does not heed them.
    """

    text: str
    said: str
    clear: str
    named: tuple[EntityMatch, ...]
    days: tuple[tuple[str, date, str], ...]
    numbers: tuple[str, ...]
    files: tuple[str, ...]
    today: date
    ordinals: tuple[str, ...] = ()
    period: tuple[str, Period, str] | None = None


# Several ask for the text of one message, one behind the other.
@lru_cache(maxsize=8)
def look_at(text: str, entities: Entities, today: date) -> LookupText:
    """The text as look-ups look at it."""
    text = text.strip()
    marked = entities.marked(text)
    said = fold(wording.unquoted(marked))
    plain = fold(marked)
    spans = sorted(day_spans(plain, today))
    days = {day: (plain[:start], day, plain[end:]) for start, end, day in reversed(spans)}
    return LookupText(
        text=text,
        said=said,
        clear=one_wording(masked(said, today)),
        named=tuple({match.id: match for match in reversed(entities.matches(text))}.values())[::-1],
        days=tuple(reversed(days.values())),
        numbers=_numbers(plain, [(start, end) for start, end, _ in spans], file_names(plain)),
        files=file_names(text),
        today=today,
        ordinals=tuple(_ordinals(plain)),
    )


_RECURS = re.compile(r"\b(?:every|each)\b|每", re.IGNORECASE)


def with_period(asked: LookupText, entities: Entities) -> LookupText | None:
    """The text with the one period that it names; None where it names none, or days beside it."""
    found = find_periods(asked.said, asked.today)
    if len(found) != 1 or asked.days:
        return None
    (period,) = found
    plain = fold(entities.marked(asked.text))
    spans = [(each.start, each.end) for each in find_periods(plain, asked.today)]
    without = f"{asked.said[: period.start]} {_A_DAY} {asked.said[period.end :]}"
    return replace(
        asked,
        clear=one_wording(masked(without, asked.today)),
        numbers=_numbers(plain, spans, file_names(plain)),
        period=(asked.said[: period.start], period, asked.said[period.end :]),
    )


def with_day(text: str, today: date) -> str:
    """The text with its date for the one weekday that it names, where only one may be meant.

    Whoever asks for the weekday that it is asks for today.
    """
    days = [each for each in find_readings(text, today) if each.kind == "date"]
    if len(days) != 1 or _RECURS.search(text):
        return text
    (day,) = days
    if len(day.values) != 1 and day.values != _today_or_in_a_week(today):
        return text
    return f"{text[: day.start]} {day.values[0]} {text[day.end :]}"


def with_any_day(text: str) -> str:
    """The text with the same date for each of its days, weekdays among them."""
    days = [each for each in find_readings(text, _ANY_DAY) if each.kind == "date"]
    for day in reversed(days):
        text = f"{text[: day.start]} {_A_DAY} {text[day.end :]}"
    return text


def _today_or_in_a_week(today: date) -> tuple[str, str]:
    return today.isoformat(), (today + timedelta(weeks=1)).isoformat()


def _numbers(text: str, days: list[tuple[int, int]], files: tuple[str, ...]) -> tuple[str, ...]:
    for start, end in days:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    for name in files:
        text = text.replace(name, " ")
    return find_numbers(_MARKED.sub(" x ", text))


def _ordinals(text: str) -> Iterator[str]:
    for match in _ORDINAL.finditer(text):
        number = match["n"] if match["n"].isascii() else read_han(match["n"])
        if number is not None:
            yield str(int(number))


def find_numbers(text: str) -> tuple[str, ...]:
    """The numbers in a text, as they are written but for commas between thousands."""
    return tuple(number.replace(",", "") for number in _NUMBER.findall(text))


_WHAT_TO_DO = re.compile(r"(?:怎么|咋)办(?=[呢啊呀好哦嘛]?(?:\W|$))")
_DOING = "办"
"""The verb of what asks what to do, which asks for no work there."""


@lru_cache(maxsize=4096)
def _begins_with(cue: str) -> re.Pattern[str]:
    return re.compile((r"(?<![a-z0-9])" if cue[:1].isascii() else "") + re.escape(cue))


@lru_cache(maxsize=4096)
def _whole_word(cue: str) -> re.Pattern[str]:
    return re.compile(_begins_with(cue).pattern + ("[a-z]*" if cue[-1:].isascii() else ""))


def remove_cues(text: str, cues: Sequence[str], *, whole: bool = False) -> str:
    """A folded text without these folded cues, the longest first; `whole` words that begin so."""
    for cue in sorted(cues, key=len, reverse=True):
        text = (_whole_word if whole else _begins_with)(cue).sub(" ", text)
    return text


def says(text: str, cue: str) -> bool:
    """Whether a folded text has the folded cue; a Latin one only from the start of a word."""
    if cue not in text:
        return False
    if cue == _DOING:
        text = _WHAT_TO_DO.sub(" ", text)
    return bool(_begins_with(cue).search(text))


def bare(clear: str) -> str:
    """A masked text without spaces and punctuation."""
    return re.sub(r"[\s,.;:!?。、'\"]+", "", clear)


def tell_in_order(left: str, asked: LookupText) -> str:
    """Words of a text in the order of the text, and together where they stand so in it."""
    places: list[tuple[int, int]] = []
    for word in left.split():
        whole = re.escape(word)
        if word.isascii():
            whole = rf"(?<![A-Za-z0-9]){whole}(?![A-Za-z0-9])"
        found = re.search(whole, asked.text) or re.search(whole, asked.text, re.IGNORECASE)
        if found is None:
            return left
        places.append(found.span())
    told: list[str] = []
    end = -1
    for start, stop in sorted(set(places)):
        beside = told and end <= start and not asked.text[end:start].strip()
        between = asked.text[end:start] if beside else " " if told else ""
        told.append(f"{between}{asked.text[start:stop]}")
        end = max(end, stop)
    return "".join(told)


@lru_cache(maxsize=4096)
def clear_example(marked: str) -> str:
    """A marked example as texts are compared, whatever day it names."""
    return one_wording(masked(marked, _ANY_DAY))


STAND_INS = re.compile(f"[{ENTITY_MARKS}{DAY_MARK}{NUMBER_MARK}{FILE_MARK}]")
"""What stands in a masked text for what is named."""
