"""The lane loop over a real mailbox, with a handling of the test's own."""

import asyncio
from typing import cast

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.operations import RedisOperations
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from bot.serve.work.handler import MailHandler, Progress
from bot.serve.work.lanes import LaneLoop
from bot.serve.work.results import HandlerResult
from engine.ports.meter import NO_METER
from engine.ports.storage.operations import BlockedRun, MailAside
from engine.ports.storage.store import Claim, Effects

LEASE_S = 30.0


class Slow:
    """Handles so slowly that another takes the lane meanwhile."""

    def __init__(self, scripts: Scripts, mailbox: RedisMailbox, stop: asyncio.Event) -> None:
        self.scripts, self.mailbox, self.stop = scripts, mailbox, stop
        self.others: tuple[Claim, ...] = ()

    async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        self.scripts.offset_ms += int(LEASE_S * 1000) + 1
        self.others = (await self.mailbox.take(1)).claims
        self.stop.set()
        return HandlerResult(Effects())


async def test_a_worker_that_finds_out_at_its_commit_that_it_was_late_has_not_failed(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    mailbox = RedisMailbox(scripts, partitions, lease_s=LEASE_S, bell=scripts.client)
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    stop = asyncio.Event()
    slow = Slow(scripts, mailbox, stop)
    lanes = LaneLoop(
        mailbox,
        cast(MailHandler, slow),
        limit=1,
        lease_s=LEASE_S,
        typing_platform=lambda conversation: None,
        on_commit=lambda effects: None,
        meter=NO_METER,
    )
    await lanes.run(stop)
    (other,) = slow.others
    assert other.attempts == 2
    scripts.offset_ms += int(LEASE_S * 1000) + 1
    (again,) = (await mailbox.take(1)).claims
    # The other's attempt and this one: the late one is taken back.
    assert again.attempts == 2


class Noting:
    """Notes whose mail it handles: after the first the router has learned, the second ends it."""

    def __init__(self, learned: asyncio.Event, stop: asyncio.Event) -> None:
        self.handled: list[str] = []
        self.learned, self.stop = learned, stop

    async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        self.handled.append(claim.kind)
        self.learned.set()
        if len(self.handled) == 2:
            self.stop.set()
        return HandlerResult(Effects())


async def test_what_was_decided_goes_on_before_the_router_has_learned_and_messages_wait(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    mailbox = RedisMailbox(scripts, partitions, lease_s=LEASE_S, bell=scripts.client)
    await mailbox.put(f"talk:{conversation}", "said", update_id="a")
    await mailbox.put(f"run:{partitions.new_id(conversation)}", "decided", update_id="b")
    learned, stop = asyncio.Event(), asyncio.Event()
    noting = Noting(learned, stop)
    lanes = LaneLoop(
        mailbox,
        cast(MailHandler, noting),
        limit=8,
        kept=1,
        lease_s=LEASE_S,
        typing_platform=lambda conversation: None,
        on_commit=lambda effects: None,
        meter=NO_METER,
    )
    await lanes.run(stop, learned=learned)
    assert noting.handled == ["run", "talk"]


class Following:
    """Notes in which order mail is handled; what is committed is shown a few looks later."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.looks = 0

    async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        self.order.append(claim.mail)
        return HandlerResult(Effects())

    def is_shown(self) -> bool:
        self.looks += 1
        if self.looks == 3:
            self.order.append("shown")
        return self.looks >= 3


async def test_what_may_end_its_worker_once_more_comes_after_all_else_is_done_and_shown(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    mailbox = RedisMailbox(scripts, partitions, lease_s=LEASE_S, bell=scripts.client)
    operations = RedisOperations(scripts, partitions)
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "charged", update_id="a")
    await mailbox.take(1)
    await operations.forfeit(mailbox.holder, charged=[lane], extra=1)
    for update in ("b", "c"):
        await mailbox.put(f"run:{partitions.new_id(conversation)}", update, update_id=update)
    following = Following()
    lanes = LaneLoop(
        mailbox,
        cast(MailHandler, following),
        limit=8,
        kept=2,
        lease_s=LEASE_S,
        typing_platform=lambda conversation: None,
        on_commit=lambda effects: None,
        meter=NO_METER,
        is_shown=following.is_shown,
    )
    _, handled = await lanes.handle_due()
    assert handled == 3
    assert [*sorted(following.order[:2]), *following.order[2:]] == ["b", "c", "shown", "charged"]


class Holding:
    """Gives nothing up: whoever tries is held up as by the mail itself."""

    def __init__(self, stop: asyncio.Event) -> None:
        self.stop = stop

    async def give_up(self, claim: Claim) -> HandlerResult:
        self.stop.set()
        raise AssertionError


@pytest.mark.parametrize("kind", ["talk", "control", "run"])
async def test_mail_that_cannot_even_be_given_up_is_set_aside_for_an_operator_alone(
    scripts: Scripts, partitions: Partitions, conversation: str, kind: str
) -> None:
    mailbox = RedisMailbox(scripts, partitions, lease_s=LEASE_S, bell=scripts.client)
    operations = RedisOperations(scripts, partitions)
    lane = f"{kind}:{partitions.new_id(conversation) if kind == 'run' else conversation}"
    await mailbox.put(lane, "mail", update_id="a")
    for extra in (1, 1, 1):
        await mailbox.take(1)
        await operations.forfeit(mailbox.holder, charged=[lane], extra=extra)
    stop = asyncio.Event()
    lanes = LaneLoop(
        mailbox,
        cast(MailHandler, Holding(stop)),
        limit=1,
        lease_s=LEASE_S,
        typing_platform=lambda conversation: None,
        on_commit=lambda effects: stop.set(),
        meter=NO_METER,
    )
    await lanes.run(stop)
    (waiting,) = await operations.waiting()
    assert isinstance(waiting, BlockedRun if kind == "run" else MailAside)
