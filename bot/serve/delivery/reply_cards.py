"""The open cards that a reply is about, as its conversation shows them."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from bot.serve.delivery.localizer import Localizer
from cards.model import Card, Lang
from cards.showing.show import show
from cards.showing.view import CardView
from engine.frames.replies import ReplyHead, read_parts
from engine.frames.state import Run
from engine.ports.storage.store import Decisions


@dataclass(frozen=True, slots=True)
class ReplyCards:
    """Finds them in the store, where they are as soon as the reply says that they wait."""

    decisions: Decisions
    localizer: Localizer
    with_links: Callable[[CardView], CardView] = lambda view: view

    async def __call__(self, reply: str, conversation: str) -> tuple[tuple[CardView, Lang], ...]:
        """The cards, oldest first. Raises StoreUnavailable.

        None of a reply of elsewhere; what another version of us wrote is passed over.
        """
        stored = await self.decisions.reply(reply)
        if stored is None:
            return ()
        try:
            head, parts = ReplyHead.model_validate_json(stored[0]), read_parts(stored[1])
        except ValidationError:
            return ()
        if head.conversation != conversation:
            return ()
        runs = {part.run for part in parts if part.run}
        found = []
        for card in await self.decisions.open_cards(conversation):
            if card.reply == reply or card.run in runs or await self._is_of_child(card, reply):
                card, zone = self.localizer.localize_card(card, head.place)
                found.append((self.with_links(show(card, zone)), card.lang))
        return tuple(found)

    async def _is_of_child(self, card: Card, reply: str) -> bool:
        """Whether a run that one of the reply's runs began asks this."""
        stored = await self.decisions.run(card.run) if card.run else None
        try:
            run = Run.model_validate_json(stored[0]) if stored else None
        except ValidationError:
            return False
        return run is not None and bool(run.parent) and run.reply == reply
