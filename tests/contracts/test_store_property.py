"""Random lives of the store against a plain model of what must be true (design §3).

Workers take, commit, stall past their lease and come back with what they held; people tap late,
twice and at once; updates repeat; runs expire, end and are cancelled; time jumps. The model says
which of it counts, and the store must say the same.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Coroutine
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from adapters.redis.arrivals import RedisArrivals
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.server.embedded import EmbeddedServer
from adapters.redis.store import RedisDecisions, RedisMailbox
from cards.model import Card, Choice, Decision, Review
from engine.errors import LeaseLost, Overloaded, StaleWrite
from engine.ports.storage.arrivals import Arrival
from engine.ports.storage.store import AfterCommit, CardWrite, Claim, Effects, RunWrite, Timer
from tests.contracts.store_model import BOUNDS, DEADLINE_S, LEASE_S, Model, changed
from tests.fakes.tries import tries

# Other lives: PROPERTY_SEED=7 PROPERTY_TIMES=100 make test ARGS=tests/contracts
SEED, EXAMPLES, STEPS = 20261121, tries(20), 60
# No sum of jumps comes within minutes of the lease, the deadline or the delay. Every step takes a
# second besides, so that what is due has one order and a found life can be lived again.
RETRY_S = 1_000
JUMPS_S = (700, 3_500, 7_000)
CONVERSATIONS = ("web:local:one", "web:local:two")
AFTER: tuple[AfterCommit, ...] = ("keep", "keep", "release", "park")
T = TypeVar("T")


class Store(RuleBasedStateMachine):
    """The real store beside the model; every rule does the same to both."""

    client: Redis
    runner: asyncio.Runner

    def __init__(self) -> None:
        super().__init__()
        self.partitions = Partitions(1)
        self.scripts = Scripts(self.client, guard=True)
        self.mailbox = RedisMailbox(
            self.scripts, self.partitions, lease_s=LEASE_S, bell=self.client, bounds=BOUNDS
        )
        self.decisions = RedisDecisions(self.scripts, self.partitions)
        self.arrivals = RedisArrivals(self.scripts, self.partitions)
        self.wait(self._empty())
        self.model = Model()
        self.claims: list[Claim] = []
        self.seen: list[Card] = []
        self.handled: defaultdict[str, list[str]] = defaultdict(list)
        self.decided: defaultdict[str, set[str]] = defaultdict(set)
        self.fences = 0
        self.mails = 0
        for place in CONVERSATIONS:
            self.put(f"talk:{place}", f"first at {place}")
            self.a_second_passes()
            self.a_worker_takes_a_lane()
            self.commit(self.claims[-1], self.opening(place), pop=True, front="", after="keep")

    @invariant()
    def a_second_passes(self) -> None:
        self.time_passes(1)

    async def _empty(self) -> None:
        await self.client.flushall()

    def wait(self, call: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(call)

    def new_mail(self) -> str:
        self.mails += 1
        return f"mail {self.mails}"

    def any_lane(self, data: st.DataObject) -> str:
        kinds = [f"{kind}:{place}" for kind in ("talk", "control") for place in CONVERSATIONS]
        return data.draw(st.sampled_from([*kinds, *(f"run:{run}" for run in self.model.runs)]))

    def any_claim(self, data: st.DataObject) -> Claim:
        """Mostly one that counts, sometimes one that was lost or used long ago."""
        counting = [claim for claim in self.claims if self.model.refuses(claim, Effects()) is None]
        stale = data.draw(st.sampled_from((False, False, True)))
        return data.draw(st.sampled_from(self.claims if stale else counting or self.claims))

    @rule(seconds=st.sampled_from(JUMPS_S))
    def time_passes(self, seconds: int) -> None:
        self.model.now += seconds
        self.scripts.offset_ms += seconds * 1000

    @rule(data=st.data(), update=st.integers(0, 30))
    def an_update_comes_perhaps_again(self, data: st.DataObject, update: int) -> None:
        self.put(self.any_lane(data), f"update-{update}")

    def put(self, lane: str, update: str) -> None:
        mail = self.new_mail()
        overloaded = self.model.overloaded(lane, update)
        try:
            arrival = Arrival(update, mail)
            new = self.wait(self.mailbox.put(lane, mail, update_id=update, arrival=arrival))
        except Overloaded:
            assert overloaded
        else:
            assert not overloaded
            assert new == self.model.put(lane, mail, update)

    @rule(data=st.data())
    def a_message_is_edited(self, data: st.DataObject) -> None:
        update = data.draw(st.sampled_from([*self.model.messages]))
        lane, mail = self.model.messages[update][0], self.new_mail()
        edit = self.arrivals.edit(lane, mail, Arrival(update, mail), at=f"{self.mails:09d}")
        assert self.wait(edit) == self.model.edit(update, mail)

    @rule()
    def a_worker_takes_a_lane(self) -> None:
        taken = self.wait(self.mailbox.take(1))
        self.model.fire_timers()
        due = self.model.due()
        if not due:
            assert taken.claims == ()
            return
        (claim,) = taken.claims
        assert claim.lane in due
        assert claim.fence > self.fences
        self.fences = claim.fence
        assert claim == self.model.take(claim.lane, claim.fence)
        self.claims.append(claim)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def a_worker_renews(self, data: st.DataObject) -> None:
        claim = self.any_claim(data)
        holds = self.model.holds(claim)
        try:
            self.wait(self.mailbox.renew(claim))
        except LeaseLost:
            assert not holds
            self.model.renew_late(claim)
        else:
            assert holds
            self.model.renew(claim)

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), in_s=st.sampled_from((0, RETRY_S)), counts=st.booleans())
    def a_worker_gives_up(self, data: st.DataObject, in_s: int, counts: bool) -> None:
        claim = self.any_claim(data)
        self.wait(self.mailbox.release(claim, retry_in_s=in_s, counts=counts))
        if self.model.holds(claim):
            self.model.release(claim, in_s, counts=counts)

    @precondition(lambda self: self.claims)
    @rule(
        data=st.data(),
        pop=st.sampled_from((True, True, True, False)),
        front=st.sampled_from(("", "", "", "front")),
        after=st.sampled_from(AFTER),
    )
    def a_worker_commits(
        self, data: st.DataObject, pop: bool, front: str, after: AfterCommit
    ) -> None:
        claim = self.any_claim(data)
        self.commit(claim, self.any_effects(data, claim.lane), pop=pop, front=front, after=after)

    def commit(
        self, claim: Claim, effects: Effects, *, pop: bool, front: str, after: AfterCommit
    ) -> None:
        refusal = self.model.refuses(claim, effects)
        how: dict[str, Any] = {"pop": pop, "front": front, "after": after}
        refused: type[Exception] | None = None
        following: Claim | None = None
        try:
            following = self.wait(self.mailbox.commit(claim, effects, **how))
        except (LeaseLost, StaleWrite) as error:
            refused = type(error)
        assert refused is refusal
        if refused is None:
            assert following == self.model.commit(claim, effects, **how)
            self.note(effects)
            if pop:
                self.handled[claim.lane].append(claim.mail)
            if following is not None:
                self.claims.append(following)
        self.compare()

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), tap=st.integers(0, 9), choice=st.sampled_from(("approve", "reject")))
    def somebody_taps(self, data: st.DataObject, tap: int, choice: str) -> None:
        card = data.draw(st.sampled_from(self.seen[::-1]))
        effects = self.answer(card, choice)
        before = self.model.answers.get(f"tap-{tap}")
        stale = before is None and self.model.stale(effects)
        try:
            answer = self.wait(
                self.decisions.decide(
                    card.token, update_id=f"tap-{tap}", answer=choice, effects=effects
                )
            )
        except StaleWrite:
            assert stale
        else:
            assert not stale
            assert answer == (before or choice)
            if before is None:
                self.model.answers[f"tap-{tap}"] = choice
                self.model.apply(effects, "")
                self.note(effects)
        self.compare()

    def any_effects(self, data: st.DataObject, lane: str) -> Effects:
        kind, _, rest = lane.partition(":")
        choices = ["nothing", "mail", "cancel", "card", "card"]
        choices += ["onward", "onward", "end"] if kind == "run" else ["open", "session"]
        match data.draw(st.sampled_from(choices)):
            case "mail":
                return Effects(mails=((self.any_lane(data), self.new_mail()),))
            case "cancel":
                run = data.draw(st.sampled_from(list(self.model.runs.values())))
                # A step before the first would mean any step.
                ahead = data.draw(st.sampled_from((0, 0, 0, 1)))
                return Effects(cancels=((run.id, run.steps + ahead),))
            case "card":
                return self.any_change(data, data.draw(st.sampled_from(self.seen[::-1])))
            case "onward":
                steps = self.model.runs[rest].steps + 1
                onward = replace(self.model.runs[rest], steps=steps, body=f"{steps}", ended="")
                return Effects(runs=(onward,))
            case "end":
                return Effects(runs=(replace(self.model.runs[rest], ended="completed"),))
            case "open":
                return self.opening(rest)
            case "session":
                return Effects(session=self.new_mail())
            case _:
                return Effects()

    def any_change(self, data: st.DataObject, card: Card) -> Effects:
        match data.draw(st.sampled_from(("open", "open", "expired", "decided", "again"))):
            case "open" | "expired" as status:
                return Effects(cards=(CardWrite(changed(card, status), expect=card.version),))
            case "again":
                return Effects(cards=(CardWrite(card),))
            case _:
                return self.answer(card, "by text")

    def opening(self, conversation: str) -> Effects:
        run, token = (self.partitions.derived_id(conversation, self.new_mail()) for _ in "rt")
        at = datetime.now(UTC) + timedelta(milliseconds=self.scripts.offset_ms, seconds=DEADLINE_S)
        card = Card(
            kind="confirm",
            token=token,
            run=run,
            conversation=conversation,
            lang="en",
            title="Write it?",
            choices=(Choice(id="approve", label="Approve"), Choice(id="reject", label="Reject")),
            review=Review(roles=("reviewer",)),
            requester="lin",
            deadline=at,
        )
        return Effects(
            runs=(RunWrite(id=run, conversation=conversation, reply="", body="step 0"),),
            cards=(CardWrite(card),),
            timers=(Timer(f"run:{run}", f"expire:{token}", at, self.new_mail()),),
        )

    def answer(self, card: Card, choice: str) -> Effects:
        at = datetime(2026, 11, 21, tzinfo=UTC)
        decision = Decision(choice=choice, person="chen", name=self.new_mail(), at=at)
        after = CardWrite(changed(card, "decided", decision), expect=card.version)
        return Effects(cards=(after,), mails=((f"run:{card.run}", decision.name),))

    def note(self, effects: Effects) -> None:
        """People and workers remember every state of a card that they saw."""
        self.seen += [write.card for write in effects.cards if write.card.decision is None]

    def compare(self) -> None:
        """What is stored is what the model says, and nothing that has happened is undone."""
        for token, card in self.model.cards.items():
            found = self.wait(self.decisions.card(token))
            assert found is not None
            assert found.card == card
            if found.card.decision is not None:
                self.decided[token].add(found.card.decision.name)
            assert len(self.decided[token]) <= 1
        for run in self.model.runs.values():
            assert self.wait(self.decisions.run(run.id)) == (run.body, run.ended)

    def teardown(self) -> None:
        """In the end all mail was handled exactly once, in order, save what was cancelled."""
        for _ in range(2):
            self.time_passes(max(JUMPS_S))
            self.drain()
        self.compare()
        assert self.model.due() == set()
        for lane, accepted in self.model.accepted.items():
            kept = [mail for mail in accepted if mail not in self.model.dropped]
            waiting = self.model.lanes[lane].mail
            handled = [mail for mail in self.handled[lane] if mail != "front"]
            assert handled + [mail for mail in waiting if mail != "front"] == kept
            assert not waiting or self.model.lanes[lane].ready is None
        self.wait(self.scripts.drain())

    def drain(self) -> None:
        while True:
            known = len(self.claims)
            self.a_second_passes()
            self.a_worker_takes_a_lane()
            if len(self.claims) == known:
                return
            while len(self.claims) > known:
                claim, known = self.claims[-1], len(self.claims)
                self.commit(claim, Effects(), pop=True, front="", after="keep")


@pytest.mark.more
def test_no_random_life_of_the_store_leaves_the_model(redis_server: EmbeddedServer) -> None:
    number = int(os.environ.get("PROPERTY_SEED", SEED))
    with asyncio.Runner() as runner:
        # A command is neither given up nor repeated here: the model does everything once.
        once = Retry(NoBackoff(), 0)
        client = Redis.from_url(
            redis_server.url, decode_responses=True, socket_timeout=60, retry=once
        )

        @seed(number)
        class Started(Store):
            pass

        Started.client, Started.runner = client, runner
        how = settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        try:
            run_state_machine_as_test(Started, settings=how)
        finally:
            runner.run(client.aclose())
