"""Why an answer does not count, as programs read it: words that stay as they are."""

from collections.abc import Mapping
from typing import Final, Literal

from cards.deciding.decision import DecisionRefusal, Reason
from cards.deciding.handover import HandOverRefusal
from cards.model import Card

RefusalCode = Literal[
    "not_allowed",
    "not_found",
    "changed",
    "decided",
    "cancelled",
    "expired",
    "closed",
    "conflict",
    "unchanged",
    "rate_limited",
    "unavailable",
]
"""`conflict` is other content for what was recorded, `closed` what only informs or has ended."""

_OF_REASON: Final[Mapping[Reason, RefusalCode]] = {
    "unknown_choice": "not_found",
    "expired": "expired",
    "stale": "changed",
    "own_request": "not_allowed",
    "own_edit": "not_allowed",
    "nobody_else": "not_allowed",
    "not_approver": "not_allowed",
    "already_voted": "decided",
    "other_values": "conflict",
    "seat_taken": "decided",
    "not_needed": "decided",
}
_OF_STATUS: Final[Mapping[str, RefusalCode]] = {
    "decided": "decided",
    "expired": "expired",
    "cancelled": "cancelled",
    "superseded": "changed",
}


def refusal_code(refused: DecisionRefusal) -> RefusalCode:
    """Return why a tap or form changed nothing."""
    return _OF_REASON.get(refused.reason) or closed_code(refused.card)


def hand_over_code(refused: HandOverRefusal, card: Card) -> RefusalCode:
    """Return why a seat was not given away."""
    if refused.reason != "not_open":
        return "decided" if refused.reason == "seat_taken" else "not_allowed"
    return "expired" if card.status == "open" else closed_code(card)


def closed_code(card: Card) -> RefusalCode:
    """Return how a card that is not open was closed; one that only informs is `closed`."""
    is_note = card.traits.informs and card.decision is None
    return "closed" if is_note else _OF_STATUS.get(card.status, "closed")
