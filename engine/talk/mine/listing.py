"""`/mine` and `/runs`: a person's own runs, wherever they were asked for (design §12)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from cards.markdown import literal
from cards.model import Lang
from cards.moments import local_time
from cards.showing.menu import cancel_menu
from cards.showing.view import ButtonView, MessageView, PartView
from cards.texts import say
from engine.mail import CommandArrived
from engine.ports.storage.store import Post
from engine.services import Services
from engine.talk.mine.cancel_button import cancel_button
from engine.talk.mine.case_groups import CaseGroup, group_by_case, standing_text
from engine.talk.mine.own_work import OwnWork, page_of, read_own_work
from engine.talk.mine.summary import (
    RunSummary,
    run_address,
    state_text,
    title_of,
)


@dataclass(frozen=True, slots=True)
class OwnWorkText:
    """What a command says here, with its buttons, and what only the person reads elsewhere."""

    text: str
    buttons: tuple[ButtonView, ...] = ()
    aside: tuple[Post, ...] = ()


async def mine_text(mail: CommandArrived, lang: Lang, services: Services) -> OwnWorkText:
    """The person's requests, running, waiting and ended, with a button for each that runs."""
    page = page_of(mail.update.text)
    work = await read_own_work(mail.principal, services.own_runs, services.people, page=page)
    return await _OwnList(mail, lang, services).show(work)


async def runs_text(mail: CommandArrived, lang: Lang, services: Services) -> OwnWorkText:
    """What the person has under way, with a button for each."""
    page, own_runs = page_of(mail.update.text), services.own_runs
    work = await read_own_work(mail.principal, own_runs, services.people, page=page, ended=False)
    return await _OwnList(mail, lang, services, none="runs.none").show(work)


async def choice_text(
    mail: CommandArrived, lang: Lang, services: Services, work: OwnWork
) -> OwnWorkText:
    """Which of several runs is to be cancelled."""
    shown = await _OwnList(mail, lang, services).show(work)
    return OwnWorkText(
        "\n\n".join((say("cancel.which", lang), shown.text)), shown.buttons, shown.aside
    )


@dataclass(frozen=True, slots=True)
class _OwnList:
    """Says each run where it may be read: here, or where only the person reads."""

    mail: CommandArrived
    lang: Lang
    services: Services
    none: str = "mine.none"

    async def show(self, work: OwnWork) -> OwnWorkText:
        people, update = self.services.people, self.mail.update
        here = update.conversation
        place = people.private_place(update.actor, here)
        open_here = [
            each
            for each in (*work.living, *work.ended)
            if place == here or people.is_open_to(each.run.conversation, here, each.run.project)
        ]
        beside = [each for each in (*work.living, *work.ended) if each not in open_here]
        texts = [await self._text(open_here)] if open_here else []
        if beside:
            key = "mine.beside" if place else "mine.page_only"
            texts.append(say(key, self.lang, n=len(beside)))
        aside = await self._aside(beside, place) if beside and place else ()
        page, command = page_of(update.text), update.name
        if work.more:
            texts.append(say("mine.more", self.lang, command=command, next=page + 1))
        elif not texts and page > 1:
            texts.append(say("mine.no_page", self.lang, page=page, command=command))
        text = "\n\n".join(texts) or say(self.none, self.lang, days=self._days)
        return OwnWorkText(text, self._buttons(open_here), aside)

    @property
    def _days(self) -> str:
        return f"{self.services.limits.run_days:g}"

    async def _text(self, runs: Sequence[RunSummary]) -> str:
        """The cases with their runs, then the others, those under way first; numbered through."""
        services, reader = self.services, self.mail.update.actor.platform
        links = await asyncio.gather(*(run_address(r, services.run_link, reader) for r in runs))
        urls = {each.run.id: url for each, url in zip(runs, links, strict=True)}
        groups = await group_by_case(runs, services.playbook, services.cases, services.sees)
        grouped = {each.run.id for group in groups for each in group.runs}
        alone = [each for each in runs if each.run.id not in grouped]
        blocks = [(self._head(g, urls[g.newest.run.id]), g.runs) for g in groups]
        for key, ended in (("mine.living", False), ("mine.over", True)):
            listed = tuple(each for each in alone if (each.end is not None) == ended)
            blocks.append((say(key, self.lang, days=self._days), listed))
        number, texts = count(1), []
        for head, listed in blocks:
            lines = [self._line(next(number), each, urls[each.run.id]) for each in listed]
            texts += ["\n".join((head, "", *lines))] if lines else []
        return "\n\n".join(texts)

    def _head(self, group: CaseGroup, url: str) -> str:
        """What the case is called, as a link to where it goes on, and where it stands."""
        title = literal(group.case.title(self.lang))
        title = f"[{title}](<{url}>)" if url else title
        stands = standing_text(group.case, self.lang)
        return say("mine.case", self.lang, title=title, stands=stands)

    def _line(self, number: int, summary: RunSummary, url: str) -> str:
        zone = self.mail.principal.zone or self.services.zone
        return say(
            "mine.line",
            self.lang,
            n=number,
            title=title_of(summary, url),
            when=local_time(summary.run.started_at, zone),
            state=state_text(summary, self.lang, zone, self.services.people),
        )

    def _buttons(self, runs: Sequence[RunSummary]) -> tuple[ButtonView, ...]:
        living = [each.run for each in runs if each.end is None]
        return tuple(cancel_button(run, self.lang) for run in living)

    async def _aside(self, runs: Sequence[RunSummary], place: str) -> tuple[Post, ...]:
        """A message of its own where only the person reads."""
        row = f"{self.mail.update.id}/mine"
        part = PartView(number=0, state="answered", text=await self._text(runs))
        menu = cancel_menu(row, self._buttons(runs), self.lang)
        view = MessageView(lang=self.lang, parts=(part,), card=menu)
        return (Post(row, place, "note", row, body=view.model_dump_json()),)
