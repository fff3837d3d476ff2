"""Lanes that wait for a model: whose turn is next, and who waits where (design §3)."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import pytest

from adapters.redis.keys import Partitions, tag
from adapters.redis.repositories.model_numbers import RedisModelNumbers
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from bot.processes.worker import report_model_queue
from bot.serve.work.capacity import LONGEST_QUEUE, PersonGate
from bot.serve.work.handler import MailHandler, Progress
from bot.serve.work.lanes import LaneLoop
from bot.serve.work.model_queue import FORGET_S, Asker, ModelLimits, ModelQueue, QueuedModel
from bot.serve.work.results import HandlerResult
from engine.errors import ModelQueueFull
from engine.ports.model import Completion, Message
from engine.ports.storage.store import Claim, Effects, RunWrite
from tests.fakes.platforms.patience import until

LEASE_S = 30.0
ONE = ModelLimits(places=1, lanes=9, per_project=9, per_person=9)
_updates = itertools.count(1)


@dataclass
class HeldModel:
    """Answers each request when the test lets it."""

    requests: list[tuple[str, asyncio.Event]] = field(default_factory=list)
    now: int = 0

    @property
    def asked(self) -> list[str]:
        return [text for text, _ in self.requests]

    def answer(self, number: int) -> None:
        self.requests[number][1].set()

    async def complete(self, messages: Sequence[Message], **more: Any) -> Completion:
        answered = asyncio.Event()
        self.requests.append((messages[0].content, answered))
        self.now += 1
        try:
            await answered.wait()
        finally:
            self.now -= 1
        return Completion("so")


@dataclass
class Asks:
    """Handles mail by asking the model what the mail says; `first` is committed before."""

    model: QueuedModel
    first: Effects | None = None
    begun: list[Claim] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        self.begun.append(claim)
        mail = json.loads(claim.mail)
        if self.first and claim.attempts == 1:
            await progress(self.first)
        if mail["asks"]:
            await self.model.complete([Message(role="user", content=mail["text"])])
        self.ended.append(mail["text"])
        return HandlerResult(Effects())


@dataclass
class Worker:
    """Lanes over a real mailbox, a model that is held, and what they did."""

    scripts: Scripts
    limits: ModelLimits
    first: Effects | None = None
    wake: Callable[[], None] = lambda: None
    now_s: float = 0.0
    model: HeldModel = field(default_factory=HeldModel)
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        # One, so that lanes are taken in the order in which they were put.
        self.partitions = Partitions(1)
        self.mailbox = RedisMailbox(
            self.scripts, self.partitions, lease_s=LEASE_S, bell=self.scripts.client
        )
        self.asks = Asks(QueuedModel(self.model), self.first)
        self.asking = ModelQueue(
            self.limits, lambda conversation: conversation.split("-")[0], lambda: self.now_s
        )

    async def say(self, who: str, place: str, text: str, *, asks: bool = True) -> None:
        mail = {"principal": {"id": who}, "text": text, "asks": asks}
        self.scripts.offset_ms += 1
        update = f"said-{next(_updates)}"
        await self.mailbox.put(f"talk:{place}", json.dumps(mail), update_id=update)
        self.wake()

    async def begin_run(self, who: str, place: str, text: str, *, asks: bool = True) -> None:
        """A run of theirs, whose next step asks a model."""
        run = self.partitions.new_id(place)
        body = json.dumps({"requester": {"id": who}, "conversation": place})
        mail = json.dumps({"text": text, "asks": asks})
        await self.mailbox.put(f"control:{place}", "begin", update_id=run)
        (claim,) = (await self.mailbox.take(0, control=1)).claims
        write = RunWrite(id=run, conversation=place, reply="", body=body)
        effects = Effects(runs=(write,), mails=((f"run:{run}", mail),))
        await self.mailbox.commit(claim, effects, pop=True)
        self.wake()

    @asynccontextmanager
    async def working(self, limit: int = 9, lease_s: float = LEASE_S) -> AsyncIterator[None]:
        lanes = LaneLoop(
            self.mailbox,
            cast(MailHandler, self.asks),
            limit=limit,
            model_queue=self.asking,
            lease_s=lease_s,
            typing_platform=lambda conversation: None,
            on_commit=lambda effects: None,
            meter=self.asking.meter,
        )
        self.wake = lanes.wake
        async with asyncio.TaskGroup() as group:
            group.create_task(lanes.run(self.stop))
            yield
            self.stop.set()
            self.wake()

    async def finish(self, ended: int) -> None:
        """Let the model answer whatever it is asked until so much mail has been handled."""

        def done() -> bool:
            for number in range(len(self.model.requests)):
                self.model.answer(number)
            return len(self.asks.ended) >= ended

        await until(done)

    async def queued(self, lane: str) -> float:
        """From when on the lane may be taken, by the server's clock."""
        mine = tag(self.partitions.of_lane(lane))
        return float(await self.scripts.client.zscore(f"{mine}q", lane) or 0)

    def was_begun(self, place: str, times: int) -> bool:
        """Whether mail of the conversation was handled so often, in part at least."""
        return sum(place in claim.lane for claim in self.asks.begun) >= times

    async def is_given_back(self, place: str) -> bool:
        mine = tag(self.partitions.of_conversation(place))
        return bool(await self.scripts.client.hget(f"{mine}l:talk:{place}:h", "fence") == "0")


