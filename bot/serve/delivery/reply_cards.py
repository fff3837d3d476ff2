"""The open cards that a reply is about, as its conversation shows them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from bot.serve.delivery.localizer import Localizer
from cards.model import Card, Lang
from cards.showing.show import show
from cards.showing.view import CardView
from engine.frames.replies import Part, ReplyHead, is_settled, read_parts
from engine.frames.state import Run
from engine.ports.pages import ReplyCardsPage
from engine.ports.storage.store import Decisions


@dataclass(frozen=True, slots=True)
class ReplyCards:
    """Finds them in the store, where they are as soon as the reply says that they wait."""

    decisions: Decisions
    localizer: Localizer
    with_links: Callable[[CardView], CardView] = lambda view: view

    async def __call__(self, reply: str, conversation: str) -> ReplyCardsPage:
        """The cards, oldest first. Raises StoreUnavailable.

        None of a reply of elsewhere; what another version of us wrote is passed over.
        """
        own = await self._parts(reply, conversation)
        goes_on = await self._asked_by(own) if own else ""
        others = await self._parts(goes_on, conversation) if goes_on else ()
        runs = {part.run for part in (*own, *others) if part.run}
        cards = [
            card
            for card in await self.decisions.open_cards(conversation)
            if card.reply in (reply, goes_on or reply)
            or card.run in runs
            or await self._is_of_child(card, reply)
        ]
        return ReplyCardsPage(
            tuple(self._shown(card) for card in cards),
            goes_on if others else "",
            tuple(part.state for part in others),
            all(_has_come_to_something(part, cards) for part in others),
        )

    async def _parts(self, reply: str, conversation: str) -> tuple[Part, ...]:
        """The parts of a reply of that conversation."""
        stored = await self.decisions.reply(reply)
        try:
            head = ReplyHead.model_validate_json(stored[0]) if stored else None
            parts = read_parts(stored[1]) if stored else ()
        except ValidationError:
            return ()
        return parts if head and head.conversation == conversation else ()

    def _shown(self, card: Card) -> tuple[CardView, Lang]:
        card, zone = self.localizer.localize_card(card, card.conversation)
        return self.with_links(show(card, zone)), card.lang

    async def _asked_by(self, parts: Sequence[Part]) -> str:
        """The reply that asked what the last of the parts to answer a card has answered."""
        answers = [part for part in parts if part.intent.kind == "card_reply"]
        if not answers or answers[-1].state != "answered":
            return ""
        found = await self.decisions.card(answers[-1].intent.card)
        if found is None:
            return ""
        run = await self._run(found.card.run)
        return run.reply if run else found.card.reply

    async def _is_of_child(self, card: Card, reply: str) -> bool:
        """Whether a run that one of the reply's runs began asks this."""
        run = await self._run(card.run)
        return run is not None and bool(run.parent) and run.reply == reply

    async def _run(self, id_: str) -> Run | None:
        stored = await self.decisions.run(id_) if id_ else None
        try:
            return Run.model_validate_json(stored[0]) if stored else None
        except ValidationError:
            return None


def _has_come_to_something(part: Part, cards: Sequence[Card]) -> bool:
    """Whether a part is at its end, or somebody is asked: its last card may just be decided."""
    if part.state in ("needs_you", "in_review"):
        return any(card.run == part.run if part.run else card.part == part.index for card in cards)
    return is_settled((part,))
