"""Traces and runs, read from all partitions; for commands, not for the way of a message."""

import math
from collections.abc import Sequence
from typing import cast

from adapters.redis import keys
from adapters.redis.client import translate_errors
from adapters.redis.packing.bodies import unpack, unpack_lines
from adapters.redis.scripts import Scripts
from engine.ports.storage.archive import History
from engine.ports.storage.store import TraceWrite


class RedisArchive:
    """The archive port."""

    def __init__(self, scripts: Scripts, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._partitions = partitions

    async def traces(self, limit: int, *, after: str = "") -> Sequence[tuple[str, str]]:
        """Ids and JSON of the newest traces, the newest first; none older than one that is gone."""
        names = await self._newest("traces", limit, after)
        with translate_errors():
            async with self._scripts.client.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.get(f"{keys.tag(self._partitions.of_id(name) or 0)}trace:{name}")
                bodies = await pipe.execute()
        return [(name, unpack(str(body))) for name, body in zip(names, bodies, strict=True) if body]

    async def _newest(self, index: str, limit: int, after: str) -> list[str]:
        """Return the newest names of an index that each partition has, the newest first."""
        upto: float | None = math.inf
        if after:
            tag = keys.tag(self._partitions.of_id(after) or 0)
            with translate_errors():
                upto = await self._scripts.client.zscore(f"{tag}{index}", after)
        if upto is None:
            return []
        with translate_errors():
            async with self._scripts.client.pipeline(transaction=False) as pipe:
                for n in range(self._partitions.count):
                    key, below = f"{keys.tag(n)}{index}", f"({upto}"
                    pipe.zrevrangebyscore(key, below, "-inf", 0, limit, withscores=True)
                    # Of the same moment, ids decide; there are few.
                    pipe.zrangebyscore(key, upto, upto, withscores=True)
                parts = cast(list[list[tuple[str, float]]], await pipe.execute())
        found = sorted(((at, str(name)) for part in parts for name, at in part), reverse=True)
        older = [each for each in found if not after or each < (upto, after)]
        return [name for _, name in older[:limit]]

    async def trace(self, trace_id: str) -> str | None:
        """The JSON of a trace that is still kept."""
        partition = self._partitions.of_id(trace_id)
        if partition is None:
            return None
        with translate_errors():
            body = await self._scripts.client.get(f"{keys.tag(partition)}trace:{trace_id}")
        return None if body is None else unpack(str(body))

    async def runs(self, limit: int) -> Sequence[tuple[str, History]]:
        """Ids of the newest runs with how they stand, without their audit, the newest first."""
        found: list[tuple[float, str, History]] = []
        for n in range(self._partitions.count):
            tag, client = keys.tag(n), self._scripts.client
            with translate_errors():
                newest = await client.zrevrange(f"{tag}runs", 0, limit - 1, withscores=True)
                for name, at in cast(list[tuple[str, float]], newest):
                    kept = await client.hmget(f"{tag}run:{name}", ["body", "ended"])
                    history = History(unpack(str(kept[0])), str(kept[1] or ""), ())
                    found += [(at, name, history)] if kept[0] is not None else []
        found.sort(key=lambda each: each[:2], reverse=True)
        return [(name, history) for _, name, history in found[:limit]]

    async def history(self, run_id: str) -> History | None:
        """A run and everything that its audit says of it; None when it is not kept."""
        partition = self._partitions.of_id(run_id)
        if partition is None:
            return None
        tag, client = keys.tag(partition), self._scripts.client
        with translate_errors():
            body, ended = await client.hmget(f"{tag}run:{run_id}", ["body", "ended"])
            entries = await client.lrange(f"{tag}log:{run_id}", 0, -1)
        if body is None:
            return None
        return History(unpack(str(body)), str(ended or ""), (*unpack_lines(map(str, entries)),))

    async def keep(self, trace: TraceWrite) -> None:
        """Keep the trace of what no lane handles; raises ValueError for an id that is not ours."""
        partition = self._partitions.of_id(trace.id)
        if partition is None:
            raise ValueError(f"not an id of ours: {trace.id}")
        await self._scripts.run("trace", partition, trace.id, trace.body, int(trace.keep_s * 1000))
