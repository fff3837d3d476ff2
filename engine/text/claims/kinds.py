"""Money, days and times for the fields of those types; addresses and files by their form."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from cards.model import Field
from cards.values import TODAY
from engine.text.claims.choosing import choose, text_of
from engine.text.claims.form_text import NEAR, TWO_WAYS, FormText, ValueSpan
from engine.text.readers.reading import Reading, ReadingKind
from engine.text.readers.words import HAN_WEEKDAYS, WEEKDAYS
from engine.text.values import LIMIT

_MORNING, _NOON, _LAST_HOUR = 6, 12, 23
_FROM = r"(?:\b(?:from|between)\s{1,3}|[从自]\s?)"
_TO = r"\s?(?:to|till|until|and|[-–~到至])\s?"
_FROM_TO = re.compile(
    rf"{_FROM}(?P<one>[0-9]{{1,2}}){_TO}"
    r"(?P<other>[0-9]{1,2})(?=\s{0,3}(?:$|[,;.!?。\n]|(?:on|tomorrow|today|next|this|please|for|in|at)\b|[用订约]))",
    re.IGNORECASE,
)
_TO_MINUTES = re.compile(
    rf"{_FROM}(?:(?P<one>[0-9]{{1,2}}){_TO}(?P<other>[0-9]{{1,2}}):(?P<end>[0-5][0-9])"
    rf"|(?P<first>[0-9]{{1,2}}):(?P<begin>[0-5][0-9]){_TO}(?P<last>[0-9]{{1,2}}))"
    r"(?![0-9:]|\s{0,3}(?:[ap]\.?m\b|o'clock))",
    re.IGNORECASE,
)
"""Hours of which one alone has its minutes: from 9 to 10:30."""
_UNTIL = re.compile(r"(?:\b(?:until|till|to|by|before)|[到至])\s{0,3}$", re.IGNORECASE)
_KINDS: tuple[ReadingKind, ...] = ("money", "date", "time")
_WRITTEN = {
    "email": re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,200}"),
    "url": re.compile(r"https?://[A-Za-z0-9.\-_~:/?#\[\]@!$&'()*+,;=%]{1,500}"),
    "file": re.compile(
        r"(?<![^\s,;:])[^\s,;:、。「」《》\"'<>|/\\]{1,100}"
        r"\.(?:txt|md|csv|tsv|json|pdf|docx|xlsx|png|jpe?g|gif|webp)\b",
        re.IGNORECASE,
    ),
}


def find_typed(said: FormText) -> Iterator[ValueSpan]:
    """Values of these kinds: for the field that is named beside them, else for the only one.

    Where two fields could take it and none is named, none does.
    """
    yield from _hours_with_minutes(said)
    for reading in said.of_kind(*_KINDS):
        asked = [f for f in said.fields if f.type == reading.kind]
        if chosen := _field_for(said, asked, reading.start, reading.end):
            yield _claim(said, chosen[0], reading, cued=chosen[1])
    yield from _bare_amounts(said)
    yield from _ranges(said)
    yield from _hours(said)


def _field_for(
    said: FormText, asked: list[Field], start: int, end: int
) -> tuple[Field, bool] | None:
    named = [f for f in asked if said.is_named(said.own_names(f), start, end)]
    before = said.text[max(0, start - NEAR) : start]
    if not named and len(asked) == 2 and not _UNTIL.search(before):
        asked = _needed_alone(asked)
    if len(named or asked) != 1:
        return None
    if not named and (_is_for_number(said, start) or LIMIT.search(before)):
        return None
    return (named or asked)[0], bool(named)


def _needed_alone(asked: list[Field]) -> list[Field]:
    """Of two that are a pair, of which the second may stay empty, the first; else both."""
    first = [f for f in asked if any(f.pair_with == other.name for other in asked)]
    second = [f for f in asked if f not in first]
    is_alone = len(first) == len(second) == 1 and first[0].required and not second[0].required
    return first if is_alone else asked


def _is_for_number(said: FormText, start: int) -> bool:
    """Whether a field for a number is named right before: 2 weeks ago is none of its."""
    counted = [f for f in said.fields if f.type in ("integer", "number")]
    return any(m.end() == start for f in counted for m in said.mentions(said.own_names(f)))


def _days_taken(said: FormText, field: Field, reading: Reading) -> Sequence[Any]:
    """The values of the reading; a weekday alone is the last one where no later day is taken.

    块 is of the only currency that the field takes.
    """
    if field.type == "money" and len(field.currencies) == 1:
        return _in_currency(said, field.currencies[0], reading)
    name = said.text[reading.start : reading.end].lower()
    weekday = WEEKDAYS.get(name, HAN_WEEKDAYS.get(name))
    if field.type != "date" or weekday is None:
        return reading.values
    if field.maximum == TODAY:
        return [(said.today - timedelta(days=(said.today.weekday() - weekday) % 7)).isoformat()]
    since = said.today.isoformat() if field.minimum == TODAY else ""
    return [day for day in reading.values if str(day) >= since]


def _in_currency(said: FormText, currency: str, reading: Reading) -> Sequence[Any]:
    if "块" not in said.text[reading.start : reading.end]:
        return reading.values
    return [{**v, "currency": currency} for v in reading.values if isinstance(v, dict)]


def _claim(said: FormText, field: Field, reading: Reading, *, cued: bool) -> ValueSpan:
    if not reading.values:
        fault = {field.name: "form.no_day"}
        return ValueSpan(reading.start, reading.end, fault, cued, faulty=True)
    value = choose(_days_taken(said, field, reading), field)
    if value is None:
        fault = {field.name: TWO_WAYS}
        return ValueSpan(reading.start, reading.end, fault, cued, faulty=True)
    return ValueSpan(reading.start, reading.end, {field.name: text_of(value)}, cued)


def _bare_amounts(said: FormText) -> Iterator[ValueSpan]:
    """A number behind the cue of a field that is in one currency."""
    for field in said.fields:
        if field.type != "money" or len(field.currencies) != 1:
            continue
        for match in said.mentions(said.own_names(field)):
            reading = said.reading_at(match.end())
            if reading is None or reading.kind != "number" or reading.weak:
                continue
            values = [{"value": v, "currency": field.currencies[0]} for v in reading.values]
            value = choose(values, field)
            if value is not None:
                yield ValueSpan(match.start(), reading.end, {field.name: text_of(value)})


def _ranges(said: FormText) -> Iterator[ValueSpan]:
    """From one day, or time, to another, for two fields of which one is paired with the other."""
    asked = {f.name: f for f in said.fields if f.type in ("date", "time")}
    pairs = [(f, asked[f.pair_with]) for f in asked.values() if f.pair_with in asked]
    for reading in said.of_kind("range") if pairs else ():
        kind = _kind_of_ends(reading)
        fitting = [(one, other) for one, other in pairs if one.type == other.type == kind]
        if len(fitting) != 1:
            continue
        first, last = fitting[0]
        value = _as_written(reading)
        if value is None:
            fault = {first.name: TWO_WAYS, last.name: TWO_WAYS}
            yield ValueSpan(reading.start, reading.end, fault, faulty=True)
        elif isinstance(value, dict):
            values = {first.name: text_of(value["from"]), last.name: text_of(value["to"])}
            yield ValueSpan(reading.start, reading.end, values)


def _as_written(reading: Reading) -> object:
    """The one value of a range; hours up to noon are as they are written, as `_hours` takes them.

    None where several are left.
    """
    if len(reading.values) == 1:
        return reading.values[0]
    since, until = f"{_MORNING:02}:00", f"{_NOON:02}:00"
    written = (v for v in reading.values if isinstance(v, dict))
    return next((v for v in written if since <= str(v["from"]) < str(v["to"]) <= until), None)


def _hours(said: FormText) -> Iterator[ValueSpan]:
    """`from 9 to 11` for the only two fields of a time, where no other field takes a number.

    Before six it may as well be the afternoon.
    """
    times = {f.name: f for f in said.fields if f.type == "time"}
    pairs = [(f, times[f.pair_with]) for f in times.values() if f.pair_with in times]
    others = any(f.pair_with and f.type != "time" for f in said.fields)
    dates = [r for r in said.readings if r.kind in ("date", "range", "duration") and not r.weak]
    for match in _FROM_TO.finditer(said.text) if len(pairs) == 1 and not others else ():
        if any(r.start < match.end() and match.start("one") < r.end for r in dates):
            continue
        one, other = int(match["one"]), int(match["other"])
        first, last = pairs[0]
        names = (first.name, last.name)
        if one >= other or other > _LAST_HOUR:
            continue
        if one < _MORNING and other <= _NOON:
            yield ValueSpan(*match.span(), dict.fromkeys(names, TWO_WAYS), faulty=True)
        else:
            values = (f"{one:02}:00", f"{other:02}:00")
            yield ValueSpan(*match.span(), dict(zip(names, values, strict=True)))


def _hours_with_minutes(said: FormText) -> Iterator[ValueSpan]:
    """`from 9 to 10:30` for the only two fields of a time."""
    times = {f.name: f for f in said.fields if f.type == "time"}
    pairs = [(f, times[f.pair_with]) for f in times.values() if f.pair_with in times]
    for match in _TO_MINUTES.finditer(said.text) if len(pairs) == 1 else ():
        one, other = int(match["one"] or match["first"]), int(match["other"] or match["last"])
        if not _MORNING <= one <= other <= _LAST_HOUR:
            continue
        begin, end = f"{one:02}:{match['begin'] or '00'}", f"{other:02}:{match['end'] or '00'}"
        if begin < end:
            yield ValueSpan(*match.span(), {pairs[0][0].name: begin, pairs[0][1].name: end})


def _kind_of_ends(reading: Reading) -> str:
    value = reading.values[0]
    first = value["from"] if isinstance(value, dict) else ""
    if not isinstance(first, str):
        return "number"
    return "time" if ":" in first else "date"


def find_addresses(said: FormText) -> Iterator[ValueSpan]:
    """E-mail addresses, those of pages, and names of files."""
    for kind, form in _WRITTEN.items():
        asked = [f for f in said.fields if f.type == kind]
        for match in form.finditer(said.text) if asked else ():
            address = match[0].rstrip(".,;:!?'")
            end = match.start() + len(address)
            if chosen := _field_for(said, asked, match.start(), end):
                yield ValueSpan(match.start(), end, {chosen[0].name: address})


def bare_typed(said: FormText, field: Field) -> str:
    """The value that the text is nothing but; "" otherwise."""
    if field.type in _WRITTEN:
        match = _WRITTEN[field.type].fullmatch(said.text.strip())
        return match[0] if match else ""
    reading = said.reading_at(0)
    alone = reading is not None and not said.text[reading.end :].strip(" .。")
    if reading is None or not alone or reading.kind != field.type or not reading.values:
        return ""
    value = choose(_days_taken(said, field, reading), field)
    return "" if value is None else text_of(value)
