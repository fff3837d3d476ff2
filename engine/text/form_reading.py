"""What a free text says for the fields of a form, and what in it no field explains (promise 4)."""

import dataclasses
import re
import unicodedata
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from cards.model import Field
from engine.text.claims.amounts import (
    bare_number,
    find_counts,
    find_numbers,
    find_pairs,
    find_wrong_units,
)
from engine.text.claims.corrections import lead_end, without_lead
from engine.text.claims.entities import find_entities, kind_of_field
from engine.text.claims.form_text import FormText, ValueSpan
from engine.text.claims.kinds import bare_typed, find_addresses, find_typed
from engine.text.claims.labels import in_own_labels
from engine.text.claims.only_field import core_of, only_value
from engine.text.claims.patterned import find_patterns
from engine.text.claims.rows import find_rows
from engine.text.claims.words import bare_option, find_options, find_texts
from engine.text.claims.yes_or_no import bare_answer, find_yes_or_no
from engine.text.entities import is_traditional, simplified
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.readers.days import valid_day
from engine.text.readers.lexer import GROUPING
from engine.text.values import cue_pattern, field_names
from engine.text.vocabulary import make_vocabulary, unexplained_text

# As of one of these pairs each day of the year is near, and in that year.
_WITHIN = (
    (date(2000, 1, 15), date(2000, 2, 24)),
    (date(2000, 7, 15), date(2000, 8, 24)),
)
_LATER = (3, 9)
"""As of these days of a month what is counted from a day, or a weekday, is another one."""
_DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")
_CLAUSE_END = re.compile(r"[;。!?\n]|,(?![0-9])|\.(?=\s|$)")
# What was true at another time is no answer to what is asked now.
_DAYS = ("date", "time")
_WORDS = ("text", "person", "file", "boolean")
_OLD = re.compile(
    r"上次|上一次|上回|前一次|之前|以前|先前|此前|原来|原先|从前"
    r"|\b(?:last [a-z]+|previous(?:ly)?|earlier|formerly|used to)\b"
    r"|(?<!day )\bbefore\b",
    re.IGNORECASE,
)


_KEPT: deque[
    tuple[
        Entities,
        tuple[str, date, tuple[Field, ...], tuple[str, ...]],
        tuple[list[ValueSpan], list[ValueSpan]],
    ]
] = deque(maxlen=16)
"""What was found in the last texts: a step and the one after it read the same message."""


@dataclass(frozen=True, slots=True)
class FormReading:
    """Values by field name, as text in ISO or number form; the catalogue's key of what is wrong
    with a field; and the words that nothing explains, "" when the text is understood whole.

    `words` are those that gave the values.
    """

    values: dict[str, str]
    faults: dict[str, str]
    left: str
    words: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundValues:
    """Values by field name, and the words of the text that gave each."""

    values: dict[str, str]
    words: dict[str, str]


def read_form(
    text: str,
    fields: Sequence[Field],
    today: date,
    *,
    entities: Entities = NO_ENTITIES,
    examples: Iterable[str] = (),
    request: Sequence[str] = (),
    year: int | None = None,
    month: date | None = None,
) -> FormReading:
    """What an answer to a form says. A date counts only in a clause that is understood whole.

    `examples` are texts whose words need no explanation, such as those that ask for the form, and
    `request` the words that ask for it. A day without a year is of `year`, where the form's
    question speaks of one, and one without a month of that which begins on `month`.
    """
    kept, only = tuple(examples), _only_empty(fields)

    def read_whole(words: str, as_of: date) -> FormReading:
        return _read_form(_form_text(words, fields, as_of, entities, request), kept)

    def read(as_of: date) -> FormReading:
        found = read_whole(text, as_of)
        core = core_of(text) if only and (found.left or not found.values) else ""
        if not core or core == text:
            return found
        again = read_whole(core, as_of)
        is_better = not again.left or not found.values
        return again if is_better and (again.values or again.faults) else found

    days = [field.name for field in fields if field.type == "date"]
    found = _in_year(read(today), days, year, read) if year and days else read(today)
    if not (found.values or found.faults):
        found = _read_correction(text, fields, today, entities) or found
    if month and days:
        found = _in_month(found, days, month, read)
        bare = only and only.type == "date" and not found.values and _DAY.fullmatch(core_of(text))
        day = valid_day(month.year, month.month, int(bare[1])) if bare else None
        return FormReading({only.name: day.isoformat()}, {}, "") if only and day else found
    return found


