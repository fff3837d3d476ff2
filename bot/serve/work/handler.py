"""From one mail to the effects of handling it; what each lane kind does (design §3)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog
from pydantic import ValidationError

from bot.definitions.snapshot import LiveDefinitions
from bot.serve.intake.admissions import StrangerHandler
from bot.serve.intake.project_door import ProjectDoor, RefreshProjects, know_projects
from bot.telemetry.instrumentation import NO_SPANS, Spans, log_handling
from cards.frozen import is_by_newer
from cards.model import Card, Lang, Principal
from cards.texts import say
from engine.cases.lane import handle_letter
from engine.errors import NewerState
from engine.events import Actor
from engine.frames import audit
from engine.frames.outcome import StepContext
from engine.frames.state import Run
from engine.mail import (
    GIVEN_UP,
    CardDecided,
    CardExpired,
    CaseLetterArrived,
    CommandArrived,
    GraphOrdered,
    Mail,
    MessageArrived,
    MigrationOrdered,
    PartReady,
    ReviewDue,
    RunMail,
    RunStarted,
    ServiceNotice,
    StrangerArrived,
    parse_mail,
)
from engine.playbooks.model import Playbook
from engine.ports.library import FileScope
from engine.ports.people import People
from engine.ports.storage.store import AsideWrite, Claim, Effects
from engine.reviews import clocks
from engine.runs.effects import run_write
from engine.runs.migration import plan_migration
from engine.runs.run import (
    StepResult,
    advance_run,
    block_effects,
    migrate_run,
    unreadable_effects,
)
from engine.runs.step_services import step_services
from engine.services import ServiceLimits, Services
from engine.talk import commands
from engine.talk.turn import continuation, failures, message, session
from engine.talk.turn.answers import suggest_examples
from engine.text.entity_kinds import Entities
from engine.tools.model import Tool

log = structlog.get_logger()
Progress = Callable[[Effects], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class HandlerResult:
    """The effects of a mail, and mail (or "") that goes before all other in its lane.

    With `park` the mail stays, and its lane rests until new mail or an operator wakes it.
    """

    effects: Effects
    front: str = ""
    park: bool = False


@dataclass(frozen=True, slots=True)
class MailHandler:
    """Handles each mail by the definitions that are current when its turn begins.

    `tools(own)` returns the read-only tools of this moment, our own first.
    """

    services: Services
    current: LiveDefinitions
    tools: Callable[[tuple[Tool[Any], ...]], tuple[Tool[Any], ...]]
    spans: Spans = NO_SPANS
    refresh_projects: RefreshProjects = know_projects

    async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        """The effects of the claim's mail; raises BotError, retryable or not."""
        if not claim.lane.startswith("run:"):
            # What an admin chose just now holds for what is said next.
            await self.refresh_projects()
        try:
            mail = parse_mail(claim.mail)
        except ValidationError as error:
            if is_by_newer(error):
                raise NewerState(f"mail of {claim.lane}") from error
            return _unreadable_mail(claim)
        with log_handling(claim.lane, mail, self.spans, self.services.clock):
            return await self._handle_kind(claim, mail, progress)

    async def _handle_kind(self, claim: Claim, mail: Mail, progress: Progress) -> HandlerResult:
        services = self._turn_services()
        people, strangers, door = services.people, StrangerHandler(services), ProjectDoor(services)
        match mail:
            case MessageArrived():
                # By the account's current person and roles, however long the mail waited.
                mail = mail.model_copy(update={"principal": people.principal(mail.update.actor)})
                if not people.is_admitted(mail.principal):
                    return HandlerResult(strangers.turn_away(mail))
                if (hidden := door.turn_away(mail)) is not None:
                    return HandlerResult(hidden)
                situation = message.TurnSituation(
                    claim.cards,
                    claim.runs,
                    again=claim.attempts > 1,
                    table=self.current.snapshot.table,
                )
                talk = self._session(claim, services)
                effects = await message.handle_message(mail, talk, services, progress, situation)
            case PartReady():
                talk = self._session(claim, services)
                effects = await continuation.continue_part(mail, talk, services)
            case StrangerArrived():
                effects = strangers.ask_admins(mail)
            case CardDecided() | CardExpired() if _is_talk(claim):
                if admitted := await strangers.apply_answer(mail):
                    return HandlerResult(admitted)
                if (chosen := await door.apply_answer(mail)) is not None:
                    return HandlerResult(chosen)
                talk = self._session(claim, services)
                effects = await continuation.settle_choice(mail, talk, services)
            case CommandArrived():
                principal = people.principal(mail.update.actor)
                mail = mail.model_copy(update={"principal": principal})
                if not people.is_admitted(principal) and not principal.roles:
                    return HandlerResult(strangers.turn_away(mail))
                if (hidden := door.turn_away(mail)) is not None:
                    return HandlerResult(hidden)
                recent = [line.text for line in self._session(claim, services).recent]
                lang = commands.command_language(mail, recent)
                effects = await commands.handle_command(
                    mail, services.limited_to(principal, mail.update.conversation), lang
                )
            case CaseLetterArrived():
                effects = _take_letter(mail, claim, self.services.limits)
            case ServiceNotice():
                effects = commands.notice_effects(mail, claim.lane.removeprefix("control:"))
            case _:
                return await self._step(claim, mail)
        return HandlerResult(effects)

    def _session(self, claim: Claim, services: Services) -> session.Session:
        """What was said in the conversation since it belongs to its project."""
        conversation = claim.lane.partition(":")[2]
        return session.load_session(claim.state).within(services.project(conversation))

    def entities_on(self, card: Card, person: Principal) -> Entities:
        """What the fields of a card's form may name, for this person."""
        return self._turn_services().within(card.project).entities(card.conversation, person)

    def file_scope_of(self, card: Card) -> FileScope:
        """Whose files a card may name."""
        return self.services.within(card.project).file_scope(card.conversation)

    def help_text(self, principal: Principal, lang: Lang) -> str:
        """What this person may ask and start, and the commands; plain text."""
        return commands.plain_help(lang, self._turn_services().limited_to(principal))

    def suggest_examples(self, actor: Actor, lang: Lang) -> tuple[str, ...]:
        """What this person may ask and start, for a page that shows some of it."""
        services = self._turn_services().limited_to(self.services.people.principal(actor))
        return suggest_examples("", lang, services)

    async def give_up(self, claim: Claim) -> HandlerResult:
        """The effects of a mail that failed again and again.

        The chat is told, and the mail is set aside for an operator; a run is blocked instead.
        """
        try:
            mail = parse_mail(claim.mail)
        except ValidationError:
            return _unreadable_mail(claim)
        services = self._turn_services()
        match mail:
            case MessageArrived():
                return HandlerResult(
                    await failures.fail_message(mail, self._session(claim, services), services)
                )
            case PartReady():
                return HandlerResult(await failures.fail_part(mail, services))
            case CardDecided() | CardExpired() if _is_talk(claim):
                return HandlerResult(await failures.fail_choice(claim.lane, mail, services))
            case CommandArrived():
                return HandlerResult(commands.fail_command(mail, services))
            case ServiceNotice() | StrangerArrived() | CaseLetterArrived():
                return HandlerResult(Effects(aside=(AsideWrite(claim.lane, claim.mail, GIVEN_UP),)))
        run = self._read_run(claim)
        if run is None:
            return HandlerResult(unreadable_effects(claim.state), park=True)
        reason = say("run.attempts", run.lang)
        return HandlerResult(block_effects(run, reason, self.services.now), park=True)

    async def _step(self, claim: Claim, mail: RunMail) -> HandlerResult:
        if claim.ended or not claim.state:
            return HandlerResult(Effects())
        run = self._read_run(claim, waits=True)
        if run is None:
            return HandlerResult(unreadable_effects(claim.state), park=True)
        if isinstance(mail, RunStarted) and run.parent and await self._is_orphan(run):
            orphan = run.model_copy(update={"status": "cancelled"})
            entry = audit.parent_cancel_entry(run.id, run.parent, self.services.now)
            return HandlerResult(Effects(runs=(run_write(orphan),), log=(entry,)))
        now = claim.now or self.services.now
        if isinstance(mail, ReviewDue) and run.status != "blocked":
            return await self._ring(run, mail, now)
        playbook = await self.services.playbook(run.digest)
        if isinstance(mail, MigrationOrdered):
            return await self._migrate(run, mail, playbook)
        if playbook is None:
            reason = say("run.playbook_missing", run.lang)
            return HandlerResult(block_effects(run, reason, now), park=True)
        try:
            expired = await self._expire(mail) if isinstance(mail, CardExpired) else Effects()
        except NewerState:
            return HandlerResult(unreadable_effects(claim.state), park=True)
        if expired is None:
            # Somebody's decision came first; its mail is behind this one.
            return HandlerResult(Effects())
        services = step_services(self._run_services(run, now), run, playbook)
        context = StepContext(run, playbook, services, claim.follows)
        if isinstance(mail, GraphOrdered):
            return await self._order(mail, context)
        stepped = await self._advance(mail, context)
        if stepped.park:
            return HandlerResult(stepped.effects, park=True)
        effects = replace(
            stepped.effects,
            cards=(*stepped.effects.cards, *expired.cards),
            log=(*expired.log, *stepped.effects.log),
        )
        return HandlerResult(await self._close_replaced(run, effects, now), stepped.front)

    async def _ring(self, run: Run, mail: ReviewDue, now: datetime) -> HandlerResult:
        """A reminder or escalation of an open review that the run still waits for."""
        found = await self.services.decisions.card(mail.card) if mail.card in run.waiting else None
        if found is None:
            return HandlerResult(Effects())
        people = self._people_of(run)
        today = self.services.today
        return HandlerResult(clocks.apply_clock(mail, found.card, people, now=now, today=today))

    async def _close_replaced(self, run: Run, effects: Effects, now: datetime) -> Effects:
        """The effects, with older cards closed that the opened ones replace."""
        opened = [write.card for write in effects.cards if not write.expect]
        if not opened:
            return effects
        written = {write.card.token for write in effects.cards}
        others = await self.services.decisions.open_cards(run.conversation)
        others = [c for c in others if c.run == run.id and c.token not in written]
        gone = clocks.replace_cards(others, opened, now)
        return replace(
            effects,
            cards=(*gone.cards, *effects.cards),
            timers=(*gone.timers, *effects.timers),
            log=(*effects.log, *gone.log),
        )

    async def _advance(self, mail: RunMail, context: StepContext) -> StepResult:
        """One step of the run, timed."""
        since_s = self.services.clock.elapsed_s()
        stepped = await advance_run(mail, context)
        took_s = self.services.clock.elapsed_s() - since_s
        self.services.meter.took("step", took_s, context.run.frames[-1].kind)
        return stepped

    async def _is_orphan(self, run: Run) -> bool:
        """Whether the parent ended while this run was started."""
        parent = await self.services.decisions.run(run.parent)
        return parent is None or parent[1] != ""

    async def _order(self, mail: GraphOrdered, context: StepContext) -> HandlerResult:
        """Carry an order out on the job graph; cards that it no longer waits for are closed."""
        run, now = context.run, context.services.now
        found = [await self.services.decisions.card(token) for token in run.waiting]
        cards = [each.card for each in found if each is not None]
        if any(card.status != "open" for card in cards):
            # Somebody's decision came first; its mail is behind this one.
            return HandlerResult(Effects())
        stepped = await self._advance(mail, context)
        body = next((each.body for each in stepped.effects.runs if each.id == run.id), "")
        waits = Run.model_validate_json(body).waiting if body else run.waiting
        closed = clocks.supersede([card for card in cards if card.token not in waits])
        if not closed:
            return HandlerResult(stepped.effects, stepped.front, stepped.park)
        actor, gone = {"by": mail.by, "via": mail.via}, [write.card for write in closed]
        entry = audit.log_entry(run.id, now, "taken_back", actor, cards=gone)
        timers = (t for card in gone for t in clocks.stop_timers(card.token, card.lane))
        effects = replace(
            stepped.effects,
            cards=(*stepped.effects.cards, *closed),
            timers=(*stepped.effects.timers, *timers),
            log=(*stepped.effects.log, entry),
        )
        return HandlerResult(effects, stepped.front, stepped.park)

    async def _migrate(
        self, run: Run, mail: MigrationOrdered, old: Playbook | None
    ) -> HandlerResult:
        """Move the run to another version of its playbook; the order was checked before."""
        new = await self.services.playbook(mail.to)
        if new is None:
            return self._refuse_migration(run, mail, "the playbook is not published")
        change = plan_migration(run, old, new)
        if change.faults:
            return self._refuse_migration(run, mail, "; ".join(change.faults))
        found = [await self.services.decisions.card(token) for token in run.waiting]
        cards = [each.card for each in found if each is not None]
        services = self._run_services(run, self.services.now)
        stepped = migrate_run(mail, change, cards, StepContext(run, new, services))
        return HandlerResult(stepped.effects, stepped.front, stepped.park)

    def _refuse_migration(self, run: Run, mail: MigrationOrdered, why: str) -> HandlerResult:
        log.warning("migration_refused", run=run.id, why=why)
        refusal = {"by": mail.by, "via": mail.via, "wanted": mail.to, "why": why}
        entry = audit.log_entry(run.id, self.services.now, "migration_refused", refusal)
        return HandlerResult(Effects(log=(entry,)), park=run.status == "blocked")

    def _read_run(self, claim: Claim, *, waits: bool = False) -> Run | None:
        """The run; None when another version wrote it. Raises NewerState if it `waits` for that."""
        try:
            return Run.model_validate_json(claim.state)
        except ValidationError as error:
            if waits and is_by_newer(error):
                raise NewerState(f"state of {claim.lane}") from error
            log.error("unreadable_run", lane=claim.lane, faults=error.error_count())
            return None

    async def _expire(self, mail: CardExpired) -> Effects | None:
        """The effects that close the card; None when somebody has decided it.

        They are empty when a tap that came too late has closed it.
        """
        found = await self.services.decisions.card(mail.card)
        if found is None or found.card.status not in ("open", "expired"):
            return None
        if found.card.status == "expired":
            return Effects()
        write = clocks.close_card(found.card, "expired")
        entry = clocks.clock_entry(write.card, "expired", self.services.now)
        return Effects(cards=(write,), log=(entry,))

    def _turn_services(self) -> Services:
        snapshot = self.current.snapshot
        return self._of_now().frozen_at(
            self.services.now,
            playbooks=snapshot.playbooks,
            tools=self.tools(snapshot.tools),
            entity_kinds=snapshot.table.entity_kinds,
        )

    def _run_services(self, run: Run, now: datetime) -> Services:
        """The services of a step, as of `now` by the store's clock, which deadlines go by."""
        kinds = self.current.snapshot.table.entity_kinds
        services = self._of_now().within(run.project)
        return services.frozen_at(now, people=self._people_of(run), entity_kinds=kinds)

    def _people_of(self, run: Run) -> People:
        """Those who may have to do with the run; of an earlier version's, by its conversation."""
        return self.services.people.scope_to(run.conversation, run.project or None)

    def _of_now(self) -> Services:
        """The services with the projects as they are now, which stay so."""
        book = self.services.projects()
        return replace(self.services, projects=lambda: book, project=book.of)


def set_aside(claim: Claim) -> HandlerResult:
    """The effects of a mail that could not even be given up: only an operator sees it."""
    if claim.lane.startswith("run:"):
        return HandlerResult(Effects(), park=True)
    return HandlerResult(Effects(aside=(AsideWrite(claim.lane, claim.mail, GIVEN_UP),)))


def _unreadable_mail(claim: Claim) -> HandlerResult:
    log.error("unreadable_mail", lane=claim.lane)
    aside = AsideWrite(claim.lane, claim.mail, "no version of us that runs here can read it")
    return HandlerResult(Effects(aside=(aside,)))


def _take_letter(mail: CaseLetterArrived, claim: Claim, limits: ServiceLimits) -> Effects:
    """The effects of a letter to a case. Raises NewerState for a case of a newer version."""
    keep_s = limits.keep_case_s(mail.letter.case.project)
    try:
        return handle_letter(mail.letter, claim.state, keep_s=keep_s)
    except ValidationError as error:
        raise NewerState(f"state of {claim.lane}") from error


def _is_talk(claim: Claim) -> bool:
    return claim.lane.startswith("talk:")
