"""Lua scripts: one that may have to be sent again, and all of them, called by partition."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha1
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import NoScriptError

from adapters.redis import keys
from adapters.redis.bell import Bell
from adapters.redis.client import Client, translate_errors

Argument = str | bytes | int | float


class LuaScript:
    """A script that is called by its digest, and sent with its text where the server forgot it.

    The library's own class loads the text and calls the digest again, which fails where the server
    restarts in between.
    """

    def __init__(self, client: Client, text: str) -> None:
        self._client = client
        self._text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, *, keys: Sequence[str], args: Sequence[Argument] = ()) -> Any:
        """Return the script's answer. Raises the library's errors, never NoScriptError."""
        client: Any = self._client
        try:
            return await client.evalsha(self.sha, len(keys), *keys, *args)
        except NoScriptError:
            return await self.with_text(keys=keys, args=args)

    async def with_text(self, *, keys: Sequence[str], args: Sequence[Argument] = ()) -> Any:
        """Call the script with its text, after a NoScriptError."""
        client: Any = self._client
        return await client.eval(self._text, len(keys), *keys, *args)

    def queue(
        self, pipe: Pipeline, *, keys: Sequence[str], args: Sequence[Argument], with_text: bool
    ) -> None:
        """Add a call to a pipeline; without its text it may be answered by NoScriptError."""
        call: Any = pipe.eval if with_text else pipe.evalsha
        call(self._text if with_text else self.sha, len(keys), *keys, *args)


DAY_MS = 24 * 3600 * 1000
RUN_DAYS = 90.0
"""For how many days a run that has ended is kept, unless somebody says otherwise."""

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
def script_text(name: str) -> str:
    """Return the text of a script, after the text that all scripts share."""
    parts = ["common", *(["rows"] if name in _ROWS else []), name]
    return "\n".join((LUA / f"{part}.lua").read_text() for part in parts)


@dataclass(slots=True)
class _QueuedScript:
    """A call that waits to be sent, and the future of its answer."""

    script: LuaScript
    key: str
    args: tuple[str | int | float, ...]
    answer: asyncio.Future[Any]


class Scripts:
    """Calls scripts in a partition; `bell` wakes workers for what they put.

    Calls that are made during a round trip go together in the next one, for which the server syncs
    its file once. `offset_ms` shifts the server's clock, for tests only. A run that has ended is
    kept for `run_days`.
    """

    def __init__(
        self,
        client: Client,
        *,
        guard: bool = False,
        offset_ms: int = 0,
        run_days: float = RUN_DAYS,
    ) -> None:
        self.client = client
        self.run_keep_ms = int(run_days * DAY_MS)
        self.bell = Bell(client)
        self.offset_ms = offset_ms
        self._prelude = _GUARD if guard else ""
        self._loaded: dict[str, LuaScript] = {}
        self._waiting: list[_QueuedScript] = []
        self._sending: asyncio.Task[None] | None = None

    async def run(self, name: str, partition: int, *args: str | int | float) -> Any:
        """Return the script's answer. Raises StoreUnavailable; StoreError for a fault of ours."""
        script = self._loaded.get(name)
        if script is None:
            text = self._prelude + script_text(name)
            script = self._loaded[name] = LuaScript(self.client, text)
        key, arguments = keys.tag(partition) + "q", (self.offset_ms, *args)
        with translate_errors():
            if not isinstance(self.client, Redis):
                # The partitions of a Cluster are on several servers.
                return await script(keys=[key], args=arguments)
            answer = asyncio.get_running_loop().create_future()
            self._waiting.append(_QueuedScript(script, key, arguments, answer))
            if self._sending is None or self._sending.done():
                self._sending = asyncio.create_task(self._send(self.client))
            return await answer

    async def drain(self) -> None:
        """Wait until no call and no ring is under way."""
        if self._sending is not None:
            await self._sending
        await self.bell.drain()

    async def _send(self, client: Redis) -> None:
        while self._waiting:
            # Callers that gave up were told that nothing was done.
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
                await _pass_answer(call, answer)


async def _pass_answer(call: _QueuedScript, answer: Any) -> None:
    """Give the caller the answer or the error; a server that lost the script is sent its text."""
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
