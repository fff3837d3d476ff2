"""How a text names a field, and links a value to it: cues, units, small words (zh, en)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Who only learns examples loads no models.
    from cards.model import Field

UNITS: dict[str, tuple[str, ...]] = {
    "kg": ("kg", "kgs", "kilogram", "kilograms", "kilo", "kilos", "公斤", "千克"),
    "mmhg": ("mmhg", "毫米汞柱"),
    "cm": ("cm", "厘米"),
    "℃": ("℃", "°c", "摄氏度", "度"),
}
PERCENT = "%"
_PERCENT = ("%", "percent", "per cent", "percentage", "pct", "百分比", "百分之")
_OTHER_UNITS = (
    *("lb", "lbs", "pound", "pounds", "stone", "g", "gram", "grams", "mg", "kpa", "%", "percent"),
    *("磅", "斤", "克", "毫克", "千帕", "天", "周", "月", "年", "日", "号", "小时", "次", "个"),
    *("day", "days", "week", "weeks", "month", "months", "year", "years", "hour", "hours"),
    "times",
)
_ASK = r"(?:\s*(?:score|status|reading|value|评分|得分|分值|分数|值|读数))?"
LINK = (
    _ASK
    + r"(?:\s*(?:(?:is now|is|was|of|at|now|should be|(?:(?:changed|corrected) )?to)(?![A-Za-z])"
    r"|改[成为]|更正为|应[为是]|应该是|为|是|=|:))?\s*"
)
_NUMBER = r"(?P<n>(?<![0-9.])(?<![0-9],)[+-]?[0-9]+(?:\.[0-9]+)?)"
# 70-75, 1/5, 70,5 and "1 → 2" say something else than the number before them.
_ENDS = r"(?![0-9]|[.,/][0-9]|\s*(?:→|->|=>|/|改|变|or(?![a-z])|或)|\s*(?:[-~–—至到]|to)\s*[0-9])"
_PAIR = r"(?<![0-9./-])[0-9]{2,3}\s*(?:/|over)\s*[0-9]{2,3}(?![0-9]|[./-][0-9]|\s*[-~]\s*[0-9])"
NOT_ENDED = re.compile(
    r"\s?[0-9]|[.,/][0-9]|\s{0,9}(?:→|->|=>|/|改|变|or(?![a-z])|或|of\b)"
    r"|\s{0,9}(?:[-~–—至到]|to)\s{0,9}[0-9]"
)
"""What stands behind a number that is not the whole of what is said."""

LIMIT = re.compile(
    r"(?:(?<![a-z])(?:(?:more|less|fewer|higher|lower) than|at (?:most|least)|up to|under|over"
    r"|below|above|max(?:imum)?|min(?:imum)?)|最[多少高低]|至[多少]|[大小多少高低]于|[超不]过|不到)\s?$",
    re.IGNORECASE,
)
"""What makes a limit of the value behind it: that is no value of a form."""

NO = (
    r"(?:(?<![A-Za-z])(?P<en>no|without)(?:\s+(?:any|new))?\s+"
    r"|(?<!有)(?P<zh>无|没有|未见|未出现|未发生|否认)(?:任何|明显|出现|发生)?\s*)"
)
UNLESS = r"(?!\s*[吗么?]|\s*(?:,\s*)?(?:except|but(?![a-z])|besides|other than|除|但|只有))"
DENIED = re.compile(
    r"(?:[未没无不非]|没有|(?<![a-z])(?:no|not|never|without|n't|any|other)(?:\s+[a-z]+)?)\s*$",
    re.IGNORECASE,
)
NONE_BEHIND = r"\s*(?:[:=]\s*)?(?:(?P<en>none|no|nil)|(?P<zh>无|没有))(?=\s*(?:[,.;。\n]|$))"


def field_names(field: "Field") -> tuple[str, ...]:
    """The words that name a field: its cues, its label, its own name; longest first."""
    return _names_of(field.cues, field.label, field.name)


# A text is read for the same fields at every step that asks for them.
@lru_cache(maxsize=1024)
def _names_of(cues: tuple[str, ...], label: str, name: str) -> tuple[str, ...]:
    words = {*cues, label, name.replace("_", " ")} - {""}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def cue_pattern(words: Iterable[str]) -> str:
    """A pattern for any of the words; Latin words match whole, a plural `s` allowed."""
    return _cue_pattern(tuple(words))


@lru_cache(maxsize=1024)
def _cue_pattern(words: tuple[str, ...]) -> str:
    forms = [
        rf"(?<![A-Za-z0-9]){re.escape(word)}s?(?![A-Za-z])" if word.isascii() else re.escape(word)
        for word in words
    ]
    return f"(?:{'|'.join(forms)})" if forms else "(?!)"


def spellings(unit: str) -> tuple[str, ...]:
    """The ways in which a unit is written."""
    return UNITS.get(unit.lower(), (unit.lower(),) if unit else ())


def is_percent(field: "Field") -> bool:
    """Whether a number of the field is one of percent: its unit says so, else one of its names."""
    if field.unit:
        return field.unit.lower().replace("％", PERCENT) in _PERCENT
    return any(name.lower().replace("％", PERCENT) in _PERCENT for name in field_names(field))


def unit_words() -> tuple[str, ...]:
    """Every way a unit that is understood may be written."""
    return tuple(unit for units in UNITS.values() for unit in units)


def begins_with_unit(rest: str, unit: str) -> bool:
    """Whether what follows a number begins with the unit."""
    rest = rest.lstrip().lower()
    return any(_begins(rest, word) for word in spellings(unit))


def is_other_unit(rest: str, unit: str) -> bool:
    """Whether what follows a number is a unit, and another than this."""
    if begins_with_unit(rest, unit):
        return False
    return bool(_any_unit().match(rest.lstrip().lower()))


@cache
def _any_unit() -> re.Pattern[str]:
    """What `_begins` finds of every unit."""
    words = (*unit_words(), *_OTHER_UNITS)
    forms = (re.escape(word) + ("(?![A-Za-z])" if word.isascii() else "") for word in words)
    return re.compile("|".join(forms))


def _begins(rest: str, unit: str) -> bool:
    follows = rest[len(unit) : len(unit) + 1]
    return rest.startswith(unit) and not (
        unit.isascii() and follows.isascii() and follows.isalpha()
    )


def states_number(text: str, words: Iterable[str]) -> bool:
    """The text gives a number for one of the words."""
    return bool(re.search(cue_pattern(words) + LINK + _NUMBER, text, re.IGNORECASE))


def remove_values(text: str, words: Iterable[str]) -> str:
    """The text with what it states of these words cut out, such as `weight 70 kg`, `no AE`."""
    return _remove_values(text, tuple(words))


@lru_cache(maxsize=256)
def _remove_values(text: str, known: tuple[str, ...]) -> str:
    said = text.lower()
    present = [word for word in _lowered(known) if word in said]
    if not present:
        return text
    for form, begins_with_word in _statements(known):
        text = _cut(text, form, present) if begins_with_word else form.sub(" ", text)
    return text


def _cut(text: str, form: re.Pattern[str], present: Sequence[str]) -> str:
    """What `form.sub(" ", text)` gives for a form that begins with one of the words.

    There are many words, few of which a text has: the form is tried where these stand alone.
    """
    said = text.lower()
    if len(said) != len(text):
        return form.sub(" ", text)
    kept, behind = list[str](), 0
    for place in sorted(place for word in set(present) for place in _places(said, word)):
        found = form.match(text, place) if place >= behind else None
        if found:
            kept += text[behind:place], " "
            behind = found.end()
    return "".join((*kept, text[behind:])) if kept else text


def _places(said: str, word: str) -> Iterator[int]:
    place = said.find(word) if word else -1
    while place >= 0:
        yield place
        place = said.find(word, place + 1)


@lru_cache(maxsize=256)
def _lowered(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


@lru_cache(maxsize=256)
def _statements(words: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """The forms in which values of these words are stated, and whether they begin with a word."""
    named, units = cue_pattern(words), "|".join(u for known in UNITS.values() for u in known)
    unit = rf"(?:\s*(?:{units})(?![A-Za-z]))?"
    forms = (
        named + LINK + _PAIR + unit,
        named + LINK + _NUMBER + _ENDS + unit,
        NO + named + UNLESS,
        named + NONE_BEHIND,
        named + r"\s*[:=]\s*[^,;。\n]+",
    )
    return tuple((re.compile(f, re.IGNORECASE), f.startswith(named)) for f in forms)
