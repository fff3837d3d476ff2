"""What waits for an operator, read and put back (design §5, runs-and-reviews)."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from adapters.redis import keys
from adapters.redis.client import translate_errors
from adapters.redis.packing.bodies import unpack
from adapters.redis.scripts import Scripts
from engine.ports.storage.operations import CARD_AGES_S, Backlog, BlockedRun, MailAside, Retried


class RedisOperations:
    """Reads all partitions; for commands and metrics, not for the way of a message."""

    def __init__(self, scripts: Scripts, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._partitions = partitions

    async def waiting(self) -> Sequence[MailAside | BlockedRun]:
        """Mail set aside, oldest first, then blocked runs."""
        numbers = range(self._partitions.count)
        aside = [mail for n in numbers for mail in await self._aside(n)]
        blocked = [run for n in numbers for run in await self._blocked(n)]
        return [*sorted(aside, key=lambda mail: mail.at), *blocked]

    async def _aside(self, partition: int) -> list[MailAside]:
        with translate_errors():
            found = await self._scripts.client.hgetall(keys.tag(partition) + "aside")
        return [
            _parse_mail_aside(f"{partition:x}-{number!s}", str(body))
            for number, body in found.items()
        ]

    async def _blocked(self, partition: int) -> list[BlockedRun]:
        tag, client = keys.tag(partition), self._scripts.client
        with translate_errors():
            runs = sorted(str(run) for run in await client.smembers(f"{tag}blocked"))
            bodies = [await client.hget(f"{tag}run:{run}", "body") for run in runs]
        return [
            BlockedRun(run, unpack(str(body or ""))) for run, body in zip(runs, bodies, strict=True)
        ]

    async def retry(self, name: str, resumed: str, *, by: str = "", via: str = "") -> bool:
        """Put mail back in its lane, or `resumed` before all other mail of a blocked run."""
        partition = self._partitions.of_id(name)
        if partition is None:
            return False
        number = name.partition("-")[2]
        inner = number if number.isdecimal() else name
        done = bool(await self._scripts.run("retry", partition, inner, resumed, by, via))
        if done:
            await self._scripts.bell.ring(shows=True)
        return done

    async def retried(self, limit: int) -> Sequence[Retried]:
        """The newest of all partitions, each of which keeps a thousand."""
        with translate_errors():
            async with self._scripts.client.pipeline(transaction=False) as pipe:
                for n in range(self._partitions.count):
                    pipe.lrange(f"{keys.tag(n)}retried", 0, limit - 1)
                found = [
                    _parse_retried(str(body)) for part in await pipe.execute() for body in part
                ]
        return sorted(found, key=lambda each: each.at, reverse=True)[:limit]

    async def backlog(self) -> Backlog:
        """The numbers of what waits now, summed over the partitions."""
        bounds = [age * 1000 for age in CARD_AGES_S]
        numbers = range(self._partitions.count)
        found = [await self._scripts.run("backlog", n, *bounds) for n in numbers]
        columns = [[int(n) for n in column] for column in zip(*found, strict=True)]
        lanes, destinations, timers, aside, blocked = map(sum, columns[:5])
        mailbox_age_s, outbox_age_s = (max(column) / 1000 for column in columns[5:7])
        return Backlog(
            lanes=lanes,
            destinations=destinations,
            timers=timers,
            aside=aside,
            blocked=blocked,
            mailbox_age_s=mailbox_age_s,
            outbox_age_s=outbox_age_s,
            cards=tuple(map(sum, columns[7:])),
            workers=await self._workers(),
        )

    async def attend(self, holder: str, *, for_s: float) -> None:
        """Count the holder as a worker for `for_s` seconds of the server's clock."""
        with translate_errors():
            now = await self._now()
            await self._scripts.client.zadd(keys.WORKERS, {holder: now + for_s})
            await self._scripts.client.zremrangebyscore(keys.WORKERS, 0, now)

    async def _workers(self) -> int:
        with translate_errors():
            return int(await self._scripts.client.zcount(keys.WORKERS, await self._now(), "+inf"))

    async def _now(self) -> float:
        seconds, micros = await self._scripts.client.time()
        return float(seconds + micros / 1e6 + self._scripts.offset_ms / 1000)

    async def forfeit(
        self, holder: str, *, charged: Sequence[str] = (), extra: int = 0, retry_in_s: float = 0.0
    ) -> Sequence[str]:
        """Free the holder's lanes, and the messages that it was showing, in all partitions."""
        await self.attend(holder, for_s=0)
        freed, shows, delay_ms = list[str](), 0, int(retry_in_s * 1000)
        for n in range(self._partitions.count):
            lanes, messages = await self._scripts.run(
                "forfeit", n, holder, extra, delay_ms, *charged
            )
            freed, shows = freed + lanes, shows + messages
        if freed or shows:
            await self._scripts.bell.ring(shows=shows > 0)
        return freed


def _parse_retried(body: str) -> Retried:
    entry = json.loads(body)
    at = datetime.fromtimestamp(int(entry.pop("at")) / 1000, UTC)
    return Retried(at=at, **entry)


def _parse_mail_aside(name: str, body: str) -> MailAside:
    kept = json.loads(body)
    at = datetime.fromtimestamp(int(kept["at"]) / 1000, UTC)
    return MailAside(name, kept["lane"], kept["mail"], kept["why"], at)
