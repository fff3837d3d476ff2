"""Memos of projects."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Literal

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from adapters.redis.replicas.acks import ReplicaAcks
from adapters.redis.scripts import LUA, LuaScript
from engine.errors import StoreError, ToolFailed
from engine.ports.library import Memo

MEMOS = 500
ID_CHARS = 12


class RedisMemory:
    """The memory port: of each project the newest 500 memos, kept until newer ones push them out.

    `most` is another number than 500, for tests.
    """

    def __init__(
        self, client: Client, *, most: int = MEMOS, acks: ReplicaAcks | None = None
    ) -> None:
        self._client = client
        self._most = most
        self._script = LuaScript(client, LUA.joinpath("remember.lua").read_text(), acks)

    async def remember(
        self, project: str, text: str, *, key: str, by: str
    ) -> Literal["new", "repeat"]:
        """Keep the text once per idempotency `key`; a repeat of the key keeps the first.

        Raises StoreUnavailable, so that a run does it again under the same key, or StoreError.
        """
        memos = keys.memos(project)
        places = [memos, f"{memos}:keys"]
        with translate_errors():
            outcome = await self._script(keys=places, args=[key, text, by, self._most])
        return "new" if outcome == "new" else "repeat"

    async def memos(self, project: str) -> Sequence[Memo]:
        """What is kept, newest first. Raises ToolFailed."""
        try:
            with translate_errors():
                kept = await self._client.lrange(keys.memos(project), 0, self._most - 1)
        except StoreError as error:
            raise ToolFailed("memory.away") from error
        return [_memo(str(text)) for text in kept]

    async def forget(self, project: str, memo: str) -> bool:
        """Take away the memo of that id for good; False when there is none.

        Its idempotency key still counts, so that no repeat brings it back. Raises StoreError.
        """
        place = keys.memos(project)
        with translate_errors():
            kept = [str(text) for text in await self._client.lrange(place, 0, -1)]
            removed = [await self._client.lrem(place, 1, t) for t in kept if _id(t) == memo]
        return any(removed)


def _memo(stored: str) -> Memo:
    kept = json.loads(stored)
    at = datetime.fromtimestamp(int(kept["at"]) / 1000, UTC)
    return Memo(text=str(kept["text"]), by=str(kept["by"]), at=at, id=_id(stored))


def _id(stored: str) -> str:
    """The memo's id: text, person and moment make it, for older ones as well."""
    return sha256(stored.encode()).hexdigest()[:ID_CHARS]
