"""The queue of lanes that ask a model: who waits, and whose turn is next (design §3)."""

import asyncio
import json
import sys
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal

from bot.serve.work.capacity import LanePlace, PersonGate
from engine.errors import ModelQueueFull
from engine.ports.meter import NO_METER, Meter
from engine.ports.model import Completion, Message, Model, Purpose, ToolOffer
from engine.ports.storage.store import Claim

RETRY_S: Final = 1.0
"""After so long a released lane is due again."""
RETRIES_PER_S: Final = 10
"""Released lanes of one person are retried at most this often, all of them together."""
FORGET_S: Final = 30.0
"""Mail that was released and not seen for so long was handled by another worker."""
Limit = Literal["person", "project", "worker"]


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """How many requests to a model run at once (`places`), and how many lanes may ask.

    At most `lanes` lanes ask or wait, and at most so many of one project and of one person.
    """

    places: int
    lanes: int
    per_project: int
    per_person: int


UNLIMITED: Final = ModelLimits(*(4 * (sys.maxsize,)))


@dataclass(frozen=True, slots=True)
class Asker:
    """The person for whom a lane asks a model, and their project."""

    person: str
    project: str
    is_run: bool = False


@dataclass(frozen=True, slots=True)
class _ReturnedMail:
    """Mail that was released unhandled: the commits of its lane, its asker, and when."""

    commits: int
    asker: Asker
    at_s: float


@dataclass(eq=False, slots=True)
class _Waiter:
    asker: Asker
    turn: asyncio.Future[None]
    granted: bool = False


@dataclass(eq=False, slots=True)
class _MailContext:
    """The mail that is being handled, for which a model is asked."""

    queue: "ModelQueue"
    claim: Claim
    place: LanePlace
    gate: Callable[[], None] = lambda: None
    ended: bool = False

    def leave_gate(self) -> None:
        """Let the person's next mail begin."""
        leave, self.gate = self.gate, lambda: None
        leave()


_mail_context: ContextVar[_MailContext | None] = ContextVar("handled", default=None)


