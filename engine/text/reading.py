"""What a free text says for the fields of a form, and what in it no field explains (promise 4)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from cards.model import Field
from engine.text.entities import day_spans, impossible_days, subject_spans
from engine.text.leftover import unexplained, vocabulary
from engine.text.values import (
    ValueSpan,
    bare_value,
    cue_pattern,
    mentions,
    pressures,
    said_values,
    wrong_units,
)

_CLAUSE_END = re.compile(r"[;。!?\n]|,(?![0-9])|\.(?=\s|$)")
# What was true at another time is no answer to what is asked now.
_OLD = re.compile(
    r"上次|上一次|上回|前一次|之前|以前|先前|此前|原来|原先|从前"
    r"|\b(?:last (?:time|visit|week|month)|previous(?:ly)?|earlier|formerly|used to)\b"
    r"|(?<!day )\bbefore\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """Values by field name, as text in ISO or number form; the catalogue's key of what is wrong
    with a field; and the words that nothing explains, "" when the text is understood whole.
    """

    values: dict[str, str]
    faults: dict[str, str]
    left: str


def read_form(
    text: str, fields: Sequence[Field], today: date, *, examples: Iterable[str] = ()
) -> Reading:
    """What an answer to a form says. A date counts only in a clause that is understood whole.

    `examples` are texts whose words need no explanation, such as those that ask for the form.
    """
    plain, known = _plain(text), vocabulary(fields, examples)
    found = _sure(plain, _claims(plain, fields, today), fields)
    dated = {f.name for f in fields if f.type == "date"}
    stray = [
        c
        for c in found
        if not c.cued
        and dated & set(c.values)
        and unexplained(_clause(_blanked(plain, found), c.start), known)
    ]
    found = [c for c in found if c not in stray]
    values = {name: value for c in found for name, value in c.values.items()}
    if not values and (bare := _bare(plain, fields)):
        return Reading(bare, {}, "")
    faulty = [c for c in _faulty(plain, fields) if not set(c.values) & set(values)]
    faults = {name: key for c in faulty for name, key in c.values.items()}
    rest = _blanked(plain, [*found, *faulty])
    parts = [part for part in _CLAUSE_END.split(rest) if unexplained(part, known)]
    left = ", ".join(" ".join(part.split()).strip(" ,:;、") for part in parts)
    return Reading(values, faults, left)


def field_values(text: str, fields: Sequence[Field], today: date) -> dict[str, str]:
    """The values that a text gives, whatever else it says.

    Cues, labels and units name a field; what could mean two things fills nothing. A bare value
    fills the one field that is still missing.
    """
    plain = _plain(text)
    found = _sure(plain, _claims(plain, fields, today), fields)
    values = {name: value for c in found for name, value in c.values.items()}
    return values or _bare(plain, fields)


def _plain(text: str) -> str:
    # A full-width comma lists; NFKC alone would make `70,120` of it.
    return unicodedata.normalize("NFKC", text.replace("，", "， ")).strip()


def _claims(text: str, fields: Sequence[Field], today: date) -> list[ValueSpan]:
    """What stretches of the text say, the surest kind first; no two of them overlap."""
    found: list[ValueSpan] = []
    for claim in (
        *(c for f in fields if f.type == "text" for c in said_values(text, f, fields)),
        *pressures(text, fields),
        *_subjects(text, fields),
        *_days(text, fields, today),
        *(c for f in fields if f.type != "text" for c in said_values(text, f, fields)),
    ):
        if not any(c.start < claim.end and claim.start < c.end for c in found):
            found.append(claim)
    found += [
        c for c in _worded(text, fields) if not any(set(c.values) & set(f.values) for f in found)
    ]
    return found


def _worded(text: str, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    """Words that are a field's value in themselves; the first of them is it."""
    for field in (f for f in fields if f.words):
        stood = list(re.finditer(cue_pattern(field.words), text, re.IGNORECASE))
        yield from (ValueSpan(m.start(), m.end(), {field.name: stood[0][0]}) for m in stood)


def _subjects(text: str, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    if any(f.name == "subject_id" for f in fields):
        for start, end, who in subject_spans(text):
            yield ValueSpan(start, end, {"subject_id": who})


def _days(text: str, fields: Sequence[Field], today: date) -> Iterator[ValueSpan]:
    """Days as values: those that a field's cue stands before, else the one date field's."""
    asked = [f for f in fields if f.type == "date"]
    for start, end, day in day_spans(text, today):
        named = [f for f in asked if any(m.end() == start for m in _before_day(text, f))]
        if named or len(asked) == 1:
            field = (named or asked)[0]
            yield ValueSpan(start, end, {field.name: day.isoformat()}, cued=bool(named))


def _before_day(text: str, field: Field) -> Iterator[re.Match[str]]:
    return mentions(text, field, after=r"\s*(?:is|was|to|=|:|on|为|是|在|改为|改成|改到)?\s*")


def _sure(text: str, claims: list[ValueSpan], fields: Sequence[Field]) -> list[ValueSpan]:
    """Without what is said of another time, and without what contradicts itself."""
    claims = [c for c in claims if not _OLD.search(_clause(text, c.start))]
    for field in fields:
        mine = [c for c in claims if field.name in c.values]
        if field.type == "date" and any(c.cued for c in mine):
            claims = [c for c in claims if c not in mine or c.cued]
            mine = [c for c in mine if c.cued]
        if len({c.values[field.name] for c in mine}) > 1:
            claims = [c for c in claims if c not in mine]
    return claims


def _faulty(text: str, fields: Sequence[Field]) -> list[ValueSpan]:
    """Values that cannot be: in another unit, or on no day of the calendar."""
    dated = [f.name for f in fields if f.type == "date"]
    days = [ValueSpan(s, e, {dated[0]: "form.no_day"}) for s, e in impossible_days(text) if dated]
    units = [c for f in fields if f.unit for c in wrong_units(text, f)]
    return days + units


def _clause(text: str, at: int) -> str:
    """The clause around a place."""
    ends = [m.start() for m in _CLAUSE_END.finditer(text)]
    begin = max((end + 1 for end in ends if end < at), default=0)
    return text[begin : min((end for end in ends if end >= at), default=len(text))]


def _blanked(text: str, claims: Sequence[ValueSpan]) -> str:
    for claim in claims:
        text = text[: claim.start] + " " * (claim.end - claim.start) + text[claim.end :]
    return text


def _bare(text: str, fields: Sequence[Field]) -> dict[str, str]:
    missing = [f for f in fields if f.required and not f.value]
    missing = missing or [f for f in fields if not f.value]
    if len(missing) != 1:
        return {}
    value = bare_value(text, missing[0])
    return {missing[0].name: value} if value else {}
