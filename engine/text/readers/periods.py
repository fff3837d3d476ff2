"""Periods that a question names by what day it is: "last month", 上周, "in the last 3 days"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from engine.text.readers.days import move_day
from engine.text.readers.numerals import find_number_words, read_han
from engine.text.readers.words import MONTHS

_DAY = timedelta(days=1)
MOST = 1000
"""A period of more days, weeks, months or years is not read."""

_PLACES = {
    "last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1,
    "上": -1, "上个": -1, "这": 0, "这个": 0, "本": 0, "当": 0, "下": 1, "下个": 1,
    "去": -1, "今": 0, "明": 1,
}  # fmt: skip
_UNITS = {
    "day": "d", "week": "w", "month": "m", "quarter": "q", "year": "y",
    "天": "d", "日": "d", "周": "w", "星期": "w", "礼拜": "w", "月": "m", "季度": "q", "年": "y",
    "年度": "y",
}  # fmt: skip
_LEAD = r"(?:\b(?:in|over|during|for|within|from|of) )?"
_CALENDAR = re.compile(
    # "The last month" is thirty days for some, and the one before this for others.
    rf"{_LEAD}\b(?P<en>(?<!the )(?:last|next)|previous|this|current|coming)"
    r" (?P<unit>week|month|quarter|year)"
    r"(?:'s\b|\b(?! (?:mon|tue|wed|thu|fri|sat|sun)))"
    r"|(?<![之以上下])(?P<zh>[上下]个?|这个?|本|当)(?P<zh_unit>周|星期|礼拜|月|季度|年度?)"
    r"(?![一二三四五六日天末初底中])"
    r"|(?P<zh_year>[去今明])(?P<year>年)"
)
_COUNTED = re.compile(
    rf"{_LEAD}(?:\bthe )?\b(?P<en>last|past|previous|next|coming)"
    r" (?P<count>[0-9]{1,4}|[a-z]{3,9}) (?P<unit>day|week|month|year)s\b"
    r"|(?P<zh>最近|近|过去|未来|接下来)的?(?P<zh_count>[0-9]{1,4}|[一二两三四五六七八九十百]{1,4})"
    r"个?(?P<zh_unit>天|日|周|星期|礼拜|月|年)(?:以?内|之内|里)?"
)
_MONTHS_AHEAD = 2
_WAS = re.compile(r"\b(?:was|were|did|had|been|last)\b|[了过]|上次|去年")
_NAMES = "|".join(sorted(MONTHS, key=lambda name: (-len(name), name)))
_MONTH = re.compile(
    rf"(?:\b(?:in|during|over|of|for|within|throughout) (?:the month of )?"
    r"|(?<=\bsince )|(?<=\buntil ))"
    rf"(?P<en>{_NAMES})\b\.?(?: (?P<year>[12][0-9]{{3}})\b|(?! ?[0-9]))"
    r"|(?<![0-9年个每上下本这当十])(?:(?P<zh_year>[12][0-9]{3})年)?"
    r"(?P<zh>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?:份|(?![0-9一二三四五六七八九十底末初中上下]))"
)
_AHEAD = frozenset({"next", "coming", "未来", "接下来"})


@dataclass(frozen=True, slots=True)
class Period:
    """The days from the first to the last, both in it, and where a text names them."""

    start: int
    end: int
    first: date
    last: date


def find_periods(text: str, today: date) -> tuple[Period, ...]:
    """The periods in a folded text, in its order; weeks begin on Monday."""
    every = (*_calendar(text, today), *_counted(text, today), *_months(text, today))
    found: list[Period] = []
    for each in sorted(every, key=lambda period: (period.start, -period.end)):
        if not found or found[-1].end <= each.start:
            found.append(each)
    return tuple(found)


def _months(text: str, today: date) -> Iterator[Period]:
    """Months by their names; without its year one is the last, or one of the next two.

    Those are the last too where the text tells of what was.
    """
    for match in _MONTH.finditer(text):
        month = MONTHS[match["en"]] if match["en"] else int(read_han(match["zh"]) or 0)
        if not 1 <= month <= 12:
            continue
        said = match["year"] or match["zh_year"]
        ahead = (month - today.month) % 12
        is_next = ahead <= _MONTHS_AHEAD and not (ahead and _WAS.search(text))
        away = ahead if is_next else ahead - 12
        (first,) = move_day(today.replace(day=1), "m", 0 if said else away)
        first = date(int(said), month, 1) if said else first
        (behind,) = move_day(first, "m", 1)
        yield Period(*match.span(), first, behind - _DAY)


def _calendar(text: str, today: date) -> Iterator[Period]:
    """Whole weeks, months, quarters and years: last month is all of it."""
    for match in _CALENDAR.finditer(text):
        place = match["en"] or match["zh"] or match["zh_year"]
        unit = _UNITS[match["unit"] or match["zh_unit"] or match["year"]]
        yield Period(*match.span(), *_whole(unit, _PLACES[place], today))


def _whole(unit: str, away: int, today: date) -> tuple[date, date]:
    """The first and the last day of this one, or of the one before or behind it."""
    if unit == "w":
        first = today - timedelta(days=today.weekday() - 7 * away)
        return first, first + timedelta(days=6)
    many = {"m": 1, "q": 3, "y": 12}[unit]
    month = (today.month - 1) // many * many + 1
    (first,) = move_day(today.replace(month=month, day=1), "m", away * many)
    (behind,) = move_day(first, "m", many)
    return first, behind - timedelta(days=1)


def _counted(text: str, today: date) -> Iterator[Period]:
    """So many days, weeks, months or years that end, or begin, today."""
    for match in _COUNTED.finditer(text):
        count = _count(match["count"] or match["zh_count"])
        if not 0 < count <= MOST:
            continue
        unit = _UNITS[match["unit"] or match["zh_unit"]]
        ahead = (match["en"] or match["zh"]) in _AHEAD
        for edge in move_day(today, unit, count if ahead else -count):
            first, last = (today, edge - _DAY) if ahead else (edge + _DAY, today)
            yield Period(*match.span(), first, last)


def _count(text: str) -> int:
    """What digits or words count, 0 for what is no number."""
    if text.isascii() and text.isdigit():
        return int(text)
    if not text.isascii():
        return int(read_han(text) or 0)
    words = [each for each in find_number_words([text]) if not each.ordinal]
    return int(words[0].value) if words else 0
