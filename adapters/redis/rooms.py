"""Smaller things kept in Redis: what the web chat showed, leases, paces, what is published."""

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from adapters.redis import keys
from adapters.redis.client import Client, translated
from adapters.redis.connect import BLOCK_S
from adapters.redis.scripts import LUA
from engine.errors import StoreError
from engine.ports.platform import ChatEntry, Cursor, Pace

CHAT_ENTRIES = 2000
CHAT_KEEP_S = 30 * 24 * 3600
DRAFT_KEEP_S = 60


class RedisChatLog:
    """A web conversation's entries as a Redis stream of at most 2,000, kept for 30 idle days.

    `reader` is a client whose reads may block.
    """

    def __init__(self, client: Client, reader: Client, partitions: keys.Partitions) -> None:
        self._client = client
        self._reader = reader
        self._partitions = partitions

    def _key(self, conversation: str) -> str:
        partition = self._partitions.of_conversation(conversation)
        return keys.tag(partition) + f"chat:{conversation}"

    async def append(self, conversation: str, body: Mapping[str, Any]) -> str:
        """Add an entry; returns its `seq`."""
        key = self._key(conversation)
        with translated():
            text = json.dumps(body, ensure_ascii=False)
            seq = await self._client.xadd(key, {"b": text}, maxlen=CHAT_ENTRIES, approximate=True)
            await self._client.expire(key, CHAT_KEEP_S)
        return str(seq)

    async def draft(self, conversation: str, body: Mapping[str, Any]) -> None:
        """Tell who reads now; the next takes its place, and after a minute it is forgotten."""
        key = self._key(conversation) + ":draft"
        with translated():
            async with self._client.pipeline(transaction=False) as pipe:
                pipe.xadd(
                    key, {"b": json.dumps(body, ensure_ascii=False)}, maxlen=1, approximate=False
                )
                pipe.expire(key, DRAFT_KEEP_S)
                await pipe.execute()

    def reply_id(self, conversation: str, update_id: str) -> str:
        """The id of the message that will answer an update: the same that its turn will name."""
        return self._partitions.derived_id(conversation, "reply", update_id)

    async def read(
        self, conversation: str, after: str, *, wait_s: float, drafts: Cursor | None = None
    ) -> Sequence[ChatEntry]:
        """Entries after `after`, waiting up to `wait_s` seconds (15 at most) for the first."""
        block = int(min(wait_s, BLOCK_S) * 1000)
        key = self._key(conversation)
        places: dict[Any, Any] = {key: after or "0"}
        if drafts is not None:
            drafts.at = drafts.at or await self._last(f"{key}:draft")
            places[f"{key}:draft"] = drafts.at
        with translated():
            found: Any = await self._reader.xread(places, count=500, block=block or None)
        told = {str(name): entries for name, entries in found or ()}
        growing = told.get(f"{key}:draft", [])
        if drafts is not None and growing:
            drafts.at = str(growing[-1][0])
        # Nothing comes after the message that it grew to.
        return [
            *(ChatEntry(seq="", body=json.loads(fields["b"])) for _, fields in growing),
            *(
                ChatEntry(seq=seq, body=json.loads(fields["b"]))
                for seq, fields in told.get(key, [])
            ),
        ]

    async def _last(self, key: str) -> str:
        """The newest entry's position: what was told before is of no use to a new reader."""
        with translated():
            newest: Any = await self._client.xrevrange(key, count=1)
        return str(newest[0][0]) if newest else "0"


class RedisLease:
    """Named leases: one process holds each; it comes free 30 seconds after its last hold."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._me = secrets.token_hex(8)

    async def hold(self, name: str) -> bool:
        """Take or renew the lease; True while this process holds it."""
        key = keys.lease(name)
        with suppress(StoreError), translated():
            if await self._client.set(key, self._me, nx=True, px=30_000):
                return True
            if await self._client.get(key) == self._me:
                await self._client.pexpire(key, 30_000)
                return True
        return False


class RedisRate:
    """Paces that all processes share."""

    def __init__(self, client: Client) -> None:
        self._script = client.register_script(LUA.joinpath("rate.lua").read_text())

    async def ask(self, name: str, pace: Pace, count: int) -> float:
        """Take `count` messages of the pace and answer 0, or the seconds to wait."""
        arguments = [pace.every_s * 1000, pace.burst, count]
        with translated():
            wait_ms = await self._script(keys=[keys.pace(name)], args=arguments)
        return int(wait_ms) / 1000


class RedisPublished:
    """The published port: a key for each digest, which stays for the runs that need it."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def publish(self, digest: str, body: str) -> None:
        """Keep a body; the same digest is written once."""
        with translated():
            await self._client.set(keys.published(digest), body, nx=True)

    async def load(self, digest: str) -> str | None:
        """The body, or None when it was never published here."""
        with translated():
            found = await self._client.get(keys.published(digest))
        return None if found is None else str(found)

    async def point(self, pointer: str) -> None:
        """Say for all processes what is current."""
        with translated():
            await self._client.set(keys.CURRENT, pointer)

    async def pointer(self) -> str | None:
        """What is current, or None before anybody has said so."""
        with translated():
            found = await self._client.get(keys.CURRENT)
        return None if found is None else str(found)
