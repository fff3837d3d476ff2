"""Who decides a card, and when: what an answer comes to (design §7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from cards.deciding.needed import votes_given_by
from cards.deciding.seats import first_free_seat, has_seat_voted, is_own_request, seats_of
from cards.forms import (
    NO_FACTS,
    FormFacts,
    check_form,
    form_digest,
    unknown_fields,
    with_standing,
)
from cards.model import APPROVE, REJECT, Card, Choice, Decision, Lang, Principal, Vote
from cards.values import Value

Reason = Literal[
    "unknown_choice",
    "not_open",
    "expired",
    "stale",
    "own_request",
    "own_edit",
    "nobody_else",
    "not_approver",
    "already_voted",
    "other_values",
    "seat_taken",
    "not_needed",
]


@dataclass(frozen=True, slots=True)
class DecidedCard:
    """The card as this answer closed it, to be stored."""

    card: Card
    decision: Decision


@dataclass(frozen=True, slots=True)
class VotedCard:
    """The card with a vote that does not decide it, to be stored.

    `votes_needed` more for the same choice would decide it.
    """

    card: Card
    votes_needed: int


@dataclass(frozen=True, slots=True)
class RepeatedVote:
    """The person (principal id) has made this choice before, and it stands: a success."""

    card: Card
    person: str


@dataclass(frozen=True, slots=True)
class MissingForm:
    """The person may make this choice, once they have filled in its form."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class InvalidForm:
    """The form has faults: a sentence per field. Nothing is decided."""

    errors: dict[str, str]


@dataclass(frozen=True, slots=True)
class DecisionRefusal:
    """The answer of `person` (principal id) changes nothing; `card` is as it stands.

    With `seat_taken`, `vote` is the one in that seat.
    """

    reason: Reason
    card: Card
    person: str
    vote: Vote | None = None


@dataclass(frozen=True, slots=True)
class EditAttempt:
    """A sent form that edits the card (cards.deciding.revision); it decides nothing."""


Verdict = (
    DecidedCard
    | VotedCard
    | RepeatedVote
    | MissingForm
    | EditAttempt
    | InvalidForm
    | DecisionRefusal
)


def decide(
    card: Card,
    principal: Principal,
    choice: str,
    now: datetime,
    *,
    revision: int,
    values: Mapping[str, str] | None = None,
    facts: FormFacts = NO_FACTS,
) -> Verdict:
    """Return what this tap (or sent form, with `values`) means for the card as it stands.

    Each person and each seat has one vote. With `deny_wins`, approvals count towards the quorum and
    everything else decides at once; with `majority`, more than half of the quorum's seats decide,
    for either side. At the deadline itself the card has expired. Fields that the form does not name
    keep what stands in them.
    """
    person = _recorded_id(card, principal)
    chosen = card.choice(choice)
    if chosen is None:
        return DecisionRefusal("unknown_choice", card, person)
    reason = refusal_reason(card, principal, now, revision)
    if reason in ("not_open", "already_voted") and _has_chosen(card, principal, choice):
        if _has_sent_other(card, principal, choice, values):
            return DecisionRefusal("other_values", card, person)
        return RepeatedVote(card, person)
    if reason:
        return DecisionRefusal(reason, card, person, _vote_in_the_way(card, principal, reason))
    seat = _free_seat(card, principal, choice)
    if seat is None:
        return DecisionRefusal("own_edit", card, person)
    if chosen.form and values is None:
        return MissingForm(chosen)
    if chosen.edits:
        return EditAttempt()
    typed, errors = _read_form(chosen, values or {}, principal.lang or card.lang, facts)
    if errors:
        return InvalidForm(errors)
    vote = _vote(principal, seat, choice, now, str(typed.get("reason", "")))
    more = {"gives": votes_given_by(card, seat), "form_digest": form_digest(values)}
    vote = vote.model_copy(update=more)
    needed = votes_needed(card, choice) - 1
    if needed > 0:
        return VotedCard(_with_changes(card, votes=(*card.votes, vote)), needed)
    files = {name: file for name, file in facts.uploads.items() if name in typed}
    update = {"files": files, "labels": _labels(chosen, typed)}
    decision = _decision(card, vote, typed).model_copy(update=update)
    return DecidedCard(_close(card, decision), decision)


def _read_form(
    chosen: Choice, values: Mapping[str, str], lang: Lang, facts: FormFacts
) -> tuple[dict[str, Value], dict[str, str]]:
    """Return typed values by field name, and a sentence per fault."""
    typed, faults = check_form(chosen.form, with_standing(chosen.form, values), lang, facts)
    return typed, unknown_fields(chosen.form, values, lang) | faults


