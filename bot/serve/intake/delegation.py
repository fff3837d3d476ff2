"""Who is meant by a name that somebody typed."""

import re
from collections.abc import Sequence

from bot.people.directory import Directory
from cards.model import Principal
from engine.text.entities import fold

_PARTS = re.compile(r"[\s/,、，()（）]+")


def named(people: Directory, text: str) -> Sequence[Principal]:
    """Everybody whom the text may mean: by id or account, by whole name, or by a part of it."""
    said = fold(text).strip().removeprefix("@")
    for known in (_ids, _names, _parts):
        found = [p for p in people.everybody if said and said in known(p)]
        if found:
            return found
    return []


def _ids(person: Principal) -> set[str]:
    return {fold(name) for name in person.ids}


def _names(person: Principal) -> set[str]:
    return {fold(person.name), *(fold(part).strip() for part in person.name.split("/"))}


def _parts(person: Principal) -> set[str]:
    return {fold(part) for part in _PARTS.split(person.name) if part}