def _read_correction(
    text: str, fields: Sequence[Field], today: date, entities: Entities
) -> FormReading | None:
    """A value alone behind "no, it is …", for the one field that takes it, filled or not."""
    said = without_lead(text)
    if said == text:
        return None
    typed = [f.model_copy(update={"value": ""}) for f in fields if f.type not in _WORDS]
    read = (_read_form(_form_text(said, (each,), today, entities, ()), ()) for each in typed)
    found = [reading for reading in read if reading.values and not reading.left]
    return found[0] if len(found) == 1 else None


def _only_empty(fields: Sequence[Field]) -> Field | None:
    """The one field of a form that has no value; None for none, and for several."""
    empty = [field for field in fields if not field.value]
    return empty[0] if len(empty) == 1 else None


def _in_month(
    found: FormReading, days: Sequence[str], month: date, read: Callable[[date], FormReading]
) -> FormReading:
    """The reading with days of that month for those whose text has none.

    "The 14th" is the same day as of any before it; "Friday" and "tomorrow" are not.
    """
    first = read(month)
    for name in days:
        day = first.values.get(name, "")
        if not day.startswith(f"{month:%Y-%m}-"):
            continue
        later = (read(month.replace(day=n)).values.get(name, day) for n in _LATER)
        if {*later} == {day}:
            faults = {n: fault for n, fault in found.faults.items() if n != name}
            words = {**found.words, name: first.words.get(name, "")}
            found = FormReading({**found.values, name: day}, faults, first.left, words)
    return found


def _in_year(
    found: FormReading, days: Sequence[str], year: int, read: Callable[[date], FormReading]
) -> FormReading:
    """The reading with days of that year for those whose text has none."""
    for pair in _WITHIN:
        first, second = (read(as_of.replace(year=year)) for as_of in pair)
        for name in days:
            day = first.values.get(name, "")
            # What is counted from a day, or lies in a month, is another day as of another one.
            if day and day == second.values.get(name) and day.startswith(f"{year}-"):
                faults = {n: fault for n, fault in found.faults.items() if n != name}
                words = {**found.words, name: first.words.get(name, "")}
                found = FormReading({**found.values, name: day}, faults, first.left, words)
    return found


def _read_form(said: FormText, examples: Iterable[str]) -> FormReading:
    known = make_vocabulary(said.fields, examples)
    found, faulty = _find_sure(said)
    loose = {f.name for f in said.fields if f.type in ("date", "time")}
    stray = [
        c
        for c in found
        if not c.cued
        and loose & set(c.values)
        and unexplained_text(_clause_at(_blank_out(said.text, found), c.start), known)
    ]
    found = [c for c in found if c not in stray]
    values = _values(found, said)
    if not values and (bare := _read_bare(said)):
        words = dict.fromkeys(bare, said.as_written(said.text))
        return FormReading(bare, {}, "", words)
    faulty = [c for c in faulty if not set(c.values) & set(values)]
    # A value ends a stretch too: nobody wrote what stands before and behind it as one.
    rest = _blank_out(said.text, [*found, *faulty], "\n")
    parts = [part for part in _CLAUSE_END.split(rest) if unexplained_text(part, known)]
    left = ", ".join(" ".join(said.as_written(part).split()).strip(" ,:;、") for part in parts)
    return FormReading(values, _values(faulty, said), left, _words(said, found))


def read_values(
    text: str, fields: Sequence[Field], today: date, *, entities: Entities = NO_ENTITIES
) -> dict[str, str]:
    """The values that `find_values` finds."""
    return find_values(text, fields, today, entities=entities).values


def find_values(
    text: str,
    fields: Sequence[Field],
    today: date,
    *,
    entities: Entities = NO_ENTITIES,
    request: Sequence[str] = (),
) -> FoundValues:
    """The values that a text gives, and by which words, whatever else it says.

    `request` are the words that ask for the form. Cues, labels and units name a field; what could
    mean two things fills nothing. A bare value fills the one field that is still missing.
    """
    if not fields:
        return FoundValues({}, {})
    said = _form_text(text, fields, today, entities, request)
    found, _ = _find_sure(said)
    if values := _values(found, said):
        return FoundValues(values, _words(said, found))
    bare = _read_bare(said)
    words = dict.fromkeys(bare, said.as_written(said.text))
    return FoundValues(bare, words)


