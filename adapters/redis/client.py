"""The Redis client: its type, its errors as ours, and connections that cost little."""

import asyncio
import builtins
import math
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final, NoReturn

import hiredis
from redis.asyncio import ConnectionPool, Redis, RedisCluster
from redis.exceptions import (
    AskError,
    ClusterDownError,
    ClusterError,
    ConnectionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TimeoutError,
    TryAgainError,
)

from engine.errors import StoreError, StoreUnavailable
from engine.time_limit import allow_seconds

Client = Redis | RedisCluster
# A platform waits three seconds for its answer, and more than one read may go before it.
PROMPT_S: Final = 1.0
# As much as asyncio lets wait in a connection's buffer before it has its writer wait.
_BUFFERED_BYTES: Final = 64 * 1024
AWAY = (ConnectionError, TimeoutError, ClusterDownError, OutOfMemoryError, ReadOnlyError)
# A primary that is cut off from its replicas, or from its disk.
_READ_ONLY_WORDS = ("NOREPLICAS", "MISCONF", "NOPERM")
_AWAY_WORDS = (
    "LOADING",
    "MASTERDOWN",
    "NOREPLICAS",
    "MISCONF",
    "UNBLOCKED",
    "BUSY",
    "UNKILLABLE",
    "CLUSTERDOWN",
)


def is_transient(error: RedisError) -> bool:
    """Whether the error may pass by itself, as after a fail-over or with a full memory."""
    return isinstance(error, AWAY) or str(error).startswith(_AWAY_WORDS) or is_moving(error)


def is_moving(error: BaseException | None) -> bool:
    """Whether it says that a slot moves key by key, and that what was asked has to wait for that.

    ClusterError itself is the library's for having been sent to and fro too often.
    """
    return isinstance(error, (AskError, TryAgainError)) or type(error) is ClusterError


