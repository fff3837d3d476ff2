"""Stores an answer to a card with its effects; repeats of its update get the first outcome."""

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

# For how long a message that asks "are you sure?" is not replaced.
_ASKED_S = 60.0


async def store_answer(
    decisions: Decisions,
    update: CardTapped | FormSubmitted | CommandGiven,
    card: Card,
    judgement: Judgement,
) -> Outcome:
    """Store the judgement's effects, and return what the person is shown.

    A repeat of an answer that decided nothing is not logged again. Raises StaleWrite when the card
    has changed since it was read, StoreUnavailable.
    """
    seen, shown = _seen(update, card), judgement.shown
    if isinstance(shown, DirectAnswer):
        answer = {"text": shown.text, "ok": shown.ok, "tells": shown.tells, "code": shown.code}
        # It is no repeat, also under the id of the form that was recorded.
        is_other = judgement.result == "other_values"
        stored = await decisions.decide(
            card.token,
            update_id=f"{update.id}/{judgement.result}" if is_other else update.id,
            answer=json.dumps(answer, ensure_ascii=False),
            effects=replace(judgement.effects, seen=seen),
        )
        first = json.loads(stored)
        tells, code = first.get("tells", False), first.get("code")
        return DirectAnswer(first["text"], ok=first["ok"], tells=tells, code=code)
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
    """The message in which the card was tapped, where the platform names it."""
    if not isinstance(update, CardTapped) or not update.message_id:
        return ()
    return (TappedMessage(card.token, update.conversation, update.message_id),)
