"""Connections of the client library whose sends do not forget that their task is cancelled."""

import asyncio
from collections.abc import Iterable
from typing import Any

from redis.asyncio import Redis, RedisCluster


class _Cancellable:
    """A connection; redis-py gives a send its time by `asyncio.wait_for`.

    In Python 3.11 that loses a cancellation that comes just as the send is done: the task would go
    on, and whoever waits for its end would wait for ever.
    """

    async def send_packed_command(
        self, command: bytes | str | Iterable[bytes], check_health: bool = True
    ) -> None:
        """As in the library; a task that was cancelled meanwhile is."""
        task = asyncio.current_task()
        before = task.cancelling() if task else 0
        library: Any = super()
        await library.send_packed_command(command, check_health)
        if task and task.cancelling() > before:
            # What was sent will be answered, and nobody reads it.
            connection: Any = self
            await connection.disconnect(nowait=True)
            raise asyncio.CancelledError


def _cancellable(connection: Any) -> Any:
    return type(connection.__name__, (_Cancellable, connection), {})


def cancellable(client: Redis) -> Redis:
    """The client, whose connections are such ones from now on."""
    pool = client.connection_pool
    pool.connection_class = _cancellable(pool.connection_class)
    return client


def cancellable_cluster(client: RedisCluster) -> RedisCluster:
    """The client, whose nodes' connections are such ones from now on."""
    made = client.connection_kwargs["connection_class"] = _cancellable(
        client.connection_kwargs["connection_class"]
    )
    for node in client.nodes_manager.startup_nodes.values():
        node.connection_class = made
    return client
