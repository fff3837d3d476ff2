"""What digits and number words mean; the libraries are loaded when a text first needs them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from engine.text.readers.words import MULTIPLES, NUMBER_WORDS

MAX_DIGITS = 15
# So many digits without a mark between them are a phone number, or the number of something.
_ID_DIGITS = 11
_PLAIN = re.compile(r"[+-]?[0-9]+")
_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_ZERO = re.compile(r"[+-]?0[.,][0-9]+")
# 12,000 is twelve thousand everywhere: nobody writes three decimals that are zero.
_GROUPED_ZEROS = re.compile(r"^[+-]?[0-9]{1,3}[.,]000$")
# In American writing a comma groups, in most of Europe a dot: both are read.
_WAYS = ("en", "de")
_PARTING = frozenset({"second", "seconds"})


@dataclass(frozen=True, slots=True)
class NumberWords:
    """Words `[start:end)` of a list that are a number; `lone`: a small one by itself."""

    start: int
    end: int
    value: Decimal
    ordinal: bool
    lone: bool


@lru_cache(maxsize=1024)
def read_digits(text: str) -> tuple[Decimal, ...]:
    """The numbers that digits with their marks may be; several where a mark has two readings."""
    plain = text.replace("'", "")
    if sum(letter.isdigit() for letter in plain) > MAX_DIGITS or _ADDRESS.fullmatch(plain):
        return ()
    if _PLAIN.fullmatch(plain):
        digits = plain.lstrip("+-")
        is_id = len(digits) >= _ID_DIGITS or (digits[0] == "0" and len(digits) > 1)
        return () if is_id else (Decimal(plain),)
    if _ZERO.fullmatch(plain):
        return (Decimal(plain.replace(",", ".")),)
    return _read_marks(plain)


def _read_marks(text: str) -> tuple[Decimal, ...]:
    from babel.numbers import NumberFormatError, parse_decimal

    found: list[Decimal] = []
    for way in _WAYS:
        try:
            number = parse_decimal(text, locale=way, strict=True)
        except NumberFormatError:
            continue
        if not _GROUPED_ZEROS.search(text) or number.as_tuple().exponent == 0:
            found.append(number)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1024)
def read_han(text: str) -> Decimal | None:
    """The number that a Chinese numeral means, digits before 万 and the like among them."""
    import cn2an

    try:
        value = Decimal(str(cn2an.cn2an(text, "smart")))
    except (ValueError, LookupError):  # both are its words for "no numeral"
        return None
    return value if abs(value) < 10**MAX_DIGITS else None


@lru_cache(maxsize=1)
def currency_codes() -> frozenset[str]:
    """The codes of all currencies that ISO 4217 knows or knew."""
    from babel.numbers import list_currencies

    return frozenset(list_currencies())


class _Word:
    """A word as text2num takes it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def text(self) -> str:
        return self._text

    def nt_separated(self, previous: "_Word") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return self._text in _PARTING or not (self._text.isalpha() or self._text == "-")


def find_number_words(words: Sequence[str]) -> Iterator[NumberWords]:
    """Where English words are numbers."""
    if NUMBER_WORDS.isdisjoint(words):
        return
    from text_to_num import find_numbers

    for found in find_numbers([_Word(word) for word in words], "en", 0):
        value = Decimal(str(found.value))
        small = found.end - found.start == 1 and value < len(_WAYS) + 1
        yield NumberWords(found.start, found.end, value, bool(found.is_ordinal), small)


def multiple_of(word: str) -> int:
    """How many a word after a number makes of it: 1000 for `k`; 0 for no such word."""
    return MULTIPLES.get(word, 0)


def as_json(number: Decimal) -> int | float:
    """The number as JSON has it: whole, or with decimals."""
    whole = number.to_integral_value()
    return int(whole) if whole == number else float(number)
