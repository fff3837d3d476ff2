"""Which lanes of this worker ask a model or wait for one, and whose turn is next (design §3)."""

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
from engine.ports.meter import UNHEARD, Meter
from engine.ports.model import Completion, Message, Model, ToolOffer
from engine.ports.storage.store import Claim

AGAIN_S: Final = 1.0
"""After so long a lane that was given back is due again."""
LOOKS_PER_S: Final = 10
"""Many of one person are due less often, so that looking at them costs no more than this."""
FORGET_S: Final = 30.0
"""What was given back and not seen for so long, another worker has handled."""
Limit = Literal["person", "project", "worker"]


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """How many requests to a model a worker has under way (`places`), and for whom.

    At most `lanes` lanes ask or wait for a place, of them so many of one project and of one person.
    """

    places: int
    lanes: int
    per_project: int
    per_person: int


UNLIMITED: Final = ModelLimits(*(4 * (sys.maxsize,)))


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom a lane asks a model: the person, and the project they are in."""

    person: str
    project: str
    is_run: bool = False


@dataclass(frozen=True, slots=True)
class _ReturnedMail:
    """Mail that was given back: its lane's number of commits, for whom it was, and when."""

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
    """The mail that is being handled, in whose name a model is asked."""

    lanes: "ModelQueue"
    claim: Claim
    place: LanePlace
    gate: Callable[[], None] = lambda: None
    ended: bool = False

    def leave_gate(self) -> None:
        """Others of the person's may be worked on, from now on."""
        leave, self.gate = self.gate, lambda: None
        leave()


_mail_context: ContextVar[_MailContext | None] = ContextVar("handled", default=None)


