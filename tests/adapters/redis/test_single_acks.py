"""A single server with a replica: what is acknowledged is on both."""

import asyncio
from pathlib import Path

import pytest

from adapters.redis.connect import connect, open_acks
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.errors import StoreUnavailable
from engine.ports.storage.store import Effects, LeasedLanes
from tests.fakes.mail import CONVERSATION, handled, put, was_acknowledged
from tests.fakes.redis_servers import SAFE, server

MORE = Effects(mails=((f"control:{CONVERSATION}", "mail"),))


async def _take_once(mailbox: RedisMailbox, woken: asyncio.Event) -> LeasedLanes:
    await woken.wait()
    return await mailbox.take(1)


async def test_a_single_server_waits_for_its_replica_too(tmp_path: Path) -> None:
    follow = {**SAFE, "repl-diskless-sync-delay": "0"}
    with server(tmp_path / "1", **follow) as port:
        store = await connect(f"redis://127.0.0.1:{port}/0")
        acks, warnings = await open_acks(store, 1)
        assert "until it has more" in warnings[0]
        mailbox = RedisMailbox(Scripts(store, acks=acks), Partitions(64), lease_s=30, bell=store)
        with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
            await put(mailbox, "mail")
        with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
            await mailbox.take(1)
        with server(tmp_path / "2", replicaof=f"127.0.0.1 {port}", **follow):
            while not await was_acknowledged(mailbox, "mail"):
                pass
            (claim,) = (await mailbox.take(1)).claims
            woken = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                # It takes what was committed, though that goes another way than takings do.
                taking = group.create_task(_take_once(mailbox, woken))
                await mailbox.commit(claim, MORE, pop=True, on_sent=woken.set)
            assert [each.mail for each in taking.result().claims] == ["mail"]
            await mailbox.release(taking.result().claims[0], retry_in_s=0, counts=False)
            assert await handled(mailbox, 1) == {"mail"}
            await asyncio.gather(*(put(mailbox, f"more {n}") for n in range(20)))
            assert len(await handled(mailbox, 20)) == 20
        await store.aclose()
