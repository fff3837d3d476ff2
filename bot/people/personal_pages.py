"""What a person sees of their own: the inbox, and the Home tab of Slack (design §3)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.people.directory import Directory
from bot.people.personal_runs import PersonalRuns
from cards.model import Card
from cards.showing.show import show
from cards.showing.view import CardView
from cards.texts import COMPLETE, say
from cards.translation import translate_card
from engine.events import Actor
from engine.ports.clock import Clock
from engine.ports.pages import HomePage, InboxPage
from engine.ports.storage.inbox import Inbox
from engine.talk.pending import read_pending_page

MOST_CARDS = 30


@dataclass(frozen=True, slots=True)
class PersonalInbox:
    """What a person may decide now, by the roles they hold now."""

    inbox: Inbox
    people: Directory
    clock: Clock
    zone: str
    with_links: Callable[[CardView], CardView] = lambda view: view

    async def __call__(self, actor: Actor, number: int = 1) -> InboxPage:
        """A page, from 1, of cards with their buttons, wherever they were asked.

        Raises StoreUnavailable.
        """
        person = self.people.principal(actor)
        voter = partial(self.people.as_voter, person, today=self.clock.today())
        now = self.clock.now()
        page = await read_pending_page(self.inbox, voter, now, number=number, size=MOST_CARDS)
        zone = person.zone or self.zone
        names = self.people.role_name
        cards = [translate_card(card, person.lang, names) for card in page.cards]
        shown = tuple((self._view(card, zone), card.lang) for card in cards)
        return InboxPage(shown, page.more and bool(shown))

    def _view(self, card: Card, zone: str) -> CardView:
        place = self.people.place_name(card.conversation, card.lang)
        origin = say("card.origin", card.lang, place=place, url="")
        return self.with_links(show(card, zone, origin=origin))


@dataclass(frozen=True, slots=True)
class PersonalHome:
    """The cards of the inbox, and what the person asked for."""

    inbox: PersonalInbox
    runs: PersonalRuns
    people: Directory

    async def __call__(self, actor: Actor) -> HomePage:
        """The person's page, by the roles held now. Raises StoreError."""
        person = self.people.principal(actor)
        if not self.people.is_admitted(person) and not person.roles:
            langs = (person.lang,) if person.lang else COMPLETE
            texts = (self.people.stranger_text(person, each) for each in langs)
            return HomePage(lang=person.lang or "en", note=" ".join(dict.fromkeys(texts)))
        waiting = await self.inbox(actor)
        own = await self.runs(actor)
        return HomePage(lang=own.lang, cards=waiting.cards, runs=own.runs, more=waiting.more)
