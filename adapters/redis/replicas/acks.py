"""Waiting for replicas: the commands behind a write, and what their answers say."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from adapters.redis.client import Client
from adapters.redis.replicas.node_calls import Command, execute_on_node, node_name

ACK_MS: Final = 500
"""How long a server waits for its replicas before the write counts as not acknowledged."""

_REST_S: Final = 1.0


@dataclass(slots=True)
class ReplicaAcks:
    """Wants each acknowledged write on so many replicas; with `on_disk` on their disks as well.

    It remembers which servers lacked replicas, so that no work is begun whose end nobody could
    acknowledge.
    """

    replicas: int
    on_disk: bool = False
    _lacking: dict[str, float] = field(default_factory=dict)

    def commands(self, key: str, *, touch: bool = True) -> list[Command]:
        """The commands that follow a write to `key` in its pipeline.

        A server waits for what this connection wrote. A repeat writes nothing, since another
        connection did: so `touch` writes a little first.
        """
        waits: list[Command] = [("WAIT", self.replicas, ACK_MS)]
        if self.on_disk:
            # A replica answers the first question before it syncs its file, the second after.
            waits.append(("WAITAOF", 0, self.replicas, ACK_MS))
        return [("SET", beside(key), ""), *waits] if touch else waits

    def check(self, answers: Sequence[Any], place: str) -> None:
        """Raise ResponseError unless enough replicas have the write, by their answers."""
        try:
            reached = min(_reached(answer) for answer in answers[-2 if self.on_disk else -1 :])
            if reached < self.replicas:
                raise _too_few(reached, self.replicas)
        except ResponseError:
            self._lacking[place] = asyncio.get_running_loop().time()
            raise
        self._lacking.pop(place, None)

    async def require(self, client: Client, key: str) -> None:
        """Raise ResponseError while the server of `key` lacked replicas at its last write."""
        place = node_name(client, key)
        since = self._lacking.get(place)
        if since is None:
            return
        if asyncio.get_running_loop().time() < since + _REST_S:
            raise _too_few(0, self.replicas)
        await self.execute(client, key, ("EXISTS", beside(key)))

    async def execute(
        self, client: Client, key: str, command: Command, *, touch: bool = True
    ) -> Any:
        """Return the answer of a command on `key` once replicas have what it wrote.

        Raises the library's errors; ResponseError (NOREPLICAS) for too few replicas, although the
        server itself has the write.
        """
        commands = [command, *self.commands(key, touch=touch)]
        if isinstance(client, Redis):
            async with client.pipeline(transaction=False) as pipe:
                for each in commands:
                    pipe.execute_command(*each)
                answers = await pipe.execute(raise_on_error=False)
        else:
            answers = await execute_on_node(client, key, commands)
        if isinstance(answers[0], Exception):
            raise answers[0]
        self.check(answers[1:], node_name(client, key))
        return answers[0]


def beside(key: str) -> str:
    """A key in the same slot as `key`, whose value says nothing."""
    _, opened, rest = key.partition("{")
    tag, closed, _ = rest.partition("}")
    return f"{{{tag if opened and closed and tag else key}}}:acks"


def _reached(answer: Any) -> int:
    """How many replicas WAIT or WAITAOF counted; raises what either raised."""
    if isinstance(answer, Exception):
        raise answer
    return int(answer[1] if isinstance(answer, list) else answer)


def _too_few(reached: int, wanted: int) -> ResponseError:
    return ResponseError(f"NOREPLICAS {reached} of {wanted} replicas have the write")
