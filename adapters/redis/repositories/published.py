"""Published playbooks, and what the router learned of their examples."""

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from adapters.redis.replicas.acks import ReplicaAcks

LEARNED_S = 30 * 24 * 3600
"""How long what was learned is kept after it was last read."""


class RedisPublished:
    """The published port: a key for each digest, which stays for the runs that need it."""

    def __init__(self, client: Client, acks: ReplicaAcks | None = None) -> None:
        self._client = client
        self._acks = acks

    async def publish(self, digest: str, body: str) -> None:
        """Keep a body; the same digest is written once."""
        with translate_errors():
            key = keys.published(digest)
            if self._acks is None:
                await self._client.set(key, body, nx=True)
            else:
                await self._acks.execute(self._client, key, ("SET", key, body, "NX"))

    async def load(self, digest: str) -> str | None:
        """The body, or None when it was never published here."""
        with translate_errors():
            found = await self._client.get(keys.published(digest))
        return None if found is None else str(found)

    async def point(self, pointer: str) -> None:
        """Say for all processes what is current."""
        with translate_errors():
            await self._client.set(keys.CURRENT, pointer)

    async def pointer(self) -> str | None:
        """What is current, or None before anybody has said so."""
        with translate_errors():
            found = await self._client.get(keys.CURRENT)
        return None if found is None else str(found)

    async def save_learned(self, digest: str, body: bytes) -> None:
        """Keep what was learned from the examples of that digest; it goes when nobody reads it."""
        with translate_errors():
            await self._client.set(keys.learned(digest), body, ex=LEARNED_S)

    async def load_learned(self, digest: str) -> bytes | None:
        """What was learned, or None when it is not kept (any more)."""
        read = ("GETEX", keys.learned(digest), "EX", LEARNED_S)
        with translate_errors():
            found = await self._client.execute_command(*read, NEVER_DECODE=True)
        return found if isinstance(found, bytes) else None
