"""The Lua scripts, loaded once, called with one partition's tag."""

import asyncio
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from adapters.redis import keys
from adapters.redis.bell import Bell
from adapters.redis.client.client import Client, translated
from adapters.redis.client.lua_script import LuaScript

LUA = Path(__file__).with_name("lua")
_ROWS = ("send", "sent")

# For tests: every key that a script touches must carry the tag that its caller declared.
_GUARD = """
local call = redis.call
local redis = {sha1hex = redis.sha1hex, call = function(command, ...)
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


@dataclass(slots=True)
class _QueuedScript:
    """A script that waits for its turn, and who waits for its answer."""

    script: LuaScript
    key: str
    args: tuple[str | int | float, ...]
    answer: asyncio.Future[Any]


class Scripts:
    """Calls scripts in a partition, and rings for what they put.

    What is called while a round trip is under way goes together in the next one: the server then
    syncs its file once for all of it. `offset_ms` shifts the server's clock, for tests only.
    """

    def __init__(self, client: Client, *, guard: bool = False, offset_ms: int = 0) -> None:
        self.client = client
        self.bell = Bell(client)
        self.offset_ms = offset_ms
        self._prelude = _GUARD if guard else ""
        self._loaded: dict[str, LuaScript] = {}
        self._waiting: list[_QueuedScript] = []
        self._sending: asyncio.Task[None] | None = None

    async def run(self, name: str, partition: int, *args: str | int | float) -> Any:
        """The script's answer; raises StoreUnavailable, or StoreError for a fault of ours."""
        script = self._loaded.get(name)
        if script is None:
            text = self._prelude + source(name)
            script = self._loaded[name] = LuaScript(self.client, text)
        key, arguments = keys.tag(partition) + "q", (self.offset_ms, *args)
        with translated():
            if not isinstance(self.client, Redis):
                # The partitions of a Cluster are on several servers.
                return await script(keys=[key], args=arguments)
            answer = asyncio.get_running_loop().create_future()
            self._waiting.append(_QueuedScript(script, key, arguments, answer))
            if self._sending is None or self._sending.done():
                self._sending = asyncio.create_task(self._send(self.client))
            return await answer

    async def idle(self) -> None:
        """Return when nothing is under way to the server."""
        if self._sending is not None:
            await self._sending
        await self.bell.silent()

    async def _send(self, client: Redis) -> None:
        while self._waiting:
            # What nobody waits for any more was said not to be done.
            batch = [call for call in self._waiting if not call.answer.done()]
            self._waiting = []
            try:
                async with client.pipeline(transaction=False) as pipe:
                    for call in batch:
                        call.script.queue(pipe, keys=[call.key], args=call.args, with_text=False)
                    answers = await pipe.execute(raise_on_error=False)
            except Exception as error:
                answers = [error] * len(batch)
            for call, answer in zip(batch, answers, strict=True):
                await _give(call, answer)


async def _give(call: _QueuedScript, answer: Any) -> None:
    """Hands on the answer, or the error; a server that lost its scripts gets the text."""
    try:
        if isinstance(answer, NoScriptError):
            answer = await call.script.with_text(keys=[call.key], args=call.args)
    except Exception as error:
        answer = error
    if call.answer.done():
        return
    if isinstance(answer, Exception):
        call.answer.set_exception(answer)
    else:
        call.answer.set_result(answer)
