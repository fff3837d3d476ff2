"""The lane loop over a real mailbox, with a handling of the test's own."""

import asyncio
from typing import cast

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from bot.handling import Handled, Handling, Progress
from bot.lanes import Lanes
from engine.ports.meter import UNHEARD
from engine.ports.store import Claim, Effects

LEASE_S = 30.0


class Slow:
    """Handles so slowly that another takes the lane meanwhile."""

    def __init__(self, scripts: Scripts, mailbox: RedisMailbox, stop: asyncio.Event) -> None:
        self.scripts, self.mailbox, self.stop = scripts, mailbox, stop
        self.others: tuple[Claim, ...] = ()

    async def handle(self, claim: Claim, progress: Progress) -> Handled:
        self.scripts.offset_ms += int(LEASE_S * 1000) + 1
        self.others = (await self.mailbox.take(1)).claims
        self.stop.set()
        return Handled(Effects())


async def test_a_worker_that_finds_out_at_its_commit_that_it_was_late_has_not_failed(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    mailbox = RedisMailbox(scripts, partitions, lease_s=LEASE_S, bell=scripts.client)
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    stop = asyncio.Event()
    slow = Slow(scripts, mailbox, stop)
    lanes = Lanes(
        mailbox,
        cast(Handling, slow),
        limit=1,
        lease_s=LEASE_S,
        typing=lambda conversation: None,
        committed=lambda effects: None,
        meter=UNHEARD,
    )
    await lanes.run(stop)
    (other,) = slow.others
    assert other.attempts == 2
    scripts.offset_ms += int(LEASE_S * 1000) + 1
    (again,) = (await mailbox.take(1)).claims
    # The other's attempt and this one: the late one is taken back.
    assert again.attempts == 2
