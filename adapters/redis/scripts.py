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

    def command(self, *, keys: Sequence[str], args: Sequence[Argument]) -> Sequence[Argument]:
        """Return the command of a call, which may be answered by NoScriptError."""
        return ("EVALSHA", self.sha, len(keys), *keys, *args)


DAY_MS = 24 * 3600 * 1000
RUN_DAYS = 90.0
"""For how many days a run that has ended is kept, unless somebody says otherwise."""

LUA = Path(__file__).with_name("lua")
_ROWS = ("send", "sent")
# What changes runs, cards and replies, and what else shows or looks at messages.
_EFFECTS = ("commit", "decide", "own", "relist", "show", "trace")
_SHOWS = (*_ROWS, "draft", "own_run", *_EFFECTS)
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
    """Return the text of a script, after what it shares with others.

    The server runs all of it at each call, so it has no more than it may need.
    """
    shared = {"beside": _SHOWS, "effects": _EFFECTS, "rows": _ROWS}
    parts = ["common", *(part for part, users in shared.items() if name in users), name]
    return "\n".join((LUA / f"{part}.lua").read_text() for part in parts)


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A script with its keys and arguments."""

    script: LuaScript
    keys: Sequence[str]
    args: Sequence[Argument]

    async def with_acks(self, acks: ReplicaAcks, *, touch: bool = True) -> Any:
        """Make the call alone, and return its answer as `LuaScript.with_acks` does."""
        return await self.script.with_acks(acks, keys=self.keys, args=self.args, touch=touch)


@dataclass(slots=True)
class _QueuedCall:
    """A command that waits to be sent, and the future of its answer; of a script with its `call`.

    `touch` is whether a repeat has to write a little before replicas are waited for.
    """

    key: str
    command: Sequence[Argument]
    answer: asyncio.Future[Any]
    call: ScriptCall | None = None
    touch: bool = False


class _CallBatches:
    """Sends calls to a single server: those that are made during a round trip go together next.

    With `acks` each batch is answered once replicas have what it wrote. `resent` counts the scripts
    that the server did not know, which came behind those that were sent after them.
    """

    def __init__(self, client: Redis, acks: ReplicaAcks | None) -> None:
        self._client = client
        self._acks = acks
        self.resent = 0
        self._waiting: list[_QueuedCall] = []
        self._sending: asyncio.Task[None] | None = None

    def queue_script(self, call: ScriptCall, *, touch: bool) -> asyncio.Future[Any]:
        """Return the script's answer to be, or the library's error, never NoScriptError."""
        command = call.script.command(keys=call.keys, args=call.args)
        answer = asyncio.get_running_loop().create_future()
        return self._queue(_QueuedCall(call.keys[0], command, answer, call, touch))

    def queue_command(self, *command: Argument) -> asyncio.Future[Any]:
        """Return the answer to be of a command whose first argument is its key."""
        answer = asyncio.get_running_loop().create_future()
        return self._queue(_QueuedCall(str(command[1]), command, answer))

    def _queue(self, call: _QueuedCall) -> asyncio.Future[Any]:
        self._waiting.append(call)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return call.answer

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

    async def _execute(self, batch: Sequence[_QueuedCall]) -> list[Any]:
        """The batch's answers. Raises the library's errors where all of it failed."""
        commands = [call.command for call in batch]
        if self._acks is not None and batch:
            touch = any(call.touch for call in batch)
            commands += self._acks.commands(batch[0].key, touch=touch)
        answers = await exchange(self._client, commands) if batch else []
        if self._acks is not None and batch:
            self._acks.check(answers[len(batch) :], "")
        return answers[: len(batch)]

    async def _pass_answer(self, call: _QueuedCall, answer: Any) -> None:
        """Give the caller the answer or the error; a server without the script is sent its text."""
        try:
            if isinstance(answer, NoScriptError) and call.call:
                answer = await self._send_text(call.call)
        except Exception as error:
            answer = error
        if call.answer.done():
            return
        if isinstance(answer, Exception):
            call.answer.set_exception(answer)
        else:
            call.answer.set_result(answer)

    async def _send_text(self, call: ScriptCall) -> Any:
        self.resent += 1
        if self._acks is None:
            return await call.script.with_text(keys=call.keys, args=call.args)
        return await call.with_acks(self._acks)


class Scripts:
    """Calls scripts, most of them in a partition; `bell` wakes workers for what they put.

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
        self.bell = Bell(self.run_commands)
        self.offset_ms = offset_ms
        self._prelude = _GUARD if guard else ""
        self._loaded: dict[str, LuaScript] = {}
        # By whether a call waits for replicas; a Cluster takes scripts singly.
        self._batches: Mapping[bool, _CallBatches] = {}
        if isinstance(client, Redis):
            plain = _CallBatches(client, None)
            self._batches = {
                False: plain,
                True: plain if acks is None else _CallBatches(client, acks),
            }

    @property
    def is_single(self) -> bool:
        """Whether all keys are on one server."""
        return bool(self._batches)

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
        if self.acks is not None and name in _TAKING:
            with translate_errors():
                await self.acks.require(self.client, key)
        # The partitions of a Cluster are on several servers.
        named = [key] if self._batches else [key, keys.absent(partition)]
        waits, touch = name not in _UNWAITED, name not in _UNTOUCHED
        called = ScriptCall(script, named, arguments)
        (answer,) = await self.call_each((called,), waits=waits, touch=touch)
        return answer

    async def call_each(
        self, calls: Sequence[ScriptCall], *, waits: bool = False, touch: bool = True
    ) -> Sequence[Any]:
        """Return the answers to calls, which are made in this order; raises as `run` does.

        What they wrote is on replicas before the answers if it `waits`.
        """
        with translate_errors():
            if self._batches:
                batches = self._batches[waits]
                answers = [batches.queue_script(call, touch=touch) for call in calls]
                return [await answers[0]] if len(answers) == 1 else await asyncio.gather(*answers)
            if waits and self.acks is not None:
                return [await call.with_acks(self.acks, touch=touch) for call in calls]
            return [await call.script(keys=call.keys, args=call.args) for call in calls]

    async def run_commands(self, *commands: Sequence[Argument]) -> Sequence[Any]:
        """Return the answers to commands on one key, their first argument. Raises as `run` does."""
        with translate_errors():
            if self._batches:
                queue = self._batches[False].queue_command
                return await asyncio.gather(*[queue(*command) for command in commands])
            async with self.client.pipeline(transaction=False) as pipe:
                for command in commands:
                    pipe.execute_command(*command)
                answers: Sequence[Any] = await pipe.execute()
                return answers

    def place(self, partition: int) -> str:
        """Which node of a Cluster has the partition, as far as is known; "" for a single server."""
        return node_name(self.client, keys.tag(partition) + "q")

    async def drain(self) -> None:
        """Wait until no call and no ring is under way."""
        await self.bell.drain()
        for batches in self._batches.values():
            await batches.drain()
