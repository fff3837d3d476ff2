"""Values for fields that have a pattern: behind the field's name, or by their form alone."""

import re
from collections.abc import Iterator

from cards.linear import BadPattern, find_spans, matches
from cards.model import Field
from engine.text.claims.form_text import NEAR, FormText, ValueSpan
from engine.text.values import DENIED, cue_pattern, field_names, spellings
from engine.text.vocabulary import unexplained_text

_LINKED = (
    r"(?:\s?(?:号码|编号|号|number(?![a-z])|no\.|nr\.))?"
    r"(?:\s?(?:[:=]|(?:is|was|are|of|at|on|under|an?|now)(?![A-Za-z0-9_/-])|改[成为]|[是为在有了])){0,3}\s?"
)
_CLAUSE_END = re.compile(r"[;。!?\n]|[.,](?=\s|$)")
_GOES_ON = re.compile(r"[A-Za-z0-9_-]|[.,/:][0-9]")
_QUESTION = re.compile(r"吗|么")
_LONGEST = 200


def find_behind(said: FormText, field: Field, names: tuple[str, ...]) -> Iterator[ValueSpan]:
    """The longest stretch behind a name, up to its clause's end, that the pattern takes."""
    for mention in said.mentions(names, after=_LINKED):
        begin = mention.end()
        end = end_of_clause(said.text, begin, begin + _LONGEST)
        is_asked = said.text[end : end + 1] == "?" or _QUESTION.search(said.text, begin, end)
        if is_asked or DENIED.search(said.text[max(0, mention.start() - NEAR) : mention.start()]):
            continue
        end = _longest(said, field, begin, _end_of_own(said, field, begin, end))
        if end > begin and _tells(said, said.text[begin:end]):
            yield ValueSpan(mention.start(), end, {field.name: said.text[begin:end]})


def end_of_clause(text: str, begin: int, end: int) -> int:
    """Where the clause that begins there ends, at the latest at `end`."""
    ended = _CLAUSE_END.search(text, begin + 1)
    return min(ended.start() if ended else len(text), end)


def _end_of_own(said: FormText, field: Field, begin: int, end: int) -> int:
    """Where something of another field begins: its name, or a number with its name or unit."""
    others = [f for f in said.fields if f.name != field.name]
    words = {word for f in others for word in (*field_names(f), *spellings(f.unit))}
    ahead = rf"\s(?:[0-9]+(?:[.,][0-9]+)?\s?)?{cue_pattern(words)}" if words else "(?!)"
    named = re.compile(ahead, re.IGNORECASE).search(said.text, begin, end)
    return named.start() if named else end


def _longest(said: FormText, field: Field, begin: int, end: int) -> int:
    """The end of the longest stretch that is as the pattern says, and no half of a word or date."""
    types = {f.type for f in said.fields}
    others = [r for r in said.readings if r.kind in types and begin <= r.start < end]
    for last in range(end, begin, -1):
        if said.text[last - 1].isspace() or _is_cut(said.text, last):
            continue
        if any(r.start < last < r.end or (r.start == begin and r.end == last) for r in others):
            continue
        if is_whole(field.pattern, said.text[begin:last]):
            return last
    return begin


def _is_cut(text: str, at: int) -> bool:
    """Whether a word or a number goes on there."""
    before = text[at - 1]
    return before.isascii() and before.isalnum() and bool(_GOES_ON.match(text, at))


def _tells(said: FormText, given: str) -> bool:
    """Whether it is more than words of the form itself."""
    if any(letter.isdigit() for letter in given):
        return True
    return any(letter.isalpha() for letter in unexplained_text(given, said.vocabulary))


def find_patterns(said: FormText) -> Iterator[ValueSpan]:
    """Ids that are as the pattern of the only field says that has one of that form."""
    types = {f.type for f in said.fields}
    typed = [r for r in said.of_kind("date", "time", "money") if r.kind in types]
    for field in said.fields:
        if field.type not in ("text", "entity") or not field.pattern or field.multiline:
            continue
        for start, end in id_spans(field.pattern, said.text):
            if any(r.start <= start and end <= r.end for r in typed):
                continue
            found = said.text[start:end]
            if sum(is_whole(f.pattern, found) for f in said.fields if f.pattern) == 1:
                yield ValueSpan(start, end, {field.name: found}, cued=False)


def id_spans(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the text has an id that is as the pattern says: digits with something beside them."""
    try:
        for start, end in find_spans(pattern, text):
            mixed = any(c.isdigit() for c in text[start:end]) and not text[start:end].isdigit()
            if mixed and not (_joins(text, start - 1) or _joins(text, end)):
                yield start, end
    except BadPattern:
        return


def _joins(text: str, at: int) -> bool:
    letter = text[at : at + 1] if at >= 0 else ""
    return letter.isascii() and (letter.isalnum() or letter in ("-", "_"))


def is_whole(pattern: str, text: str) -> bool:
    """Whether the pattern takes the whole text; a pattern that is none takes nothing."""
    try:
        return matches(pattern, text)
    except BadPattern:
        return False
