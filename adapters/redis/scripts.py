"""The Lua scripts, loaded once, called with one partition's tag."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from redis.commands.core import AsyncScript

from adapters.redis import keys
from adapters.redis.bell import Bell
from adapters.redis.client import Client, translated

LUA = Path(__file__).with_name("lua")
_ROWS = ("send", "sent")

# For tests: every key that a script touches must carry the tag that its caller declared.
_GUARD = """
local call = redis.call
local redis = {call = function(command, ...)
  local key = ...
  if command ~= 'TIME' and string.sub(key, 1, #KEYS[1] - 1) ~= string.sub(KEYS[1], 1, -2) then
    error('key outside of its partition: ' .. key)
  end
  return call(command, ...)
end}
"""


@lru_cache
def source(name: str) -> str:
    """The whole text of a script: what all share, then its own."""
    parts = ["common", *(["rows"] if name in _ROWS else []), name]
    return "\n".join((LUA / f"{part}.lua").read_text() for part in parts)


class Scripts:
    """Calls scripts in a partition, and rings for what they put.

    `offset_ms` shifts the server's clock, for tests only.
    """

    def __init__(self, client: Client, *, guard: bool = False, offset_ms: int = 0) -> None:
        self.client = client
        self.bell = Bell(client)
        self.offset_ms = offset_ms
        self._prelude = _GUARD if guard else ""
        self._loaded: dict[str, AsyncScript] = {}

    async def run(self, name: str, partition: int, *args: str | int | float) -> Any:
        """The script's answer; raises StoreUnavailable, or StoreError for a fault of ours."""
        script = self._loaded.get(name)
        if script is None:
            text = self._prelude + source(name)
            script = self._loaded[name] = self.client.register_script(text)
        arguments: Sequence[str | int | float] = (self.offset_ms, *args)
        with translated():
            return await script(keys=[keys.tag(partition) + "q"], args=arguments)
