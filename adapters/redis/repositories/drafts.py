"""Answers that are being written: a hash each, which the server forgets in time."""

from typing import Any

from adapters.redis import keys
from adapters.redis.client import translate_errors
from adapters.redis.scripts import Scripts
from engine.ports.storage.drafts import Draft

KEEP_S = 300


class RedisDrafts:
    """The drafts port over the reply's partition; a new text makes the reply's message due."""

    def __init__(self, scripts: Scripts, partitions: keys.Partitions) -> None:
        self._scripts = scripts
        self._partitions = partitions

    async def put(self, reply: str, text: str) -> None:
        """The answer has got so far."""
        if await self._write(reply, text=text):
            self._scripts.bell.ring(shows=True)

    async def mark_shown(self, reply: str, text: str, beside: str = "") -> None:
        """People read this much of it now."""
        await self._write(reply, shown=text, beside=beside)

    async def stop(self, reply: str) -> None:
        """No more of it is to be shown before it is whole."""
        await self._write(reply, off="1")

    async def read(self, reply: str) -> Draft:
        """How far the answer is."""
        key = keys.draft(self._partition(reply), reply)
        with translate_errors():
            found: Any = await self._scripts.client.hmget(key, ["text", "shown", "off", "beside"])
        text, shown, off, beside = found
        return Draft(text or "", shown or "", bool(off), beside or "")

    async def _write(self, reply: str, **fields: str) -> bool:
        partition = self._partition(reply)
        given = [each for field in fields.items() for each in field]
        written = await self._scripts.run("draft", partition, reply, KEEP_S * 1000, *given)
        return bool(written)

    def _partition(self, reply: str) -> int:
        partition = self._partitions.of_id(reply)
        if partition is None:
            raise ValueError(f"not a reply: {reply}")
        return partition
