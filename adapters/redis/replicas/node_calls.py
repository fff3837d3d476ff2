"""Several commands on one connection to the node of a Cluster that has their slot."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, Never

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode, PipelineCommand
from redis.cluster import PRIMARY, get_node_name
from redis.exceptions import (
    AskError,
    ClusterDownError,
    ConnectionError,
    MovedError,
    RedisError,
    SlotNotCoveredError,
    TimeoutError,
    TryAgainError,
)

from adapters.redis.client import Client

Command = tuple[str | bytes | int | float, ...]
TRIES: Final = 8
"""How often commands are sent to where the slot is said to be now."""

_ASKING: Final = "ASKING"
_PAUSE_S: Final = 0.05
_REDIRECTED = (MovedError, AskError, TryAgainError)
_AWAY = (ConnectionError, TimeoutError, ClusterDownError, SlotNotCoveredError)


class ClusterClient(RedisCluster):
    """A client that finds each key of a slot that moves key by key, also where the library fails.

    It knows no node that has no slot yet, and sends ASKING over the connection that was idle for
    longest, and what is asked over the next one.
    """

    def get_node(
        self, host: str | None = None, port: int | None = None, node_name: str | None = None
    ) -> ClusterNode | None:
        """The node of that address, None for an unknown one; whatever has that name is one."""
        manager = self.nodes_manager
        if node_name is None:
            return manager.get_node(host, port)
        node = manager.get_node(node_name=node_name)
        if node is None:
            address, _, number = node_name.rpartition(":")
            node = ClusterNode(address, int(number), PRIMARY, **manager.connection_kwargs)
            manager.set_nodes(manager.nodes_cache, {node_name: node})
        if not isinstance(node._free, _LastFirst):
            node._free = _LastFirst(node._free, node.max_connections)
        return node


class _LastFirst(deque[Any]):
    """Connections of which the one that was just given back is lent next."""

    def popleft(self) -> Any:
        return self.pop()


def node_name(client: Client, key: str) -> str:
    """The node of a Cluster that has the key, as far as is known; "" for a single server."""
    if isinstance(client, Redis):
        return ""
    try:
        node = client.get_node_from_key(key)
    except RedisError:
        node = None
    return "?" if node is None else str(node.name)


async def execute_on_node(client: RedisCluster, key: str, commands: Sequence[Command]) -> list[Any]:
    """Return the answers, of which any may be an error, to commands that all concern `key`'s slot.

    When the slot has moved, or its node is away, all are sent again, to the node that has it now.
    Raises the library's errors for a Cluster that stays away.
    """
    asked: ClusterNode | None = None
    away = client.retry.get_retries()
    for _ in range(TRIES):
        await client.initialize()
        node = asked or client.get_node_from_key(key)
        try:
            if node is None:
                _raise_uncovered(key)
            answers = await _execute(node, commands, asking=asked is not None)
            asked = None
            error = next((a for a in answers if isinstance(a, (*_REDIRECTED, *_AWAY))), None)
            if error is None:
                return answers
            if error is not answers[0] and isinstance(error, _REDIRECTED):
                # The first was carried out here: it is not for another node.
                raise TryAgainError
            raise error
        except MovedError as moved:
            await client.nodes_manager.move_slot(moved)
        except AskError as ask:
            asked = client.get_node(node_name=get_node_name(ask.host, ask.port))
        except TryAgainError:
            await asyncio.sleep(_PAUSE_S)
        except _AWAY:
            asked = None
            away -= 1
            if away < 0:
                raise
            if node is not None:
                await _distrust(client, node)
            await asyncio.sleep(_PAUSE_S)
    raise TryAgainError(f"TRYAGAIN {key} moves for too long")


async def _distrust(client: RedisCluster, node: ClusterNode) -> None:
    """As the library does after an error of a node: others are asked first who has what."""
    node.update_active_connections_for_reconnect()
    await node.disconnect_free_connections()
    client.nodes_manager.move_node_to_end_of_cached_nodes(node.name)
    client._initialize = True


async def _execute(node: ClusterNode, commands: Sequence[Command], *, asking: bool) -> list[Any]:
    sent: list[PipelineCommand] = []
    for command in commands:
        # What waits names no key, and is not redirected.
        if asking and not str(command[0]).startswith("WAIT"):
            sent.append(PipelineCommand(-1, _ASKING))
        sent.append(PipelineCommand(len(sent), *command))
    await node.execute_pipeline(sent)
    return [each.result for each in sent if each.args[0] != _ASKING]


def _raise_uncovered(key: str) -> Never:
    raise SlotNotCoveredError(f"no node has the slot of {key}")
