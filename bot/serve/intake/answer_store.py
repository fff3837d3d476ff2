"""An answer to a card is stored with its effects; a repeat of its update hears the first answer."""

import json
from dataclasses import replace

from cards.model import Card
from engine.events import (
    CardTapped,
    CommandGiven,
    ConfirmWanted,
    DirectAnswer,
    FormSubmitted,
    Outcome,
)
from engine.ports.storage.store import Decisions, TappedMessage
from engine.reviews.answer import Judgement

# So long a message in which somebody was asked whether they are sure is left as it is.
_ASKED_S = 60.0


async def store_answer(
    decisions: Decisions,
    update: CardTapped | FormSubmitted | CommandGiven,
    card: Card,
    judgement: Judgement,
) -> Outcome:
    """Store what the answer comes to, and return what the person is shown.

    What decides nothing has no answer to keep, and its repeat is not logged again. Raises
    StaleWrite when the card is not as it was read, StoreUnavailable.
    """
    seen, shown = _seen(update, card), judgement.shown
    if isinstance(shown, DirectAnswer):
        kept = {"text": shown.text, "ok": shown.ok, "tells": shown.tells}
        held = await decisions.decide(
            card.token,
            update_id=update.id,
            answer=json.dumps(kept, ensure_ascii=False),
            effects=replace(judgement.effects, seen=seen),
        )
        first = json.loads(held)
        return DirectAnswer(first["text"], ok=first["ok"], tells=first.get("tells", False))
    if isinstance(shown, ConfirmWanted):
        # The question may stand in that message.
        seen = tuple(replace(each, due_s=_ASKED_S) for each in seen)
    await decisions.decide(
        card.run or card.token,
        update_id=f"{update.id}/{judgement.result}",
        answer="",
        effects=replace(judgement.effects, seen=seen),
    )
    return shown


def _seen(
    update: CardTapped | FormSubmitted | CommandGiven, card: Card
) -> tuple[TappedMessage, ...]:
    """In which message the card stood, where the platform says so."""
    if not isinstance(update, CardTapped) or not update.message_id:
        return ()
    return (TappedMessage(card.token, update.conversation, update.message_id),)
