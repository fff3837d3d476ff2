"""An intake that hears what people say to each other only while a card waits there for a text."""

import asyncio
from dataclasses import dataclass

import structlog

from bot.people.directory import Directory
from bot.serve.intake.intake import WITHIN_S
from cards.deciding.seats import may_answer
from cards.model import Card, Principal
from engine.errors import StoreUnavailable
from engine.events import MessageEdited, MessageReceived, NotForUs, NotRecorded, Outcome, Update
from engine.ports.platform import Intake
from engine.ports.storage.arrivals import Arrivals
from engine.ports.storage.store import Decisions

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Overhearing:
    """Nothing of what is not for us is counted, logged or stored, whoever wrote or edited it."""

    intake: Intake
    decisions: Decisions
    people: Directory
    arrivals: Arrivals

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers, or NotForUs."""
        said = update.to if isinstance(update, MessageEdited) else update
        if not isinstance(said, MessageReceived) or not said.overheard:
            return await self.intake(update)
        try:
            async with asyncio.timeout(WITHIN_S):
                if not await self._is_for_us(said, update):
                    return NotForUs()
        except (StoreUnavailable, TimeoutError) as error:
            log.warning("not_recorded", update=update.id, error=str(error) or "time limit")
            return NotRecorded("")
        said = said.model_copy(update={"overheard": False})
        if isinstance(update, MessageEdited):
            return await self.intake(update.model_copy(update={"to": said}))
        return await self.intake(said)

    async def _is_for_us(self, said: MessageReceived, update: Update) -> bool:
        if isinstance(update, MessageEdited):
            return await self.arrivals.has(f"talk:{said.conversation}", update_id=said.id)
        return await self._is_awaited(said)

    async def _is_awaited(self, update: MessageReceived) -> bool:
        cards = await self.decisions.open_cards(update.conversation)
        principal = self.people.principal(update.actor)
        return any(_takes_text_of(principal, card) for card in cards)


def _takes_text_of(principal: Principal, card: Card) -> bool:
    """Whether a text of theirs can answer the card: a review is decided by its buttons alone."""
    return card.traits.text is not None and may_answer(card, principal)
