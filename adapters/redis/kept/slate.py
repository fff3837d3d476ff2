"""Small texts by name, each of which the server forgets in time."""

from adapters.redis import keys
from adapters.redis.client.client import Client, promptly
from adapters.redis.client.lua_script import LuaScript
from adapters.redis.scripts import LUA


class RedisSlate:
    """One key for each text; who writes says what it read."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._script = LuaScript(client, LUA.joinpath("slate.lua").read_text())

    async def read(self, name: str) -> str:
        """The text under this name, or "" when there is none."""
        async with promptly():
            found = await self._client.get(keys.slate(name))
        return str(found or "")

    async def write(self, name: str, text: str, *, was: str, keep_s: float) -> bool:
        """Put `text` where `was` stands, for so long; False when something else stands there."""
        async with promptly():
            written = await self._script(
                keys=[keys.slate(name)], args=[was, text, int(keep_s * 1000)]
            )
        return bool(int(written))
