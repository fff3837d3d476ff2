"""Reads amounts of money as people write them: `120.50 EUR`, `USD 120.50`, `120,50 €`.

Babel is loaded when an amount is first read.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from string import ascii_uppercase
from typing import Final

from cards.values import BadValue, Money, decimals_of

MAX_DIGITS: Final = 15
"""The most digits of an amount; all of them are exact."""

_CHARS = 100
_TOLD_CODES = 5
_AMOUNT = re.compile(
    r"(?P<minus>-?)(?P<before>[^0-9.,+\-\s]{0,10}) ?"
    r"(?P<amount>[+-]?[0-9][0-9.,'’ ]{0,40})(?P<after>[^0-9]{0,10})"
)
_EXACT = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?")
# A space or an apostrophe between digits groups them by three, as a comma may.
_GROUPS = re.compile(r"(?<=[0-9])[ '’](?=[0-9]{3}(?:[^0-9]|$))")
# What people write for these where they write no code, and what a sign alone means.
_NAMES: Final[Mapping[str, str]] = {"元": "CNY", "RMB": "CNY"}
_USUAL: Final[Mapping[str, str]] = {"$": "USD", "€": "EUR", "£": "GBP"}
_USUAL_IN: Final[Mapping[str, Mapping[str, str]]] = {"zh": {"¥": "CNY"}}


@cache
def currency_codes() -> frozenset[str]:
    """Return the ISO 4217 codes of all money that is in use today."""
    from babel.core import get_global

    listed = get_global("territory_currencies").values()
    return frozenset(code for each in listed for code, _, end, tender in each if tender and not end)


def read_currency_amount(text: str, currencies: Sequence[str], lang: str) -> Money:
    """Return the amount that a text gives, in one of `currencies` where there are any.

    The currency may be left out where there is one. Raises BadValue, also where the text may mean
    two things.
    """
    plain = unicodedata.normalize("NFKC", text[:_CHARS]).replace("\N{MINUS SIGN}", "-")
    match = _AMOUNT.fullmatch(" ".join(plain.split()).rstrip(" ."))
    if match is None:
        raise BadValue("form.money")
    words = [word for word in (match["before"], match["after"].strip()) if word]
    currency = _currency(words, currencies, lang)
    amount = _amount(match["minus"] + match["amount"].strip(), currency)
    return Money(value=float(amount), currency=currency)


def currency_fault(code: str) -> str:
    """Return why a code names no currency of today, in English; "" when it does."""
    known = code in currency_codes()
    return "" if known else "is no currency in use: write its ISO 4217 code, as in EUR"


def _currency(words: Iterable[str], allowed: Sequence[str], lang: str) -> str:
    meant = set(allowed) or set(currency_codes())
    named = False
    for word in words:
        codes = _codes_of(word)
        if not codes:
            raise BadValue("form.currency_unknown", word=word)
        named = True
        meant &= codes
    if named and not meant:
        raise BadValue("form.currency_other", codes=_listed(allowed or currency_codes()))
    if len(meant) > 1 and named and not allowed:
        usual = {_USUAL_IN.get(lang, {}).get(word) or _USUAL.get(word) for word in words}
        meant = (meant & usual) or meant
    if len(meant) == 1:
        return meant.pop()
    raise BadValue("form.currency", codes=_listed(meant if named else allowed))


def _listed(codes: Iterable[str]) -> str:
    return " / ".join(sorted(codes)[:_TOLD_CODES]) or "EUR / USD / CNY"


def _codes_of(word: str) -> frozenset[str]:
    """The currencies that a code, a sign or a name may stand for."""
    code = word.upper()
    if code in currency_codes():
        return frozenset({code})
    if code in _NAMES:
        return frozenset({_NAMES[code]})
    return _by_sign().get(code, frozenset())


@cache
def _by_sign() -> Mapping[str, frozenset[str]]:
    from babel.numbers import get_currency_symbol

    signs: dict[str, set[str]] = {}
    for code in currency_codes():
        written = {get_currency_symbol(code, locale) for locale in ("en", "zh")}
        # The sign of a currency where it is at home: `CA$` is `$` there.
        sign = get_currency_symbol(code, "en")
        written.add(sign.lstrip(ascii_uppercase) or sign)
        for sign in written - {code}:
            signs.setdefault(unicodedata.normalize("NFKC", sign).upper(), set()).add(code)
    return {sign: frozenset(codes) for sign, codes in signs.items()}


def _amount(text: str, currency: str) -> Decimal:
    decimals = decimals_of(currency)
    readings = _readings(_GROUPS.sub("", text))
    if not readings:
        raise BadValue("form.money")
    if sum(map(str.isdigit, text)) > MAX_DIGITS:
        raise BadValue("form.money_long", limit=MAX_DIGITS)
    fitting = {each for each in readings if _decimals(each) <= decimals}
    if not fitting:
        raise BadValue("form.money_decimals", currency=currency, limit=decimals)
    if len(fitting) > 1:
        both = " / ".join(str(each) for each in sorted(fitting))
        raise BadValue("form.money_two", readings=both)
    return fitting.pop()


def _readings(text: str) -> set[Decimal]:
    """What the digits may mean; a single point always stands before decimals."""
    if _EXACT.fullmatch(text):
        return {Decimal(text)}
    from babel.numbers import NumberFormatError, parse_decimal

    read: set[Decimal] = set()
    for locale in ("en", "de"):
        try:
            read.add(parse_decimal(text, locale=locale, strict=True))
        except NumberFormatError:
            continue
    return read


def _decimals(amount: Decimal) -> int:
    exponent = amount.normalize().as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0
