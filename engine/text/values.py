"""Values of a form's fields in free text: after a cue, by their unit, or alone."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cards.fields.table import options_of
from cards.model import Field
from engine.text.numbers import NUMBER_WORD, parse_number_word

_UNITS: dict[str, tuple[str, ...]] = {
    "kg": ("kg", "kgs", "kilogram", "kilograms", "kilo", "kilos", "公斤", "千克"),
    "mmhg": ("mmhg", "毫米汞柱"),
    "cm": ("cm", "厘米"),
    "℃": ("℃", "°c", "摄氏度", "度"),
}
_OTHER_UNITS = (
    *("lb", "lbs", "pound", "pounds", "stone", "g", "gram", "grams", "mg", "kpa", "%", "percent"),
    *("磅", "斤", "克", "毫克", "千帕", "天", "周", "月", "年", "日", "号", "小时", "次", "个"),
    *("day", "days", "week", "weeks", "month", "months", "year", "years", "hour", "hours"),
    *("times", "visits", "subjects"),
)
_ASK = r"(?:\s*(?:score|status|reading|value|评分|得分|分值|分数|值|读数))?"
_LINK = (
    _ASK
    + r"(?:\s*(?:is now|is|was|of|at|now|should be|(?:(?:changed|corrected) )?to|改[成为]|更正为"
    r"|应[为是]|应该是|为|是|=|:))?\s*"
)
_NUMBER = r"(?P<n>(?<![0-9.])(?<![0-9],)[+-]?[0-9]+(?:\.[0-9]+)?)"
# 70-75, 1/5, 70,5 and "1 → 2" say something else than the number before them.
_ENDS = r"(?![0-9]|[.,/][0-9]|\s*(?:→|->|=>|/|改|变|or(?![a-z])|或)|\s*(?:[-~–—至到]|to)\s*[0-9])"
_PAIR = (
    r"(?<![0-9./-])(?P<s>[0-9]{2,3})\s*(?:/|over)\s*(?P<d>[0-9]{2,3})"
    r"(?![0-9]|[./-][0-9]|\s*[-~]\s*[0-9])"
)
_PRESSURE = re.compile(rf"(?:(?<![A-Za-z])(?:bp|blood pressure)|血压){_LINK}{_PAIR}", re.IGNORECASE)
_LONE_PRESSURE = re.compile(_PAIR.replace("{2,3})\\s*(?:/", "{3})\\s*(?:/"), re.IGNORECASE)
_CHANGE = re.compile(
    r"(?<![a-z])(?:los[et]|lost|gain|drop|down|up by|less|more|change)"
    r"|减|瘦|胖|增|掉|降|升|轻了|重了",
    re.IGNORECASE,
)
_NO = (
    r"(?:(?<![A-Za-z])(?P<en>no|without)(?:\s+(?:any|new))?\s+"
    r"|(?<!有)(?P<zh>无|没有|未见|未出现|未发生|否认)(?:任何|明显|出现|发生)?\s*)"
)
_UNLESS = r"(?!\s*[吗么?]|\s*(?:,\s*)?(?:except|but(?![a-z])|besides|other than|除|但|只有))"
_IS = r"(?:(?:(?:is|was|are|were|of|a|an|了|过|有|为|是)(?![A-Za-z])){1,6}\s*)?"
_TRAILING = re.compile(r"(?:(?<!\s)\s+(?:and|with|but)|[和与及、])\s*$", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:[未没无不非]|没有|(?<![a-z])(?:no|not|never|without|n't|any|other)(?:\s+[a-z]+)?)\s*$",
    re.IGNORECASE,
)
# Small words alone, and times and persons, are no finding.
_HOLLOW = re.compile(
    r"\b(?:her|his|their|my|the|an?|visits?|it|to|be|been|this|that|today|yesterday|on|at|in|of|for"
    r"|and|is|was|has|have|p[0-9]{3})\b|[访视的了今昨天日月年在于]",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[?]|吗|么$|except|除|^(?:but|only|or)\b", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9]")
_UNIT = re.compile(r"\s{0,9}(?:[A-Za-z%]{1,40}|[\u3400-\u9fff])")
_NEAR = 80
"""So many characters beside a word are looked at for what belongs to it."""
_NONE = r"\s*(?:[:=]\s*)?(?:(?P<en>none|no|nil)|(?P<zh>无|没有))(?=\s*(?:[,.;。\n]|$))"


def field_names(field: Field) -> tuple[str, ...]:
    """The words that name a field: its cues, its label, its own name; longest first."""
    words = {*field.cues, field.label, field.name.replace("_", " ")} - {""}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def cue_pattern(words: Iterable[str]) -> str:
    """A pattern for any of the words; Latin words match whole, a plural `s` allowed."""
    forms = [
        rf"(?<![A-Za-z0-9]){re.escape(word)}s?(?![A-Za-z])" if word.isascii() else re.escape(word)
        for word in words
    ]
    return f"(?:{'|'.join(forms)})"


def find_mentions(text: str, field: Field, *, after: str = "") -> Iterator[re.Match[str]]:
    """Where the text names the field, each match including `after`."""
    return re.finditer(cue_pattern(field_names(field)) + after, text, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A stretch of a text, `text[start:end]`, and the values that it gives by field name.

    `cued`: words that name the field stand before the value.
    """

    start: int
    end: int
    values: Mapping[str, str]
    cued: bool = True


