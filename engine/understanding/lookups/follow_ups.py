"""What a follow-up means in full: "and P002?", "the same for Acme", "and the price?"."""

import re
from collections.abc import Sequence
from datetime import date

from engine.text import wording
from engine.text.entities import ENTITY_MARKS
from engine.text.entity_kinds import Entities, EntityMatch
from engine.understanding.lookups.text import LookupText, look_at

LEANS_ON = 6
"""How many earlier texts a follow-up may lean on."""

_ONE = rf"(?P<mark>[{ENTITY_MARKS}])"
_JUST_ONE = re.compile(
    r"(?:那|那么|还有|也|再|同样|给|对|为|请|帮我|查一下|查|看看|看|and|also|then|now|please"
    r"|can you|could you|do|what about|how about|the|same|again|thing|question|one|with|of|for|,"
    r"|\s){0,8}"
    rf"{_ONE}\s*(?:呢|的呢|也一样|一样|同样|也要|as well|too|please|\s){{0,3}}[?。.!]*"
)


def continue_text(asked: LookupText, recent: Sequence[str], entities: Entities) -> list[str]:
    """What the text may mean in full, by the newest of the earlier texts that lends what it lacks.

    A text that only names something else takes the place of what was named; one that names nothing
    is about what was named.
    """
    recent = recent[-LEANS_ON:]
    for index in reversed(range(len(recent))):
        before = _in_full(recent[index], recent[:index], asked.today, entities)
        if meant := _lean_on(before, asked, entities):
            return meant
    return []


def _lean_on(before: str, asked: LookupText, entities: Entities) -> list[str]:
    earlier = entities.matches(before)
    if not asked.named:
        return _about_the_same(before, earlier, asked)
    if not _is_just_one(asked):
        return []
    (new,) = asked.named
    old = [match for match in earlier if match.kind == new.kind]
    if len({match.id for match in old}) != 1:
        return []
    name = asked.text[new.start : new.end]
    for match in reversed(old):
        before = f"{before[: match.start]}{name}{before[match.end :]}"
    return [before]


def _about_the_same(before: str, earlier: Sequence[EntityMatch], asked: LookupText) -> list[str]:
    """The text about what was named: all of it, or of each kind alone."""
    named = {match.kind: match for match in earlier}
    if not named or len({match.id for match in earlier}) != len(named):
        return []
    names = [before[match.start : match.end] for match in named.values()]
    whole = [" ".join(names)] if len(names) > 1 else []
    return [f"{name} {asked.text}" for name in (*whole, *names)]


def _is_just_one(asked: LookupText) -> bool:
    return len(asked.named) == 1 and bool(_JUST_ONE.fullmatch(asked.clear))


def _in_full(text: str, recent: Sequence[str], today: date, entities: Entities) -> str:
    """An earlier text with what it took itself from those before it."""
    asked = look_at(text, entities, today)
    leans = not asked.named or _is_just_one(asked)
    if leans and wording.follows_up(asked.said):
        return next(iter(continue_text(asked, recent, entities)), text)
    return text
