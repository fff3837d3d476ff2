"""Days: by date, by name, by weekday, or counted from today."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from engine.text.readers.cursor import Items
from engine.text.readers.words import (
    AFTER,
    BEFORE,
    DAYS,
    HAN_WEEKDAYS,
    LONG_UNITS,
    MONTH_ENDS,
    MONTHS,
    MONTHS_AWAY,
    SHORT_WEEKDAYS,
    TIME_UNITS,
    WEEKDAYS,
    WEEKS,
    YEAR_ENDS,
    YEARS,
)

_PAST = 60
"""A day without its year that is so many days past, and no more, is that one and not the next."""

_MARKS = re.compile(r"[-/.]")
_LINKS = frozenset({"on", "by", "until", "till", "from", "to", "before", "after", "since", "of"})
_PERIODS = {"next": 1, "last": -1, "this": 0, "coming": 1}
_PARTS_OF_TODAY = frozenset({"morning", "afternoon", "evening"})
# What stands behind 3号 where it is a number and no day.
_NUMBERED = frozenset("楼线院桌门机房厅馆车位台口店铺井球库仓病床公路柜窗室选厂坑字码召称令角")


@dataclass(frozen=True, slots=True)
class DayMatch:
    """The days that items up to `end` may mean, the likeliest first.

    `weekday` is that of a bare weekday, `open_year` tells that the text names no year.
    """

    end: int
    days: tuple[date, ...]
    open_year: bool = False
    weekday: int | None = None


def find_day(items: Items, at: int) -> DayMatch | None:
    """The longest day that begins there; without `days` if no calendar has it."""
    found = [match for form in _FORMS for match in form(items, at)]
    return max(found, key=lambda match: (match.end, bool(match.days)), default=None)


def day_in_year(month: int, day: int, today: date) -> tuple[date, ...]:
    """The day of a month whose year is not said: the nearest; if that is long past, the next too.

    Empty for a day that no year has.
    """
    years = (today.year - 1, today.year, today.year + 1)
    days = [found for year in years if (found := valid_day(year, month, day))]
    if not days:
        return ()
    nearest = min(days, key=lambda found: abs(found - today))
    later = [found for found in days if found > nearest]
    long_past = (today - nearest).days > _PAST
    return (nearest, later[0]) if long_past and later else (nearest,)


def valid_day(year: int, month: int, day: int) -> date | None:
    """The day, or None for one that is not in the calendar."""
    try:
        return date(year, month, day)
    except (ValueError, OverflowError):
        return None


def _written(items: Items, at: int) -> Iterator[DayMatch]:
    """`2026-03-02`; `02/03/2026`, which is two days."""
    item = items.at(at)
    if item.kind != "date":
        return
    first, second, third = (int(part) for part in _MARKS.split(item.text))
    if len(item.text.partition(_mark(item.text))[0]) == len("2026"):
        days = [valid_day(first, second, third)]
    else:
        year = third if third > 99 else 2000 + third
        days = [valid_day(year, second, first), valid_day(year, first, second)]
    yield DayMatch(at + 1, tuple(dict.fromkeys(day for day in days if day)))


def _mark(text: str) -> str:
    found = _MARKS.search(text)
    return found[0] if found else "-"


def _named(items: Items, at: int) -> Iterator[DayMatch]:
    """Today, tomorrow, 大后天, the day after tomorrow, this morning, last night."""
    name = items.text(at)
    if name == "this" and items.text(at + 1) in _PARTS_OF_TODAY:
        yield DayMatch(at + 2, (items.today,))
    if (name, items.text(at + 1)) == ("last", "night"):
        yield DayMatch(at + 2, (items.today - timedelta(days=1),))
    if name in DAYS:
        yield DayMatch(at + 1, (items.today + timedelta(days=DAYS[name]),))
    begin = at + 1 if name == "the" else at
    said = tuple(items.text(begin + i) for i in range(3))
    if said == ("day", "after", "tomorrow"):
        yield DayMatch(begin + 3, (items.today + timedelta(days=2),))
    if said == ("day", "before", "yesterday"):
        yield DayMatch(begin + 3, (items.today - timedelta(days=2),))


def _weekday(items: Items, at: int) -> Iterator[DayMatch]:
    """Monday; next Monday, which is two days late in a week; 下周五."""
    name, today = items.text(at), items.today
    monday = today - timedelta(days=today.weekday())
    if name in WEEKS and (day := HAN_WEEKDAYS.get(items.text(at + 1))) is not None:
        yield DayMatch(at + 2, (monday + timedelta(days=day, weeks=WEEKS[name]),))
    if (day := HAN_WEEKDAYS.get(name)) is not None:
        this = monday + timedelta(days=day)
        # Today's own may be that in a week too, in either language.
        later = (this + timedelta(weeks=1),) if this <= today else ()
        days = (*later, this) if this < today else (this, *later)
        yield DayMatch(at + 1, days, weekday=day)
    if name in WEEKDAYS:
        day = WEEKDAYS[name]
        coming = today + timedelta(days=(day - today.weekday()) % 7)
        days = (coming,) if coming > today else (coming, coming + timedelta(weeks=1))
        yield DayMatch(at + 1, days, weekday=day)
    if name in _PERIODS:
        short = items.text(at + 1)
        named = WEEKDAYS.get(short, SHORT_WEEKDAYS.get(short))
        if named is not None:
            yield DayMatch(at + 2, _weekday_of(name, named, today))


def _weekday_of(period: str, day: int, today: date) -> tuple[date, ...]:
    """Next Friday on a Wednesday is in two days for some, and in nine for others."""
    coming = today + timedelta(days=(day - today.weekday() - 1) % 7 + 1)
    in_week = today + timedelta(days=day - today.weekday())
    match period:
        case "last":
            before = coming - timedelta(weeks=1)
            before = before if before < today else before - timedelta(weeks=1)
            return (before,)
        case "this":
            return (in_week,) if in_week >= today else (in_week, coming)
        case "coming":
            return (coming,)
    next_week = in_week + timedelta(weeks=1)
    return tuple(dict.fromkeys((coming, next_week)))


def _han_date(items: Items, at: int) -> Iterator[DayMatch]:
    """3月2号, 2026年3月2日, 明年三月二号, 下个月5号, 5号."""
    year, index = _han_year(items, at)
    month, day = items.whole(index), items.whole(index + 2)
    if month and day and items.text(index + 1) == "月" and _is_day_sign(items, index + 3):
        if year is not None:
            found = valid_day(year, month, day)
            yield DayMatch(index + 4, (found,) if found else ())
        elif index == at:
            yield DayMatch(index + 4, day_in_year(month, day, items.today), open_year=True)
    day = items.whole(at + 1)
    away = MONTHS_AWAY.get(items.text(at))
    if day and away is not None and _is_day_sign(items, at + 2):
        months = items.today.year * 12 + items.today.month - 1 + away
        found = valid_day(months // 12, months % 12 + 1, day)
        yield DayMatch(at + 3, (found,) if found else ())
    if (day := items.whole(at)) and _is_day_sign(items, at + 1) and _stands_free(items, at):
        yield DayMatch(at + 2, _day_of_month(day, items.today), open_year=True)


def _last_day(items: Items, at: int) -> Iterator[DayMatch]:
    """The end of the month, of next year, of January (2027): its last day."""
    begin = at + (items.text(at) == "the")
    if (items.text(begin), items.text(begin + 1)) != ("end", "of"):
        return
    index = begin + 2 + (items.text(begin + 2) in ("the", *_PERIODS))
    away = _PERIODS.get(items.text(begin + 2), 0)
    if index == begin + 2 and items.text(index) not in MONTHS and items.text(at - 1) not in _LINKS:
        # "The end of year party" names no day.
        return
    if items.text(index) == "month":
        yield DayMatch(index + 1, _last_of(items.today.year, items.today.month + away))
    elif items.text(index) == "year":
        yield DayMatch(index + 1, _last_of(items.today.year + away, 12))
    elif index == begin + 2 and (month := MONTHS.get(items.text(index))):
        year, end = _year_behind(items, index + 1)
        yield DayMatch(end, _last_in(month, year, items.today), open_year=year is None)


def _han_last_day(items: Items, at: int) -> Iterator[DayMatch]:
    """月底, 下个月底, 3月底, 明年3月底, 年底, 2027年底."""
    name, today = items.text(at), items.today
    if name in MONTH_ENDS:
        yield DayMatch(at + 1, _last_of(today.year, today.month + MONTH_ENDS[name]))
    if name in YEAR_ENDS:
        yield DayMatch(at + 1, _last_of(today.year + YEAR_ENDS[name], 12))
    year, index = _han_year(items, at)
    if year is not None and items.text(index) in ("年底", "年末"):
        yield DayMatch(index + 1, _last_of(year, 12))
    if (whole := items.whole(at)) and whole >= 1000 and items.text(at + 1) in ("年底", "年末"):
        yield DayMatch(at + 2, _last_of(whole, 12))
    month = items.whole(index)
    if month and month <= 12 and items.text(index + 1) in ("月底", "月末"):
        yield DayMatch(index + 2, _last_in(month, year, today), open_year=year is None)


def _last_in(month: int, year: int | None, today: date) -> tuple[date, ...]:
    """The last day of a month, the coming one where no year is said."""
    if year is not None:
        return _last_of(year, month)
    return _last_of(today.year + (month < today.month), month)


def _last_of(year: int, month: int) -> tuple[date, ...]:
    """The last day of a month, counted on from January of the year."""
    months = year * 12 + month
    first = valid_day(months // 12, months % 12 + 1, 1)
    return (first - timedelta(days=1),) if first else ()


def _han_year(items: Items, at: int) -> tuple[int | None, int]:
    """The year said there, and where what follows it begins."""
    if (away := YEARS.get(items.text(at))) is not None:
        return items.today.year + away, at + 1
    year = items.whole(at)
    if year and 1000 <= year <= 9999 and items.text(at + 1) == "年":
        return year, at + 2
    return None, at


def _is_day_sign(items: Items, at: int) -> bool:
    sign = items.text(at)
    return sign == "日" or (
        sign == "号" and not (items.text(at + 1)[:1] in _NUMBERED and items.text(at + 1))
    )


def _stands_free(items: Items, at: int) -> bool:
    return items.text(at - 1) not in ("第", "月", "年", "-", "/", "#")


def _day_of_month(day: int, today: date) -> tuple[date, ...]:
    """The day of this month; if it is past, of the next one too."""
    months = [today.year * 12 + today.month - 1 + away for away in (0, 1)]
    days = [found for m in months if (found := valid_day(m // 12, m % 12 + 1, day))]
    return tuple(days[:1]) if days and days[0] >= today else tuple(reversed(days))


def _english_date(items: Items, at: int) -> Iterator[DayMatch]:
    """2 March, the 3rd of April 2026, Mar 15, Monday, 2 Mar 2026."""
    begin = at
    weekday = WEEKDAYS.get(items.text(at), SHORT_WEEKDAYS.get(items.text(at)))
    if weekday is not None:
        begin += 2 if items.text(at + 1) == "," else 1
        begin += items.text(begin) == "the"
    for month, day, end in (*_day_first(items, begin), *_month_first(items, begin)):
        year, after = _year_behind(items, end)
        days = _days(year, month, day, items.today)
        if weekday is not None:
            days = tuple(found for found in days if found.weekday() == weekday) or days
        yield DayMatch(after, days, open_year=year is None)


def _days(year: int | None, month: int, day: int, today: date) -> tuple[date, ...]:
    if year is None:
        return day_in_year(month, day, today)
    found = valid_day(year, month, day)
    return (found,) if found else ()


def _day_first(items: Items, at: int) -> Iterator[tuple[int, int, int]]:
    day = items.whole(at)
    index = at + 1 + (items.text(at + 1) == "of")
    month = MONTHS.get(items.text(index))
    if day and month and day <= 31:
        sure = items.at(at).style == "ordinal" or index > at + 1 or items.text(at - 1) in _LINKS
        if sure or not _is_verb(items, index):
            yield (
                month,
                day,
                index
                + 1
                + (items.text(index + 1) == "." and items.at(index + 2).whole is not None),
            )


def _month_first(items: Items, at: int) -> Iterator[tuple[int, int, int]]:
    month = MONTHS.get(items.text(at))
    index = at + 1 + (items.text(at + 1) == ".")
    index += items.text(index) == "the"
    day = items.whole(index)
    runs_on = items.is_glued(index + 1) and items.at(index + 1).kind == "word"
    if month and day and day <= 31 and not (_is_verb(items, at) or runs_on):
        yield month, day, index + 1


def _is_verb(items: Items, at: int) -> bool:
    """ "You may 2 days later": a small `may` is no month."""
    return items.at(at).exact == "may"


def _year_behind(items: Items, at: int) -> tuple[int | None, int]:
    index = at + (items.text(at) == ",")
    year = items.whole(index)
    is_year = year is not None and 1000 <= year <= 9999 and items.at(index).text.isdigit()
    return (year, index + 1) if is_year else (None, at)


def _ordinal_day(items: Items, at: int) -> Iterator[DayMatch]:
    """The 15th, where nothing follows that it would be the 15th of."""
    day = items.whole(at + 1)
    numbered = items.text(at) == "the" and items.at(at + 1).style == "ordinal"
    if day and numbered and items.at(at + 1).text[0].isdigit():
        behind = items.at(at + 2)
        if behind.kind in ("mark", "time") or behind.text in ("at", "and", "or", "to", "please"):
            yield DayMatch(at + 2, _day_of_month(day, items.today), open_year=True)


def _counted(items: Items, at: int) -> Iterator[DayMatch]:
    """In three days, two weeks ago, a week from today, 三天后, 两个月前."""
    begin = at + (items.text(at) == "in")
    count = _count(items, begin)
    letter, many = TIME_UNITS.get(items.text(begin + 1), ("", 0))
    if count is None or letter not in LONG_UNITS or not letter:
        return
    behind, after = items.text(begin + 2), begin + 3
    if begin > at:
        if behind not in ("'", "'s"):
            yield DayMatch(begin + 2, move_day(items.today, letter, count * many))
    elif behind in AFTER:
        yield DayMatch(after, move_day(items.today, letter, count * many))
    elif behind in BEFORE or behind == "ago":
        yield DayMatch(after, move_day(items.today, letter, -count * many))
    elif behind == "from" and items.text(after) in ("now", "today", "tomorrow"):
        start = items.today + timedelta(days=items.text(after) == "tomorrow")
        yield DayMatch(after + 1, move_day(start, letter, count * many))


def _count(items: Items, at: int) -> int | None:
    if items.text(at) in ("a", "an"):
        return 1
    count = items.whole(at)
    return count if count is not None and 0 < count < 1000 else None


def move_day(start: date, letter: str, count: int) -> tuple[date, ...]:
    """The day so many days, weeks, months or years (`dwmy`) later; none beyond the calendar."""
    if letter in "dw":
        return (start + timedelta(days=count * (7 if letter == "w" else 1)),)
    months = start.year * 12 + start.month - 1 + count * (12 if letter == "y" else 1)
    if not 1 <= months // 12 <= 9999:
        return ()
    days = (valid_day(months // 12, months % 12 + 1, start.day - less) for less in range(4))
    return (next(day for day in days if day),)


_FORMS: tuple[Callable[[Items, int], Iterator[DayMatch]], ...] = (
    *(_written, _named, _weekday, _han_date, _english_date, _ordinal_day, _counted),
    *(_last_day, _han_last_day),
)
