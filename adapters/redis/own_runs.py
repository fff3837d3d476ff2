"""Runs by whoever asked for them or voted on them, over all partitions (design §12)."""

import asyncio
import heapq
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import structlog
from pydantic import ValidationError

from adapters.redis import keys, wire
from adapters.redis.client import translate_errors
from adapters.redis.packing.bodies import unpack, unpack_lines
from adapters.redis.scripts import Scripts
from cards.model import Card
from engine.ports.storage.own_runs import KeptRun, OwnRunIds

log = structlog.get_logger()
NEWEST = 2
"""So many of its newest entries are read with a run."""
_AT_ONCE = 200
_LISTS = ("mine:{}", "mine:{}:ended", "voted:{}")


class RedisOwnRuns:
    """Lists that the scripts of runs and cards keep; one round trip asks all partitions."""

    def __init__(self, scripts: Scripts, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._partitions = partitions

    async def find(self, names: Sequence[str], *, limit: int) -> OwnRunIds:
        """The newest of each kind, at most `limit`."""
        encoded = [wire.encode_inbox_name(name) for name in dict.fromkeys(names)]
        tags = [keys.tag(number) for number in range(self._partitions.count)]
        lists = [[f"{tag}{kind.format(n)}" for tag in tags for n in encoded] for kind in _LISTS]
        answers = await self._run_all(
            [("zrevrange", (key, 0, limit - 1, True)) for each in lists for key in each]
        )
        size = len(tags) * len(encoded)
        living, ended, voted = (
            _newest(answers[start : start + size], limit) for start in (0, size, 2 * size)
        )
        return OwnRunIds(living, ended, voted)

    async def read(self, runs: Sequence[str]) -> Sequence[KeptRun]:
        """Those of the runs that are kept, in this order."""
        found = await asyncio.gather(*(self._read(run) for run in runs))
        return [run for run in found if run is not None]

    async def _read(self, run: str) -> KeptRun | None:
        partition = self._partitions.of_id(run)
        answer = await self._scripts.run("own_run", partition, run) if partition is not None else ()
        if not answer:
            return None
        body, ended, at, message_id, entries, cards = answer
        at_ms = int(float(at))
        return KeptRun(
            id=run,
            body=unpack(str(body)),
            ended=str(ended),
            ended_at=datetime.fromtimestamp(at_ms / 1000, UTC) if ended and at_ms else None,
            message_id=str(message_id),
            entries=(*unpack_lines(map(str, entries))[-NEWEST:],),
            cards=tuple(_cards(cards)),
        )

    async def log(self, run: str) -> Sequence[str]:
        """All entries of the run's log, the oldest first."""
        number = self._partitions.of_id(run)
        if number is None:
            return ()
        with translate_errors():
            entries = await self._scripts.client.lrange(f"{keys.tag(number)}log:{run}", 0, -1)
        return unpack_lines(map(str, entries))

    async def repair(self) -> int:
        """List the runs that no list of a person names, living or ended, without child runs."""
        repaired = 0
        for number in range(self._partitions.count):
            with translate_errors():
                runs = await self._scripts.client.zrange(f"{keys.tag(number)}runs", 0, -1)
            for start in range(0, len(runs), _AT_ONCE):
                repaired += await self._repair(number, [*map(str, runs[start : start + _AT_ONCE])])
        return repaired

    async def _repair(self, number: int, runs: Sequence[str]) -> int:
        fields = ("own", "filed", "ended", "parent")
        kept = await self._run_all(
            [("hmget", (f"{keys.tag(number)}run:{run}", fields)) for run in runs]
        )
        repaired = 0
        for run, (own, filed, ended, parent) in zip(runs, kept, strict=True):
            if not parent and (own is None or (ended and not filed)):
                repaired += await self._list(number, run)
        return repaired

    async def _list(self, number: int, run: str) -> int:
        with translate_errors():
            body = await self._scripts.client.hget(f"{keys.tag(number)}run:{run}", "body")
        names = _owners_in(unpack(str(body or "")))
        if not names:
            return 0
        keep_ms = self._scripts.run_keep_ms
        return int(await self._scripts.run("own", number, run, wire.encode_names(names), keep_ms))

    async def _run_all(self, commands: Sequence[tuple[str, tuple[Any, ...]]]) -> list[Any]:
        answers: list[Any] = []
        with translate_errors():
            for start in range(0, len(commands), _AT_ONCE):
                async with self._scripts.client.pipeline(transaction=False) as pipe:
                    for method, arguments in commands[start : start + _AT_ONCE]:
                        getattr(pipe, method)(*arguments)
                    answers += await pipe.execute()
        return answers


def _newest(answers: Iterable[Any], limit: int) -> tuple[str, ...]:
    """The runs of these lists, each the newest first, as one list."""
    each = ([(-float(at), str(run)) for run, at in answer] for answer in answers)
    return tuple(islice(dict.fromkeys(run for _, run in heapq.merge(*each)), limit))


def _cards(answers: Iterable[Sequence[Any]]) -> Iterable[Card]:
    for fields in answers:
        stored = wire.decode_card(list(fields))
        try:
            if stored is not None:
                yield stored.read()
        except ValidationError as error:
            log.error("unreadable_card", faults=error.error_count())


def _owners_in(body: str) -> tuple[str, ...]:
    """The ids of whoever asked for a run, of any version; none for a child run."""
    with suppress(ValueError, AttributeError):
        run = json.loads(body)
        who = run.get("requester") or {}
        ids = (who.get("id"), *(who.get("accounts") or ()))
        return () if run.get("parent") else tuple(sorted({str(each) for each in ids if each}))
    return ()
