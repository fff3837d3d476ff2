"""Steps of runs: from a mail in a run's lane to what it changes (design §5)."""

from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from pydantic import ValidationError

from bot.definitions.snapshot import LiveDefinitions
from bot.serve.work.results import HandlerResult
from cards.frozen import is_by_newer
from cards.texts import say
from engine.errors import NewerState
from engine.frames import audit
from engine.frames.outcome import StepContext
from engine.frames.state import Run
from engine.mail import CardExpired, GraphOrdered, MigrationOrdered, ReviewDue, RunMail, RunStarted
from engine.playbooks.model import Playbook
from engine.ports.people import People
from engine.ports.storage.store import Claim, Effects
from engine.reviews import clocks
from engine.runs.effects import run_write
from engine.runs.migration import plan_migration
from engine.runs.run import StepResult, block_effects, migrate_run, take_step, unreadable_effects
from engine.runs.step_services import step_services
from engine.runs.visit import MOST_STEPS, advance_visit
from engine.services import Services

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class RunSteps:
    """Handles the mail of a run's lane, by the playbook that the run began with."""

    services: Services
    current: LiveDefinitions

    async def step(self, claim: Claim, mail: RunMail) -> HandlerResult:
        """The effects of the mail on its run; none where that has ended."""
        if claim.ended or not claim.state:
            return HandlerResult(Effects())
        run = read_run(claim, waits=True)
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
        services = self._run_services(run, now)
        context = StepContext(run, playbook, services, claim.follows)
        if isinstance(mail, GraphOrdered):
            return await self._order(mail, context)
        # Mail at which something failed is taken step by step, each of which is then persisted.
        most = MOST_STEPS if claim.attempts == 1 else 1
        stepped = await advance_visit(mail, context, services, most=most, take=self._take)
        if stepped.park:
            return HandlerResult(stepped.effects, park=True)
        effects = replace(
            stepped.effects,
            cards=(*stepped.effects.cards, *expired.cards),
            log=(*expired.log, *stepped.effects.log),
        )
        if claim.cards:
            effects = await self._close_replaced(run, effects, now)
        return HandlerResult(effects, stepped.front)

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

    async def _take(self, mail: RunMail, context: StepContext) -> StepResult:
        """One step of the run, timed."""
        since_s = self.services.clock.elapsed_s()
        stepped = await take_step(mail, context)
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
        services = step_services(context.services, run, context.playbook)
        stepped = (await self._take(mail, replace(context, services=services))).written()
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

    def _run_services(self, run: Run, now: datetime) -> Services:
        """The services of a step, as of `now` by the store's clock, which deadlines go by."""
        book = self.services.projects()
        return self.services.frozen_at(
            now,
            people=self._people_of(run),
            entity_kinds=self.current.snapshot.table.entity_kinds,
            projects=lambda: book,
            project=(lambda _: run.project) if run.project else book.of,
        )

    def _people_of(self, run: Run) -> People:
        """Those who may have to do with the run; of an earlier version's, by its conversation."""
        return self.services.people.scope_to(run.conversation, run.project or None)


def read_run(claim: Claim, *, waits: bool = False) -> Run | None:
    """The run; None when another version wrote it. Raises NewerState if it `waits` for that."""
    try:
        return Run.model_validate_json(claim.state)
    except ValidationError as error:
        if waits and is_by_newer(error):
            raise NewerState(f"state of {claim.lane}") from error
        log.error("unreadable_run", lane=claim.lane, faults=error.error_count())
        return None


def with_projects_of_now(services: Services) -> Services:
    """The services with the projects as they are now, which stay so."""
    book = services.projects()
    return services.with_changes(projects=lambda: book, project=book.of)
