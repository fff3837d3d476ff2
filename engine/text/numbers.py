"""Whole numbers in words, as people write small ones: "two", "十二", "一百二十"."""

import re

_ENGLISH = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_FORM = re.compile(
    r"(?:(?P<hundreds>[一二两三四五六七八九])百)?"
    r"(?:(?P<tens>[一二三四五六七八九])?(?P<ten>十))?零?(?P<ones>[零〇一二两三四五六七八九])?"
)
# 一般 and 一直 are words, not the number one.
NUMBER_WORD = (
    rf"(?P<w>(?:{'|'.join(sorted(_ENGLISH, key=len, reverse=True))})(?![A-Za-z])(?!\s+of\b)"
    r"|[零〇一二两三四五六七八九十百]+(?=[分级公千]|(?![\u3400-\u9fff])))"
)
"""A pattern for a number in words, in the group `w`."""


def parse_number_word(word: str) -> int | None:
    """The number from 0 to 999 that the word means, or None."""
    if word.lower() in _ENGLISH:
        return _ENGLISH.index(word.lower())
    match = _FORM.fullmatch(word)
    if not word or match is None:
        return None
    tens = _DIGITS.get(match["tens"] or "", 1) if match["ten"] else 0
    hundreds = _DIGITS.get(match["hundreds"] or "", 0)
    if match["ones"] and hundreds and not tens and "零" not in word:
        return None  # 一百二 is 120, and not 102
    return hundreds * 100 + tens * 10 + _DIGITS.get(match["ones"] or "", 0)
