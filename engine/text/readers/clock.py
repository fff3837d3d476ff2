"""Times of a day. An hour without its half of the day is two times."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.text.readers.cursor import Items
from engine.text.readers.words import DAYS, HALVES_OF_DAY, PARTS, words_of

_DOTTED = re.compile(r"[0-9]{1,2}\.[0-9]{2}")
Minutes = int
"""Minutes from midnight."""

_DAY = 24 * 60
_HALF = 12 * 60
_SURE_FROM = 7
"""`7:30` is meant as it is written; `3:30` may be in the afternoon."""

_PARTS_BEHIND = {("in", "the"): ("morning", "afternoon", "evening"), ("at",): ("night",)}
# What may follow "at 8" when that is an hour.
_AFTER_HOUR = words_of(
    "on in for please tomorrow today tonight sharp and or then with until till to from next this "
    "if so but every each because when"
)
# 三点建议 is three proposals.
_COUNTED = (
    *(
        "建议",
        "意见",
        "要求",
        "原因",
        "理由",
        "内容",
        "问题",
        "说明",
        "看法",
        "想法",
        "不同",
        "共识",
    ),
    *("好处", "坏处", "注意", "结论", "需要", "希望", "补充", "疑问", "体会", "经验", "感想"),
)


@dataclass(frozen=True, slots=True)
class TimeMatch:
    """The times that items up to `end` may mean, in minutes; `part` is what says which half."""

    end: int
    times: tuple[Minutes, ...]
    part: str = ""


def find_time(items: Items, at: int) -> TimeMatch | None:
    """The longest time that begins there."""
    found = [match for form in _FORMS for match in form(items, at) if match.times]
    return max(found, key=lambda match: match.end, default=None)


def read_hour(hour: int, minute: int, part: str = "", *, sure: bool = False) -> tuple[Minutes, ...]:
    """The times that an hour and a minute mean; both halves of the day where nothing says which."""
    if minute > 59 or hour > 24 or (hour == 24 and minute):
        return ()
    if part:
        return _in_part(hour, minute, part)
    at = (hour * 60 + minute) % _DAY
    if sure or hour > 12 or hour == 0:
        return (at,)
    return tuple(sorted({at % _HALF, at % _HALF + _HALF}))


def _in_part(hour: int, minute: int, part: str) -> tuple[Minutes, ...]:
    first, last = PARTS[part]
    if part in HALVES_OF_DAY and not 1 <= hour <= 12:
        return ()
    hours = {hour} if hour > 12 else {hour % 12, hour % 12 + 12, hour % 12 + 24}
    fits = sorted(h for h in hours if first <= h <= last)
    return tuple((h * 60 + minute) % _DAY for h in fits[:1])


def part_at(items: Items, at: int) -> str:
    """The part of the day named there, "" for none."""
    return items.text(at) if items.text(at) in PARTS and items.text(at) not in DAYS else ""


def _part_before(items: Items, at: int) -> str:
    """The part of the day that a day's name has, as in 今晚八点."""
    return items.text(at - 1) if items.text(at - 1) in PARTS else ""


def _part_behind(items: Items, at: int) -> tuple[str, int]:
    """A part of the day that follows an English hour, and where it ends."""
    name = items.text(at)
    if name in HALVES_OF_DAY or name == "tonight":
        return name, at + 1
    for words, parts in _PARTS_BEHIND.items():
        end = at + len(words)
        if (
            tuple(items.text(at + i) for i in range(len(words))) == words
            and items.text(end) in parts
        ):
            return items.text(end), end + 1
    return "", at


def _written(items: Items, at: int) -> Iterator[TimeMatch]:
    """15:30, 3pm, 3.30 pm, 下午3:30."""
    before = part_at(items, at)
    index = at + bool(before)
    item = items.at(index)
    dotted = _DOTTED.fullmatch(item.text) and items.text(index + 1) in HALVES_OF_DAY
    if item.kind != "time" and not dotted:
        return
    text = item.text.removesuffix("am").removesuffix("pm")
    hour, minute = (
        int(text.replace(".", ":").split(":")[0]),
        int((text.replace(".", ":") + ":0").split(":")[1]),
    )
    half, end = _part_behind(items, index + 1)
    half = half or item.text.removeprefix(text) or before or _part_before(items, at)
    sure = text.startswith("0") or hour >= _SURE_FROM
    yield TimeMatch(end, read_hour(hour, minute, half, sure=sure), half)


