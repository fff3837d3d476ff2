"""Numbers, in digits and in words."""

from dataclasses import dataclass
from decimal import Decimal

from engine.text.readers.cursor import Items
from engine.text.readers.lexer import Item
from engine.text.readers.numerals import as_json, multiple_of
from engine.text.readers.reading import Value
from engine.text.readers.words import CODES, ROUGHLY, SIGNS

_HALF = Decimal("0.5")
_FRACTIONS = {"half": _HALF, "quarter": Decimal("0.25")}
_OPENING = frozenset({*SIGNS, *CODES, "rmb", "人民币"})
_GLUE = frozenset({"-", "/", "#", "_", "+", "\\", "*"})
# What Chinese counts with: a small number in words before it is a number.
_MEASURES = frozenset("个台箱本件位名人张只辆份套次岁支条间桶瓶盒包袋把双对吨斤公米分级")
_ORDINALS = frozenset({"第", "no", "№", "#"})


@dataclass(frozen=True, slots=True)
class AmountMatch:
    """The numbers, or amounts of money, that items from `start` to `end` may mean."""

    end: int
    values: tuple[Value, ...]
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what multiplies it; `lone` as a word by itself is no sure number."""

    end: int
    numbers: tuple[Decimal, ...]
    lone: bool = False


def find_number(items: Items, at: int) -> AmountMatch | None:
    """The number that begins there."""
    found = find_special(items, at) or find_quantity(items, at)
    if found is None or not found.numbers or is_part_of_id(items, at, found.end):
        return None
    end, numbers = found.end, found.numbers
    if items.text(end) == "%" or items.text(end) in ("percent", "％"):
        end += 1
    elif items.text(end) == "per" and items.text(end + 1) == "cent":
        end += 2
    if items.text(end) in ROUGHLY:
        return None
    weak = _is_weak(items, at, end, found)
    return AmountMatch(end, tuple(as_json(number) for number in numbers), weak)


def _is_weak(items: Items, at: int, end: int, found: Quantity) -> bool:
    item, behind = items.at(at), items.at(end)
    if behind.text in ("年", "月"):
        return True
    if behind.glued and behind.kind in ("word", "number", "other") and behind.text.isascii():
        return True
    if not found.lone:
        return False
    counts = behind.text[:1] in _MEASURES and item.text != "一"
    return not (counts and not item.text.isascii())


def is_part_of_id(items: Items, at: int, end: int) -> bool:
    """Whether digits are the number of a room, a version, a telephone, a pair."""
    before, behind = items.at(at - 1), items.at(end)
    if before.text == "." and items.text(at - 2) == "no":
        return True
    if before.text in _ORDINALS or (items.at(at).glued and _joins(before)):
        return True
    if behind.glued and behind.text in _GLUE and items.is_glued(end + 1):
        return items.at(end + 1).kind != "word"
    return _is_of_telephone(items, at)


def _joins(item: Item) -> bool:
    ascii_word = item.kind == "word" and item.text.isascii() and item.text not in _OPENING
    return item.text in _GLUE or item.kind == "other" or ascii_word


def _is_of_telephone(items: Items, at: int) -> bool:
    """Groups of digits behind one that begins with + or 0."""
    for index in range(at - 1, max(at - 5, -1), -1):
        item = items.at(index)
        if not (item.text[:1] in ("+", "0") or item.text.isdigit()) or item.kind not in (
            "number",
            "other",
        ):
            return False
        if item.text[:1] in ("+", "0") and len(item.text) > 1:
            return not item.numbers
    return False


def find_special(items: Items, at: int) -> Quantity | None:
    """A number that is written otherwise: a dozen, half of, 百分之十五, 零下五, 四分之一, 一半."""
    text, index = items.text(at), at + (items.text(at) in ("a", "an"))
    if items.text(index) == "half" and items.text(index + 1) in ("a", "of", "the"):
        if tuple(items.text(index + i) for i in (1, 2)) == ("a", "dozen"):
            return Quantity(index + 3, (Decimal(6),))
        if items.text(index + 1) != "a":
            return Quantity(index + 1, (_HALF,))
    if items.text(index) == "quarter" and items.text(index + 1) == "of" and index > at:
        return Quantity(index + 1, (_FRACTIONS["quarter"],))
    if items.text(index) == "dozen" and index > at:
        return Quantity(index + 1, (Decimal(12),))
    if index > at and items.at(index).text in ("hundred", "thousand", "million"):
        found = find_quantity(items, index)
        return found and Quantity(found.end, found.numbers)
    number = items.at(at + 1)
    if text in ("百分之", "零下", "负", "minus") and len(number.numbers) == 1:
        sign = 1 if text == "百分之" else -1
        return Quantity(at + 2, (sign * number.numbers[0],))
    if text == "一半":
        return Quantity(at + 1, (_HALF,))
    return _fraction(items, at)


def _fraction(items: Items, at: int) -> Quantity | None:
    below, above = items.at(at), items.at(at + 2)
    parts = items.text(at + 1) == "分之"
    if parts and len(below.numbers) == len(above.numbers) == 1 and below.numbers[0]:
        return Quantity(at + 3, ((above.numbers[0] / below.numbers[0]).quantize(Decimal("1e-9")),))
    return None


def find_quantity(items: Items, at: int) -> Quantity | None:
    """A number with what multiplies it: 20k, 3 million, two and a half, 两个半, 一打."""
    item = items.at(at)
    if item.kind != "number" or not item.numbers or item.style == "ordinal":
        return None
    numbers, end = _spaced(items, at)
    behind = items.at(end)
    many = multiple_of(behind.text) if behind.kind in ("word", "number") else 0
    if many and (item.style == "digits" or not behind.numbers):
        return Quantity(end + 1, tuple(number * many for number in numbers))
    if behind.text in ("dozen", "打"):
        return Quantity(end + 1, tuple(number * 12 for number in numbers))
    if tuple(items.text(end + i) for i in range(3)) == ("and", "a", "half"):
        return Quantity(end + 3, tuple(number + _HALF for number in numbers))
    if behind.text == "个半":
        return Quantity(end + 1, tuple(number + _HALF for number in numbers))
    return Quantity(end, numbers, lone=item.style == "lone")


def _spaced(items: Items, at: int) -> tuple[tuple[Decimal, ...], int]:
    """`1 200,00`: groups that spaces part, if the last one has decimals."""
    item = items.at(at)
    text, end = item.text, at + 1
    while text.isdigit() and len(item.text) <= 3 and end < at + 4:
        group = items.at(end)
        head, _, tail = group.text.replace(".", ",").partition(",")
        if group.kind != "number" or group.style != "digits" or len(head) != 3 or group.glued:
            break
        text, end = text + head, end + 1
        if tail and len(tail) <= 2:
            return (Decimal(f"{text}.{tail}"),), end
    return item.numbers, at + 1
