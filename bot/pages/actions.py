"""The actions of operators on the pages; each is written to the audit with its actor."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from bot.pages.views.run_list import read_run
from bot.telemetry.metrics import count_ended_runs
from cards.frozen import Frozen
from engine.errors import StaleWrite
from engine.frames import audit
from engine.frames.outcome import GraphOrder
from engine.jobs.graph import can_take
from engine.mail import GraphOrdered, RunResumed
from engine.ports.clock import Clock
from engine.ports.meter import Meter
from engine.ports.storage.operations import Operations
from engine.ports.storage.store import Decisions, Effects, Post
from engine.reviews.handover import NotReassigned, SeatTransfers
from engine.talk.active_runs import read_runs
from engine.talk.cancellation import cancel_effects

log = structlog.get_logger()
ATTEMPTS = 10
VIA = "pages"
_NOT_REASSIGNED: Mapping[NotReassigned, str] = {
    "nobody": "pages.said.nobody",
    "not_open": "pages.said.closed",
    "not_delegable": "pages.said.not_delegable",
    "no_seat": "pages.said.no_seat",
    "seat_taken": "pages.said.no_seat",
    "to_self": "pages.said.may_not",
    "to_requester": "pages.said.may_not",
    "to_reviewer": "pages.said.may_not",
    "handed_before": "pages.said.handed_before",
}


class ActionRequest(Frozen):
    """An action on a run or on mail (`target`), or on one of the run's cards or jobs.

    `text` is what people are told; `giver` loses a seat and `taker` gets it.
    """

    by: str
    target: str
    card: str = ""
    job: str = ""
    text: str = ""
    giver: str = ""
    taker: str = ""


@dataclass(frozen=True, slots=True)
class AdminActions:
    """Carries actions out; each returns the key of the sentence that says how it ended."""

    decisions: Decisions
    operations: Operations
    transfers: SeatTransfers
    clock: Clock
    meter: Meter

    async def do(self, name: str, request: ActionRequest) -> str | None:
        """Carry the action out; None for an unknown name."""
        action = self._actions.get(name)
        if action is None:
            return None
        notice = await action(request)
        log.info("admin_action", action=name, by=request.by, target=request.target, said=notice)
        return notice

    @property
    def _actions(self) -> Mapping[str, Callable[[ActionRequest], Awaitable[str]]]:
        # One line per button of a run's page, and its form in templates/run.html.
        return {
            "cancel": self._cancel,
            "retry": self._retry,
            "repost": self._repost,
            "reassign": self._reassign,
            "stop": self._stop,
            "fail": self._fail,
            "recover": self._recover,
        }

    async def _cancel(self, request: ActionRequest) -> str:
        """End the run; if it changes meanwhile, it is read again."""
        for _ in range(ATTEMPTS):
            found = await self.decisions.run(request.target)
            run = read_run(found[0]) if found else None
            if found is None or run is None:
                return "pages.said.gone"
            if found[1]:
                return "pages.said.ended"
            if run.parent:
                return "pages.said.child"
            others = read_runs(await self.decisions.active_runs(run.conversation))
            actor = {"by": request.by, "via": VIA}
            effects = cancel_effects(run, others, origin=actor, now=self.clock.now())
            try:
                await self._record(run.id, f"cancel:{run.id}", effects)
            except StaleWrite:
                continue
            count_ended_runs(effects, self.meter)
            return "pages.said.cancelled"
        return "pages.said.busy"

    async def _retry(self, request: ActionRequest) -> str:
        """Have a blocked run, or mail set aside, handled again."""
        found = await self.decisions.run(request.target)
        if found is not None:
            run = read_run(found[0])
            if found[1] or (run is not None and run.status != "blocked"):
                return "pages.said.not_waiting"
        resumed = RunResumed(by=request.by, via=VIA).stored()
        done = await self.operations.retry(request.target, resumed, by=request.by, via=VIA)
        return "pages.said.retried" if done else "pages.said.not_waiting"

    async def _repost(self, request: ActionRequest) -> str:
        """Show an open card once more where its run talks and where its deciders are.

        At most once a minute, however often the button is pressed.
        """
        found = await self.decisions.card(request.card)
        if found is None or found.card.run != request.target:
            return "pages.said.gone"
        card = found.card
        if card.status != "open":
            return "pages.said.closed"
        asks = bool(card.review.roles or card.review.persons)
        people = self.transfers.people.scope_of(card)
        homes = people.reviewer_homes(card.review) if asks else ()
        again = f"{found.now:%Y%m%d%H%M}"
        posts = tuple(
            Post(f"{card.token}@{place}#{again}", place, "card", card.token)
            for place in dict.fromkeys((card.conversation, *homes))
        )
        actor = {"by": request.by, "via": VIA}
        entry = audit.card_entry(card, self.clock.now(), "repost", actor)
        await self._record(
            card.token, f"repost:{card.token}:{again}", Effects(posts=posts, log=(entry,))
        )
        return "pages.said.reposted"

    async def _reassign(self, request: ActionRequest) -> str:
        """Give a seat to another person; if the card changes meanwhile, it is read again."""
        actor = {"by": request.by, "via": VIA}
        for _ in range(ATTEMPTS):
            found = await self.decisions.card(request.card)
            if found is None or found.card.run != request.target:
                return "pages.said.gone"
            effects = self.transfers.reassign(found, request.giver, request.taker, actor)
            if isinstance(effects, str):
                return _NOT_REASSIGNED[effects]
            card = found.card
            try:
                await self._record(
                    card.token, f"reassign:{card.token}:{card.version}:{request.taker}", effects
                )
            except StaleWrite:
                continue
            return "pages.said.reassigned"
        return "pages.said.busy"

    async def _stop(self, request: ActionRequest) -> str:
        return await self._order_graph("stop", request)

    async def _fail(self, request: ActionRequest) -> str:
        return await self._order_graph("fail", request)

    async def _recover(self, request: ActionRequest) -> str:
        return await self._order_graph("recover", request)

    async def _order_graph(self, what: GraphOrder, request: ActionRequest) -> str:
        """Put the order into the lane of the run's job graph, where its turn comes.

        The same order at the same step is one order.
        """
        found = await self.decisions.run(request.target)
        run = read_run(found[0]) if found else None
        if found is None or run is None:
            return "pages.said.gone"
        if found[1]:
            return "pages.said.ended"
        job = request.job if what == "fail" else ""
        if run.parent or run.status != "suspended" or not can_take(what, run, job):
            return "pages.said.not_now"
        mail = GraphOrdered(
            what=what, by=request.by, name=request.by, text=request.text.strip(), job=job, via=VIA
        )
        effects = Effects(mails=((f"run:{run.id}", mail.stored()),))
        await self._record(run.id, f"{what}:{run.id}:{run.steps}:{job}", effects)
        return "pages.said.ordered"

    async def _record(self, at: str, name: str, effects: Effects) -> None:
        """Store the effects in one script; a repeat under the same name changes nothing."""
        await self.decisions.decide(at, update_id=f"{VIA}:{name}", answer="{}", effects=effects)
