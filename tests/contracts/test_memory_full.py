"""A store whose memory is full refuses, and what it refuses leaves no trace (design §1)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.server.embedded import EmbeddedServer
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from engine.errors import StoreUnavailable
from engine.ports.storage.store import Effects, Post


@asynccontextmanager
async def full(raw: Redis) -> AsyncIterator[None]:
    """No memory left, as at the server's own limit; nothing may change meanwhile."""
    before = {key: await raw.dump(key) for key in sorted(await raw.keys())}
    await raw.config_set("maxmemory", 1)
    try:
        yield
    finally:
        await raw.config_set("maxmemory", 0)
    after = {key: await raw.dump(key) for key in sorted(await raw.keys())}
    assert after == before


@pytest.fixture
async def raw(redis: Redis, redis_server: EmbeddedServer) -> AsyncIterator[Redis]:
    """A client for dumps, which are bytes."""
    client = Redis.from_url(redis_server.url)
    yield client
    await client.aclose()


@pytest.fixture
def scripts(single: Scripts) -> Scripts:
    """The limit is one server's."""
    return single


async def test_an_update_is_not_taken(raw: Redis, mailbox: RedisMailbox, conversation: str) -> None:
    async with full(raw):
        with pytest.raises(StoreUnavailable):
            await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    assert await mailbox.put(f"talk:{conversation}", "mail", update_id="u")


async def test_a_lane_is_not_leased(raw: Redis, mailbox: RedisMailbox, conversation: str) -> None:
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    async with full(raw):
        with pytest.raises(StoreUnavailable):
            await mailbox.take(1)
    assert len((await mailbox.take(1)).claims) == 1


@pytest.mark.parametrize("pop", [False, True])
async def test_nothing_of_a_commit_lands(
    raw: Redis, mailbox: RedisMailbox, conversation: str, pop: bool
) -> None:
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    (claim,) = (await mailbox.take(1)).claims
    effects = Effects(
        session="session",
        mails=((f"control:{conversation}", "onward"),),
        posts=(Post(row="r", conversation=conversation, kind="note", ref="r", body="{}"),),
    )
    async with full(raw):
        with pytest.raises(StoreUnavailable):
            await mailbox.commit(claim, effects, pop=pop)
    await mailbox.commit(claim, effects, pop=pop)


async def test_a_decision_is_not_recorded(
    raw: Redis, scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    decisions, token = RedisDecisions(scripts, partitions), partitions.new_id(conversation)
    effects = Effects(mails=((f"control:{conversation}", "decided"),))
    async with full(raw):
        with pytest.raises(StoreUnavailable):
            await decisions.decide(token, update_id="tap", answer="{}", effects=effects)
    assert await decisions.decide(token, update_id="tap", answer="{}", effects=effects) == "{}"


async def test_a_row_is_not_leased(
    raw: Redis,
    scripts: Scripts,
    mailbox: RedisMailbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    outbox = RedisOutbox(scripts, partitions, lease_s=30)
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    (claim,) = (await mailbox.take(1)).claims
    post = Post(row="r", conversation=conversation, kind="note", ref="r", body="{}")
    await mailbox.commit(claim, Effects(posts=(post,)), pop=True)
    async with full(raw):
        with pytest.raises(StoreUnavailable):
            await outbox.take_rows(1)
    assert len((await outbox.take_rows(1))[0]) == 1
