"""Lua scripts: one that may have to be sent again, and all of them, called by partition."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha1
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from adapters.redis import keys
from adapters.redis.bell import Bell
from adapters.redis.client import Client, exchange, translate_errors
from adapters.redis.replicas.acks import ReplicaAcks
from adapters.redis.replicas.node_calls import node_name

Argument = str | bytes | int | float


class LuaScript:
    """A script that is called by its digest, and sent with its text where the server forgot it.

    The library's own class loads the text and calls the digest again, which fails where the server
    restarts in between. With `acks` its answer comes once replicas have what it wrote.
    """

    def __init__(self, client: Client, text: str, acks: ReplicaAcks | None = None) -> None:
        self._client = client
        self._text = text
        self._acks = acks
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, *, keys: Sequence[str], args: Sequence[Argument] = ()) -> Any:
        """Return the script's answer. Raises the library's errors, never NoScriptError."""
        if self._acks is not None:
            return await self.with_acks(self._acks, keys=keys, args=args)
        client: Any = self._client
        try:
            return await client.evalsha(self.sha, len(keys), *keys, *args)
        except NoScriptError:
            return await self.with_text(keys=keys, args=args)

    async def with_text(self, *, keys: Sequence[str], args: Sequence[Argument] = ()) -> Any:
        """Call the script with its text, after a NoScriptError."""
        client: Any = self._client
        return await client.eval(self._text, len(keys), *keys, *args)

    async def with_acks(
        self,
        acks: ReplicaAcks,
        *,
        keys: Sequence[str],
        args: Sequence[Argument],
        touch: bool = True,
    ) -> Any:
        """Call the script, and return its answer once replicas have what it wrote.

        Raises the library's errors, never NoScriptError.
        """
        given = (len(keys), *keys, *args)
        for call in (("EVALSHA", self.sha), ("EVAL", self._text)):
            with suppress(NoScriptError):
                return await acks.execute(self._client, keys[0], (*call, *given), touch=touch)
        raise AssertionError("a script that comes with its text is known")

    def command(
        self, *, keys: Sequence[str], args: Sequence[Argument], with_text: bool = False
    ) -> Sequence[Argument]:
        """Return the command of a call; without its text it may be answered by NoScriptError."""
        call = ("EVAL", self._text) if with_text else ("EVALSHA", self.sha)
        return (*call, len(keys), *keys, *args)


DAY_MS = 24 * 3600 * 1000
RUN_DAYS = 90.0
"""For how many days a run that has ended is kept, unless somebody says otherwise."""

LUA = Path(__file__).with_name("lua")
_ROWS = ("send", "sent")
# What takes work, which needs no replica but those that its end needs.
_TAKING = ("claim", "send")
# Of these nothing is said or done outside before another call waits.
_UNWAITED = (
    *("claim", "renew", "release", "forfeit", "draft"),
    *("backlog", "runs", "own", "own_run", "trace", "active_runs", "open_cards", "open"),
)
# These write whenever their answer matters.
_UNTOUCHED = ("send", "sent")

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
    parts = ["beside", "common", *(["rows"] if name in _ROWS else []), name]
    return "\n".join((LUA / f"{part}.lua").read_text() for part in parts)


@dataclass(slots=True)
class _QueuedScript:
    """A call that waits to be sent, and the future of its answer."""

    script: LuaScript
    key: str
    args: tuple[str | int | float, ...]
    answer: asyncio.Future[Any]
    touch: bool


class _ScriptBatches:
    """Sends calls to a single server: those that are made during a round trip go together next.

    With `acks` each batch is answered once replicas have what it wrote. `resent` counts the calls
    that the server did not know, which came behind those that were sent after them.
    """

    def __init__(self, client: Redis, acks: ReplicaAcks | None) -> None:
        self._client = client
        self._acks = acks
        self.resent = 0
        self._waiting: list[_QueuedScript] = []
        self._sending: asyncio.Task[None] | None = None

    async def call(
        self, script: LuaScript, key: str, args: tuple[str | int | float, ...], *, touch: bool
    ) -> Any:
        """Return the script's answer. Raises the library's errors, never NoScriptError."""
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append(_QueuedScript(script, key, args, answer, touch))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return await answer

    async def drain(self) -> None:
        """Wait until no call is under way."""
        if self._sending is not None:
            await self._sending

    async def _send(self) -> None:
        while self._waiting:
            # Callers that gave up were told that nothing was done.
            batch = [call for call in self._waiting if not call.answer.done()]
            self._waiting = []
            try:
                answers = await self._execute(batch)
            except Exception as error:
                answers = [error] * len(batch)
            for call, answer in zip(batch, answers, strict=True):
                await self._pass_answer(call, answer)

    async def _execute(self, batch: Sequence[_QueuedScript]) -> list[Any]:
        """The batch's answers. Raises the library's errors where all of it failed."""
        commands = [call.script.command(keys=[call.key], args=call.args) for call in batch]
        if self._acks is not None and batch:
            touch = any(call.touch for call in batch)
            commands += self._acks.commands(batch[0].key, touch=touch)
        answers = await exchange(self._client, commands) if batch else []
        if self._acks is not None and batch:
            self._acks.check(answers[len(batch) :], "")
        return answers[: len(batch)]

    async def _pass_answer(self, call: _QueuedScript, answer: Any) -> None:
        """Give the caller the answer or the error; a server without the script is sent its text."""
        try:
            if isinstance(answer, NoScriptError):
                answer = await self._send_text(call)
        except Exception as error:
            answer = error
        if call.answer.done():
            return
        if isinstance(answer, Exception):
            call.answer.set_exception(answer)
        else:
            call.answer.set_result(answer)

    async def _send_text(self, call: _QueuedScript) -> Any:
        self.resent += 1
        if self._acks is None:
            return await call.script.with_text(keys=[call.key], args=call.args)
        return await call.script.with_acks(self._acks, keys=[call.key], args=call.args)


class Scripts:
    """Calls scripts in a partition; `bell` wakes workers for what they put.

    Calls that are made during a round trip go together in the next one, for which the server syncs
    its file once. `offset_ms` shifts the server's clock, for tests only. A run that has ended is
    kept for `run_days`. With `acks` what is acknowledged is on replicas before the answer.
    """

    def __init__(
        self,
        client: Client,
        *,
        guard: bool = False,
        offset_ms: int = 0,
        run_days: float = RUN_DAYS,
        acks: ReplicaAcks | None = None,
    ) -> None:
        self.client = client
        self.acks = acks
        self.run_keep_ms = int(run_days * DAY_MS)
        self.bell = Bell(client)
        self.offset_ms = offset_ms
        self._prelude = _GUARD if guard else ""
        self._loaded: dict[str, LuaScript] = {}
        # By whether a call waits for replicas; a Cluster takes scripts singly.
        self._batches: Mapping[bool, _ScriptBatches] = {}
        if isinstance(client, Redis):
            plain = _ScriptBatches(client, None)
            self._batches = {
                False: plain,
                True: plain if acks is None else _ScriptBatches(client, acks),
            }

    @property
    def in_order(self) -> bool:
        """Whether a call comes behind all that were made before it, answered or not.

        But for those that `resent` counts.
        """
        # Calls that wait for replicas go another way than those that do not.
        return bool(self._batches) and self.acks is None

    @property
    def resent(self) -> int:
        """How often a server that lost a script was sent it, behind what came after the call."""
        return sum(batches.resent for batches in self._batches.values())

    async def run(self, name: str, partition: int, *args: str | int | float) -> Any:
        """Return the script's answer. Raises StoreUnavailable; StoreError for a fault of ours."""
        script = self._loaded.get(name)
        if script is None:
            text = self._prelude + script_text(name)
            script = self._loaded[name] = LuaScript(self.client, text)
        key, arguments = keys.tag(partition) + "q", (self.offset_ms, *args)
        waits, touch = name not in _UNWAITED, name not in _UNTOUCHED
        with translate_errors():
            if self.acks is not None and name in _TAKING:
                await self.acks.require(self.client, key)
            if self._batches:
                return await self._batches[waits].call(script, key, arguments, touch=touch)
            # The partitions of a Cluster are on several servers.
            named = [key, keys.absent(partition)]
            if self.acks is not None and waits:
                return await script.with_acks(self.acks, keys=named, args=arguments, touch=touch)
            return await script(keys=named, args=arguments)

    def place(self, partition: int) -> str:
        """Which node of a Cluster has the partition, as far as is known; "" for a single server."""
        return node_name(self.client, keys.tag(partition) + "q")

    async def drain(self) -> None:
        """Wait until no call and no ring is under way."""
        for batches in self._batches.values():
            await batches.drain()
        await self.bell.drain()