def _hour(items: Items, at: int) -> Iterator[TimeMatch]:
    """3 pm, 8 o'clock, 3 in the afternoon, at 8, noon."""
    name = items.text(at)
    if name in ("noon", "midday", "midnight", "正午", "午夜"):
        yield TimeMatch(at + 1, (0 if name in ("midnight", "午夜") else _HALF,), name)
    index = at + (name == "at")
    item, hour = items.at(index), items.whole(index)
    if hour is None or item.style == "ordinal" or not 0 <= hour <= 24:
        return
    clock = items.text(index + 1) == "o'clock"
    part, end = _part_behind(items, index + 1 + clock)
    if part or clock:
        yield TimeMatch(end, read_hour(hour, 0, part), part)
    elif index > at and hour and _ends_hour(items, index + 1):
        before = _part_before(items, at)
        yield TimeMatch(index + 1, read_hour(hour, 0, before), before)


def _ends_hour(items: Items, at: int) -> bool:
    item = items.at(at)
    if item.glued and item.text in ("-", "/", "%"):
        return False
    return (
        item.kind == "mark"
        or item.text in _AFTER_HOUR
        or item.text in DAYS
        or item.text.endswith("day")
    )


def _spoken(items: Items, at: int) -> Iterator[TimeMatch]:
    """Half past three, a quarter to nine, ten past four."""
    begin = at + (items.text(at) == "a")
    minutes = {"half": 30, "quarter": 15}.get(items.text(begin), items.whole(begin))
    link, hour = items.text(begin + 1), items.whole(begin + 2)
    if minutes is None or hour is None or not (1 <= hour <= 12 and 0 < minutes < 60):
        return
    if items.text(begin) not in ("half", "quarter") and link != "past":
        return
    part, end = _part_behind(items, begin + 3)
    if link == "past":
        yield TimeMatch(end, read_hour(hour, minutes, part), part)
    elif link == "to" and items.text(begin) == "quarter":
        early = read_hour(hour, 0, part)
        yield TimeMatch(end, tuple((time - minutes) % _DAY for time in early), part)


def _han(items: Items, at: int) -> Iterator[TimeMatch]:
    """下午三点半, 三点一刻, 晚上8点, 差五分三点."""
    part = part_at(items, at)
    index = at + bool(part)
    part = part or _part_before(items, at)
    less = 0
    if items.text(index) == "差" and (count := items.whole(index + 1)):
        less = count * 15 if items.text(index + 2) == "刻" else count
        index += 3
    hour, sign = items.whole(index), items.text(index + 1)
    if hour is None or sign not in ("点", "点钟", "点整", "时") or _is_count(items, index + 2):
        return
    minute, end = _minutes(items, index + 2) if sign in ("点", "时") else (0, index + 2)
    times = read_hour(hour, minute, part, sure=hour > 12 or hour == 0)
    yield TimeMatch(end, tuple((time - less) % _DAY for time in times), part)


def _is_count(items: Items, at: int) -> bool:
    return (items.text(at) + items.text(at + 1))[:2] in _COUNTED


def _minutes(items: Items, at: int) -> tuple[int, int]:
    """The minutes behind 点, and where they end."""
    count, unit = items.whole(at), items.text(at + 1)
    if items.text(at) == "半":
        return 30, at + 1
    if items.text(at) in ("钟", "整"):
        return 0, at + 1
    if count is not None and unit == "刻":
        return count * 15, at + 2
    if count is not None and 0 <= count < 60 and unit not in ("点", "分钟", "个", "月", "号"):
        two_digits = len(items.at(at).text) > 1 or unit == "分"
        return (count, at + 1 + (unit == "分")) if two_digits else (0, at)
    return 0, at


_FORMS: tuple[Callable[[Items, int], Iterator[TimeMatch]], ...] = (_written, _hour, _spoken, _han)
