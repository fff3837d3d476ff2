"""A person's own requests as cards: in the Home tab, and on the web chat's page (design §12)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bot.people.directory import Directory
from cards.model import Lang, Principal
from cards.moments import local_time
from cards.showing.view import CardView, Tone
from cards.texts import say
from cards.visible import visible
from engine.events import Actor
from engine.playbooks.end_kinds import RunEnd
from engine.ports.pages import FindRunLink, RunsPage
from engine.ports.storage.cases import Cases
from engine.ports.storage.own_runs import OwnRuns
from engine.talk.mine.cancel_button import cancel_button, plain_title
from engine.talk.mine.case_groups import CaseGroup, FindPlaybook, group_by_case, standing_text
from engine.talk.mine.own_work import read_own_work
from engine.talk.mine.summary import RunSummary, run_address, state_text
from engine.text.language import detect_language


@dataclass(frozen=True, slots=True)
class PersonalRuns:
    """What a person asked for, by its cases: what is under way, then what ended."""

    own_runs: OwnRuns
    people: Directory
    link: FindRunLink
    zone: str
    days: float
    cases: Cases
    playbook: FindPlaybook

    async def __call__(self, actor: Actor, lang: Lang | None = None, page: int = 1) -> RunsPage:
        """A page of them, from 1, in that language or the person's. Raises StoreError."""
        person = self.people.principal(actor)
        lang = person.lang or lang or detect_language(person.name)
        work = await read_own_work(person, self.own_runs, self.people, page=page)
        shown = [*work.living, *work.ended]
        groups = await group_by_case(
            shown, self.playbook, self.cases, lambda p: self.people.may_see(person, p)
        )
        views: list[CardView] = []
        for group in groups:
            views.append(await self._case_view(group, lang, actor.platform))
            shown = [each for each in shown if each not in group.runs]
            views += await self._views(group.runs, person, lang, actor.platform)
        views += await self._views(shown, person, lang, actor.platform)
        return RunsPage(lang, tuple(views), self.days, work.more)

    async def _views(
        self, runs: Sequence[RunSummary], person: Principal, lang: Lang, reader: str
    ) -> list[CardView]:
        return await asyncio.gather(*(self._view(each, person, lang, reader) for each in runs))

    async def _case_view(self, group: CaseGroup, lang: Lang, reader: str) -> CardView:
        """Where a case stands, above its requests, and where it goes on."""
        url = await run_address(group.newest, self.link, reader)
        return CardView(
            token=f"{group.newest.run.id}/case",
            kind="run",
            title=visible(group.case.title(lang)),
            text=standing_text(group.case, lang),
            note=say("mine.of_case", lang, n=len(group.runs)),
            origin=say("mine.go_on", lang, url=url) if url else "",
            tone="neutral",
        )

    async def _view(
        self, summary: RunSummary, person: Principal, lang: Lang, reader: str
    ) -> CardView:
        zone, run = person.zone or self.zone, summary.run
        url = await run_address(summary, self.link, reader)
        when = local_time(run.started_at, zone)
        return CardView(
            token=run.id,
            kind="run",
            title=plain_title(run),
            text=state_text(summary, lang, zone, self.people),
            note=say("mine.asked", lang, when=when),
            origin=say("mine.open", lang, url=url) if url else "",
            buttons=(cancel_button(run, lang),) if summary.end is None else (),
            tone=_tone(summary.end),
        )


def _tone(end: RunEnd | None) -> Tone:
    match end:
        case None:
            return "open"
        case "done":
            return "good"
        case "rejected" | "refused":
            return "bad"
        case _:
            return "neutral"
