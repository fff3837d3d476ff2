"""A run and its child runs outside of any store: lanes, timers, and a worker that may crash."""

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from cards.deciding.decision import DecidedCard, decide
from cards.model import Card, Principal
from engine.frames.job_graph import JobGraph, JobsFrame
from engine.frames.outcome import StepContext
from engine.frames.state import ENDED, Run
from engine.mail import CardDecided, CardExpired, GraphOrdered, RunStarted, parse_mail
from engine.playbooks.model import Playbook
from engine.ports.model import GRAPH_BUDGET, Model, ModelBudget
from engine.runs.run import StepResult, advance_run
from engine.runs.step_services import step_services
from engine.services import ServiceLimits
from engine.toolbox.toolbox import Toolbox
from tests.fakes.services import services_of
from tests.fakes.study import Study
from tests.fakes.unlogged_cards import unlogged_cards
from tests.fakes.walk import LIN, NOW, People

Choose = Callable[[int], int]
"""Which of so many lanes is next."""


@dataclass
class RunTree:
    """Steps every run's lane as workers would, one at a time, in the order that `choose` gives.

    `crashes` says before each step whether a worker dies after having done it, uncommitted.
    """

    playbook: Playbook
    run: Run
    model: Model | None = None
    records: Study = field(default_factory=Study)
    choose: Choose = lambda count: 0
    crashes: Callable[[], bool] = lambda: False
    now: datetime = NOW
    runs: dict[str, Run] = field(default_factory=dict)
    cards: dict[str, Card] = field(default_factory=dict)
    lanes: dict[str, deque[str]] = field(default_factory=dict)
    timers: dict[str, tuple[datetime, str, str]] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)
    steps: int = 0
    graph_budget: ModelBudget = GRAPH_BUDGET
    on_step: Callable[[str, Run, StepResult], None] = lambda mail, before, stepped: None
    before: Callable[[Run], None] = lambda run: None
    toolbox: Toolbox | None = None

    def __post_init__(self) -> None:
        self.runs[self.run.id] = self.run
        self._ids = itertools.count(1)

    @property
    def root(self) -> Run:
        """The run as it stands."""
        return self.runs[self.run.id]

    @property
    def jobs(self) -> JobGraph | None:
        """Its jobs, None when it has none, or none yet."""
        frames = (frame for frame in self.root.frames if isinstance(frame, JobsFrame))
        return next((frame.graph for frame in frames), None)

    @property
    def graph(self) -> JobGraph:
        """Its jobs."""
        assert self.jobs is not None
        return self.jobs

    @property
    def states(self) -> dict[str, str]:
        """Each job's status."""
        return {job.id: job.status for job in self.graph.jobs}

    def open_cards(self) -> list[Card]:
        """The cards that somebody waits for."""
        return [card for card in self.cards.values() if card.status == "open"]

    async def start(self, steps: int = 5000, *, timers: bool = True) -> "RunTree":
        """As `go_on`, from the beginning."""
        self.put(self.run.id, RunStarted().model_dump_json())
        return await self.go_on(steps, timers=timers)

    def put(self, run_id: str, mail: str, *, front: bool = False) -> None:
        """Mail into the run's lane."""
        lane = self.lanes.setdefault(run_id, deque())
        if front:
            lane.appendleft(mail)
        else:
            lane.append(mail)

    async def go_on(self, steps: int = 5000, *, timers: bool = True) -> "RunTree":
        """So many steps at most, or until everything rests; with `timers`, these too."""
        for _ in range(steps):
            waiting = [name for name, lane in self.lanes.items() if lane]
            if not waiting:
                if not timers or not self._ring():
                    return self
                continue
            await self._step(waiting[self.choose(len(waiting))])
        return self

    async def order(self, what: Any, text: str = "", job: str = "") -> "RunTree":
        """Somebody wants that of the job graph, once the lanes before have rested."""
        mail = GraphOrdered(what=what, by="lin", name="Lin Yue", text=text, job=job)
        self.put(self.run.id, mail.model_dump_json())
        return await self.go_on()

    async def answer(self, card: Card, choice: str, by: Principal = LIN, **values: str) -> None:
        """Somebody decides the card; its run's lane has it."""
        verdict = decide(card, by, choice, self.now, revision=card.revision, values=values)
        assert isinstance(verdict, DecidedCard), verdict
        self._close(card.token, "decided")
        mail = CardDecided(card=card.token, decision=verdict.decision)
        self.put(card.run, mail.model_dump_json())

    async def expire(self, card: Card) -> None:
        """Nobody does."""
        self._close(card.token, "expired")
        self.put(card.run, CardExpired(card=card.token).model_dump_json())

    def _ring(self) -> bool:
        """The clock moves to the next timer of a live run."""
        due = [(at, name) for name, (at, _, _) in self.timers.items() if name.count("alarm:")]
        if not due:
            return False
        at, name = min(due)
        _, lane, mail = self.timers.pop(name)
        self.now = max(self.now, at)
        if self.runs[lane].status not in ENDED:
            self.put(lane, mail)
        return True

    async def _step(self, run_id: str) -> None:
        lane = self.lanes[run_id]
        run = self.runs[run_id]
        if run.status in ENDED:
            lane.clear()
            return
        mail = lane[0]
        follows = True
        while self.crashes():
            await self._stepped(run, mail, follows)
            follows = False
        stepped = await self._stepped(run, mail, follows)
        lane.popleft()
        self.steps += 1
        self._commit(run, mail, stepped)

    async def _stepped(self, run: Run, mail: str, follows: bool) -> StepResult:
        run = Run.model_validate_json(run.stored())
        self.before(run)
        services = services_of(
            now=self.now,
            records=self.records,
            people=People(),
            model=self.model,
            new_id=lambda _: f"00-{next(self._ids):06d}",
            project=lambda _: self.playbook.definition.project,
            limits=ServiceLimits(graph=self.graph_budget),
            **({"toolbox": self.toolbox} if self.toolbox else {}),
        )
        read: Any = parse_mail(mail)
        services = step_services(services, run, self.playbook)
        return await advance_run(read, StepContext(run, self.playbook, services, follows))

    def _commit(self, before: Run, mail: str, stepped: StepResult) -> None:
        effects = stepped.effects
        assert unlogged_cards(effects) == ()
        for write in effects.runs:
            self.runs[write.id] = Run.model_validate_json(write.body)
            if write.ended:
                self._end(write.id)
        for card in effects.cards:
            self.cards[card.card.token] = card.card
        for run_id, _ in effects.cancels:
            if self.runs[run_id].status not in ENDED:
                update = {"status": "cancelled"}
                self.runs[run_id] = self.runs[run_id].model_copy(update=update)
                self._end(run_id)
        if isinstance(parse_mail(mail), GraphOrdered):
            for token in set(before.waiting) - set(self.runs[before.id].waiting):
                self._close(token, "superseded")
        for lane, sent in effects.mails:
            if lane.startswith("run:"):
                self.put(lane.removeprefix("run:"), sent)
        for timer in effects.timers:
            lane, name = timer.lane.removeprefix("run:"), f"{timer.lane}|{timer.id}"
            self.timers.pop(name, None)
            if timer.at is not None:
                self.timers[name] = (timer.at, lane, timer.mail)
        if stepped.front:
            self.put(before.id, stepped.front, front=True)
        self.log += effects.log
        self._check(before.id)
        self.on_step(mail, before, stepped)

    def _check(self, run_id: str) -> None:
        """What holds after every step: a suspended run waits for cards, children or a timer."""
        run = self.runs[run_id]
        if run.status == "suspended":
            alarms = any(name.startswith(f"run:{run_id}|alarm:") for name in self.timers)
            waits = run.waiting or run.children or alarms or self.lanes.get(run_id)
            assert waits, f"{run_id} waits for nothing"
        for token in run.waiting:
            assert self.cards[token].run == run_id

    def _end(self, run_id: str) -> None:
        self.lanes.pop(run_id, None)
        for card in self.open_cards():
            if card.run == run_id:
                self._close(card.token, "cancelled")

    def _close(self, token: str, status: Any) -> None:
        card = self.cards[token]
        update = {"status": status, "version": card.version + 1}
        self.cards[token] = card.model_copy(update=update)


def again(tree: RunTree, **changed: Any) -> RunTree:
    """The same from the beginning, with other choices or crashes."""
    fresh: dict[str, Any] = {name: {} for name in ("runs", "cards", "lanes", "timers")}
    return replace(tree, **{**fresh, "log": [], "steps": 0, "now": NOW, **changed})


def soon(seconds: float) -> datetime:
    """So long after the beginning."""
    return NOW + timedelta(seconds=seconds)
