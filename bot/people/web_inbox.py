"""What waits for a person, as pages show it (design §3, inbox)."""

from dataclasses import dataclass

from bot.people.directory import Directory
from cards.model import Card
from cards.reader import as_read
from cards.showing.show import show
from cards.showing.view import CardView
from cards.texts import say
from engine.events import Actor
from engine.ports.clock import Clock
from engine.ports.pages import InboxPage
from engine.ports.storage.inbox import Inbox
from engine.talk.pending import read_pending_page

MOST = 30
"""So many cards are on the page at once."""


@dataclass(frozen=True, slots=True)
class WebInbox:
    """The first page of what a person may decide now, by the roles they hold now."""

    inbox: Inbox
    people: Directory
    clock: Clock
    zone: str

    async def __call__(self, actor: Actor) -> InboxPage:
        """The cards with their buttons, wherever they were asked. Raises StoreUnavailable."""
        person = self.people.principal(actor)
        voter = self.people.voter(person, self.clock.today())
        page = await read_pending_page(self.inbox, voter, self.clock.now(), size=MOST)
        zone = person.zone or self.zone
        names = self.people.role_name
        read = [as_read(card, person.lang, names) for card in page.cards]
        return InboxPage(tuple((self._view(card, zone), card.lang) for card in read), page.more)

    def _view(self, card: Card, zone: str) -> CardView:
        place = self.people.place_name(card.conversation, card.lang)
        return show(card, zone, origin=say("card.origin", card.lang, place=place, url=""))
