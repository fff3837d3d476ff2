"""Who decided, as people read it."""

from cards.model import Card, Decision, Lang, Vote
from cards.texts import say


def voter_name(vote: Vote | Decision, lang: Lang) -> str:
    """Return who gave a vote or a decision, and in whose place."""
    if not vote.seat:
        return vote.name
    return say("vote.for", lang, name=vote.name, seat=vote.seat_name)


def decider_names(decided: Card | Decision, lang: Lang) -> str:
    """Return everybody who chose what was decided, as in "Ana, Bo"; "" for nobody."""
    names = dict.fromkeys(voter_name(each, lang) for each in decided.deciders)
    return say("list.items", lang).join(names)
