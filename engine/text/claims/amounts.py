"""Numbers for fields: behind a cue, by a unit, or as one of a pair."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from cards.model import Field
from engine.text.claims.choosing import choose, text_of
from engine.text.claims.entities import find_entities
from engine.text.claims.form_text import NEAR, TWO_WAYS, FormText, ValueSpan
from engine.text.readers.durations import amount_in
from engine.text.readers.reading import Reading
from engine.text.values import (
    DENIED,
    LIMIT,
    NOT_ENDED,
    UNITS,
    begins_with_unit,
    cue_pattern,
    field_names,
    is_other_unit,
    is_percent,
)

_UNIT = re.compile(r"\s{0,9}(?:[A-Za-z%]{1,40}|[\u3400-\u9fff])")
_GLUED = re.compile(r"[A-Za-z0-9]|折(?!扣)")
_CHANGE = re.compile(
    r"(?<![a-z])(?:los[et]|lost|gain|drop|down|up by|less|more|change)"
    r"|减|瘦|胖|增|掉|降|升|轻了|重了",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:how many|number of|count|quantity|copies|pieces)\b"
    r"|几|多少|数量|[个件份人把次张本台套]数",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"[a-z](?<!s)s$")
_MEASURE = "把个名位件份张本支台套只条箱袋瓶块盒辆间人"
_COUNTED = re.compile(
    rf"\s?[{_MEASURE}]|\s[a-z-]{{2,30}}s\b|(?=(?:\s[a-z-]{{1,30}}){{0,2}}\s[a-z-]{{2,30}}s\b)",
    re.IGNORECASE,
)
_LEADS_COUNT = re.compile(
    r"(?:(?m:^)|[,;:.!?。、]|(?<![a-z])(?:need|want|have|make|made|get|order|and|please|just|only|for|like)"
    r"|(?-i:[\u3400-\u9fff]))\s{0,3}$",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"(?:(?m:^)|[,;:.!?。、]|(?<![a-z])(?:need|want|have|make|get|order|buy|take|use|send|bring|add|and"
    r"|please|just|only|for|like|me|us)|[要订购买领取换用加送给和]{1,4})\s{0,3}$",
    re.IGNORECASE,
)
"""What stands before the number of things that are wanted."""
_PERCENT = re.compile(r"\s{0,3}(?:[%％]|per\s?cent(?![a-z]))$|^百分之", re.IGNORECASE)
_TO = re.compile(r"\s(?:to|until|till|through)\s", re.IGNORECASE)
_RANGE_BEGUN = re.compile(r"(?:[0-9%]|cent)\s{0,3}(?:to|or|[-–—~至到或])\s{0,3}$", re.IGNORECASE)
_LEFT = (
    r"(?:[1-9](?:\.[0-9])?|[2-9][0-9]|1[1-9]"
    r"|[一二三四五六七八九][一二三四五六七八九]?|[1-9一二三四五六七八九]点[1-9一二三四五六七八九])"
)
_OFF = re.compile(
    rf"打\s?(?P<n>{_LEFT})\s?折(?!扣)"
    rf"|(?<![0-9.点十百一二三四五六七八九])(?P<own>{_LEFT})\s?折(?=优惠|[的吧]|[\s,.;:!?、]|$)"
)
"""What of a price is left: 九折 is a tenth off, 八五折 fifteen of a hundred."""
_TOLD_ON = re.compile(
    r",?\s(?:or\s[0-9]|(?:instead of|rather than|were|was|had)(?![a-z]))", re.IGNORECASE
)
"""Behind the things that a number counts: another number, or what became of them."""
_DIGITS = str.maketrans("一二三四五六七八九", "123456789", ".点")
_NOT_OFF = re.compile(
    r"(?:[不别勿没未非]|不是|不要|如果|要是|若|大约|大概|约|差不多|[去前]年[^，。；,;]{0,8}"
    r"|[0-9一二三四五六七八九]\s?[到至或、~–—-]"
    r"|(?<![a-z])(?:not|around|about|roughly|approximately|some|max\.?)|n't)\s?$",
    re.IGNORECASE,
)
_OR_SO = re.compile(
    r"\s?(?:左右|上下|以[内上下]|起|或|的话|[到至~–—-]\s?[0-9一二三四五六七八九十百]|[吗么?？])"
)
"""What is denied, a guess, one end of a range or of another time is nobody's number of percent."""
# How far back the name of a pair may begin, and what it does not go over.
_NAME_CHARS = 24
_PARTING = frozenset("0123456789,;:，；：。、\n")
# A pair that may be a day and a month is no pair where nothing says so.
_DAYS = 31


