"""A worker that ends while a project is added or a room bound leaves it added, or bound, once."""

import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from bot.wiring.service import open_parts
from engine.ports.projects import ProjectChange
from tests.fakes.bridges import write_bridges
from tests.fakes.web_room import WebRoom, button, new_id, text_of
from tests.scenarios.test_failpoints import dying, insist, settings_in, still, web_here

ROOM = "web:local:desk"


async def add_bridge(room: WebRoom) -> None:
    """A bridge is asked for, and approved by an engineer."""
    ids = iter([new_id() for _ in range(3)])
    said = {"text": "please open a new bridge", "id": next(ids)}
    await insist(lambda: room.post("messages", "eva", **said))
    form = await room.card("clarify")
    values = {"number": "north-7", "title": "Weir bridge"}
    sent = {"button": button(form, "submit"), "values": values, "id": next(ids)}
    await insist(lambda: room.post("forms", "eva", **sent))
    tap = {"button": button(await room.card("confirm"), "approve"), "id": next(ids)}
    await insist(lambda: room.post("taps", "ada", **tap))
    await room.wait_for(lambda m: "was added, and this conversation belongs to it" in text_of(m))


async def choose_bridge(room: WebRoom) -> None:
    """An admin chooses one for the room."""
    ids = [new_id() for _ in range(2)]
    await insist(lambda: room.post("messages", "ada", text="/project", id=ids[0]))
    card = await room.card("select")
    (wanted,) = (each["data"] for each in card["buttons"] if each["label"] == "Mill bridge")
    await insist(lambda: room.post("taps", "ada", button=wanted, id=ids[1]))
    await room.wait_for(lambda m: "belongs to project Mill bridge now" in text_of(m))


async def changes(settings: Settings) -> list[ProjectChange]:
    async with open_parts(settings) as parts:
        assert parts.services.project(ROOM) in ("north-1", "north-7")
        return [*await parts.store.projects.changes(9)]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("point", "walk", "what"),
    [("projects.add", add_bridge, "added"), ("projects.bind", choose_bridge, "bound")],
)
async def test_it_is_done_once_wherever_a_worker_ends(
    redis: Redis,
    redis_server: EmbeddedServer,
    tmp_path: Path,
    point: str,
    walk: Callable[[WebRoom], Awaitable[None]],
    what: str,
    when: str,
) -> None:
    folder = write_bridges(tmp_path / "bridges")
    given = {"playbooks": folder, "people": folder / "people.yaml", "project": "office"}
    settings = settings_in(tmp_path, redis_server, **given)
    async with open_parts(settings) as parts:
        # What takes longest at the start of a worker is kept for it.
        await parts.reloader.learn()
    async with web_here(settings), dying("worker", settings, f"{when} {point}") as ends:
        async with WebRoom(f"http://127.0.0.1:{settings.port}", "desk") as room:
            await walk(room)
        await still(settings)
        assert ends == [-signal.SIGKILL]
    assert [each.what for each in await changes(settings)] == [what]
