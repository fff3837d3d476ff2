"""Cards that `/pending` shows again, on their way to the partitions where they lie (design §3)."""

import structlog

from bot.people.directory import Directory
from bot.serve.delivery.backoff import LONGEST_S
from cards.deciding.inbox import waits_for
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.outbox import Following, Outbox, OutboxRow
from engine.ports.storage.store import Decisions
from engine.talk.pending import CardRepost

log = structlog.get_logger()
_DESTINATION = "cards:"
# How soon it is looked again whether the list above the cards was posted; later and later.
_LOOK_S = 0.2
_LATER = 1.5
# Cards of one list keep their order by this much.
_APART_S = 0.02


class Reposting:
    """Posts each card below its list, once; a worker that ends in between leaves it for another."""

    def __init__(
        self, outbox: Outbox, decisions: Decisions, inbox: Inbox, people: Directory
    ) -> None:
        self._outbox = outbox
        self._decisions = decisions
        self._inbox = inbox
        self._people = people

    def carries(self, row: OutboxRow) -> bool:
        """Whether the row holds cards to show; also one that expired and has lost its kind."""
        return row.conversation.startswith(_DESTINATION)

    async def carry(self, row: OutboxRow) -> Following:
        """Show the row's cards once their list stands; a fault of ours is raised."""
        if row.kind != "cards":
            return await self.give_up(row, "could not be shown for as long as it waited")
        if not row.answer_id:
            in_s = min(_LOOK_S * _LATER ** min(row.attempts, 50), LONGEST_S)
            return await self._outbox.retry(row, in_s=in_s)
        again = CardRepost.model_validate_json(row.body)
        for number, token in enumerate(again.cards):
            await self._show(token, again, f"{token}@{row.row}", number * _APART_S)
        return await self._outbox.sent(row, "shown")

    async def _show(self, token: str, again: CardRepost, name: str, due_s: float) -> None:
        """Unless it closed meanwhile, or the person may not decide it any more."""
        found = await self._decisions.card(token)
        if found is None:
            return
        actor = again.actor
        person = self._people.principal(actor)
        person = self._people.as_voter(person, found.card, found.now.date())
        if not waits_for(found.card, person, found.now):
            return
        # A direct chat is named by its account, so that the card is in its person's language.
        is_direct = self._people.rules_of(again.place).is_direct(again.place)
        place = f"{actor.platform}:{actor.workspace}:{actor.user}" if is_direct else again.place
        await self._inbox.show(token, row=name, place=place, due_s=due_s)

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Drop the row, and say so. Raises StoreUnavailable."""
        log.error("cards_not_shown", row=row.row, to=row.conversation, reason=reason)
        return await self._outbox.drop(row, reason)
