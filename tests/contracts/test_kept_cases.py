"""What the runs of a case share is kept for a time of its own, and listed for as long."""

import pytest

from adapters.redis.keys import Partitions, tag
from adapters.redis.scripts import DAY_MS, Scripts
from adapters.redis.store import RedisMailbox
from engine.ports.storage.store import Effects
from tests.contracts.given import handle

PLACE = tag(0)
FIRST, SECOND = "web:local:case-1", "web:local:case-2"


@pytest.fixture
def mailbox(scripts: Scripts) -> RedisMailbox:
    """Of one partition, so that all cases stand in one list."""
    return RedisMailbox(scripts, Partitions(1), lease_s=30, bell=scripts.client)


async def _share(mailbox: RedisMailbox, conversation: str, *, days: int) -> None:
    effects = Effects(session="shared", session_keep_s=days * DAY_MS / 1000)
    await handle(mailbox, f"talk:{conversation}", effects)


async def test_a_case_is_listed_until_nothing_of_it_is_kept(
    scripts: Scripts, mailbox: RedisMailbox
) -> None:
    await _share(mailbox, FIRST, days=9)
    assert await scripts.client.zrange(f"{PLACE}cases", 0, -1) == [FIRST]
    assert 8 * DAY_MS < await scripts.client.pttl(f"{PLACE}c:{FIRST}:st") <= 9 * DAY_MS
    # By the time of another project it is old, but kept for longer.
    scripts.offset_ms += 4 * DAY_MS
    await _share(mailbox, SECOND, days=3)
    assert await scripts.client.zrange(f"{PLACE}cases", 0, -1) == [FIRST, SECOND]
    await scripts.client.delete(f"{PLACE}c:{FIRST}:st")
    await _share(mailbox, SECOND, days=3)
    assert await scripts.client.zrange(f"{PLACE}cases", 0, -1) == [SECOND]


async def test_what_a_conversation_says_is_listed_as_no_case(
    scripts: Scripts, mailbox: RedisMailbox
) -> None:
    await handle(mailbox, f"talk:{FIRST}", Effects(session="said"))
    assert await scripts.client.exists(f"{PLACE}cases") == 0
    assert await scripts.client.exists(f"{PLACE}c:{FIRST}:st") == 1
