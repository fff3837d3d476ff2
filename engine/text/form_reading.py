"""What a free text says for the fields of a form, and what in it no field explains (promise 4)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from cards.model import Field
from engine.text.entities import day_spans, impossible_days
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.values import (
    ValueSpan,
    bare_value,
    cue_pattern,
    field_names,
    find_mentions,
    find_pressures,
    find_values,
    find_wrong_units,
    unit_words,
)

_LATIN = re.compile(r"[^\W\d_\u3400-\u9fff]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_NUMBER = re.compile(r"[0-9]+")
_FILLERS = frozenset(
    re.findall(
        r"\w+",
        "a an the of for to in on at with and my our his her their its it this that these is "
        "was are were be been has have he she they i we you me please pls kindly thanks much "
        "very thank ok okay yes so just now here s d ll m visit data value reading score "
        "result measured record recorded enter entered log set change changed update updated "
        "correct corrected correction make made put patient subject participant as well also "
        "then too hi hello hey could can would will like want need let us today form answer",
    )
)
_SMALL = re.compile(
    "受试者|患者|病人|访视|随访|数据|信息|测得|测量|结果|数值|分别|麻烦|谢谢|多谢|好的|一下|记录|录入"
    "|登记|填写|填报|改为|改成|更正|修改|更新|设为|日期|时间|当天|以及|另外|还有|然后|可以|可否|需要"
    "|现在|马上|您好|你好|评分|编号|本次|这次"
    "|[的了是为在和与及也都他她我您你它这那此次该测分请帮录填改设把将给就吧啊哦嗯呀值有能吗想要先到好]"
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
class FormReading:
    """Values by field name, as text in ISO or number form; the catalogue's key of what is wrong
    with a field; and the words that nothing explains, "" when the text is understood whole.
    """

    values: dict[str, str]
    faults: dict[str, str]
    left: str


def read_form(
    text: str,
    fields: Sequence[Field],
    today: date,
    *,
    entities: Entities = NO_ENTITIES,
    examples: Iterable[str] = (),
) -> FormReading:
    """What an answer to a form says. A date counts only in a clause that is understood whole.

    `examples` are texts whose words need no explanation, such as those that ask for the form.
    """
    plain, known = _normalize(text), make_vocabulary(fields, examples)
    found = _keep_sure(plain, _find_claims(plain, fields, today, entities), fields)
    dated = {f.name for f in fields if f.type == "date"}
    stray = [
        c
        for c in found
        if not c.cued
        and dated & set(c.values)
        and unexplained_text(_clause_at(_blank_out(plain, found), c.start), known)
    ]
    found = [c for c in found if c not in stray]
    values = {name: value for c in found for name, value in c.values.items()}
    if not values and (bare := _read_bare(plain, fields)):
        return FormReading(bare, {}, "")
    faulty = [c for c in _find_faulty(plain, fields) if not set(c.values) & set(values)]
    faults = {name: key for c in faulty for name, key in c.values.items()}
    rest = _blank_out(plain, [*found, *faulty])
    parts = [part for part in _CLAUSE_END.split(rest) if unexplained_text(part, known)]
    left = ", ".join(" ".join(part.split()).strip(" ,:;、") for part in parts)
    return FormReading(values, faults, left)


def read_values(
    text: str, fields: Sequence[Field], today: date, *, entities: Entities = NO_ENTITIES
) -> dict[str, str]:
    """The values that a text gives, whatever else it says.

    Cues, labels and units name a field; what could mean two things fills nothing. A bare value
    fills the one field that is still missing.
    """
    plain = _normalize(text)
    found = _keep_sure(plain, _find_claims(plain, fields, today, entities), fields)
    values = {name: value for c in found for name, value in c.values.items()}
    return values or _read_bare(plain, fields)


def _normalize(text: str) -> str:
    # A full-width comma lists; NFKC alone would make `70,120` of it.
    return unicodedata.normalize("NFKC", text.replace("，", "， ")).strip()


def _find_claims(
    text: str, fields: Sequence[Field], today: date, entities: Entities
) -> list[ValueSpan]:
    """What stretches of the text say, the surest kind first; no two of them overlap."""
    found: list[ValueSpan] = []
    texts = [f for f in fields if f.type == "text" and not kind_of_field(f, entities)]
    for claim in (
        *(c for f in texts for c in find_values(text, f, fields)),
        *find_pressures(text, fields),
        *_find_entities(text, fields, entities),
        *_find_days(text, fields, today),
        *(c for f in fields if f.type != "text" for c in find_values(text, f, fields)),
    ):
        if not any(c.start < claim.end and claim.start < c.end for c in found):
            found.append(claim)
    found += [
        c
        for c in _find_words(text, fields)
        if not any(set(c.values) & set(f.values) for f in found)
    ]
    return found


def _find_words(text: str, fields: Sequence[Field]) -> Iterator[ValueSpan]:
    """Words that are a field's value in themselves; the first of them is it."""
    for field in (f for f in fields if f.words):
        stood = list(re.finditer(cue_pattern(field.words), text, re.IGNORECASE))
        yield from (ValueSpan(m.start(), m.end(), {field.name: stood[0][0]}) for m in stood)


def kind_of_field(field: Field, entities: Entities) -> str:
    """Of which kind of entity a field's text names one; "" for none.

    Fields were once stored without their kind: whom a form is about is of the only kind there is.
    """
    kinds = {kind.name for kind in entities.kinds}
    if field.entity or not field.identity or len(kinds) != 1:
        return field.entity
    return kinds.pop()


