"""How long something takes, as ISO 8601 writes it; a month stays a month."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from engine.text.readers.cursor import Items
from engine.text.readers.words import TIME_UNITS, words_of

_HALF = Decimal("0.5")
_MOST = 10_000
_LETTERS = "ymwdHMS"
# "A week" is a length where one of these stands before it, and a rate in "twice a week".
_TAKES = words_of(
    "for take takes took taking last lasts lasted within about over than of another need needs "
    "needed almost nearly spend spent only wait waited extend"
)
_ISO = re.compile(
    r"P(?:(?P<y>[0-9.]{1,20})Y)?(?:(?P<m>[0-9.]{1,20})M)?(?:(?P<w>[0-9.]{1,20})W)?"
    r"(?:(?P<d>[0-9.]{1,20})D)?(?:T(?:(?P<H>[0-9.]{1,20})H)?(?:(?P<M>[0-9.]{1,20})M)?"
    r"(?:(?P<S>[0-9.]{1,20})S)?)?"
)
# What is so many of each other, always.
_SCALES = ({"y": 12, "m": 1}, {"w": 7, "d": 1}, {"H": 3600, "M": 60, "S": 1})
_RATES = words_of("twice once times per usd eur gbp dollars euros pounds yuan")
_ONE_OF_MANY = frozenset("有这那哪某每第同头前")


@dataclass(frozen=True, slots=True)
class DurationMatch:
    """The duration that the items up to `end` mean: how many of each letter of ISO 8601."""

    end: int
    amounts: tuple[tuple[str, Decimal], ...]


def find_duration(items: Items, at: int) -> DurationMatch | None:
    """The longest duration that begins there."""
    found = [match for form in _FORMS for match in form(items, at)]
    return max(found, key=lambda match: match.end, default=None)


def amount_in(duration: str, unit: str) -> Decimal | None:
    """How many of a unit of time a duration is; None where that is not sure, as days in a month."""
    match = _ISO.fullmatch(duration)
    letter, many = TIME_UNITS.get(unit.lower(), ("", 1))
    if match is None or not letter:
        return None
    given = {name: Decimal(amount) for name, amount in match.groupdict().items() if amount}
    for scale in _SCALES:
        if letter in scale and set(given) <= set(scale):
            total = sum((n * scale[name] for name, n in given.items()), Decimal())
            return total / (scale[letter] * many)
    return None


def iso_duration(amounts: tuple[tuple[str, Decimal], ...]) -> str:
    """The duration as text: `P2W`, `PT1H30M`, `P0.5D`."""
    sums = {
        letter: sum((n for one, n in amounts if one == letter), Decimal()) for letter in _LETTERS
    }
    _carry(sums, "y", "m", 12)
    _carry(sums, "H", "M", 60)
    _carry(sums, "M", "S", 60)
    if sums["w"] and any(sums[letter] for letter in "ymdHMS"):
        sums["d"] += sums.pop("w") * 7
    days = "".join(_part(sums.get(letter, Decimal()), letter.upper()) for letter in "ymwd")
    clock = "".join(_part(sums[letter], letter) for letter in "HMS")
    return f"P{days}{'T' + clock if clock else ''}"


def _carry(sums: dict[str, Decimal], large: str, small: str, many: int) -> None:
    whole = Decimal(int(sums[large]))
    sums[small] += (sums[large] - whole) * many
    sums[large] = whole


def _part(amount: Decimal, letter: str) -> str:
    return f"{amount.normalize():f}{letter}" if amount else ""


def _one(letter: str, amount: Decimal, unit: str) -> tuple[tuple[str, Decimal], ...]:
    return ((letter, amount * TIME_UNITS[unit][1]),)


def _counted(items: Items, at: int) -> Iterator[DurationMatch]:
    """3 days, 45-minute, 1h30, 2 hours and 30 minutes, two and a half hours."""
    amount, index = _amount(items, at)
    if amount is None:
        return
    unit = items.text(index)
    if unit not in TIME_UNITS or not 0 < amount < _MOST or _is_year(items, at, unit):
        return
    letter = TIME_UNITS[unit][0]
    end, amounts = index + 1, _one(letter, amount, unit)
    if unit.isascii():
        yield from _english_rest(items, end, amounts)
    else:
        yield from _han_rest(items, end, amounts)


def _amount(items: Items, at: int) -> tuple[Decimal | None, int]:
    """A number, with "and a half" and a dash behind it."""
    item = items.at(at)
    if item.kind != "number" or len(item.numbers) != 1 or item.style == "ordinal":
        return None, at
    if items.text(at - 1) == "第" or (item.glued and items.text(at - 1) in ("-", "/", ".")):
        return None, at
    said = tuple(items.text(at + i) for i in (1, 2, 3))
    if said == ("and", "a", "half"):
        return item.numbers[0] + _HALF, at + 4
    dash = items.is_glued(at + 1) and said[0] == "-" and items.is_glued(at + 2)
    if said[0] == "个半" and items.text(at + 2) in TIME_UNITS:
        return item.numbers[0] + _HALF, at + 2
    if said[0] == "个半" and items.text(at + 2) == "月":
        return item.numbers[0] + _HALF, at + 2
    return item.numbers[0], at + 1 + dash


def _is_year(items: Items, at: int, unit: str) -> bool:
    """2026年 is a year, and 3年级 the third class."""
    return unit == "年" and (items.at(at).text.isdigit() and len(items.at(at).text) == 4)


def _english_rest(
    items: Items, end: int, amounts: tuple[tuple[str, Decimal], ...]
) -> Iterator[DurationMatch]:
    """What follows an English unit: "and a half", minutes behind hours."""
    if tuple(items.text(end + i) for i in range(3)) == ("and", "a", "half"):
        letter, number = amounts[0]
        yield DurationMatch(end + 3, ((letter, number + _HALF),))
        return
    yield DurationMatch(end, amounts)
    letter = amounts[-1][0]
    index = end + (items.text(end) in ("and", ","))
    item, unit = items.at(index), items.text(index + 1)
    if item.kind != "number" or len(item.numbers) != 1 or letter not in _LETTERS[:-1]:
        return
    below = TIME_UNITS.get(unit, ("", 0))[0]
    if below and _LETTERS.index(below) > _LETTERS.index(letter):
        rest = DurationMatch(index + 2, (*amounts, *_one(below, item.numbers[0], unit)))
        yield from _english_rest(items, rest.end, rest.amounts)
    elif letter == "H" and item.glued and index == end and not items.is_glued(index + 1):
        yield DurationMatch(index + 1, (*amounts, ("M", item.numbers[0])))


def _han_rest(
    items: Items, end: int, amounts: tuple[tuple[str, Decimal], ...]
) -> Iterator[DurationMatch]:
    """What follows a Chinese unit: 一小时三十分钟, 两年半."""
    letter, number = amounts[-1]
    if letter == "y" and items.text(end) == "级":
        return
    if items.text(end) == "半" and letter in "ydwH":
        yield DurationMatch(end + 1, (*amounts[:-1], (letter, number + _HALF)))
        return
    yield DurationMatch(end, amounts)
    index = end + (items.text(end) in ("零", "又"))
    count, unit = items.whole(index), items.text(index + 1)
    below = "M" if unit == "分" and letter == "H" else TIME_UNITS.get(unit, ("", 0))[0]
    if count and below and _LETTERS.index(below) > _LETTERS.index(letter):
        factor = TIME_UNITS.get(unit, ("M", 1))[1]
        yield from _han_rest(items, index + 2, (*amounts, (below, Decimal(count * factor))))


def _half(items: Items, at: int) -> Iterator[DurationMatch]:
    """Half an hour, half a day, 半小时, 半个月, 半天."""
    if items.text(at) == "half":
        index = at + 1 + (items.text(at + 1) in ("a", "an"))
        unit = items.text(index)
        if unit in TIME_UNITS and index > at + 1:
            yield DurationMatch(index + 1, _one(TIME_UNITS[unit][0], _HALF, unit))
    if items.text(at) == "半" and items.at(at - 1).kind != "number":
        unit = items.text(at + 1)
        if unit in TIME_UNITS:
            yield DurationMatch(at + 2, _one(TIME_UNITS[unit][0], _HALF, unit))


def _han_months(items: Items, at: int) -> Iterator[DurationMatch]:
    """三个半月: 个半 and 月 are two words there."""
    amount, index = _amount(items, at)
    if amount is not None and index == at + 2 and items.text(index) == "月":
        yield DurationMatch(index + 1, (("m", amount),))


def _one_english(items: Items, at: int) -> Iterator[DurationMatch]:
    """An hour and a half; for a week."""
    unit = items.text(at + 1)
    if items.text(at) not in ("a", "an") or unit not in TIME_UNITS or TIME_UNITS[unit][0] == "S":
        return
    for match in _english_rest(items, at + 2, _one(TIME_UNITS[unit][0], Decimal(1), unit)):
        rate = items.at(at - 1).kind == "number" or items.text(at - 1) in _RATES
        sure = items.text(at - 1) in _TAKES or (unit == "hour" and not rate)
        if match.end > at + 2 or sure:
            yield match


def _quarter(items: Items, at: int) -> Iterator[DurationMatch]:
    """一刻钟, 三刻钟."""
    count = items.whole(at)
    if count and count < 4 and items.text(at + 1) == "刻钟":
        yield DurationMatch(at + 2, (("M", Decimal(15 * count)),))


def _no_idiom(items: Items, at: int) -> bool:
    """有一天 is some day, and no length."""
    return not (
        items.at(at).text == "一" and items.text(at - 1)[-1:] in _ONE_OF_MANY and items.text(at - 1)
    )


def _counted_han(items: Items, at: int) -> Iterator[DurationMatch]:
    if _no_idiom(items, at):
        yield from _counted(items, at)


_FORMS: tuple[Callable[[Items, int], Iterator[DurationMatch]], ...] = (
    *(_counted_han, _half, _han_months, _one_english, _quarter),
)
