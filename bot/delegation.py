"""Who stands in for whom at this moment, and who is meant by a name (runs-and-reviews §1.9)."""

import re
from collections.abc import Sequence
from datetime import date

from bot.people import Directory
from cards.model import Card, Principal
from engine.entities import fold

_PARTS = re.compile(r"[\s/,、，()（）]+")


def standing_in(people: Directory, principal: Principal, card: Card, today: date) -> Principal:
    """The person with those whose seat they may take on this card, as these are now.

    Those for whom they are the standing delegate today, and those who handed this card to them.
    A delegate's own delegate stands in for nobody but the delegate.
    """
    givers = {each.by for each in card.handed if each.to == principal.id}
    givers |= people.delegators(principal.id, today)
    if not givers:
        return principal
    able = people.holders(card.review.roles)
    found = tuple(each for each in able if each.id in givers)
    return principal.model_copy(update={"stands_for": found})


def named(people: Directory, text: str) -> Sequence[Principal]:
    """Everybody whom the text may mean: by id, by whole name, or by a part of the name."""
    said = fold(text).strip().removeprefix("@")
    for known in (_ids, _names, _parts):
        found = [p for p in people.everybody if said and said in known(p)]
        if found:
            return found
    return []


def _ids(person: Principal) -> set[str]:
    return {fold(person.id)}


def _names(person: Principal) -> set[str]:
    return {fold(person.name), *(fold(part).strip() for part in person.name.split("/"))}


def _parts(person: Principal) -> set[str]:
    return {fold(part) for part in _PARTS.split(person.name) if part}