def find_pressures(text: str, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    """`120/80` as systolic and diastolic, when the form asks for both; cued ones first."""
    if {"systolic", "diastolic"} <= {f.name for f in fields}:
        for form in (_PRESSURE, _LONE_PRESSURE):
            for match in form.finditer(text):
                values = {"systolic": match["s"], "diastolic": match["d"]}
                yield ValueSpan(match.start(), _after_unit(text, match.end(), "mmhg"), values)


def find_values(text: str, field: Field, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    """Every value that the text gives for the field."""
    match field.type:
        case "integer" | "number":
            yield from _number_values(text, field)
            yield from _number_words(text, field)
            yield from _by_unit(text, field, fields)
        case "choice" | "boolean" | "entity":
            yield from _choice_values(text, field)
        case "text":
            yield from _text_values(text, field, fields)


def find_wrong_units(text: str, field: Field) -> Iterator[ValueSpan]:
    """Numbers for the field in another unit than its own."""
    for match in find_mentions(text, field, after=_LINK + _NUMBER + _ENDS):
        if not _unit_fits(text[match.end() : match.end() + _NEAR], field):
            word = _UNIT.match(text, match.end())
            end = word.end() if word else match.end()
            yield ValueSpan(match.start(), end, {field.name: "form.unit"})


def unit_words() -> tuple[str, ...]:
    """Every way a unit that is understood may be written."""
    return tuple(unit for units in _UNITS.values() for unit in units)


def states_number(text: str, words: Iterable[str]) -> bool:
    """The text gives a number for one of the words."""
    return bool(re.search(cue_pattern(words) + _LINK + _NUMBER, text, re.IGNORECASE))


def remove_values(text: str, words: Iterable[str]) -> str:
    """The text with what it states of these words cut out, such as `weight 70 kg`, `no AE`."""
    said, known = text.lower(), tuple(words)
    pressure, *named = _statements(known)
    forms = [pressure] if _DIGIT.search(said) else []
    if any(word.lower() in said for word in known):
        forms += named
    for form in forms:
        text = form.sub(" ", text)
    return text


@lru_cache(maxsize=256)
def _statements(words: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """The forms in which values of these words are stated."""
    named, units = cue_pattern(words), "|".join(u for known in _UNITS.values() for u in known)
    unit = rf"(?:\s*(?:{units})(?![A-Za-z]))?"
    forms = (
        _PRESSURE.pattern + unit,
        named + _LINK + _NUMBER + _ENDS + unit,
        _NO + named + _UNLESS,
        named + _NONE,
        named + r"\s*[:=]\s*[^,;。\n]+",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def bare_value(text: str, field: Field) -> str:
    """The text itself, when it is nothing but a value for the field; "" otherwise."""
    match field.type:
        case "integer" | "number":
            units = "|".join(map(re.escape, _spellings(field)))
            found = re.fullmatch(rf"{_NUMBER}\s*(?:{units})?[.。]?", text, re.IGNORECASE)
            return found["n"] if found else ""
        case "choice" | "boolean" | "entity":
            said = text.strip(" .。").lower()
            return next((o for o, names in _options(field) if said in map(str.lower, names)), "")
        case _:
            return ""


def _number_values(text: str, field: Field) -> Iterator[ValueSpan]:
    for match in find_mentions(text, field, after=_LINK + _NUMBER + _ENDS):
        if _unit_fits(text[match.end() : match.end() + _NEAR], field):
            end = _after_unit(text, match.end(), field.unit)
            yield ValueSpan(match.start(), end, {field.name: match["n"]})


def _number_words(text: str, field: Field) -> Iterator[ValueSpan]:
    for match in find_mentions(text, field, after=_LINK + NUMBER_WORD + _ENDS):
        number = parse_number_word(match["w"])
        if number is not None and _unit_fits(text[match.end() : match.end() + _NEAR], field):
            end = _after_unit(text, match.end(), field.unit)
            yield ValueSpan(match.start(), end, {field.name: str(number)})


def _by_unit(text: str, field: Field, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    """A number with the unit that only this field has; "lost 2 kg" is none."""
    shared = sum(f.unit.lower() == field.unit.lower() for f in fields) != 1
    if not field.unit or shared or _CHANGE.search(text):
        return
    units = "|".join(map(re.escape, _spellings(field)))
    form = rf"{_NUMBER}\s*(?:{units})(?![A-Za-z/])"
    for match in re.finditer(form, text, re.IGNORECASE):
        yield ValueSpan(match.start(), match.end(), {field.name: match["n"]}, cued=False)


def _after_unit(text: str, at: int, unit: str) -> int:
    """Where a value ends when its unit follows."""
    words = "|".join(map(re.escape, _UNITS.get(unit.lower(), (unit,)) if unit else ("分",)))
    match = re.compile(rf"\s{{0,9}}(?:{words})(?![A-Za-z])", re.IGNORECASE).match(text, at)
    return match.end() if match else at


def _unit_fits(rest: str, field: Field) -> bool:
    """Whether what follows a number is the field's unit, or none at all."""
    rest = rest.lstrip().lower()
    if any(_begins(rest, unit) for unit in _spellings(field)):
        return True
    known = {unit for units in _UNITS.values() for unit in units} | {*_OTHER_UNITS}
    return not any(_begins(rest, unit) for unit in known)


def _begins(rest: str, unit: str) -> bool:
    follows = rest[len(unit) : len(unit) + 1]
    return rest.startswith(unit) and not (
        unit.isascii() and follows.isascii() and follows.isalpha()
    )


def _spellings(field: Field) -> tuple[str, ...]:
    unit = field.unit.lower()
    return _UNITS.get(unit, (unit,) if unit else ())


def _choice_values(text: str, field: Field) -> Iterator[ValueSpan]:
    for option, names in _options(field):
        for match in find_mentions(text, field, after=_LINK + cue_pattern(names)):
            yield ValueSpan(match.start(), match.end(), {field.name: option})


def _options(field: Field) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each option of a field with all that people call it."""
    for option in options_of(field):
        yield option, tuple(dict.fromkeys((option, field.label_of(option, ""))))


def _text_values(text: str, field: Field, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    """That there is none; `label: words`; or what stands behind a cue, up to the clause's end."""
    cue = cue_pattern(field_names(field))
    for form in (_NO + cue + _UNLESS, cue + _NONE):
        for match in re.finditer(form, text, re.IGNORECASE):
            none = "none" if match["en"] else "无"
            yield ValueSpan(match.start(), match.end(), {field.name: none})
    others = cue_pattern(
        [w for f in fields if f.name != field.name for w in (*field_names(f), "bp")]
    )
    others = rf"(?:{others}|血压|blood pressure)"
    labelled = (r"\s*[:=]\s*(?=\S)", rf"[;。\n]|,\s*{others}|\.\s")
    value = rf"{others}{_LINK}[0-9]|\s(?:and|but)\s+{others}"
    behind = (rf"\s*{_IS}(?=[^\s:=])", rf"[,;。!?\n]|\.\s|\.$|{value}")
    # Whom a form is about is not guessed from the words behind its label.
    for after, stop in (labelled,) if field.identity else (labelled, behind):
        for start, begin, end in _stretches(text, cue + after, stop):
            given = text[begin:end]
            said = _TRAILING.sub("", given.rstrip(" .,;"))
            doubted = _DENIED.search(text[max(0, start - _NEAR) : start]) or _ASKED.search(given)
            if not doubted and any(c.isalpha() for c in _HOLLOW.sub("", said)):
                yield ValueSpan(start, end, {field.name: said})


def _stretches(text: str, head: str, stop: str) -> Iterator[tuple[int, int, int]]:
    """Where each `head` begins and ends, and where what stands behind it stops.

    In two steps: one pattern of both would look for the stop again and again at every space.
    """
    heads, stops = re.compile(head, re.IGNORECASE), re.compile(stop, re.IGNORECASE)
    end = 0
    while begun := heads.search(text, end):
        # At least one character stands behind it.
        stopped = stops.search(text, begun.end() + 1)
        end = stopped.start() if stopped else len(text)
        end = begun.end() + len(text[begun.end() : end].rstrip())
        yield begun.start(), begun.end(), end
