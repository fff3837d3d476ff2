"""Words for fields: what stands behind a name, that there is none, and options of a choice."""

import re
from collections.abc import Iterator
from functools import lru_cache

from cards.model import Field
from engine.text.claims.corrections import value_begins
from engine.text.claims.endings import own_words
from engine.text.claims.form_text import NEAR, FormText, ValueSpan
from engine.text.claims.patterned import (
    end_of_clause,
    find_behind,
    id_spans,
    is_whole,
)
from engine.text.claims.yes_or_no import NOT, YES
from engine.text.values import DENIED, LINK, NO, NONE_BEHIND, UNLESS, cue_pattern, field_names
from engine.text.vocabulary import unexplained_text

_IS = r"(?:(?:(?:is|was|are|were|of|an?)(?![A-Za-z0-9_/-])|了|过|有|为|是){1,6}\s*)?"
_NUMBER_OF = re.compile(r"\s?(?:号码|编号|号|number(?![a-z])|no\.|nr\.|#)", re.IGNORECASE)
_NAMES_ID = re.compile(r"(?:号码|编号|号|number|no\.?|nr\.?|id|#)$", re.IGNORECASE)
_ID = re.compile(
    r"\s?(?:(?:is|was|为|是)\s?|[:=]\s?)?(?P<id>[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,60}[A-Za-z0-9])?)"
)
_HAS_ID = re.compile(r"[A-Za-z][-_/]?[0-9]|[0-9][-_/]?[A-Za-z]")
_TRAILING = re.compile(
    r"(?:(?<!\s)\s+(?:and|with|but|of|from|(?:(?:of|from|on|for|in|to|at|with)\s+)?(?:the|our|my|your))"
    r"|[和与及、])\s*$",
    re.IGNORECASE,
)
# Small words alone are no finding.
_HOLLOW = re.compile(
    r"\b(?:her|his|their|my|the|an?|it|to|be|been|this|that|today|yesterday|on|at|in|of|for"
    r"|and|is|was|has|have)\b|[的了在于今昨天日月年]",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[?]|吗|么$|except|除|^(?:but|only|or)\b", re.IGNORECASE)
_BIDS = re.compile(
    r"(?:^|[,;.!?。\n])\s{0,3}(?:please\s|so\s)?(?:(?:can|could|would|will)\s(?:you|we|i|somebody|someone)"
    r"|(?:may|might)\si)\s(?!(?:please\s)?(?:tell|say|know|ask|check|see|look|find|remind|explain)(?![a-z]))"
    r"|能不能|能否|可否|可不可以|(?:^|[,;.!?。\n])\s{0,3}(?:能|可以|麻烦|请)(?!问)",
    re.IGNORECASE,
)
"""What bids something in the form of a question."""
_ASKING_END = re.compile(r"\s?[吗么]?\s?[?]?$")
_DENIES = re.compile(r"(?:no longer|not)(?![a-z])|不[是再]", re.IGNORECASE)


def find_texts(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """That there is none; `label: words`; or what stands behind a cue, up to the clause's end."""
    names = said.own_names(field)
    if not names:
        return
    cue = cue_pattern(names)
    if field.pattern and not field.multiline:
        yield from find_behind(said, field, names)
    yield from _ids(said, field, names)
    for form in (NO + cue + UNLESS, cue + NONE_BEHIND):
        for match in re.finditer(form, said.text, re.IGNORECASE):
            none = "none" if match["en"] else "无"
            yield ValueSpan(match.start(), match.end(), {field.name: none})
    others = cue_pattern([n for f in said.fields if f.name != field.name for n in field_names(f)])
    labelled = (r"\s*[:=]\s*(?=\S)", rf"[;。\n]|,\s*{others}|\.\s")
    value = rf"{others}{LINK}[0-9]|\s(?:and|but)\s+{others}"
    behind = (rf"\s*{_IS}(?=[\w\"'“‘「《*#<\[])", rf"[,;。!?\n]|\.\s|\.$|{value}|\s{others}")
    for is_behind, (after, stop) in enumerate((labelled, behind)):
        for start, begin, end in _stretches(said.text, cue + after, stop):
            if said.is_begun(names, start):
                continue
            if claim := _words(said, field, (start, begin, end), is_behind=bool(is_behind)):
                yield claim


def _words(
    said: FormText, field: Field, place: tuple[int, int, int], *, is_behind: bool
) -> ValueSpan | None:
    start, begin, end = place
    begin = value_begins(said.text, start, begin)
    is_bid = field.type == "person" and _is_bid(said.text, start)
    if is_bid:
        end = begin + len(_ASKING_END.sub("", said.text[begin:end]))
    ends_asking = not is_bid and said.text[end : end + 1] == "?"
    is_asked = ends_asking or _ASKED.search(said.text, begin, end)
    if is_behind and not field.pattern:
        first, end = own_words(said, said.text[start:begin], begin, end)
        start, begin = (start, begin) if first == begin else (first, first)
    given = said.text[begin:end]
    kept = _TRAILING.sub("", given.rstrip(" .,;"))
    if DENIED.search(said.text[max(0, start - NEAR) : start]) or is_asked:
        return None
    if is_behind and _DENIES.match(given):
        return None
    if is_behind and (_is_hollow(said, begin, kept) or _is_typed(said, begin)):
        return None
    if not any(letter.isalnum() for letter in _HOLLOW.sub("", kept)):
        return None
    if field.pattern and not field.multiline and not is_whole(field.pattern, kept):
        if not is_behind:
            end = end_of_clause(said.text, begin, end)
            return ValueSpan(start, end, {field.name: said.text[begin:end].rstrip()})
        for first, last in id_spans(field.pattern, kept):
            return ValueSpan(start, begin + last, {field.name: kept[first:last]})
    return ValueSpan(start, end, {field.name: kept})


def _is_bid(text: str, start: int) -> bool:
    """Whether the sentence bids something before the place: its question is not about a value."""
    return _BIDS.search(text, max(0, text.rfind("?", 0, start)), start) is not None


def _is_hollow(said: FormText, begin: int, given: str) -> bool:
    """Whether all of it is words of the form itself, days and times: nothing is told."""
    for reading in said.of_kind("date", "time"):
        first, last = reading.start - begin, reading.end - begin
        if first >= 0 and last <= len(given):
            given = given[:first] + " " * (last - first) + given[last:]
    if _HAS_ID.search(given):
        return False
    left = unexplained_text(given, said.vocabulary)
    return not any(letter.isalpha() for letter in left)


def _is_typed(said: FormText, begin: int) -> bool:
    """Whether it begins with a value that a field of its own type is asked for."""
    reading = said.reading_at(begin)
    return reading is not None and any(f.type == reading.kind for f in said.fields)


def _ids(said: FormText, field: Field, names: tuple[str, ...]) -> Iterator[ValueSpan]:
    """`发票号 A-88`: behind "the number of" stands one word, which is the value."""
    for match in said.mentions(names, after=""):
        numbered = _NUMBER_OF.match(said.text, match.end())
        if numbered is None and not _NAMES_ID.search(match[0]):
            continue
        found = _ID.match(said.text, numbered.end() if numbered else match.end())
        if found and any(letter.isdigit() for letter in found["id"]):
            yield ValueSpan(match.start(), found.end(), {field.name: found["id"]})


def find_options(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """Options behind the field's name; or by themselves, if no other field has them."""
    names = said.own_names(field)
    for word, option in option_words(field):
        behind = LINK + cue_pattern((word,))
        cued = [match.span() for match in said.mentions(names, after=behind)]
        for start, end in cued:
            yield ValueSpan(start, end, {field.name: option})
        if cued or _is_shared(word, field, said):
            continue
        alone = "" if _is_telling(word) else _alone(word)
        for match in re.finditer(alone or cue_pattern((word,)), said.text, re.IGNORECASE):
            if not DENIED.search(said.text[max(0, match.start() - NEAR) : match.start()]):
                yield ValueSpan(match.start(), match.end(), {field.name: option}, cued=False)


def _alone(word: str) -> str:
    """Where a word of one letter is all that its clause says: 是电的问题, between commas."""
    if word.isascii() or word.lower() in (*YES, *NOT):
        return "(?!)"
    behind = r"(?:的?问题|方面的?|类的?|的)?(?=\s*(?:$|[,;。.!\n]))"
    return rf"(?<![^,;。.!\n\s])是?{re.escape(word)}{behind}"


def option_words(field: Field) -> list[tuple[str, str]]:
    """The words of each option, the longest first: the option, and its label."""
    words = {option: option for option in field.options}
    words |= {field.label_of(option, ""): option for option in field.options}
    words |= {word: option for word, option in field.option_names.items() if word not in words}
    return sorted(words.items(), key=lambda each: (-len(each[0]), each[0]))


def _is_telling(word: str) -> bool:
    """Whether a word is seldom said but for itself: neither `A` nor 是."""
    return len(word) >= (3 if word.isascii() else 2) and word.lower() not in (*YES, *NOT)


def _is_shared(word: str, field: Field, said: FormText) -> bool:
    others = [f for f in said.fields if f.name != field.name]
    said_by = {w.lower() for f in others for w, _ in option_words(f)} | {
        name.lower() for f in said.fields for name in field_names(f)
    }
    return word.lower() in said_by


def bare_option(text: str, field: Field) -> str:
    """The option that the text is nothing but; "" otherwise."""
    said = text.strip(" .。").lower()
    return next((option for word, option in option_words(field) if word.lower() == said), "")


def _stretches(text: str, head: str, stop: str) -> Iterator[tuple[int, int, int]]:
    """Where each `head` begins and ends, and where what stands behind it stops.

    In two steps: one pattern of both would look for the stop again and again at every space.
    """
    heads, end = _compiled(head), 0
    while begun := heads.search(text, end):
        # At least one character stands behind it. What stops it takes longest to compile.
        stopped = _compiled(stop).search(text, begun.end() + 1)
        end = stopped.start() if stopped else len(text)
        end = begun.end() + len(text[begun.end() : end].rstrip())
        yield begun.start(), begun.end(), end


# A form's patterns are more than the library keeps.
@lru_cache(maxsize=2048)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
