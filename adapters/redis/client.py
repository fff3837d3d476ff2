"""The Redis client: its type, its errors as ours, and connections that can be cancelled."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

from redis.asyncio import Redis, RedisCluster
from redis.exceptions import (
    ClusterDownError,
    ConnectionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    TimeoutError,
)

from engine.errors import StoreError, StoreUnavailable

Client = Redis | RedisCluster
# A platform waits three seconds for its answer, and more than one read may go before it.
PROMPT_S: Final = 1.0
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
    "TRYAGAIN",
    "CLUSTERDOWN",
)


def is_transient(error: RedisError) -> bool:
    """Whether the error may pass by itself, as after a fail-over or with a full memory."""
    return isinstance(error, AWAY) or str(error).startswith(_AWAY_WORDS)


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
        if is_transient(error):
            raise StoreUnavailable(f"Redis refuses for now: {error}") from error
        raise StoreError(f"Redis refused: {error}") from error


@asynccontextmanager
async def limit_time() -> AsyncIterator[None]:
    """As `translate_errors`, and StoreUnavailable after `PROMPT_S`, as somebody waits."""
    with translate_errors():
        async with asyncio.timeout(PROMPT_S):
            yield


class _CancellableConnection:
    """A connection whose sends do not lose the cancellation of their task.

    redis-py limits a send by `asyncio.wait_for`, which in Python 3.11 swallows a cancellation that
    comes just as the send is done: the task would run on, and its caller wait for ever.
    """

    async def send_packed_command(
        self, command: bytes | str | Iterable[bytes], check_health: bool = True
    ) -> None:
        """Send as the library does; raises CancelledError when the task was cancelled meanwhile."""
        task = asyncio.current_task()
        before = task.cancelling() if task else 0
        library: Any = super()
        await library.send_packed_command(command, check_health)
        if task and task.cancelling() > before:
            # What was sent will be answered, and nobody reads it.
            connection: Any = self
            await connection.disconnect(nowait=True)
            raise asyncio.CancelledError


def _cancellable_class(connection: Any) -> Any:
    return type(connection.__name__, (_CancellableConnection, connection), {})


def make_cancellable(client: Redis) -> Redis:
    """Return the client, whose connections keep cancellations from now on."""
    pool = client.connection_pool
    pool.connection_class = _cancellable_class(pool.connection_class)
    return client


def make_cluster_cancellable(client: RedisCluster) -> RedisCluster:
    """Return the client, whose nodes' connections keep cancellations from now on."""
    made = client.connection_kwargs["connection_class"] = _cancellable_class(
        client.connection_kwargs["connection_class"]
    )
    for node in client.nodes_manager.startup_nodes.values():
        node.connection_class = made
    return client
