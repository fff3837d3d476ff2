"""The client library's client, and its errors as ours."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

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


def passes(error: RedisError) -> bool:
    """Whether what Redis says may pass by itself, as a fail-over or a full memory does."""
    return isinstance(error, AWAY) or str(error).startswith(_AWAY_WORDS)


def refusal(error: BaseException) -> str:
    """Why the store takes no writes, in a word for operators: `full`, `read only`, or `away`."""
    cause = error.__cause__
    if isinstance(cause, OutOfMemoryError):
        return "full"
    if isinstance(cause, ReadOnlyError) or str(cause).startswith(_READ_ONLY_WORDS):
        return "read only"
    return "away"


@contextmanager
def translated() -> Iterator[None]:
    """Our error for whatever the client raises; what may pass by itself is StoreUnavailable."""
    try:
        yield
    except (*AWAY, RedisClusterException, OSError) as error:
        raise StoreUnavailable(f"Redis does not answer or refuses writes: {error}") from error
    except RedisError as error:
        if passes(error):
            raise StoreUnavailable(f"Redis refuses for now: {error}") from error
        raise StoreError(f"Redis refused: {error}") from error


@asynccontextmanager
async def promptly() -> AsyncIterator[None]:
    """As `translated`, for what a platform or a person waits for: a server that hangs is away."""
    with translated():
        async with asyncio.timeout(PROMPT_S):
            yield
