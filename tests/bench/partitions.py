"""A million conversations over 64 partitions: what of the store's work grows with their number.

Each conversation has a run that waits: its lane, a timer of its card, and the card in the list of
one role that everybody's cards wait for. What runs weigh is `suspended`'s to say.
"""

import asyncio
import itertools
from pathlib import Path
from time import perf_counter

from redis.asyncio import Redis

from adapters.redis import keys, wire
from adapters.redis.connect import connect
from adapters.redis.inbox import RedisInbox
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.ports.storage.store import Claim, Effects
from tests.bench.figures import Figures, ms, table
from tests.bench.plan import Plan, Result
from tests.fakes.redis_servers import SAFE, quick_folder, server

PARTITIONS = keys.Partitions(64)
ROLE = "role:reviewer"
BATCH = 2_000
TIMERS = 10_000
DAY_MS = 24 * 3600 * 1000
SWEEPS, LISTS = 50, 3
# A lane takes a thousand.
EACH = 20
_numbers = itertools.count()


async def partitions(plan: Plan, folder: Path) -> Result:
    """The same work among more and more conversations that wait."""
    rows: dict[str, Figures] = {}
    # A disk would be measured, and not the number.
    with quick_folder(lambda: folder) as place, server(place / "store", **SAFE) as port:
        client = await connect(f"redis://127.0.0.1:{port}/0")
        assert isinstance(client, Redis)
        scripts = Scripts(client)
        mailbox = RedisMailbox(scripts, PARTITIONS, lease_s=30, bell=client)
        have, empty = 0, await _used(client)
        for size in sorted(plan.sizes):
            await _fill(client, range(have, size))
            have = size
            figures = {"bytes each": (await _used(client) - empty) / size}
            figures |= await _sweeps(mailbox)
            figures |= await _messages(mailbox, plan, "spread / s", spread=True)
            figures |= await _messages(mailbox, plan, "in one conversation / s", spread=False)
            figures |= await _timers(client, mailbox)
            figures |= await _list(RedisInbox(scripts, PARTITIONS))
            rows[f"{size:,}"] = figures
            plan.say(f"partitions: {size:,}")
        await scripts.drain()
        await client.aclose()
    title = "conversations that wait, over 64 partitions of one server"
    return Result("partitions", rows, table(title, rows, first="conversations"))


async def _used(client: Redis) -> float:
    return float((await client.info("memory"))["used_memory"])


async def _fill(client: Redis, numbers: range) -> None:
    """Conversations whose runs wait for a role, with a reminder within the next week."""
    who = wire.encode_inbox_name(ROLE)
    now = int((await client.time())[0]) * 1000
    for first in range(numbers.start, numbers.stop, BATCH):
        async with client.pipeline(transaction=False) as pipe:
            for n in range(first, min(first + BATCH, numbers.stop)):
                conversation = f"slack:T1:D{n:08}"
                tag = keys.tag(PARTITIONS.of_conversation(conversation))
                run = PARTITIONS.derived_id(conversation, "run")
                card = PARTITIONS.derived_id(conversation, "card")
                at, name = now + DAY_MS + n * 7919 % (6 * DAY_MS), f"run:{run}|{card}"
                pipe.hset(f"{tag}l:run:{run}:h", mapping={"fence": 0, "commits": 7})
                pipe.zadd(f"{tag}due", {name: at})
                pipe.hset(f"{tag}timers", name, f'{{"kind":"timer","card":"{card}"}}')
                pipe.zadd(f"{tag}open", {card: now + n})
                pipe.zadd(f"{tag}inbox:{who}", {card: now + n})
            await pipe.execute()


async def _sweeps(mailbox: RedisMailbox) -> Figures:
    """Looking into all partitions for nothing, as a worker does once a second and at each ring."""
    took = []
    for _ in range(SWEEPS):
        begun = perf_counter()
        await mailbox.take(32)
        took.append(perf_counter() - begun)
    return {"idle sweep p50 ms": ms(took, 0.5)}


async def _messages(mailbox: RedisMailbox, plan: Plan, name: str, *, spread: bool) -> Figures:
    """Messages put at once, then leased and committed: of many conversations, or of one."""
    same, begun = next(_numbers), perf_counter()
    await asyncio.gather(
        *(_put(mailbox, next(_numbers) if spread else same, EACH) for _ in range(plan.at_once))
    )
    done, wanted = 0, EACH * plan.at_once
    while done < wanted:
        claims = (await mailbox.take(plan.at_once)).claims
        done += sum(await asyncio.gather(*(_handle(mailbox, claim) for claim in claims)))
    return {name: done / (perf_counter() - begun)}


async def _put(mailbox: RedisMailbox, room: int, times: int) -> None:
    for _ in range(times):
        lane = f"talk:slack:T1:M{room}"
        await mailbox.put(lane, "x" * 500, update_id=f"partitions-{next(_numbers)}")


async def _handle(mailbox: RedisMailbox, claim: Claim) -> int:
    done, following = 1, await mailbox.commit(claim, Effects(), pop=True)
    while following is not None:
        following = await mailbox.commit(following, Effects(), pop=True)
        done += 1
    return done


async def _timers(client: Redis, mailbox: RedisMailbox) -> Figures:
    """So many timers that come due at one moment, as after a night without workers."""
    async with client.pipeline(transaction=False) as pipe:
        for _ in range(TIMERS):
            run = PARTITIONS.derived_id(f"slack:T1:D{next(_numbers)}", "due")
            tag, name = keys.tag(PARTITIONS.of_id(run) or 0), f"run:{run}|card"
            pipe.zadd(f"{tag}due", {name: 1})
            pipe.hset(f"{tag}timers", name, '{"kind":"timer"}')
        await pipe.execute()
    begun, done = perf_counter(), 0
    while done < TIMERS:
        claims = (await mailbox.take(32)).claims
        done += sum(await asyncio.gather(*(_handle(mailbox, claim) for claim in claims)))
    return {f"{TIMERS:,} due timers s": perf_counter() - begun}


async def _list(inbox: RedisInbox) -> Figures:
    """What `/pending` asks for of somebody whose role all of them wait for."""
    took, found = [], 0
    for _ in range(LISTS):
        begun = perf_counter()
        found = len((await inbox.find_tokens([ROLE])).tokens)
        took.append(perf_counter() - begun)
    return {"open cards of one role p50 ms": ms(took, 0.5), "listed": float(found)}