@dataclass(slots=True)
class ModelQueue:
    """Lets a lane ask a model when its turn has come; meanwhile it holds no lane place.

    The next place goes to whoever has the fewest requests under way, of these to who came first.
    What is over a limit raises ModelQueueFull at its first request: the lane is given back to the
    store, unhandled, and taken again, here or by another worker. `project` tells the project of a
    conversation.
    """

    limits: ModelLimits = UNLIMITED
    project: Callable[[str], str] = str
    elapsed_s: Callable[[], float] = float
    meter: Meter = UNHEARD
    _gate: PersonGate = field(default_factory=PersonGate)
    _inside: dict[str, Asker] = field(default_factory=dict)
    _given_back: OrderedDict[str, _ReturnedMail] = field(default_factory=OrderedDict)
    _people: Counter[str] = field(default_factory=Counter)
    _projects: Counter[str] = field(default_factory=Counter)
    _waiting: list[_Waiter] = field(default_factory=list)
    _draining: bool = False

    @asynccontextmanager
    async def handling(self, claim: Claim, place: LanePlace) -> AsyncIterator[None]:
        """What asks a model in this block does so for the claim's lane.

        What a person said begins after what they said before. Raises ModelQueueFull at once for
        mail that was given back, while it would be again.
        """
        known = self._given_back.get(claim.lane)
        if known and known.commits == claim.commits and self._over(known.asker):
            raise self._full(claim, known.asker)
        handled = _MailContext(self, claim, place)
        if claim.kind == "talk":
            await self._let_through(handled)
        token = _mail_context.set(handled)
        try:
            yield
        finally:
            _mail_context.reset(token)
            handled.leave_gate()
            handled.ended = True
            self._inside.pop(claim.lane, None)

    async def _let_through(self, handled: _MailContext) -> None:
        """Return when it is the turn of this among what the person said.

        What takes longer than a moment waits for something else, and holds up the next no more.
        Raises ModelQueueFull.
        """
        asker = asker_of(handled.claim, self.project)
        gate, person = self._gate, asker.person
        if gate.is_full(person):
            raise self._full(handled.claim, asker)
        with handled.place.left() if gate.is_busy(person) else nullcontext():
            await gate.enter(person)
        handled.gate = partial(gate.leave, person)
        asyncio.get_running_loop().call_later(gate.moment_s, handled.leave_gate)

    def standing(self) -> Mapping[str, int]:
        """How many requests are under way, and wait; and how many lanes were given back."""
        self._forget()
        asking, waiting = self._people.total(), len(self._waiting)
        return {"asking": asking, "waiting": waiting, "given_back": len(self._given_back)}

    def drain(self) -> None:
        """From now on nobody waits: lanes that do are given back, for other workers."""
        self._draining = True
        self._gate.drain(ModelQueueFull("the worker ends"))
        for waiter in self._waiting:
            if not waiter.turn.done():
                waiter.turn.set_exception(ModelQueueFull("the worker ends"))
        self._waiting.clear()

    @asynccontextmanager
    async def turn(self, handled: _MailContext) -> AsyncIterator[None]:
        """One request; begins when its turn has come. Raises ModelQueueFull."""
        asker = self._admitted(handled)
        handled.leave_gate()
        with handled.place.left():
            await self._granted(asker)
            try:
                yield
            finally:
                self._count(asker, -1)
                self._grant()

    def _admitted(self, handled: _MailContext) -> Asker:
        """Who asks, now among those that may wait."""
        lane = handled.claim.lane
        if handled.ended:
            raise ModelQueueFull("its lane was given back")
        asker = self._inside.get(lane)
        if asker is None:
            asker = asker_of(handled.claim, self.project)
            limit = self._over(asker)
            if limit:
                if lane not in self._given_back:
                    self.meter.count("model_full", limit)
                raise self._full(handled.claim, asker)
            self._given_back.pop(lane, None)
            self._inside[lane] = asker
        return asker

    def _over(self, asker: Asker) -> Limit | None:
        """The limit that one more lane of theirs would be over."""
        limits, inside = self.limits, self._inside.values()
        theirs = [each for each in inside if each.person == asker.person]
        # Runs leave one for what the person asks meanwhile.
        runs, most_runs = sum(each.is_run for each in theirs), max(1, limits.per_person - 1)
        if len(theirs) >= limits.per_person or (asker.is_run and runs >= most_runs):
            return "person"
        if sum(each.project == asker.project for each in inside) >= limits.per_project:
            return "project"
        return "worker" if len(inside) >= limits.lanes else None

    def _full(self, claim: Claim, asker: Asker) -> ModelQueueFull:
        self._given_back[claim.lane] = _ReturnedMail(claim.commits, asker, self.elapsed_s())
        self._given_back.move_to_end(claim.lane)
        self._forget()
        theirs = sum(each.asker.person == asker.person for each in self._given_back.values())
        again_s = max(AGAIN_S, theirs / LOOKS_PER_S)
        return ModelQueueFull(f"{claim.lane} waits for a model", retry_in_s=again_s)

    def _forget(self) -> None:
        """Drop what others have handled since; the oldest come first."""
        before_s = self.elapsed_s() - max(FORGET_S, 2 * len(self._given_back) / LOOKS_PER_S)
        while self._given_back and next(iter(self._given_back.values())).at_s < before_s:
            self._given_back.popitem(last=False)

    async def _granted(self, asker: Asker) -> None:
        """Return when it is their turn, which is counted then."""
        waiter = _Waiter(asker, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        self._grant()
        if self._draining and not waiter.granted:
            self._waiting.remove(waiter)
            raise ModelQueueFull("the worker ends")
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.granted:
                self._count(asker, -1)
                self._grant()
            elif waiter in self._waiting:
                self._waiting.remove(waiter)
            raise

    def _grant(self) -> None:
        while self._people.total() < self.limits.places and (waiter := self._next()):
            self._waiting.remove(waiter)
            self._count(waiter.asker, 1)
            waiter.granted = True
            waiter.turn.set_result(None)

    def _next(self) -> _Waiter | None:
        may = [
            each
            for each in self._waiting
            if not each.turn.done()
            and self._people[each.asker.person] < self.limits.per_person
            and self._projects[each.asker.project] < self.limits.per_project
        ]
        return min(may, key=lambda each: self._people[each.asker.person], default=None)

    def _count(self, asker: Asker, by: int) -> None:
        for counted, name in ((self._people, asker.person), (self._projects, asker.project)):
            counted[name] += by
            if not counted[name]:
                del counted[name]


class QueuedModel:
    """A Model that lanes ask in turns; whoever asks outside of a lane is let through."""

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
    ) -> Completion:
        """The model's answer; raises as it does, and ModelQueueFull."""
        handled = _mail_context.get()
        async with handled.lanes.turn(handled) if handled else nullcontext():
            return await self._model.complete(
                messages, tools=tools, schema=schema, max_tokens=max_tokens, heard=heard
            )


def asker_of(claim: Claim, project: Callable[[str], str]) -> Asker:
    """For whom the claim's mail is handled: a run's requester, or whose mail it is.

    Mail of nobody, or that cannot be read, counts as its conversation's.
    """
    kind, _, conversation = claim.lane.partition(":")
    if kind == "run":
        run = json.loads(claim.state)
        return Asker(run["requester"]["id"], project(run["conversation"]), is_run=True)
    return Asker(_sender(claim.mail) or conversation, project(conversation))


def _sender(stored: str) -> str:
    """Whose mail it is; "" for nobody's, and for what cannot be read."""
    try:
        mail = json.loads(stored)
    except ValueError:
        return ""
    if "principal" in mail:
        return str(mail["principal"]["id"])
    return str(mail.get("decision", {}).get("person", ""))