def limits(**changed: int) -> ModelLimits:
    return ModelLimits(**{"places": 9, "lanes": 9, "per_project": 9, "per_person": 9, **changed})


async def test_a_lane_that_waits_for_a_model_holds_no_lane_place(scripts: Scripts) -> None:
    worker = Worker(scripts, ONE)
    for n in range(3):
        await worker.say(f"p{n}", f"a-{n}", f"q{n}")
    async with worker.working(1):
        await until(lambda: len(worker.asks.begun) == 3)
        await worker.say("other", "b", "look-up", asks=False)
        await until(lambda: worker.asks.ended == ["look-up"])
        assert worker.model.asked == ["q0"]
        await worker.finish(4)


@dataclass
class HeldAsks(Asks):
    """Handles the mail of one person when the test lets it."""

    who: str = "lin"
    held: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        handled = await super().handle(claim, progress)
        if self.who in claim.mail:
            await self.held.wait()
        return handled


async def test_what_one_person_said_is_worked_on_in_turn_and_others_come_in_between(
    scripts: Scripts,
) -> None:
    worker = Worker(scripts, ONE)
    worker.asks = asks = HeldAsks(worker.asks.model)
    worker.asking._gate = PersonGate(moment_s=3600.0)
    for n in range(5):
        await worker.say("lin", f"a-{n}", f"lin {n}", asks=False)
    async with worker.working(2):
        await until(lambda: len(asks.begun) == 1)
        await worker.say("wu", "b-1", "wu", asks=False)
        await until(lambda: asks.ended == ["lin 0", "wu"])
        asks.held.set()
        await until(lambda: len(asks.ended) == 6)
    assert asks.ended == ["lin 0", "wu", *(f"lin {n}" for n in range(1, 5))]


async def test_what_takes_longer_than_a_moment_does_not_hold_up_what_was_said_after_it(
    scripts: Scripts,
) -> None:
    worker = Worker(scripts, ONE)
    worker.asks = asks = HeldAsks(worker.asks.model)
    for n in range(3):
        await worker.say("lin", f"a-{n}", f"lin {n}", asks=False)
    async with worker.working():
        await until(lambda: len(asks.begun) == 3)
        asks.held.set()
    assert len(asks.ended) == 3


async def test_of_what_waits_to_be_worked_on_most_stays_in_the_store(scripts: Scripts) -> None:
    worker = Worker(scripts, ONE)
    worker.asks = asks = HeldAsks(worker.asks.model)
    worker.asking._gate = PersonGate(moment_s=3600.0)
    more = LONGEST_QUEUE + 2
    for n in range(more):
        await worker.say("lin", f"a-{n}", f"lin {n}", asks=False)
    async with worker.working():
        await until(partial(worker.is_given_back, f"a-{more - 1}"))
        assert not await worker.is_given_back(f"a-{more - 2}")
        # What waits when a worker ends is given back as well; what is worked on is finished.
        worker.stop.set()
        worker.wake()
        await until(partial(worker.is_given_back, f"a-{more - 2}"))
        assert len(asks.begun) == 1
        asks.held.set()
    assert asks.ended == ["lin 0"]


async def test_others_wait_no_longer_in_the_store_for_one_who_has_much_there() -> None:
    asking = ModelQueue(limits(), elapsed_s=lambda: 0.0)
    lin, wu = Asker("lin", "p"), Asker("wu", "p")
    waits_s = []
    for n, asker in enumerate([lin] * 50 + [wu]):
        claim = Claim(f"talk:a-{n}", fence=1, commits=0, attempts=1, mail="", state="")
        waits_s.append(asking._refuse(claim, asker).retry_in_s)
    assert waits_s[0] == waits_s[-1] == 1.0
    assert waits_s[49] == 5.0


async def test_who_gives_up_waiting_to_be_worked_on_holds_nobody_up() -> None:
    gate, done = PersonGate(), list[str]()

    async def work(name: str) -> None:
        await gate.enter("lin")
        done.append(name)

    await work("first")
    names = ("gone", "late", "last")
    gone, late, last = [asyncio.create_task(work(name)) for name in names]
    await until(lambda: len(gate._waiting["lin"]) == 3)
    gone.cancel()
    gate._begin_next("lin", asyncio.get_running_loop())
    # Its turn has come, and it does not know yet.
    late.cancel()
    await last
    assert done == ["first", "last"]
    gate.leave("lin")
    assert not gate.is_busy("lin")


