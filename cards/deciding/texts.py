"""What people read when an answer does not count, or is repeated (design §7)."""

from typing import assert_never

from cards.deciding.decision import DecisionRefusal, RepeatedVote, votes_needed
from cards.deciding.names import decider_names
from cards.model import Card, Decision, Lang, Vote
from cards.moments import local_time
from cards.texts import say
from cards.translation import label_in


def refusal_text(refused: DecisionRefusal, lang: Lang, *, zone: str) -> str:
    """Return one sentence for the person, with times in `zone`."""
    card = refused.card
    match refused.reason:
        case "already_voted":
            vote = next(v for v in card.votes if v.person == refused.person)
            return say("refused.already_voted", lang, **_values(card, vote, lang, zone))
        case "other_values":
            return _other_values_text(refused, lang, zone)
        case "seat_taken":
            return _seat_taken_text(refused, lang, zone)
        case "not_open":
            return _closed_text(refused, lang, zone)
        case "expired":
            return _expired_text(card, lang, zone)
        case "not_approver" if (who := card.waiting_for or card.requester_name) and not (
            card.review.by_policy
        ):
            form = card.kind == "clarify"
            return say("refused.not_asked_form" if form else "refused.not_asked", lang, who=who)
        case reason:
            return say(f"refused.{reason}", lang)


def repeated_text(repeated: RepeatedVote, lang: Lang, *, zone: str) -> str:
    """Say that the person's choice is recorded, and what came of it so far."""
    card, person = repeated.card, repeated.person
    values = _values(card, _given_by(card, person), lang, zone)
    if card.status == "open":
        return say("repeat.vote", lang, **values)
    closed = say("repeat.closed", lang, **values)
    if card.decision is None or card.decision.person == person:
        return closed
    outcome = _closed_text(DecisionRefusal("not_open", card, person), lang, zone)
    return say("repeat.outcome", lang, told=closed, outcome=outcome)


def _given_by(card: Card, person: str) -> Vote | Decision:
    given = next((v for v in card.votes if v.person == person), None) or card.decision
    assert given is not None, "a repeat repeats something"
    return given


def _other_values_text(refused: DecisionRefusal, lang: Lang, zone: str) -> str:
    """Say that what they sent before stands."""
    given = _given_by(refused.card, refused.person)
    return say("refused.other_values", lang, **_values(refused.card, given, lang, zone))


def _values(card: Card, given: Vote | Decision, lang: Lang, zone: str) -> dict[str, object]:
    needed = votes_needed(card, given.choice)
    return {
        "when": local_time(given.at, zone),
        "label": label_in(card, given.choice, lang),
        "needed": needed,
    }


def _seat_taken_text(refused: DecisionRefusal, lang: Lang, zone: str) -> str:
    vote = refused.vote
    assert vote is not None, "a taken seat has a vote"
    return say(
        "refused.seat_taken",
        lang,
        seat=vote.seat_name or vote.name,
        name=vote.name,
        when=local_time(vote.at, zone),
        label=label_in(refused.card, vote.choice, lang),
    )


def _closed_text(refused: DecisionRefusal, lang: Lang, zone: str) -> str:
    card, decision = refused.card, refused.card.decision
    if card.traits.informs and decision is None:
        return say("refused.informs", lang)
    match card.status:
        case "decided" if decision is not None:
            own = decision.person == refused.person
            return say(
                "refused.decided_by_you" if own else "refused.decided",
                lang,
                name=decider_names(card, lang),
                when=local_time(decision.at, zone),
                label=label_in(card, decision.choice, lang),
            )
        case "expired":
            return _expired_text(card, lang, zone)
        case "cancelled" | "superseded":
            return say(f"refused.{card.status}", lang)
        case "open" | "told" | "decided":
            return say("refused.not_open", lang)
        case _:
            assert_never(card.status)


def _expired_text(card: Card, lang: Lang, zone: str) -> str:
    if card.deadline is None:
        return say("refused.not_open", lang)
    return say("refused.expired", lang, when=local_time(card.deadline, zone))
