"""What a person sees of their own: the inbox, and the Home tab of Slack (design §3)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import get_args

from bot.people.directory import Directory
from cards.model import Card, Principal
from cards.showing.show import show
from cards.showing.view import CardView
from cards.texts import COMPLETE, say
from cards.translation import translate_card
from engine.events import Actor
from engine.frames.state import ENDED, Run, RunStatus
from engine.ports.clock import Clock
from engine.ports.pages import HomePage, InboxPage
from engine.ports.storage.archive import Listing, RunFilter
from engine.ports.storage.inbox import Inbox
from engine.talk.active_runs import read_runs
from engine.talk.pending import read_pending_page
from engine.text.language import detect_language

MOST_CARDS = 30
MOST_RUNS = 20

_LIVING: frozenset[str] = frozenset(get_args(RunStatus)) - ENDED


@dataclass(frozen=True, slots=True)
class PersonalInbox:
    """The first page of what a person may decide now, by the roles they hold now."""

    inbox: Inbox
    people: Directory
    clock: Clock
    zone: str
    with_links: Callable[[CardView], CardView] = lambda view: view

    async def __call__(self, actor: Actor) -> InboxPage:
        """The cards with their buttons, wherever they were asked. Raises StoreUnavailable."""
        person = self.people.principal(actor)
        voter = partial(self.people.as_voter, person, today=self.clock.today())
        page = await read_pending_page(self.inbox, voter, self.clock.now(), size=MOST_CARDS)
        zone = person.zone or self.zone
        names = self.people.role_name
        cards = [translate_card(card, person.lang, names) for card in page.cards]
        return InboxPage(tuple((self._view(card, zone), card.lang) for card in cards), page.more)

    def _view(self, card: Card, zone: str) -> CardView:
        place = self.people.place_name(card.conversation, card.lang)
        origin = say("card.origin", card.lang, place=place, url="")
        return self.with_links(show(card, zone, origin=origin))


@dataclass(frozen=True, slots=True)
class PersonalHome:
    """The cards of the inbox, and the runs that the person requested."""

    inbox: PersonalInbox
    listing: Listing
    people: Directory

    async def __call__(self, actor: Actor) -> HomePage:
        """The person's page, by the roles held now. Raises StoreError."""
        person = self.people.principal(actor)
        if not self.people.is_admitted(person) and not person.roles:
            langs = (person.lang,) if person.lang else COMPLETE
            texts = (self.people.stranger_text(person, each) for each in langs)
            return HomePage(lang=person.lang or "en", note=" ".join(dict.fromkeys(texts)))
        waiting = await self.inbox(actor)
        living = RunFilter(statuses=_LIVING, who=person.id)
        listed = await self.listing.runs(living, after="", limit=MOST_RUNS)
        runs = read_runs([(name, history.body) for name, history in listed.runs])
        lang = person.lang or detect_language(person.name)
        return HomePage(
            lang=lang,
            cards=waiting.cards,
            runs=tuple(
                say("home.run", lang, name=run.name, state=say(f"state.{run.status}", lang))
                for run in runs
                if self._has_requested(run, person)
            ),
            more=waiting.more,
        )

    def _has_requested(self, run: Run, person: Principal) -> bool:
        scoped = self.people.scope_to(run.conversation).refresh(person)
        return not scoped.ids.isdisjoint(run.requester.ids)