@dataclass(slots=True)
class ModelQueue:
    """Lets a lane ask a model when it is its turn; while it waits it holds no lane place.

    The next turn goes to the person with the fewest requests under way, then to who came first.
    A lane over a limit gets ModelQueueFull at its first request: it is released unhandled and taken
    again, here or by another worker. `project` returns the project of a conversation.
    """

    limits: ModelLimits = UNLIMITED
    project: Callable[[str], str] = str
    elapsed_s: Callable[[], float] = float
    meter: Meter = NO_METER
    _gate: PersonGate = field(default_factory=PersonGate)
    _admitted_lanes: dict[str, Asker] = field(default_factory=dict)
    _returned: OrderedDict[str, _ReturnedMail] = field(default_factory=OrderedDict)
    _people: Counter[str] = field(default_factory=Counter)
    _projects: Counter[str] = field(default_factory=Counter)
    _waiting: list[_Waiter] = field(default_factory=list)
    _draining: bool = False

    @asynccontextmanager
    async def handling(self, claim: Claim, place: LanePlace) -> AsyncIterator[None]:
        """Model requests in this block are made for the claim's lane.

        Mail of one person begins in order. Raises ModelQueueFull at once for released mail whose
        limit is still reached.
        """
        known = self._returned.get(claim.lane)
        if known and known.commits == claim.commits and self._exceeded_limit(known.asker):
            raise self._refuse(claim, known.asker)
        context = _MailContext(self, claim, place)
        if claim.kind == "talk":
            await self._enter_gate(context)
        token = _mail_context.set(context)
        try:
            yield
        finally:
            _mail_context.reset(token)
            context.leave_gate()
            context.ended = True
            self._admitted_lanes.pop(claim.lane, None)

    async def _enter_gate(self, context: _MailContext) -> None:
        """Return when it is this mail's turn among those of the person.

        Mail that takes longer than a moment lets the next one begin. Raises ModelQueueFull.
        """
        asker = read_asker(context.claim, self.project)
        gate, person = self._gate, asker.person
        if gate.is_full(person):
            raise self._refuse(context.claim, asker)
        with context.place.vacate() if gate.is_busy(person) else nullcontext():
            await gate.enter(person)
        context.gate = partial(gate.leave, person)
        asyncio.get_running_loop().call_later(gate.moment_s, context.leave_gate)

    def counts(self) -> Mapping[str, int]:
        """How many requests are under way and wait, and how many lanes were released."""
        self._forget()
        asking, waiting = self._people.total(), len(self._waiting)
        return {"asking": asking, "waiting": waiting, "given_back": len(self._returned)}

    def drain(self) -> None:
        """From now on no lane waits: those that do are released, for other workers."""
        self._draining = True
        self._gate.drain(ModelQueueFull("the worker ends"))
        for waiter in self._waiting:
            if not waiter.turn.done():
                waiter.turn.set_exception(ModelQueueFull("the worker ends"))
        self._waiting.clear()

    @asynccontextmanager
    async def turn(self, context: _MailContext) -> AsyncIterator[None]:
        """One request, which begins when it is its turn. Raises ModelQueueFull."""
        asker = self._admit(context)
        context.leave_gate()
        with context.place.vacate():
            await self._wait_for_turn(asker)
            try:
                yield
            finally:
                self._count(asker, -1)
                self._grant_turns()

    def _admit(self, context: _MailContext) -> Asker:
        """The lane's asker, once the lane is among those that may wait."""
        lane = context.claim.lane
        if context.ended:
            raise ModelQueueFull("its lane was given back")
        asker = self._admitted_lanes.get(lane)
        if asker is None:
            asker = read_asker(context.claim, self.project)
            limit = self._exceeded_limit(asker)
            if limit:
                if lane not in self._returned:
                    self.meter.count("model_full", limit)
                raise self._refuse(context.claim, asker)
            self._returned.pop(lane, None)
            self._admitted_lanes[lane] = asker
        return asker

    def _exceeded_limit(self, asker: Asker) -> Limit | None:
        """The limit that one more lane of this asker would exceed, if any."""
        limits, admitted = self.limits, self._admitted_lanes.values()
        own = [each for each in admitted if each.person == asker.person]
        # Runs leave one place for questions that the person asks meanwhile.
        runs, most_runs = sum(each.is_run for each in own), max(1, limits.per_person - 1)
        if len(own) >= limits.per_person or (asker.is_run and runs >= most_runs):
            return "person"
        if sum(each.project == asker.project for each in admitted) >= limits.per_project:
            return "project"
        return "worker" if len(admitted) >= limits.lanes else None

    def _refuse(self, claim: Claim, asker: Asker) -> ModelQueueFull:
        """Note the mail as released, and return the error that releases it."""
        self._returned[claim.lane] = _ReturnedMail(claim.commits, asker, self.elapsed_s())
        self._returned.move_to_end(claim.lane)
        self._forget()
        own = sum(each.asker.person == asker.person for each in self._returned.values())
        again_s = max(RETRY_S, own / RETRIES_PER_S)
        return ModelQueueFull(f"{claim.lane} waits for a model", retry_in_s=again_s)

    def _forget(self) -> None:
        """Drop mail that other workers took since; the oldest comes first."""
        before_s = self.elapsed_s() - max(FORGET_S, 2 * len(self._returned) / RETRIES_PER_S)
        while self._returned and next(iter(self._returned.values())).at_s < before_s:
            self._returned.popitem(last=False)

    async def _wait_for_turn(self, asker: Asker) -> None:
        """Wait for a turn, which is counted from then on."""
        waiter = _Waiter(asker, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        self._grant_turns()
        if self._draining and not waiter.granted:
            self._waiting.remove(waiter)
            raise ModelQueueFull("the worker ends")
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.granted:
                self._count(asker, -1)
                self._grant_turns()
            elif waiter in self._waiting:
                self._waiting.remove(waiter)
            raise

    def _grant_turns(self) -> None:
        while self._people.total() < self.limits.places and (waiter := self._next()):
            self._waiting.remove(waiter)
            self._count(waiter.asker, 1)
            waiter.granted = True
            waiter.turn.set_result(None)

    def _next(self) -> _Waiter | None:
        eligible = [
            each
            for each in self._waiting
            if not each.turn.done()
            and self._people[each.asker.person] < self.limits.per_person
            and self._projects[each.asker.project] < self.limits.per_project
        ]
        return min(eligible, key=lambda each: self._people[each.asker.person], default=None)

    def _count(self, asker: Asker, by: int) -> None:
        for counted, name in ((self._people, asker.person), (self._projects, asker.project)):
            counted[name] += by
            if not counted[name]:
                del counted[name]


def current_asker() -> Asker | None:
    """The one for whom the lane works that is handled here; None outside of a lane."""
    context = _mail_context.get()
    return read_asker(context.claim, context.queue.project) if context else None


def current_project() -> str:
    """The project of what is handled here; "" outside of a lane."""
    asker = current_asker()
    return asker.project if asker else ""


class QueuedModel:
    """A Model that lanes ask in turns; requests outside of a lane do not wait."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
        purpose: Purpose = "",
    ) -> Completion:
        """The model's answer; raises as it does, and ModelQueueFull."""
        context = _mail_context.get()
        async with context.queue.turn(context) if context else nullcontext():
            return await self._model.complete(
                messages,
                tools=tools,
                schema=schema,
                max_tokens=max_tokens,
                heard=heard,
                purpose=purpose,
            )


def read_asker(claim: Claim, project: Callable[[str], str]) -> Asker:
    """A run's requester, or the sender of the mail; a conversation where mail has no sender."""
    kind, _, conversation = claim.lane.partition(":")
    if kind == "run":
        run = json.loads(claim.state)
        own = run.get("project") or project(run["conversation"])
        return Asker(run["requester"]["id"], own, is_run=True)
    return Asker(_sender(claim.mail) or conversation, project(conversation))


def _sender(stored: str) -> str:
    """The sender of the mail; "" for mail without one, and for what cannot be read."""
    try:
        mail = json.loads(stored)
    except ValueError:
        return ""
    if "principal" in mail:
        return str(mail["principal"]["id"])
    return str(mail.get("decision", {}).get("person", ""))