def _words(said: FormText, claims: Iterable[ValueSpan]) -> dict[str, str]:
    """The stretch of the text for each value; of a list from its first row to the last."""
    text, begins = said.written or said.text, dict[str, int]()
    listed = {each.name for each in said.fields if each.columns}
    words: dict[str, str] = {}
    for claim in sorted(claims, key=lambda each: each.start):
        for name in claim.values:
            first = begins.setdefault(name, claim.start) if name in listed else claim.start
            words[name] = text[first : claim.end]
    return words


def _values(claims: Iterable[ValueSpan], said: FormText) -> dict[str, str]:
    """The values by field name, texts among them in the letters that the person wrote."""
    texts = {field.name for field in said.fields if _is_text(said, field)}
    return {
        name: said.as_written(value, claim.start) if name in texts else value
        for claim in claims
        for name, value in claim.values.items()
    }


def _form_text(
    text: str,
    fields: Sequence[Field],
    today: date,
    entities: Entities,
    request: Sequence[str],
) -> FormText:
    """The text as it is read: in simplified Chinese, unless the form itself is in traditional."""
    written = _normalize(text, fields)
    read = simplified(written)
    if read == written or any(is_traditional(word) for f in fields for word in _texts_of(f)):
        return FormText(written, fields, today, entities, request=tuple(request))
    return FormText(read, fields, today, entities, written, tuple(request))


def _texts_of(field: Field) -> Iterator[str]:
    """The words of the form itself that name a field, and what it takes."""
    yield from (*field_names(field), *field.options, *field.words)
    yield from (*field.labels.values(), *field.option_names)


def _normalize(text: str, fields: Sequence[Field]) -> str:
    # A full-width comma lists; NFKC alone would make `70,120` of it. Among wide digits it groups.
    parted = GROUPING.sub(",", text).replace("，", "， ")
    said = unicodedata.normalize("NFKC", parted).strip()
    return in_own_labels(said[lead_end(simplified(said)) :], fields).strip()


def _find_sure(said: FormText) -> tuple[list[ValueSpan], list[ValueSpan]]:
    """What the text surely says, and what in it is wrong."""
    # What a field holds already says nothing of what a text says for it.
    asked = tuple(f.model_copy(update={"value": ""}) if f.value else f for f in said.fields)
    reading = (said.written or said.text, said.today, asked, said.request)
    for entities, kept, found in _KEPT:
        if entities is said.entities and kept == reading:
            return list(found[0]), list(found[1])
    found = _find_anew(said)
    _KEPT.append((said.entities, reading, found))
    return list(found[0]), list(found[1])


def _find_anew(said: FormText) -> tuple[list[ValueSpan], list[ValueSpan]]:
    claims = [c for c in _find_claims(said) if c.faulty or not _is_either(said, c)]
    sure = _keep_sure(said.text, [c for c in claims if not c.faulty], said.fields)
    wrong = [c for f in said.fields if f.unit for c in find_wrong_units(said, f)]
    return sure, [*(c for c in claims if c.faulty), *wrong]


def _find_claims(said: FormText) -> list[ValueSpan]:
    """What stretches of the text say, the surest kind first; no two of them overlap."""
    # A list whose cells stand apart by bars is typed as its form says.
    listed = [f for f in said.fields if f.columns and "|" not in said.text]
    found: list[ValueSpan] = []
    for claim in (
        *find_addresses(said),
        *(c for f in said.fields if f not in listed for c in _find_texts(said, f)),
        *find_pairs(said),
        *find_entities(said),
        *find_patterns(said),
        *find_typed(said),
    ):
        _add(found, claim)
    rows = [c for f in listed[:1] if len(listed) == 1 for c in find_rows(said, f, tuple(found))]
    for claim in (
        *rows,
        *(c for f in listed if not rows for c in _find_texts(said, f)),
        *(c for f in said.fields for c in _find_by_type(said, f)),
    ):
        _add(found, claim)
    counts = (
        c for c in find_counts(said) if not any(f.start < c.end and c.start < f.end for f in found)
    )
    found += [
        c
        for c in (*counts, *_find_words(said.text, said.fields))
        if not any(set(c.values) & set(f.values) for f in found)
    ]
    return found


def _add(found: list[ValueSpan], claim: ValueSpan) -> None:
    if not any(c.start < claim.end and claim.start < c.end for c in found):
        found.append(claim)


def _find_texts(said: FormText, field: Field) -> Iterator[ValueSpan]:
    return find_texts(said, field) if _is_text(said, field) else iter(())