def find_numbers(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """Every number that the text gives for the field."""
    for match in said.mentions(said.own_names(field)):
        reading = said.reading_at(match.end())
        if reading is not None and (claim := _behind_cue(said, field, match.start(), reading)):
            yield claim
    yield from _before_cue(said, field)
    yield from _by_unit(said, field)
    if _is_only_percent(said, field):
        yield from _percents(said, field)


def _is_only_percent(said: FormText, field: Field) -> bool:
    """Whether a number of percent can be for no other field."""
    return [f.name for f in said.fields if _counts_percent(f)] == [field.name]


def _counts_percent(field: Field) -> bool:
    return field.type in ("integer", "number") and is_percent(field)


def _percents(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """`10 %`, `10 percent`, 百分之十, and 九折, which takes a tenth off."""
    read = [each for each in said.of_kind("number") if _is_said_in_percent(said, each)]
    is_sure = not any(_is_one_of_several(said.text, each) for each in read)
    for reading in read if is_sure else ():
        if claim := _claim(field, reading.start, reading.end, reading.values):
            yield ValueSpan(claim.start, claim.end, claim.values, cued=False, faulty=claim.faulty)
    left = list(_OFF.finditer(said.text))
    # Beside one that is doubtful another is no surer: 九折或者八折.
    for match in left if not any(_is_doubtful(said.text, *each.span()) for each in left) else ():
        told = (match["n"] or match["own"]).translate(_DIGITS)
        off = 100 - int(told.ljust(2, "0"))
        yield ValueSpan(match.start(), match.end(), {field.name: str(off)}, cued=False)


def _is_one_of_several(text: str, reading: Reading) -> bool:
    """Whether it is a limit, one end of a range, denied or a guess."""
    behind = NOT_ENDED.match(text, reading.end)
    begun = _RANGE_BEGUN.search(text[max(0, reading.start - NEAR) : reading.start])
    is_open = behind is not None and behind[0].strip() != "of"
    return is_open or begun is not None or _is_doubtful(text, reading.start, reading.end)


def _is_doubtful(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - NEAR) : start]
    behind = _OR_SO.match(text, end)
    return bool(behind or _NOT_OFF.search(before) or LIMIT.search(before))


def _is_said_in_percent(said: FormText, reading: Reading) -> bool:
    return bool(_PERCENT.search(said.text[reading.start : reading.end]))


def find_counts(said: FormText) -> Iterator[ValueSpan]:
    """`two keys`, 两把: how many things the text speaks of, for the only number, if it is a count.

    A number that names a thing, as in "flat 12", stands behind a word that counts nothing. A field
    whose name is in the plural has the number of what another field takes: "30 lunches". Right
    before what is listed, as in "order two BRG-440", it is a count of that.
    """
    asked = [f for f in said.fields if f.type in ("integer", "number")]
    field = asked[0] if len(asked) == 1 else None
    if field is None or field.unit:
        return
    names = field_names(field)
    is_count = bool(_COUNT.search(" ".join(names)))
    if not is_count and not any(_PLURAL.search(name.lower()) for name in names):
        return
    counted = [c for c in find_entities(said) if not _TOLD_ON.match(said.text, c.end)]
    several = {c.start for c in counted if said.text[: c.end].endswith("s")}
    for reading in said.of_kind("number"):
        is_sure = is_count and _is_of_thing(said, reading, counted)
        match = _COUNTED.match(said.text, reading.end) if is_count and not is_sure else None
        end = match.end() if match else reading.end if is_sure else 0
        if reading.end + 1 in several and said.text[reading.end] == " ":
            end = reading.end
        led = _LEADS_COUNT.search(said.text[max(0, reading.start - NEAR) : reading.start])
        alone = reading.values == (1,) and reading.weak
        if not is_sure and (
            not end or led is None or alone or _has_limit(said.text, reading.start)
        ):
            continue
        if claim := _claim(field, reading.start, end, reading.values):
            yield ValueSpan(claim.start, claim.end, claim.values, cued=False, faulty=claim.faulty)


def _is_of_thing(said: FormText, reading: Reading, things: Sequence[ValueSpan]) -> bool:
    """Whether it says how many are wanted of the thing right behind it: `order two BRG-440`."""
    before = said.text[max(0, reading.start - NEAR) : reading.start]
    wanted = _WANTS.search(before)
    is_behind = any(said.text[reading.end : thing.start] == " " for thing in things)
    if wanted is None or not is_behind or DENIED.search(before[: wanted.start()]):
        return False
    return not _is_doubtful(said.text, reading.start, reading.end)


def _before_cue(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """`12 pieces`: a number that no name stands before, and a name that no number stands behind."""
    names = said.own_names(field)
    if not names:
        return
    cue = re.compile(rf"(?:\s|[个名位件份])?{cue_pattern(names)}", re.IGNORECASE)
    counted = [f for f in said.fields if f.type in ("integer", "number")]
    for reading in said.of_kind("number"):
        match = cue.match(said.text, reading.end)
        if match is None or _has_limit(said.text, reading.start):
            continue
        led = any(said.is_named(said.own_names(f), reading.start, len(said.text)) for f in counted)
        leads = any(
            m.start() < match.end() <= m.end() and said.reading_at(m.end())
            for m in said.mentions(names)
        )
        claim = None if led or leads else _claim(field, reading.start, match.end(), reading.values)
        if claim is not None:
            yield claim


def _has_limit(text: str, place: int) -> bool:
    return bool(LIMIT.search(text[max(0, place - NEAR) : place]))


def _behind_cue(said: FormText, field: Field, start: int, reading: Reading) -> ValueSpan | None:
    if reading.kind == "duration":
        return _in_time_unit(field, reading, start)
    if reading.kind == "money":
        numbers = tuple(v["value"] for v in reading.values if _is_of_unit(v, field))  # type: ignore[index]
        return _claim(field, start, reading.end, numbers)
    rest = said.text[reading.end : reading.end + NEAR]
    if reading.kind != "number" or NOT_ENDED.match(said.text, reading.end):
        return None
    if is_other_unit(rest, field.unit) or _runs_into_word(rest, field):
        return None
    if field.unit and _is_said_in_percent(said, reading) and not is_percent(field):
        return None
    return _claim(field, start, after_unit(said.text, reading.end, field.unit), reading.values)


def _runs_into_word(rest: str, field: Field) -> bool:
    """70kg has its unit, 14B is a name, and 九折 leaves nine tenths of a price."""
    return bool(_GLUED.match(rest)) and not begins_with_unit(rest, field.unit)


def _is_of_unit(value: object, field: Field) -> bool:
    return isinstance(value, dict) and field.unit.upper() in ("", value["currency"])


def _claim(field: Field, start: int, end: int, values: tuple[object, ...]) -> ValueSpan | None:
    if not values:
        return None
    chosen = choose(values, field)
    if chosen is None:
        return ValueSpan(start, end, {field.name: TWO_WAYS}, faulty=True)
    return ValueSpan(start, end, {field.name: text_of(chosen)})


def _in_time_unit(field: Field, reading: Reading, start: int) -> ValueSpan | None:
    """Two weeks for a field in days; nothing for one in no unit of time."""
    amount = amount_in(str(reading.values[0]), field.unit)
    if amount is None:
        return None
    return ValueSpan(start, reading.end, {field.name: text_of(amount)})


def _by_unit(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """A number with the unit that only this field has; "lost 2 kg" is none."""
    shared = sum(f.unit.lower() == field.unit.lower() for f in said.fields) != 1
    if not field.unit or shared or _CHANGE.search(said.text):
        return
    if is_percent(field) and any(
        _is_one_of_several(said.text, each)
        for each in said.of_kind("number")
        if begins_with_unit(said.text[each.end : each.end + NEAR], field.unit)
    ):
        return
    for reading in said.of_kind("number", "duration", "money"):
        claim = None
        if _has_limit(said.text, reading.start):
            continue
        if reading.kind == "duration":
            claim = _in_time_unit(field, reading, reading.start)
        elif reading.kind == "money":
            numbers = tuple(v["value"] for v in reading.values if _is_of_unit(v, field))  # type: ignore[index]
            claim = _claim(field, reading.start, reading.end, numbers)
        elif begins_with_unit(said.text[reading.end : reading.end + NEAR], field.unit):
            end = after_unit(said.text, reading.end, field.unit)
            claim = _claim(field, reading.start, end, reading.values)
        if claim is not None:
            yield ValueSpan(claim.start, claim.end, claim.values, cued=False, faulty=claim.faulty)


def after_unit(text: str, at: int, unit: str) -> int:
    """Where a value ends when its unit follows."""
    words = "|".join(map(re.escape, UNITS.get(unit.lower(), (unit,)) if unit else ("分",)))
    match = re.compile(rf"\s{{0,9}}(?:{words})(?![A-Za-z])", re.IGNORECASE).match(text, at)
    return match.end() if match else at


def find_pairs(said: FormText) -> Iterator[ValueSpan]:
    """Two numbers of two fields, written together as in 120/80; those behind a cue first."""
    asked = {f.name: f for f in said.fields if f.type in ("integer", "number")}
    pairs = [(f, asked[f.pair_with]) for f in asked.values() if f.pair_with in asked]
    pairs = pairs or _alike(said.fields)
    for reading in said.of_kind("pair", "range") if pairs else ():
        (value,) = reading.values[:1]
        if not isinstance(value, dict) or isinstance(next(iter(value.values())), str):
            continue
        one, other = value.values()
        behind = [pair for pair in pairs if _cue_before(said, pair, reading.start) is not None]
        lone = reading.kind == "pair" and max(one, other) > _DAYS and len(pairs) == 1
        for first, second in behind[:1] or (pairs if lone else []):
            start = _cue_before(said, (first, second), reading.start)
            if start is None and not first.pair_with:
                start = _clause_start(said.text, reading.start)
            end = after_unit(said.text, reading.end, first.unit)
            values = {first.name: text_of(one), second.name: text_of(other)}
            yield ValueSpan(reading.start if start is None else start, end, values)
    yield from _spelled_pairs(said, pairs)


def _spelled_pairs(said: FormText, pairs: Sequence[tuple[Field, Field]]) -> Iterator[ValueSpan]:
    """Two numbers with a "to" between them, behind a name of their fields: "periods 1 to 2"."""
    numbers = [r for r in said.of_kind("number") if not r.weak and len(r.values) == 1]
    for one, other in pairwise(numbers) if pairs else ():
        if not _TO.fullmatch(said.text, one.end, other.start):
            continue
        for pair in pairs:
            start = _cue_before(said, pair, one.start)
            if start is not None:
                (first, second), (low,), (high,) = pair, one.values, other.values
                end = after_unit(said.text, other.end, first.unit)
                values = {first.name: text_of(low), second.name: text_of(high)}
                yield ValueSpan(start, end, values)
                break


def _alike(fields: Sequence[Field]) -> list[tuple[Field, Field]]:
    """The two numbers, one right after the other, that have a unit which no other field has."""
    numbers = {"integer", "number"}
    by_unit: dict[str, list[int]] = {}
    for place, field in enumerate(fields):
        if field.unit and field.type in numbers:
            by_unit.setdefault(field.unit, []).append(place)
    found = [at for at in by_unit.values() if len(at) == 2 and at[1] == at[0] + 1]
    return [(fields[at[0]], fields[at[1]]) for at in found]


def _clause_start(text: str, end: int) -> int:
    """Where what a clause says before a pair begins, which names the pair."""
    before = text[max(0, end - _NAME_CHARS) : end]
    parted = max((at for at, letter in enumerate(before) if letter in _PARTING), default=-1)
    return end - len(before[parted + 1 :].lstrip())


def _cue_before(said: FormText, pair: tuple[Field, Field], place: int) -> int | None:
    """Where a name of one of the fields begins that stands right before the place."""
    names = tuple(dict.fromkeys(name for f in pair for name in field_names(f)))
    return next((m.start() for m in said.mentions(names) if m.end() == place), None)


def find_wrong_units(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """Numbers for the field in another unit than its own."""
    for match in said.mentions(said.own_names(field)):
        reading = said.reading_at(match.end())
        if reading is None or reading.kind not in ("number", "duration", "money"):
            continue
        end = reading.end
        if reading.kind == "number":
            if not is_other_unit(said.text[end : end + NEAR], field.unit):
                continue
            word = _UNIT.match(said.text, end)
            end = word.end() if word else end
        elif _behind_cue(said, field, match.start(), reading) is not None:
            continue
        yield ValueSpan(match.start(), end, {field.name: "form.unit"}, faulty=True)


def bare_number(said: FormText, field: Field) -> str:
    """The number that the text is nothing but, with or without the field's unit; "" otherwise."""
    reading = said.reading_at(0)
    if reading is None or reading.kind not in ("number", "duration"):
        return ""
    end = reading.end
    if reading.kind == "duration":
        claim = _in_time_unit(field, reading, 0)
    else:
        end = after_unit(said.text, end, field.unit) if field.unit else end
        is_word = not said.text[:1].isascii() or said.text[:1].isalpha()
        claim = (
            None
            if reading.weak and is_word and reading.values == (1,)
            else _claim(field, 0, end, reading.values)
        )
    if claim is None or claim.faulty or said.text[end:].strip(" .。"):
        return ""
    return claim.values[field.name]
