"""The Lua scripts, loaded once, called with one partition's tag."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from redis.asyncio import Redis, RedisCluster
from redis.commands.core import AsyncScript
from redis.exceptions import (
    ClusterDownError,
    ConnectionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    TimeoutError,
)

from adapters.redis import keys
from engine.errors import StoreError, StoreUnavailable

LUA = Path(__file__).with_name("lua")
_ROWS = ("send", "sent")
Client = Redis | RedisCluster
AWAY = (ConnectionError, TimeoutError, ClusterDownError, OutOfMemoryError, ReadOnlyError)

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


_AWAY_WORDS = (
    "LOADING",
    "MASTERDOWN",
    "NOREPLICAS",
    "MISCONF",
    "UNBLOCKED",
    "BUSY",
    "TRYAGAIN",
    "CLUSTERDOWN",
)


@contextmanager
def translated() -> Iterator[None]:
    """Our error for whatever the client raises; what may pass by itself is StoreUnavailable."""
    try:
        yield
    except (*AWAY, RedisClusterException, OSError) as error:
        raise StoreUnavailable(f"Redis does not answer or refuses writes: {error}") from error
    except RedisError as error:
        if str(error).startswith(_AWAY_WORDS):
            raise StoreUnavailable(f"Redis refuses for now: {error}") from error
        raise StoreError(f"Redis refused: {error}") from error


class Scripts:
    """Calls scripts in a partition. `offset_ms` shifts the server's clock, for tests only."""

    def __init__(self, client: Client, *, guard: bool = False, offset_ms: int = 0) -> None:
        self.client = client
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
