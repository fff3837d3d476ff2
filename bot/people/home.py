"""What a person sees of their own at a glance, as in the Home tab of Slack (design §3)."""

from dataclasses import dataclass
from typing import get_args

from bot.people.directory import Directory
from bot.people.web_inbox import WebInbox
from cards.model import Principal
from cards.texts import COMPLETE, say
from engine.events import Actor
from engine.frames.state import ENDED, Run, RunStatus
from engine.ports.pages import HomePage
from engine.ports.storage.archive import Listing, RunFilter
from engine.talk.active_runs import read_runs
from engine.text.language import detect

RUNS = 20
"""So many runs are on the tab at once."""

_LIVING: frozenset[str] = frozenset(get_args(RunStatus)) - ENDED


@dataclass(frozen=True, slots=True)
class PersonalHome:
    """The cards of the web page's inbox, and the runs that the person began."""

    inbox: WebInbox
    listing: Listing
    people: Directory

    def _asked(self, run: Run, person: Principal) -> bool:
        here = self.people.about(run.conversation).known(person)
        return not here.ids.isdisjoint(run.requester.ids)

    async def __call__(self, actor: Actor) -> HomePage:
        """The person's page, by the roles held now. Raises StoreError."""
        person = self.people.principal(actor)
        if not self.people.admits(person) and not person.roles:
            texts = (self.people.stranger_text(person, each) for each in COMPLETE)
            return HomePage(lang="en", note=" ".join(dict.fromkeys(texts)))
        waiting = await self.inbox(actor)
        wanted = RunFilter(statuses=_LIVING, who=person.id)
        listed = await self.listing.runs(wanted, after="", limit=RUNS)
        runs = read_runs([(name, history.body) for name, history in listed.runs])
        lang = person.lang or detect(person.name)
        return HomePage(
            lang=lang,
            cards=waiting.cards,
            runs=tuple(
                say("home.run", lang, name=run.name, state=say(f"state.{run.status}", lang))
                for run in runs
                if self._asked(run, person)
            ),
            more=waiting.more,
        )
