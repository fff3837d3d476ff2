"""Whether a question that nothing else answers may be one about the case of its conversation."""

from collections.abc import Collection

from engine.text import wording
from engine.text.entities import fold
from engine.text.search_words import query_words
from engine.text.search_words import words as words_of
from engine.understanding.own_work import words
from engine.understanding.own_work.asked import read_asked
from engine.understanding.own_work.reading import WorkReader, aspects_of, pointing_words
from engine.understanding.own_work.subjects import LATIN


def may_be_about(text: str, reader: WorkReader, keys: Collection[str], others: str) -> bool:
    """Whether the question may be about what stands under one of these keys.

    It is where it has a word of theirs, asks for a decision or how things stand, or speaks of
    something certain ("which company is it for?"). It is none about what holds of anything ("what
    is a writ?", "how do I cancel a request?"), and none where it names somebody or something of
    which nothing is known. `others` are further texts: what names things there is known, and what
    shares a word with one is about it.
    """
    said = fold(wording.unquoted(text))
    if words.OF_ANY.search(said) or _names_unknown(text, reader, keys, others):
        return False
    if any(link.is_named for link in reader.rank(text) if link.key in keys):
        return True
    if any(pattern.search(said) for _, pattern in words.ASPECTS):
        return True
    if {*query_words(said)} & {*words_of(others)}:
        return True
    certain = (words.OWN, words.PRONOUNS, words.THE)
    return any(pattern.search(said) for pattern in certain) or not words.GENERAL.search(said)


def _names_unknown(text: str, reader: WorkReader, keys: Collection[str], others: str) -> bool:
    """Whether the text names somebody or something of which none of these texts has a word."""
    names = [set(LATIN.findall(fold(name))) for name in words.PROPER.findall(text)]
    subjects = (each for each in reader.subjects if each.key in keys)
    own = [text for each in subjects for text in (each.named, *each.names)]
    known = {*LATIN.findall(fold(" ".join((others, *own))))}
    return any(not name <= words.GENERIC and not known & name for name in names)


def asks_for_rule(text: str) -> bool:
    """Whether the question asks what anybody may do, or whom to call: "may guests bring wine?"."""
    said = fold(wording.unquoted(text))
    if words.TO_CALL.search(said):
        return True
    may = bool(words.ANYBODY_MAY.search(said)) and not words.OWN.search(said)
    return may or bool(words.WE_DO.search(said))


def asks_whether_possible(text: str) -> bool:
    """Whether the question asks whether something may be done, by which it may be meant to be."""
    return bool(words.MAY_BE_DONE.search(fold(wording.unquoted(text))))


def points_at(text: str) -> bool:
    """Whether the question points at something that was spoken of: "that week"."""
    return bool(words.POINTS.search(fold(wording.unquoted(text))))


def asks_how_it_stands(text: str) -> bool:
    """Whether the question asks for a decision, a reason, or how things stand."""
    said = fold(wording.unquoted(text))
    return any(p.search(said) for a, p in (*words.ASPECTS, *words.APART) if a in words.STRONG)


def asks_for_all(text: str) -> bool:
    """Whether the question asks for all of it, and names nothing of it."""
    said = words.WIDE.sub(" ", fold(wording.unquoted(text)))
    return read_asked(said).is_plain and not pointing_words(said)


def asks_when_decided(text: str) -> bool:
    """Whether the question asks for the day of a decision, or how long something took."""
    aspects = aspects_of(text)
    return "when" in aspects and bool(aspects & words.DECIDED)


def asks_by_whom_or_when(text: str) -> bool:
    """Whether the question asks who did something, or when: that may be recorded anywhere."""
    return bool(aspects_of(text) & {"who", "when"})


def asks_for_several(text: str) -> bool:
    """Whether the question asks for all of it, or for several things."""
    return bool(words.WIDE.search(fold(wording.unquoted(text))))


def may_ask(text: str) -> bool:
    """Whether a text that is nothing else may be a question, by any word of it that asks."""
    return bool(words.ASKS.search(fold(wording.unquoted(text))))
