"""Opening the store, and what a process reads from it at its start, while it comes and goes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from bot.wiring.service import open_parts
from tests.fakes.settings import make_settings

TRIES = 3
"""How often redis-py sends a command before the error reaches us."""


@dataclass(slots=True)
class Door:
    """Passes on what comes to a unix socket; to the commands of these numbers no answer returns."""

    path: str
    shut: range
    port: int = 0
    came: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side closes it."""
        inner_reader, inner_writer = await asyncio.open_unix_connection(self.path)
        back = asyncio.create_task(_copy(inner_reader, writer))
        while data := await reader.read(65536):
            self.came += 1
            inner_writer.write(data)
            if self.came in self.shut:
                writer.transport.abort()
                break
        inner_writer.close()
        await back


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


@asynccontextmanager
async def opened(server: EmbeddedServer, shut: range) -> AsyncIterator[Door]:
    door = Door(server.url.removeprefix("unix://"), shut)
    async with await asyncio.start_server(door.serve, "127.0.0.1", 0) as listening:
        door.port = listening.sockets[0].getsockname()[1]
        yield door


async def started(server: EmbeddedServer, given: Settings, shut: range = range(0)) -> int:
    """How many commands the start of a process sent, some of them without an answer."""
    async with opened(server, shut) as door:
        settings = given.model_copy(update={"redis_url": f"redis://127.0.0.1:{door.port}/0"})
        async with open_parts(settings):
            return door.came


async def test_a_start_waits_for_a_store_that_goes_away_at_any_of_its_commands(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, playbooks: Path
) -> None:
    people = playbooks / "people.yaml"
    role = "en: data reviewer"
    listed = people.read_text("utf-8").replace(role, f"{role}, slack_group: T1:S1")
    people.write_text(listed, "utf-8")
    given = make_settings(data_dir=tmp_path / "data", playbooks=playbooks, people=people)
    # Once what is published is there, each start sends the same.
    await started(redis_server, given)
    quiet = await started(redis_server, given)
    ways = [range(first, first + TRIES) for first in range(1, quiet + 1)]
    async with asyncio.TaskGroup() as group:
        starts = [group.create_task(started(redis_server, given, shut)) for shut in ways]
    assert all(start.result() >= shut.stop for start, shut in zip(starts, ways, strict=True))
