"""Sessions of the admin pages in Redis."""

from adapters.redis import keys
from adapters.redis.client.client import Client, translated


class RedisSessions:
    """The sessions port: a key each, with a time to live."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def begin(self, name: str, body: str, *, keep_s: int) -> None:
        """Keep the text for so many seconds."""
        with translated():
            await self._client.set(keys.session(name), body, ex=keep_s)

    async def find(self, name: str) -> str | None:
        """The text, or None once it is gone."""
        with translated():
            found = await self._client.get(keys.session(name))
        return None if found is None else str(found)

    async def end(self, name: str) -> None:
        """Forget it now."""
        with translated():
            await self._client.delete(keys.session(name))
