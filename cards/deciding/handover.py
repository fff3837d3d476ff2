"""A reviewer gives their seat on one card to somebody else (runs-and-reviews §1.9, A27)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from cards.deciding.seats import has_voted, is_own_request, may_decide
from cards.model import Card, Field, HandOver, Principal
from cards.texts import say

HAND_OVER = "hand_over"
"""The choice of the button. No card has it as a choice, so that it can never decide one."""

RECEIVER = "person"
"""The field of the form that names the receiver."""

Reason = Literal[
    "not_open",
    "not_delegable",
    "no_seat",
    "seat_taken",
    "to_self",
    "to_requester",
    "to_reviewer",
    "handed_before",
]


@dataclass(frozen=True, slots=True)
class HandedOverCard:
    """The card to store, with the hand-over; the receiver may vote in the giver's seat."""

    card: Card
    given: HandOver


@dataclass(frozen=True, slots=True)
class HandOverRefusal:
    """Nothing changes; the sentence for the reason is `handover.<reason>`."""

    reason: Reason


def can_hand_over(card: Card) -> bool:
    """Whether seats of the card can be handed over at all."""
    return card.status == "open" and card.review.by_policy and card.review.delegable


def hand_over_form(card: Card, names: Sequence[str] = ()) -> tuple[Field, ...]:
    """Return the form of the button: a person; `names` are of those who could take the seat."""
    hint, label = say("handover.hint", card.lang), say("handover.person", card.lang)
    return (Field(name=RECEIVER, label=label, type="person", hint=hint, options=tuple(names)),)


def hand_over_refusal(card: Card, giver: Principal, now: datetime) -> HandOverRefusal | None:
    """Return why this person cannot give their seat away; None when they can.

    Only its owner may give a seat, not a delegate or a receiver.
    """
    if card.status != "open" or (card.deadline is not None and now >= card.deadline):
        return HandOverRefusal("not_open")
    if not can_hand_over(card):
        return HandOverRefusal("not_delegable")
    if is_own_request(card, giver) or not may_decide(card, giver):
        return HandOverRefusal("no_seat")
    if has_voted(card, giver):
        return HandOverRefusal("seat_taken")
    return None


def hand_over(
    card: Card, giver: Principal, receiver: Principal, now: datetime, *, ordered: bool = False
) -> HandedOverCard | HandOverRefusal:
    """Return the card on which the receiver may vote in the giver's seat, as the giver still may.

    What is shown for approval stays, so all buttons stay valid. `ordered` by an operator.
    """
    if refused := hand_over_refusal(card, giver, now):
        return refused
    if receiver.id == giver.id:
        return HandOverRefusal("to_self")
    if is_own_request(card, receiver):
        return HandOverRefusal("to_requester")
    if may_decide(card, receiver):
        return HandOverRefusal("to_reviewer")
    if any(each.by in giver.ids and each.to in receiver.ids for each in card.handed):
        return HandOverRefusal("handed_before")
    given = HandOver(
        by=giver.id,
        by_name=giver.name,
        to=receiver.id,
        to_name=receiver.name,
        at=now,
        ordered=ordered,
    )
    update = {"handed": (*card.handed, given), "version": card.version + 1}
    return HandedOverCard(card.model_copy(update=update), given)