def _is_either(said: FormText, claim: ValueSpan) -> bool:
    """Whether the claim is one of two days or times to choose from: `until Friday or Monday`."""
    firsts, seconds = said.alternatives
    if not firsts or not all(f.type in _DAYS for f in said.fields if f.name in claim.values):
        return False
    at = bisect_left(seconds, claim.start)
    return claim.end in firsts or (at < len(seconds) and seconds[at] < claim.end)


def _is_text(said: FormText, field: Field) -> bool:
    """Whether the field takes words as they stand, and no entity."""
    return field.type in ("text", "person") and not kind_of_field(field, said.entities)


def _find_by_type(said: FormText, field: Field) -> Iterator[ValueSpan]:
    match field.type:
        case "integer" | "number":
            yield from find_numbers(said, field)
        case "choice" | "entity":
            yield from find_options(said, field)
        case "boolean":
            yield from find_yes_or_no(said, field)


def _find_words(text: str, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    """Words that are a field's value in themselves; the first of them is it."""
    for field in (f for f in fields if f.words):
        stood = list(re.finditer(cue_pattern(field.words), text, re.IGNORECASE))
        yield from (ValueSpan(m.start(), m.end(), {field.name: stood[0][0]}) for m in stood)


def _keep_sure(text: str, claims: list[ValueSpan], fields: Sequence[Field]) -> list[ValueSpan]:
    """Without what is said of another time, and without what contradicts itself."""
    names = " ".join(name.lower() for field in fields for name in field_names(field))
    # "last Friday" is no other time where it is the day that is asked for.
    dated = {field.name for field in fields if field.type == "date"}
    days = [c for c in claims if dated & c.values.keys()]
    told = _blank_out(text, days)
    claims = [
        c for c in claims if not _is_old(_clause_at(told if c in days else text, c.start), names)
    ]
    for field in fields:
        mine = [c for c in claims if field.name in c.values]
        if (field.type == "date" or field.pattern) and any(c.cued for c in mine):
            claims = [c for c in claims if c not in mine or c.cued]
            mine = [c for c in mine if c.cued]
        if len({c.values[field.name] for c in mine}) > 1:
            claims = [c for c in claims if c not in mine]
    return claims


def _is_old(clause: str, names: str) -> bool:
    """Whether it tells of another time; the last day is none where a field is named so."""
    return any(match[0].lower() not in names for match in _OLD.finditer(clause))


def _clause_at(text: str, at: int) -> str:
    """The clause around a place."""
    ends = [m.start() for m in _CLAUSE_END.finditer(text)]
    begin = max((end + 1 for end in ends if end < at), default=0)
    return text[begin : min((end for end in ends if end >= at), default=len(text))]


def _blank_out(text: str, claims: Sequence[ValueSpan], blank: str = " ") -> str:
    for claim in claims:
        text = text[: claim.start] + blank * (claim.end - claim.start) + text[claim.end :]
    return text


def _read_bare(said: FormText) -> dict[str, str]:
    """The value that the whole text is: an option of one field, or for the one that is missing."""
    chosen = {f.name: v for f in said.fields if (v := _bare_choice(said, f))}
    if len(chosen) == 1:
        return chosen
    missing = [f for f in said.fields if f.required and not f.value]
    missing = missing or [f for f in said.fields if not f.value]
    if len(missing) != 1:
        counted = [f for f in missing if f.type not in ("text", "choice", "boolean")]
        missing = counted if [f.type for f in counted] == ["integer"] else []
    if not missing:
        return {}
    value = _bare_value(said, missing[0])
    is_alone = missing[0].type == "boolean" or _only_empty(said.fields) == missing[0]
    if not value and is_alone:
        value = only_value(said, missing[0])
    return {missing[0].name: value} if value else {}


def _bare_choice(said: FormText, field: Field) -> str:
    """The option that the text is; none where it answers a yes-or-no field as well."""
    if field.type != "choice":
        return ""
    asked = any(f.type == "boolean" for f in said.fields)
    return "" if asked and bare_answer(said.text) else bare_option(said.text, field)


def _bare_value(said: FormText, field: Field) -> str:
    match field.type:
        case "integer" | "number":
            return bare_number(said, field)
        case "choice" | "entity":
            return bare_option(said.text, field)
        case "boolean":
            return bare_answer(said.text)
        case _:
            return bare_typed(said, field)