def _labels(chosen: Choice, typed: Mapping[str, Value]) -> dict[str, str]:
    """Return what the form, which is not kept, shows for the options that are chosen in it."""
    listed = (field for field in chosen.form if field.listed)
    return {f.name: f.labels[v] for f in listed if (v := str(typed.get(f.name))) in f.labels}


def votes_needed(card: Card, choice: str = APPROVE) -> int:
    """Return how many more people have to choose this, at least 1 while the card is open."""
    chosen = len({vote.seat_owner for vote in card.votes if vote.choice == choice})
    if card.review.decides == "majority" and choice in (APPROVE, REJECT):
        return max(card.review.quorum // 2 + 1 - chosen, 1)
    return max(card.review.quorum - chosen, 1) if choice == APPROVE else 1


def refusal_reason(card: Card, principal: Principal, now: datetime, revision: int) -> Reason | None:
    """Return why a tap of this person on that revision would not count; None when it would."""
    if card.status != "open":
        return "not_open"
    if card.deadline is not None and now >= card.deadline:
        return "expired"
    if revision != card.revision:
        return "stale"
    if is_own_request(card, principal):
        return "own_request"
    seats = seats_of(card, principal)
    if not seats:
        return "not_approver"
    if any(vote.person in principal.ids for vote in card.votes):
        return "already_voted"
    if first_free_seat(card, seats):
        return None
    return "seat_taken" if all(has_seat_voted(card, seat) for seat in seats) else "not_needed"


def _vote_in_the_way(card: Card, principal: Principal, reason: Reason) -> Vote | None:
    if reason != "seat_taken":
        return None
    ids = {name for seat in seats_of(card, principal) for name in seat.ids}
    return next(vote for vote in card.votes if vote.seat_owner in ids)


def _has_chosen(card: Card, principal: Principal, choice: str) -> bool:
    """Whether they are recorded with this choice."""
    return any(
        each.person in principal.ids and each.choice == choice for each in _votes_and_decision(card)
    )


def _has_sent_other(
    card: Card, principal: Principal, choice: str, values: Mapping[str, str] | None
) -> bool:
    """Whether the form that they sent when they chose this had other values, as far as is known."""
    recorded = [
        each.form_digest
        for each in _votes_and_decision(card)
        if each.person in principal.ids and each.choice == choice and each.form_digest
    ]
    return bool(values and recorded) and form_digest(values) not in recorded


def _recorded_id(card: Card, principal: Principal) -> str:
    """Return the id under which the card has a vote or decision of theirs, else their own."""
    return next(
        (e.person for e in _votes_and_decision(card) if e.person in principal.ids), principal.id
    )


def _votes_and_decision(card: Card) -> Sequence[Vote | Decision]:
    return (*card.votes, *((card.decision,) if card.decision else ()))


def _vote(principal: Principal, seat: Principal, choice: str, now: datetime, reason: str) -> Vote:
    vote = Vote(person=principal.id, name=principal.name, choice=choice, at=now, reason=reason)
    if seat.id == principal.id:
        return vote
    return vote.model_copy(update={"seat": seat.id, "seat_name": seat.name})


def _free_seat(card: Card, principal: Principal, choice: str) -> Principal | None:
    """Return whose seat votes; None when four eyes are needed and all of these edited the card."""
    authors = set(card.authors.values()) if card.review.four_eyes and choice == APPROVE else set()
    if authors & principal.ids:
        return None
    return first_free_seat(
        card, tuple(each for each in seats_of(card, principal) if not authors & each.ids)
    )


def _decision(card: Card, vote: Vote, typed: dict[str, Value]) -> Decision:
    """Return the decision that the last vote makes; a rejection has the reasons of all."""
    reasons = [v.reason for v in card.votes if v.choice == vote.choice and v.reason]
    if reasons and vote.choice == REJECT:
        typed = {**typed, "reason": "; ".join([*reasons, *filter(None, [vote.reason])])}
    return Decision(
        choice=vote.choice,
        person=vote.person,
        name=vote.name,
        at=vote.at,
        values=typed,
        seat=vote.seat,
        seat_name=vote.seat_name,
        votes=(*card.votes, vote) if card.votes else (),
        option=_option(card, vote.choice),
        edits=card.edits,
        shown_digest=card.shown_digest if card.edits else "",
        form_digest=vote.form_digest,
    )


def _option(card: Card, choice: str) -> str:
    chosen = card.choice(choice) if card.kind == "select" else None
    return chosen.label if chosen else ""


def _close(card: Card, decision: Decision) -> Card:
    """Return the closed card, without its forms: nobody fills them in, and cards are kept long."""
    choices = tuple(choice.model_copy(update={"form": ()}) for choice in card.choices)
    return _with_changes(
        card, status="decided", decision=decision, choices=choices, known=(), editing=None
    )


def _with_changes(card: Card, **changes: object) -> Card:
    return card.model_copy(update={**changes, "version": card.version + 1})
