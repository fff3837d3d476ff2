"""Two values that belong together: from one to the other, or one over the other."""

from collections.abc import Iterator
from datetime import date, timedelta

from engine.text.readers.clock import TimeMatch, find_time, read_hour
from engine.text.readers.cursor import Items
from engine.text.readers.days import DayMatch, find_day, valid_day
from engine.text.readers.numerals import as_json
from engine.text.readers.reading import Reading, Value
from engine.text.readers.words import MONTHS

_JOINERS = frozenset({"to", "until", "till", "through", "-", "~", "到", "至"})
_OVER = frozenset({"/", "over"})
_DAY = 24 * 60


def find_range(items: Items, at: int) -> tuple[int, Reading] | None:
    """The longest range that begins there, and the index behind it."""
    opened = items.text(at) in ("from", "between", "从")
    begin = at + opened
    joiners = _JOINERS | {"and"} if items.text(at) == "between" else _JOINERS
    found: list[tuple[int, tuple[Value, ...]]] = []
    for match in (*_days(items, begin, joiners), *_times(items, begin, joiners)):
        found.append(match)
    if not found:
        return None
    end, values = max(found, key=lambda each: each[0])
    if not values:
        return None
    return end, Reading("range", items.at(at).start, items.at(end - 1).end, values)


def find_pair(items: Items, at: int) -> tuple[int, Reading] | None:
    """Two numbers that a stroke, "over" or a dash joins: 120/80, 70-75."""
    first, link, second = items.at(at), items.at(at + 1), items.at(at + 2)
    if items.at(at - 1).text in ("/", "-", "+", "#", ".") and first.glued:
        return None
    glued = link.glued == second.glued and (
        link.glued or link.text == "over" or link.text in _JOINERS
    )
    fits = (
        len(first.numbers) == len(second.numbers) == 1 and first.style == second.style != "ordinal"
    )
    if (
        not fits
        or not (glued or link.text in _OVER)
        or link.text not in _OVER | {"-", "~", "到", "至"}
    ):
        return None
    behind = items.at(at + 3)
    if behind.glued and behind.text in ("/", "-", "~", "."):
        return None
    one, other = as_json(first.numbers[0]), as_json(second.numbers[0])
    start, end = first.start, second.end
    if link.text in _OVER:
        return at + 3, Reading("pair", start, end, ({"first": one, "second": other},), weak=True)
    if other <= one:
        return None
    return at + 3, Reading("range", start, end, ({"from": one, "to": other},), weak=True)


def _days(
    items: Items, at: int, joiners: frozenset[str]
) -> Iterator[tuple[int, tuple[Value, ...]]]:
    for first, index in _first_days(items, at):
        if items.text(index) not in joiners:
            continue
        index += 1
        last = find_day(items, index) or _bare_day(items, index, first)
        if last is not None and last.days:
            pairs = _pair_days(first, last)
            yield last.end, tuple({"from": a.isoformat(), "to": b.isoformat()} for a, b in pairs)


def _first_days(items: Items, at: int) -> Iterator[tuple[DayMatch, int]]:
    """The first day, with where it ends; `2` takes the month of `2 to 5 March`."""
    first = find_day(items, at)
    if first is not None and first.days:
        yield first, first.end
    day = items.whole(at)
    if day and day <= 31 and items.text(at + 1) in _JOINERS | {"and"}:
        last = find_day(items, at + 2)
        named = (
            last is not None
            and not _is_written(items, at + 2)
            and _names_month(items, at + 2, last.end)
        )
        if last is not None and named:
            days = tuple(
                found for end in last.days if (found := valid_day(end.year, end.month, day))
            )
            if days and items.at(at).style != "lone":
                yield DayMatch(at + 1, days, last.open_year), at + 1


def _is_written(items: Items, at: int) -> bool:
    return items.at(at).kind == "date"


def _names_month(items: Items, at: int, end: int) -> bool:
    return any(
        items.text(i) in MONTHS or items.text(i) in ("月", "日", "号") for i in range(at, end)
    )


def _bare_day(items: Items, at: int, first: DayMatch) -> DayMatch | None:
    """The `5` of `March 2-5`, which has the month of the day before it."""
    day, before = items.whole(at), items.text(at - 2)
    behind = items.at(at + 1)
    if (
        not day
        or day > 31
        or not (items.at(at - 2).kind == "number" or before in ("月", "日", "号"))
    ):
        return None
    if behind.glued and behind.text not in (",", ".", "日", "号"):
        return None
    days = tuple(found for d in first.days if (found := valid_day(d.year, d.month, day)))
    return DayMatch(at + 1, days, first.open_year) if days else None


def _pair_days(first: DayMatch, last: DayMatch) -> tuple[tuple[date, date], ...]:
    """Each first day with the last day, which follows it or is the same."""
    pairs = [(start, end) for start in first.days if (end := _end_behind(start, last))]
    return tuple(dict.fromkeys(pairs))


def _end_behind(start: date, last: DayMatch) -> date | None:
    if last.weekday is not None:
        return start + timedelta(days=(last.weekday - start.weekday() - 1) % 7 + 1)
    # A range may be one day, which people write twice where a form has two.
    behind = [day for day in last.days if day >= start]
    if behind:
        return min(behind)
    if not last.open_year:
        return None
    same = last.days[0]
    month_later = (start.year * 12 + start.month) if same.month == start.month else None
    if month_later is not None and same.day < start.day:
        return valid_day(month_later // 12, month_later % 12 + 1, same.day)
    return next(
        (
            d
            for year in (start.year, start.year + 1)
            if (d := valid_day(year, same.month, same.day)) and d > start
        ),
        None,
    )


def _times(
    items: Items, at: int, joiners: frozenset[str]
) -> Iterator[tuple[int, tuple[Value, ...]]]:
    first = find_time(items, at)
    index = first.end if first else at + 1
    if items.text(index) not in joiners:
        return
    last = find_time(items, index + 1)
    if first is None and last is not None and last.part:
        hour = items.whole(at)
        if hour is None or items.at(at).style == "lone" or items.text(at - 1) in ("/", "-"):
            return
        first = TimeMatch(at + 1, read_hour(hour, 0))
    if first is None or last is None:
        return
    pairs = _pair_times(first, last)
    yield last.end, tuple({"from": _clock(a), "to": _clock(b)} for a, b in pairs)


def _pair_times(first: TimeMatch, last: TimeMatch) -> tuple[tuple[int, int], ...]:
    """Each start with the nearest end; one that says its half of the day lends it."""
    starts, ends = first.times, last.times
    if len(starts) > 1 and len(ends) == 1:
        before = [start for start in starts if start < ends[0]]
        starts = (max(before),) if before else starts
    pairs = [(a, min(ends, key=lambda b: ((b - a) % _DAY) or _DAY)) for a in starts]
    return tuple(dict.fromkeys(pairs))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