def _find_entities(text: str, fields: Sequence[Field], entities: Entities) -> Iterator[ValueSpan]:
    """What the text names, for the one field that is of its kind, or whose cue stands before it."""
    asked = {f.name: kind for f in fields if (kind := kind_of_field(f, entities))}
    for match in entities.find(text) if asked else ():
        of_kind = [f for f in fields if asked.get(f.name) == match.kind]
        named = [f for f in of_kind if any(m.end() == match.start for m in _before_entity(text, f))]
        if len(named or of_kind) == 1:
            (field,) = named or of_kind
            yield ValueSpan(match.start, match.end, {field.name: match.id})


def _before_entity(text: str, field: Field) -> Iterator[re.Match[str]]:
    return find_mentions(text, field, after=r"\s*(?:is|was|to|=|:|为|是|改为|改成)?\s*")


def _find_days(text: str, fields: Sequence[Field], today: date) -> Iterator[ValueSpan]:
    """Days as values: those that a field's cue stands before, else the one date field's."""
    asked = [f for f in fields if f.type == "date"]
    for start, end, day in day_spans(text, today):
        named = [f for f in asked if any(m.end() == start for m in _before_day(text, f))]
        if named or len(asked) == 1:
            field = (named or asked)[0]
            yield ValueSpan(start, end, {field.name: day.isoformat()}, cued=bool(named))


def _before_day(text: str, field: Field) -> Iterator[re.Match[str]]:
    return find_mentions(text, field, after=r"\s*(?:is|was|to|=|:|on|为|是|在|改为|改成|改到)?\s*")


def _keep_sure(text: str, claims: list[ValueSpan], fields: Sequence[Field]) -> list[ValueSpan]:
    """Without what is said of another time, and without what contradicts itself."""
    claims = [c for c in claims if not _OLD.search(_clause_at(text, c.start))]
    for field in fields:
        mine = [c for c in claims if field.name in c.values]
        if field.type == "date" and any(c.cued for c in mine):
            claims = [c for c in claims if c not in mine or c.cued]
            mine = [c for c in mine if c.cued]
        if len({c.values[field.name] for c in mine}) > 1:
            claims = [c for c in claims if c not in mine]
    return claims


def _find_faulty(text: str, fields: Sequence[Field]) -> list[ValueSpan]:
    """Values that cannot be: in another unit, or on no day of the calendar."""
    dated = [f.name for f in fields if f.type == "date"]
    days = [ValueSpan(s, e, {dated[0]: "form.no_day"}) for s, e in impossible_days(text) if dated]
    units = [c for f in fields if f.unit for c in find_wrong_units(text, f)]
    return days + units


def _clause_at(text: str, at: int) -> str:
    """The clause around a place."""
    ends = [m.start() for m in _CLAUSE_END.finditer(text)]
    begin = max((end + 1 for end in ends if end < at), default=0)
    return text[begin : min((end for end in ends if end >= at), default=len(text))]


def _blank_out(text: str, claims: Sequence[ValueSpan]) -> str:
    for claim in claims:
        text = text[: claim.start] + " " * (claim.end - claim.start) + text[claim.end :]
    return text


def _read_bare(text: str, fields: Sequence[Field]) -> dict[str, str]:
    missing = [f for f in fields if f.required and not f.value]
    missing = missing or [f for f in fields if not f.value]
    if len(missing) != 1:
        return {}
    value = bare_value(text, missing[0])
    return {missing[0].name: value} if value else {}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words, and pairs of neighbouring Chinese characters, that need no explanation.

    So do `lone` characters that stand by themselves, as between a subject and a space.
    """

    words: frozenset[str]
    pairs: frozenset[str]
    lone: frozenset[str]
    phrases: re.Pattern[str]


def make_vocabulary(fields: Sequence[Field], examples: Iterable[str] = ()) -> Vocabulary:
    """The names of the fields, units, and all that stands in the examples."""
    named = [name.lower() for f in fields for name in (*field_names(f), *f.words)] + list(
        unit_words()
    )
    told = [*named, *(example.lower() for example in examples)]
    runs = [run for text in told for run in _CHINESE.findall(text)]
    pairs = {run[i : i + 2] for run in runs for i in range(len(run))}
    chinese = sorted((n for n in named if _CHINESE.search(n)), key=len, reverse=True)
    return Vocabulary(
        frozenset(word for text in told for word in _LATIN.findall(text)) | _FILLERS,
        frozenset(pair for pair in pairs if len(pair) == 2),
        frozenset(run for run in runs if len(run) == 1),
        re.compile("|".join(map(re.escape, chinese)) or r"(?!)"),
    )


def unexplained_text(text: str, known: Vocabulary) -> str:
    """What is left of a text that has been looked at; "" when only fillers are."""
    said = text.lower()
    words = [w for w in _LATIN.findall(said) if not {w, w.removesuffix("s")} & known.words]
    strange = "".join(
        _unexplained_chinese(run, known) for run in _CHINESE.findall(known.phrases.sub("", said))
    )
    return " ".join([*words, *filter(None, [strange]), *_NUMBER.findall(said)])


def _unexplained_chinese(run: str, known: Vocabulary) -> str:
    if run in known.lone:
        return ""
    rest = "".join(
        letter if not {run[max(0, i - 1) : i + 1], run[i : i + 2]} & known.pairs else " "
        for i, letter in enumerate(run)
    )
    return _SMALL.sub("", rest).replace(" ", "")
