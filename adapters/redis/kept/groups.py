"""Members of Slack groups, shared by all processes for as long as they may be believed."""

import json

from adapters.redis import keys
from adapters.redis.client.client import Client, translated


class RedisGroups:
    """One key for each group, which the server itself forgets in time."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def load(self, group: str) -> tuple[frozenset[str], float] | None:
        """The members, and for how many more seconds they hold; None when nobody knows them."""
        key = keys.group(group)
        with translated():
            # The time first: what is read after it holds at least as long.
            left_ms = int(await self._client.pttl(key))
            found = await self._client.get(key)
        if found is None or left_ms <= 0:
            return None
        return frozenset(json.loads(found)), left_ms / 1000

    async def store(self, group: str, members: frozenset[str], *, keep_s: float) -> None:
        """Keep the members for so long."""
        body = json.dumps(sorted(members))
        with translated():
            await self._client.set(keys.group(group), body, px=int(keep_s * 1000))

    async def forget(self, group: str) -> None:
        """Nobody is known to be in the group."""
        with translated():
            await self._client.delete(keys.group(group))

    async def turn(self, group: str, *, rest_s: float) -> bool:
        """Whether the caller may ask the platform now; then nobody else may for so long."""
        key = keys.first(f"group:{group}")
        with translated():
            return bool(await self._client.set(key, "asked", nx=True, px=int(rest_s * 1000)))

    async def rest(self, group: str, *, rest_s: float) -> None:
        """Nobody asks the platform for so long."""
        with translated():
            await self._client.set(keys.first(f"group:{group}"), "rests", px=int(rest_s * 1000))