async def test_the_next_place_is_of_whoever_has_the_fewest(scripts: Scripts) -> None:
    worker = Worker(scripts, limits(places=2))
    for n in range(3):
        await worker.say("lin", f"a-{n}", f"lin {n}")
    async with worker.working():
        await until(lambda: len(worker.asks.begun) == 3)
        await worker.say("wu", "b-1", "wu 1")
        await until(lambda: len(worker.asks.begun) == 4)
        assert worker.model.asked == ["lin 0", "lin 1"]
        worker.model.answer(0)
        await until(lambda: worker.model.asked == ["lin 0", "lin 1", "wu 1"])
        worker.model.answer(1)
        await until(lambda: worker.model.asked == ["lin 0", "lin 1", "wu 1", "lin 2"])
        await worker.finish(4)


@pytest.mark.parametrize(
    "over", [limits(per_person=1), limits(per_project=1), limits(lanes=2)], ids=str
)
async def test_what_is_over_a_limit_waits_in_the_store_and_costs_nobody(
    scripts: Scripts, over: ModelLimits
) -> None:
    worker = Worker(scripts, over)
    await worker.say("lin", "a-1", "first")
    async with worker.working():
        await until(lambda: worker.model.now == 1)
        await worker.say("wu", "b-1", "of another")
        await until(lambda: worker.model.now == 2)
        await worker.say("lin", "a-2", "over")
        await worker.say("lin", "a-2", "after it")
        await until(lambda: worker.is_given_back("a-2"))
        assert worker.model.asked == ["first", "of another"]
        assert worker.asking.counts() == {"asking": 2, "waiting": 0, "given_back": 1}
        await worker.finish(4)
        assert worker.asking.counts() == {"asking": 0, "waiting": 0, "given_back": 0}
        assert worker.asks.ended.index("over") < worker.asks.ended.index("after it")
        assert {claim.attempts for claim in worker.asks.begun} == {1}


async def test_what_was_given_back_is_not_handled_again_before_there_is_room(
    scripts: Scripts,
) -> None:
    worker = Worker(scripts, limits(per_person=1))
    await worker.say("lin", "a-1", "first")
    async with worker.working():
        await until(lambda: worker.model.now == 1)
        await worker.say("lin", "a-2", "second")
        await until(lambda: worker.is_given_back("a-2"))
        begun, due = len(worker.asks.begun), await worker.queued("talk:a-2")

        async def looked_at_again() -> bool:
            return await worker.queued("talk:a-2") > due + 1_500

        scripts.offset_ms += 2_000
        await worker.say("wu", "b-1", "wakes", asks=False)
        await until(looked_at_again)
        assert [claim.lane for claim in worker.asks.begun[begun:]] == ["talk:b-1"]
        await worker.finish(3)


async def test_a_persons_runs_leave_one_lane_for_what_they_ask(scripts: Scripts) -> None:
    worker = Worker(scripts, limits(per_person=2))
    await worker.begin_run("lin", "a-1", "job 1")
    await worker.begin_run("lin", "a-1", "job 2")
    async with worker.working():
        await until(lambda: len(worker.asks.begun) == 2)
        await worker.say("lin", "a-2", "question")
        await until(lambda: "question" in worker.model.asked)
        assert worker.model.now == 2
        # A run that needs no model is behind none of them.
        await worker.begin_run("lin", "a-3", "approved", asks=False)
        await until(lambda: worker.asks.ended == ["approved"])
        await worker.finish(4)


async def test_a_run_may_ask_where_a_person_has_one_lane(scripts: Scripts) -> None:
    worker = Worker(scripts, limits(per_person=1))
    await worker.begin_run("lin", "a-1", "job")
    async with worker.working():
        await worker.finish(1)
    assert worker.asks.ended == ["job"]


async def test_at_the_end_of_a_worker_what_waits_is_given_back_and_what_is_asked_is_answered(
    scripts: Scripts,
) -> None:
    worker = Worker(scripts, ONE)
    await worker.say("lin", "a-1", "asked")
    await worker.say("lin", "a-2", "waits")
    async with worker.working():
        await until(lambda: len(worker.asks.begun) == 2)
        worker.stop.set()
        await until(lambda: worker.is_given_back("a-2"))
        assert worker.asks.ended == []
        worker.model.answer(0)
    assert worker.asks.ended == ["asked"]
    (claim,) = (await worker.mailbox.take(9)).claims
    assert (claim.lane, claim.attempts) == ("talk:a-2", 1)


