"""Where the words for a text field end: before what another field takes, or the request goes on."""

import re
from functools import lru_cache

from engine.text.claims.entities import find_entities
from engine.text.claims.form_text import FormText, ValueSpan
from engine.text.readers.reading import Reading
from engine.text.values import cue_pattern, field_names

_SMALL = r"(?:\s(?:of|from|for|on|in|to|at|with|by|under|about|against))?(?:\s(?:the|our|my|your))?"
_NEEDED = ("date", "time", "money")
_LEAD = re.compile(
    r"(?:(?<=\s)(?:on|at|from|since|by|until|till|for|in|around|about)\s{1,3}(?:the\s)?|[在于从自到至,，])"
    r"\s{0,3}$",
    re.IGNORECASE,
)
_OF = re.compile(r"\s?的\s?")
_TOLD_OF = re.compile(r"\s?:\s{0,3}(?=\S)")
_TOLD_OF_IT = re.compile(
    r"(?:(?:of|from|for|on|in|to|at|with|about)\s)?(?:(?:this|that)(?:\sone)?|it|them)\s?:\s{0,3}(?=\S)",
    re.IGNORECASE,
)
_PLACES = frozenset(
    (
        *("in", "at", "on", "near", "from", "of", "with", "by", "under", "for", "to"),
        *("inside", "outside", "behind"),
    )
)
"""Behind one of these stands what a thing is called, and no sentence."""
_TELLS = re.compile(
    r"\s(?:(?:and|but|so|because|since|as|while|when)\s(?:[a-z']{1,20}\s){0,3})?"
    r"(?:is|are|was|were|has|have|isn't|aren't|wasn't|doesn't|does|do)(?![a-z'])",
    re.IGNORECASE,
)
_RELATES = re.compile(
    r"(?<![a-z])(?:that|which|who|whose|where|what|how|when|if|whether)(?![a-z])", re.IGNORECASE
)


def own_words(said: FormText, cue: str, begin: int, end: int) -> tuple[int, int]:
    """Where the words behind a cue, `text[begin:end]`, begin and end as a field's own value.

    What something of a kind is called belongs to the field of that kind, and what tells on, or says
    what the request itself does, is no part of a name or a place. Equal places mean that nothing is
    left.
    """
    end = _before_the_request(said, cue, begin, end)
    end = _before_a_value(said, begin, end)
    if told := _TOLD_OF_IT.match(said.text, begin):
        begin = told.end()
    for claim in _sure_entities(said, begin, end):
        if claim.end == end:
            end = _without_lead(said, claim, begin)
        elif claim.start == begin and (linked := _OF.match(said.text, claim.end)):
            begin = linked.end()
        elif (told := _TOLD_OF.match(said.text, claim.end)) and _leads(said, claim, begin):
            begin = told.end()
    return begin, max(begin, end)


def _before_a_value(said: FormText, begin: int, end: int) -> int:
    """Where a day, a time or an amount of money stands that a field of the form needs.

    Only where the text has no other: else it may be a part of what is told.
    """
    for kind in _NEEDED:
        needed = any(f.type == kind and not f.value for f in said.fields)
        found = [r for r in said.readings if kind == _kind_of(r)] if needed else []
        if len(found) == 1 and found[0].values and begin < found[0].start and found[0].end <= end:
            lead = _LEAD.search(said.text, begin, found[0].start)
            if lead or not said.text[found[0].end : end].strip(" .。"):
                end = lead.start() if lead else found[0].start
    return end


def _kind_of(reading: Reading) -> str:
    """The kind of a reading, for a range that of its ends."""
    value = reading.values[0] if reading.kind == "range" and reading.values else None
    first = value["from"] if isinstance(value, dict) else None
    if not isinstance(first, str):
        return reading.kind
    return "time" if ":" in first else "date"


def _before_the_request(said: FormText, cue: str, begin: int, end: int) -> int:
    text = said.text[begin:end]
    as_one, is_done = _request_forms(said.request)
    ends = [as_one.search(text), _zh_request(said.request).search(text)]
    if cue.strip().lower() in _PLACES:
        told = _TELLS.search(text)
        ends.append(told if told and not _RELATES.search(text, 0, told.start()) else None)
        ends.append(is_done.search(text))
    return begin + min((match.start() for match in ends if match), default=len(text))


@lru_cache(maxsize=256)
def _zh_request(request: tuple[str, ...]) -> re.Pattern[str]:
    """The Chinese words that ask for it, at the end: 去海边团建 goes to the sea."""
    words = [word for word in request if not word.isascii() and len(word) > 1]
    if not words:
        return re.compile("(?!)")
    return re.compile(rf"(?<=[\u3400-\u9fffA-Za-z0-9])的?{cue_pattern(words)}{{1,3}}$")


@lru_cache(maxsize=256)
def _request_forms(request: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`as a supplier`, and `repaired`, at the end, of words that ask for it."""
    words = [word for word in request if word.isascii()]
    done = "|".join(re.escape(word.removesuffix("e")) for word in words if len(word) > 2)
    as_one = rf"\sas\s(?:(?:an?|the|our|my|new|one)\s){{0,3}}{cue_pattern(words)}$"
    is_done = rf"\s(?:{done})ed$" if done else "(?!)"
    return re.compile(as_one, re.IGNORECASE), re.compile(is_done, re.IGNORECASE)


def _sure_entities(said: FormText, begin: int, end: int) -> list[ValueSpan]:
    """What of the stretch is for a field of its kind, of which the text names one alone."""
    found = list(find_entities(said))
    values: dict[str, set[str]] = {}
    for claim in found:
        for name, value in claim.values.items():
            values.setdefault(name, set()).add(value)
    return [
        claim
        for claim in found
        if begin <= claim.start
        and claim.end <= end
        and all(len(values[n]) == 1 for n in claim.values)
    ]


def _leads(said: FormText, claim: ValueSpan, begin: int) -> bool:
    """Whether nothing but small words stands between the place and the entity."""
    return _without_lead(said, claim, max(0, begin - 1)) < max(1, begin)


def _without_lead(said: FormText, claim: ValueSpan, begin: int) -> int:
    """Where what stands before the entity ends, without the small words that lead to it."""
    (name,) = claim.values
    names = next(field_names(field) for field in said.fields if field.name == name)
    lead = rf"{_SMALL}(?:\s{cue_pattern(names)})?\s{{0,3}}$"
    found = re.compile(lead, re.IGNORECASE).search(said.text, begin, claim.start)
    return found.start() if found else claim.start
