"""Whose answer a card still waits for: roles, with the few people who hold them, and names."""

from cards.deciding.needed import adds_vote, count_given, votes_given_by
from cards.deciding.seats import seats_of
from cards.markdown import literal
from cards.model import Card, Lang, NeededVote, Principal
from cards.texts import say
from engine.ports.people import People

MOST_NAMES = 3
"""Of a role that more people hold, none is named."""


def name_awaited(card: Card, people: People) -> Card:
    """The card with `waiting_for` as its votes stand: a role that has decided is named no more."""
    needed = card.review.needed
    if not needed:
        return card
    given = [vote.gives for vote in card.votes]
    left = [n for n in range(len(needed)) if count_given([*given, (n,)]) > count_given(given)]
    names = [name for n in left for name in _names(needed[n], card, people)]
    if not names:
        return card
    waits = say("list.items", card.lang).join(dict.fromkeys(names))
    return card.model_copy(update={"waiting_for": waits})


def _names(vote: NeededVote, card: Card, people: People) -> list[str]:
    named = [people.find_listed(person) for person in vote.persons]
    return [
        *(people.role_name(role, card.lang) for role in vote.roles),
        *(each.name for each in named if each),
    ]


def awaited_text(card: Card, people: People, lang: Lang) -> str:
    """Whose answer is awaited, and the few people who can give it and have not yet (Markdown)."""
    who = literal(card.waiting_for)
    names = [each.name for each in _awaited_people(card, people)]
    if not 0 < len(names) <= MOST_NAMES or any(name in card.waiting_for for name in names):
        return who
    return say("query.role", lang, role=who, names=literal(say("list.items", lang).join(names)))


def _awaited_people(card: Card, people: People) -> list[Principal]:
    voted = {vote.person for vote in card.votes}
    deciders = people.scope_of(card).deciders(card.review) if card.review.roles else ()
    return [
        each
        for each in deciders
        if seats_of(card, each)
        and not voted & each.ids
        and adds_vote(card, votes_given_by(card, each))
    ]
