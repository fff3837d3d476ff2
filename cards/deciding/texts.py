"""Which sentence a tapper is told when a tap does not count, or counted before (design §7)."""

from typing import assert_never

from cards.deciding.decision import Refused, Repeated, votes_needed
from cards.model import Card, Decision, Lang, Vote
from cards.moments import local
from cards.reader import label_in
from cards.texts import say


def refusal_text(refused: Refused, lang: Lang, *, zone: str) -> str:
    """One sentence for the tapper, with times in `zone` and choices by the card's labels."""
    card = refused.card
    match refused.reason:
        case "already_voted":
            vote = next(v for v in card.votes if v.person == refused.person)
            return say("refused.already_voted", lang, **_told(card, vote, lang, zone))
        case "seat_taken":
            return _taken(refused, lang, zone)
        case "not_open":
            return _closed(refused, lang, zone)
        case "expired":
            return _expired(card, lang, zone)
        case reason:
            return say(f"refused.{reason}", lang)


def repeated_text(repeated: Repeated, lang: Lang, *, zone: str) -> str:
    """That the person's choice is recorded, and what came of it so far."""
    card, person = repeated.card, repeated.person
    vote = next((v for v in card.votes if v.person == person), None)
    given = vote or card.decision
    assert given is not None, "a repeat repeats something"
    told = _told(card, given, lang, zone)
    if card.status == "open":
        return say("repeat.vote", lang, **told)
    closed = say("repeat.closed", lang, **told)
    if card.decision is None or card.decision.person == person:
        return closed
    outcome = _closed(Refused("not_open", card, person), lang, zone)
    return say("repeat.outcome", lang, told=closed, outcome=outcome)


def _told(card: Card, given: Vote | Decision, lang: Lang, zone: str) -> dict[str, object]:
    needed = votes_needed(card, given.choice)
    return {
        "when": local(given.at, zone),
        "label": label_in(card, given.choice, lang),
        "needed": needed,
    }


def _taken(refused: Refused, lang: Lang, zone: str) -> str:
    vote = refused.vote
    assert vote is not None, "a taken seat has a vote"
    return say(
        "refused.seat_taken",
        lang,
        seat=vote.seat_name or vote.name,
        name=vote.name,
        when=local(vote.at, zone),
        label=label_in(refused.card, vote.choice, lang),
    )


def _closed(refused: Refused, lang: Lang, zone: str) -> str:
    card, decision = refused.card, refused.card.decision
    if card.traits.informs and decision is None:
        return say("refused.informs", lang)
    match card.status:
        case "decided" if decision is not None:
            own = decision.person == refused.person
            return say(
                "refused.decided_by_you" if own else "refused.decided",
                lang,
                name=decision.name,
                when=local(decision.at, zone),
                label=label_in(card, decision.choice, lang),
            )
        case "expired":
            return _expired(card, lang, zone)
        case "cancelled" | "superseded":
            return say(f"refused.{card.status}", lang)
        case "open" | "told" | "decided":
            return say("refused.not_open", lang)
        case _:
            assert_never(card.status)


def _expired(card: Card, lang: Lang, zone: str) -> str:
    if card.deadline is None:
        return say("refused.not_open", lang)
    return say("refused.expired", lang, when=local(card.deadline, zone))