def refusal_reason(error: BaseException) -> str:
    """Why the store takes no writes, in a word for operators: `full`, `read only`, or `away`."""
    cause = error.__cause__
    if isinstance(cause, OutOfMemoryError):
        return "full"
    if isinstance(cause, ReadOnlyError) or str(cause).startswith(_READ_ONLY_WORDS):
        return "read only"
    return "away"


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise StoreUnavailable for errors inside that may pass by themselves, else StoreError."""
    try:
        yield
    except (*AWAY, RedisClusterException, OSError) as error:
        raise StoreUnavailable(f"Redis does not answer or refuses writes: {error}") from error
    except RedisError as error:
        if is_moving(error):
            raise StoreUnavailable(f"Redis moves it from node to node: {error}") from error
        if is_transient(error):
            raise StoreUnavailable(f"Redis refuses for now: {error}") from error
        raise StoreError(f"Redis refused: {error}") from error


@asynccontextmanager
async def limit_time() -> AsyncIterator[None]:
    """As `translate_errors`, and StoreUnavailable after `PROMPT_S`, as somebody waits."""
    with translate_errors():
        async with allow_seconds(PROMPT_S):
            yield


class _CancellableConnection:
    """A connection that costs little, keeps cancellations, and waits while it has a processor.

    redis-py packs commands in Python, and limits each send by `asyncio.wait_for`: a task of its own
    and a turn of the loop, also for what fits into the buffer. In Python 3.11 that swallows a
    cancellation that comes just as the send is done: the task would run on, and its caller wait for
    ever.
    """

    def pack_command(self, *args: Any) -> list[bytes]:
        """Pack as the library does, in C where it can; raises DataError for other types."""
        if isinstance(args[0], str) and " " not in args[0]:
            with suppress(TypeError):
                return [hiredis.pack_command(args)]
        library: Any = super()
        packed: list[bytes] = library.pack_command(*args)
        return packed

    async def send_packed_command(
        self, command: bytes | str | Iterable[bytes], check_health: bool = True
    ) -> None:
        """Send as the library does; raises CancelledError when the task was cancelled meanwhile."""
        library: Any = super()
        if isinstance(command, list) and self._is_ready():
            connection: Any = self
            connection._writer.writelines(command)
            if self._is_ready():
                return
            # It has become too much, or the connection broke: the library waits, or says so.
            command = []
        task = asyncio.current_task()
        before = task.cancelling() if task else 0
        try:
            await library.send_packed_command(command, check_health)
        except (RuntimeError, AttributeError) as error:
            # So uvloop and the library say that it was closed meanwhile, by a server or a task.
            await library.disconnect(nowait=True)
            raise ConnectionError(f"the connection was closed: {error}") from error
        if task and task.cancelling() > before:
            # What was sent will be answered, and nobody reads it.
            await self._give_up()

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        """Read as the library does; raises TimeoutError without an answer in time.

        Time in which this process stood still does not count. The library would throw the answer
        that came meanwhile away, and send the command once more: what it took would be lost.
        """
        connection: Any = self
        library: Any = super()
        limit_s = connection.socket_timeout
        if limit_s is None or len(args) > 1 or kwargs.get("timeout") is not None:
            return await library.read_response(*args, **kwargs)
        kwargs["timeout"] = math.inf
        try:
            async with allow_seconds(limit_s):
                return await library.read_response(*args, **kwargs)
        except builtins.TimeoutError as late:
            raise TimeoutError(f"no answer within {limit_s:g} s") from late

    def is_idle(self) -> bool:
        """Whether it is open and nothing came since its last answer."""
        connection: Any = self
        if connection.should_reconnect() or not self._is_ready():
            return False
        reader, parsed = connection._reader, connection._parser._reader
        return not (reader._buffer or reader.at_eof() or parsed is None or parsed.has_data())

    def _is_ready(self) -> bool:
        """Whether there is nothing to wait for before or after a write."""
        connection: Any = self
        if not connection.is_connected or connection.health_check_interval:
            return False
        transport, reader = connection._writer.transport, connection._reader
        if transport.is_closing() or reader.exception() is not None:
            return False
        return bool(transport.get_write_buffer_size() <= _BUFFERED_BYTES)

    async def _give_up(self) -> NoReturn:
        connection: Any = self
        await connection.disconnect(nowait=True)
        raise asyncio.CancelledError


class _QuickPool(ConnectionPool):
    """Lends an idle connection at once, and takes it back so.

    The library takes a lock each time, looks at the connection in five steps, and counts it for
    metrics that nobody reads: a third of what a command costs.
    """

    async def get_connection(self, *args: Any, **options: Any) -> Any:
        """A connection that is open, as the library gives it."""
        library: Any = super()
        idle: list[Any] = self._available_connections
        if idle and idle[-1].is_idle():
            connection = idle.pop()
            self._in_use_connections.add(connection)
            return connection
        return await library.get_connection(*args, **options)

    async def release(self, connection: Any) -> None:
        """Keep it for whoever is next."""
        if connection.is_idle():
            self._in_use_connections.remove(connection)
            self._available_connections.append(connection)
        else:
            await super().release(connection)


async def exchange(client: Redis, commands: Sequence[Sequence[Any]]) -> list[Any]:
    """Send commands in one write and return their answers, refusals among them.

    It repeats them as a pipeline of the library does, which looks at each for what it has to
    prepare, and counts them for metrics that nobody reads. Raises the library's errors where the
    server is away.
    """
    pool: Any = client.connection_pool
    connection = await pool.get_connection()

    async def send() -> list[Any]:
        packed = [part for command in commands for part in connection.pack_command(*command)]
        await connection.send_packed_command(packed)
        return [await _answer(connection) for _ in commands]

    try:
        answers: list[Any] = await connection.retry.call_with_retry(
            send, lambda error: connection.disconnect()
        )
        return answers
    finally:
        await pool.release(connection)


async def _answer(connection: Any) -> Any:
    try:
        return await connection.read_response()
    except ResponseError as refusal:
        return refusal


class _NodeConnection(_CancellableConnection):
    """A connection to a node, which any task may close that finds the node away."""

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        """Read as the library does; raises ConnectionError when it was closed meanwhile."""
        library: Any = super()
        try:
            return await library.read_response(*args, **kwargs)
        except (RuntimeError, AttributeError) as error:
            await library.disconnect(nowait=True)
            raise ConnectionError(f"the connection was closed: {error}") from error


def _cancellable_class(connection: Any, kind: type = _CancellableConnection) -> Any:
    return type(connection.__name__, (kind, connection), {})


def make_cancellable(client: Redis) -> Redis:
    """Return the client, whose connections keep cancellations and are lent at once from now on."""
    pool = client.connection_pool
    pool.__class__ = _QuickPool
    pool.connection_class = _cancellable_class(pool.connection_class)
    return client


def make_cluster_cancellable(client: RedisCluster) -> RedisCluster:
    """Return the client, whose nodes' connections keep cancellations from now on."""
    made = client.connection_kwargs["connection_class"] = _cancellable_class(
        client.connection_kwargs["connection_class"], _NodeConnection
    )
    for node in client.nodes_manager.startup_nodes.values():
        node.connection_class = made
    return client
