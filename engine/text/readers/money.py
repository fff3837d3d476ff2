"""Amounts of money: a number beside the sign, the code or the name of a currency."""

from collections.abc import Iterator
from decimal import Decimal

from engine.text.readers.cursor import Items
from engine.text.readers.numbers import (
    AmountMatch,
    Quantity,
    find_quantity,
    find_special,
    is_part_of_id,
)
from engine.text.readers.numerals import as_json, currency_codes
from engine.text.readers.words import CODES, CURRENCIES, HAN_DIGITS, ROUGHLY, SIGNS

# What stands behind 三百块 where those are money and no pieces of something.
_AFTER_KUAI = frozenset("可就够左以吧吗呢啊了的我你他她给请买付报一每不也都是行整和到")
_SHORT_DECIMALS = -2


def find_money(items: Items, at: int) -> AmountMatch | None:
    """The amount of money that begins there."""
    found = [match for form in (_sign_first, _sign_behind, _han_parts) for match in form(items, at)]
    return max(found, key=lambda match: match.end, default=None)


def _sign_first(items: Items, at: int) -> Iterator[AmountMatch]:
    """$1,234.50, EUR 120, ¥300, 人民币5000元, US$ 3 million, -$5."""
    currencies, index = _opening(items, at)
    amount = find_quantity(items, index) if currencies else None
    if amount is None or _is_rough(items, amount.end):
        return
    behind, end = _closing(items, amount.end)
    if behind and len(currencies) > 1:
        currencies = tuple(set(currencies) & set(behind)) or currencies
    agree = not behind or set(behind) & set(currencies)
    yield _money(amount.numbers, currencies, end if agree else amount.end)


def _opening(items: Items, at: int) -> tuple[tuple[str, ...], int]:
    text = items.text(at)
    if text in SIGNS:
        return _signed(items, SIGNS[text]), at + 1
    if text in ("rmb", "人民币"):
        return ("CNY",), at + 1
    exact = items.at(at).exact
    if text in CODES and text.isascii() and items.text(at + 1) in SIGNS:
        return (text.upper(),), at + 2
    code = _code(text, exact)
    return ((code,), at + 1) if code else ((), at)


def _signed(items: Items, currencies: tuple[str, ...]) -> tuple[str, ...]:
    """¥ is that of China in a Chinese text."""
    return ("CNY",) if items.chinese and "CNY" in currencies else currencies


def _code(text: str, exact: str) -> str:
    if text in CODES:
        return text.upper()
    capital = len(exact) == 3 and exact.isascii() and exact.isupper()
    return exact if capital and exact in currency_codes() else ""


def _sign_behind(items: Items, at: int) -> Iterator[AmountMatch]:
    """120 USD, 45.90€, twenty euros, 一万二千日元, 三块五."""
    quantity = find_quantity(items, at) or _hundreds(items, at)
    if quantity is None or is_part_of_id(items, at, quantity.end) or _is_rough(items, quantity.end):
        return
    if _ends_range(items, at):
        return
    currencies, end = _closing(items, quantity.end)
    if not currencies:
        return
    pieces = items.text(quantity.end) == "块"
    if pieces:
        yield from _kuai(items, quantity, end)
    else:
        yield _money(quantity.numbers, currencies, end)


def _ends_range(items: Items, at: int) -> bool:
    """Between 90 and 110 euros, 90 to 110 euros: that is neither amount."""
    link = items.text(at - 1)
    between = link == "and" and items.text(at - 3) == "between"
    return items.at(at - 2).kind == "number" and (between or link in ("to", "-", "~", "到", "至"))


def _hundreds(items: Items, at: int) -> Quantity | None:
    index = at + (items.text(at) in ("a", "an"))
    item = items.at(index)
    return find_special(items, at) if index > at and item.kind == "number" else None


def _closing(items: Items, at: int) -> tuple[tuple[str, ...], int]:
    """The currency behind a number, and where it ends."""
    text = items.text(at)
    if text in SIGNS:
        return _signed(items, SIGNS[text]), at + 1
    for length, phrase in reversed(tuple(enumerate(items.phrase(at, 3), 1))):
        if phrase in CURRENCIES:
            return (CURRENCIES[phrase],), at + length + (items.text(at + length) == "整")
    code = _code(text, items.at(at).exact)
    return ((code,), at + 1) if code else ((), at)


def _is_rough(items: Items, at: int) -> bool:
    return items.text(at) in ROUGHLY


def _kuai(items: Items, quantity: Quantity, end: int) -> Iterator[AmountMatch]:
    """三百块, 三块五, 50块5毛: none of 块骨头."""
    tenth, sign = items.whole(end), items.text(end + 1)
    if tenth is not None and 0 < tenth < 10 and items.is_glued(end):
        if sign in ("毛", "角"):
            end += 2
        elif (
            items.at(end).text in HAN_DIGITS or not items.is_glued(end + 1) or sign in ("毛", "一")
        ):
            end += 1
        else:
            tenth = 0
        yield _money(tuple(n + Decimal(tenth) / 10 for n in quantity.numbers), ("CNY",), end)
        return
    behind = items.at(end)
    alone = quantity.end == end - 1 and items.at(quantity.end - 1).text == "一"
    if not alone and (
        behind.kind in ("mark", "number") or behind.text[:1] in _AFTER_KUAI or not behind.text
    ):
        yield _money(quantity.numbers, ("CNY",), end)


def _han_parts(items: Items, at: int) -> Iterator[AmountMatch]:
    """5毛, 三元五角, 八角."""
    quantity = find_quantity(items, at)
    if quantity is None or is_part_of_id(items, at, quantity.end):
        return
    if items.text(quantity.end) in ("毛", "角") and items.text(quantity.end + 1) not in (
        "度",
        "色",
        "落",
    ):
        end = quantity.end + 1 + (items.text(quantity.end + 1) == "钱")
        yield _money(tuple(n / 10 for n in quantity.numbers), ("CNY",), end)
    tenth = items.whole(quantity.end + 1)
    if items.text(quantity.end) == "元" and tenth and items.text(quantity.end + 2) in ("角", "毛"):
        numbers = tuple(n + Decimal(tenth) / 10 for n in quantity.numbers)
        end = quantity.end + 3
        cent = items.whole(end)
        if cent and items.text(end + 1) == "分":
            numbers, end = tuple(n + Decimal(cent) / 100 for n in numbers), end + 2
        yield _money(numbers, ("CNY",), end)


def _money(numbers: tuple[Decimal, ...], currencies: tuple[str, ...], end: int) -> AmountMatch:
    """Each number in each currency; no amount has three decimals where it may have none."""
    likely = [n for n in numbers if int(n.as_tuple().exponent) >= _SHORT_DECIMALS] or list(numbers)
    values = tuple({"value": as_json(n), "currency": c} for n in likely for c in currencies)
    return AmountMatch(end, values)
