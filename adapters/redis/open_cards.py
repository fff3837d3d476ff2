"""Cards that were opened before open cards were listed, found once for the whole store."""

from collections.abc import Sequence
from typing import Any

from adapters.redis import keys
from adapters.redis.client.client import Client, translated

AT_ONCE = 500


async def list_all(client: Client, partitions: keys.Partitions) -> None:
    """Lists the open cards of runs that live; does nothing in a store where that was done.

    A card that is closed meanwhile may stay listed: whoever reads the list reads its status.
    """
    with translated():
        if await client.get(keys.OPEN_LISTED):
            return
        for n in range(partitions.count):
            runs = [str(run) for run in await client.zrange(f"{keys.tag(n)}runs", 0, -1)]
            for at in range(0, len(runs), AT_ONCE):
                await _list(client, keys.tag(n), runs[at : at + AT_ONCE])
        await client.set(keys.OPEN_LISTED, "1")


async def _list(client: Client, tag: str, runs: Sequence[str]) -> None:
    kept = await _all(
        client, [("hmget", f"{tag}run:{run}", ["ended", "conversation"]) for run in runs]
    )
    live = dict.fromkeys(str(where) for ended, where in kept if where and ended is None)
    cards = await _all(
        client, [("zrange", f"{tag}c:{where}:cards", 0, -1, False, True) for where in live]
    )
    for opened in filter(None, cards):
        await client.zadd(f"{tag}open", dict(opened), nx=True)


async def _all(client: Client, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """The answers, in one round trip."""
    async with client.pipeline(transaction=False) as pipe:
        for name, *arguments in commands:
            getattr(pipe, name)(*arguments)
        return list(await pipe.execute())