async def test_while_a_worker_ends_what_has_a_place_still_asks(scripts: Scripts) -> None:
    worker = Worker(scripts, ONE)
    worker.asking.drain()
    for n in range(2):
        await worker.say("lin", f"a-{n}", f"q{n}")
    async with worker.working():
        await until(lambda: len(worker.asks.begun) >= 2)
        assert worker.model.asked == ["q0"]
        worker.stop.set()
        worker.model.answer(0)


async def test_what_was_committed_before_it_was_given_back_is_not_done_again(
    scripts: Scripts,
) -> None:
    """The next attempt knows that it is one, however often the lane is given back."""
    worker = Worker(scripts, limits(per_person=1), Effects(session="said"))
    await worker.say("lin", "a-1", "first")
    async with worker.working():
        await until(lambda: worker.model.now == 1)
        await worker.say("lin", "a-2", "second")
        for times in (1, 2, 3):
            await until(lambda: worker.is_given_back("a-2"))
            # So long ago that another worker may have handled it.
            worker.now_s += FORGET_S + 1
            assert worker.asking.counts()["given_back"] == 0
            scripts.offset_ms += 2_000
            worker.wake()
            await until(partial(worker.was_begun, "a-2", times + 1))
        await until(lambda: worker.is_given_back("a-2"))
        assert [c.attempts for c in worker.asks.begun if "a-2" in c.lane] == [1, 2, 2, 2]
        await worker.finish(2)


async def test_the_lease_of_a_lane_that_waits_is_kept(scripts: Scripts) -> None:
    worker = Worker(scripts, ONE)
    for n in range(2):
        await worker.say("lin", f"a-{n}", f"q{n}")
    async with worker.working(lease_s=0.3):
        await until(lambda: len(worker.asks.begun) == 2)
        before = await worker.queued("talk:a-1")

        async def renewed() -> bool:
            return await worker.queued("talk:a-1") > before

        await until(renewed)
        await worker.finish(2)


async def test_a_lane_that_is_lost_while_it_waits_gives_up_its_turn(scripts: Scripts) -> None:
    worker = Worker(scripts, ONE)
    for n in range(3):
        await worker.say("lin", f"a-{n}", f"q{n}")
    async with worker.working(lease_s=0.3):
        await until(lambda: worker.asking.counts()["waiting"] == 2)
        # The one that waits first: were both lost at once, its turn might come before it is seen.
        for place, waiting in (("a-1", 1), ("a-0", 0)):
            mine = tag(worker.partitions.of_conversation(place))
            await scripts.client.hset(f"{mine}l:talk:{place}:h", "fence", 10**6)
            await until(lambda left=waiting: worker.asking.counts()["waiting"] == left)
        await until(lambda: worker.model.asked == ["q0", "q2"])
        await worker.finish(1)
    assert worker.asks.ended == ["q2"]


async def test_what_asks_after_its_lane_was_given_back_is_refused(scripts: Scripts) -> None:
    """As the rest of a message's parts, when one of them may not wait."""
    worker = Worker(scripts, ONE)
    later = asyncio.Event()
    tasks: list[asyncio.Task[Completion]] = []

    async def ask() -> Completion:
        await later.wait()
        return await worker.asks.model.complete([Message(role="user", content="late")])

    async def handle(claim: Claim, progress: Progress) -> HandlerResult:
        tasks.append(asyncio.create_task(ask()))
        worker.asks.ended.append("handled")
        return HandlerResult(Effects())

    worker.asks.handle = handle  # type: ignore[method-assign]
    await worker.say("lin", "a-1", "q")
    async with worker.working():
        await until(lambda: worker.asks.ended)
    later.set()
    with pytest.raises(ModelQueueFull):
        await tasks[0]


async def test_how_many_wait_is_told_to_all_processes(scripts: Scripts) -> None:
    worker, numbers = Worker(scripts, ONE), RedisModelNumbers(scripts.client)
    stop = asyncio.Event()
    for n in range(2):
        await worker.say("lin", f"a-{n}", f"q{n}")
    async with worker.working():
        await until(lambda: len(worker.asks.begun) == 2)
        telling = asyncio.create_task(report_model_queue(numbers, worker.asking, stop))
        await until(numbers.lanes)
        assert await numbers.lanes() == {"asking": 1, "waiting": 1, "given_back": 0}
        stop.set()
        await telling
        await worker.finish(2)


async def test_who_asks_outside_of_a_lane_is_let_through() -> None:
    model = HeldModel()
    asking = asyncio.create_task(QueuedModel(model).complete([Message(role="user", content="q")]))
    await until(lambda: model.now)
    model.answer(0)
    assert (await asking).text == "so"
