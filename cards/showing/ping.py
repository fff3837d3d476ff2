"""A reminder as a message of its own: said once, and true for as long as it stands (1.10)."""

from cards.markdown import literal
from cards.model import Card
from cards.showing.show import outcome, tally
from cards.showing.view import MessageView, PartView
from cards.texts import say


def ping(card: Card, number: int, zone: str, *, posted: bool) -> MessageView | None:
    """What reminder `number` says now; None when there is nothing to post or change.

    A reminder that could not be posted before the next one was due, or before the card closed, is
    never posted: after an outage people get one message and not all that were missed.
    """
    if card.status == "open":
        if number != card.reminded:
            return None
        return _message(card, "needs_you", _due(card, number))
    if not posted:
        return None
    text = say(
        "ping.closed", card.lang, title=literal(card.title), outcome=literal(outcome(card, zone))
    )
    return _message(card, "answered", text)


def _due(card: Card, number: int) -> str:
    remind = card.review.remind
    return say(
        "ping.due",
        card.lang,
        n=number,
        of=remind.at_most if remind else number,
        title=literal(card.title),
        requester=literal(card.requester_name),
        votes=literal(tally(card)),
    ).strip()


def _message(card: Card, state: str, text: str) -> MessageView:
    part = PartView.model_validate({"number": 0, "state": state, "text": text})
    return MessageView(lang=card.lang, parts=(part,))
