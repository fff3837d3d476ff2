"""people.yaml is read again while a service runs; a faulty one changes nothing and is told."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from adapters.redis.server.embedded import EmbeddedServer
from bot.wiring.service import Parts, open_parts
from engine.events import Actor
from tests.bot.definitions.test_reloader import ROOT, change, looked, rename, told
from tests.fakes.settings import make_settings

Open = Callable[[Path], Awaitable[Parts]]


@pytest.fixture
async def process(
    redis: Redis, redis_server: EmbeddedServer, playbooks: Path, tmp_path: Path
) -> AsyncIterator[Open]:
    """Opens what one process has, over a people.yaml."""
    async with AsyncExitStack() as stack:

        async def begin(people: Path) -> Parts:
            settings = make_settings(
                redis_url=redis_server.url,
                data_dir=tmp_path / "data",
                playbooks=playbooks,
                people=people,
            )
            return await stack.enter_async_context(open_parts(settings))

        yield begin


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "playbooks" / "people.yaml", tmp_path / "people.yaml"))


def take_out(people: Path, *names: str) -> None:
    """As an operator who deletes their entries."""
    head, *entries = people.read_text("utf-8").split("\n  - id: ")
    kept = [each for each in entries if each.split("\n")[0] not in names]
    assert len(kept) + len(names) == len(entries)
    people.write_text("\n  - id: ".join([head, *kept]), "utf-8")


def spoil(people: Path, fault: str) -> None:
    """As an editor that is interrupted, or a slip of the pen."""
    text = people.read_text("utf-8")
    match fault:
        case "away":
            people.unlink()
        case "cut":
            people.write_text(text[: text.index("  - id: wu") + 8], "utf-8")
        case _:
            change(people.parent, people.name, "roles: [crc]", "roles: [crk]")


def add(people: Path, entry: str) -> None:
    people.write_text(f"{people.read_text('utf-8')}\n  - {entry}\n", "utf-8")


def roles_of(parts: Parts, name: str) -> tuple[str, ...]:
    return parts.resources.people.principal(
        Actor(platform="web", workspace="local", user=name)
    ).roles


async def health(parts: Parts) -> tuple[Any, bool]:
    found = await told(parts)
    return found["people"], "people" in found["degraded"]


async def test_who_is_taken_out_holds_nothing_from_the_second_look_on(
    process: Open, people: Path
) -> None:
    parts = await process(people)
    scope = parts.services.people.scope_to("web:local:main")
    assert roles_of(parts, "chen") == ("reviewer",)
    take_out(people, "chen")
    await parts.reloader.check()
    assert roles_of(parts, "chen") == ("reviewer",), "it may be half written"
    with capture_logs() as lines:
        await parts.reloader.check()
    (line,) = [line for line in lines if line["event"] == "people_changed"]
    assert line["gone"] == ["chen"]
    assert roles_of(parts, "chen") == ()
    assert scope.person("chen") is None
    assert [each.id for each in parts.services.people.holders(["reviewer"])] == ["wu"]
    assert await health(parts) == ("ok", False)


async def test_who_comes_and_who_gets_a_role_is_known_without_a_restart(
    process: Open, people: Path
) -> None:
    parts = await process(people)
    change(people.parent, people.name, "roles: []", "roles: [partner]")
    add(people, "{id: nia, name: Nia, web: nia, roles: [reviewer]}")
    await looked(parts)
    assert (roles_of(parts, "zhao"), roles_of(parts, "nia")) == (("partner",), ("reviewer",))


@pytest.mark.parametrize("fault", ["away", "cut", "role"])
async def test_a_faulty_file_changes_nothing_and_is_told_until_it_is_mended(
    process: Open, people: Path, fault: str
) -> None:
    parts = await process(people)
    spoil(people, fault)
    with capture_logs() as lines:
        await looked(parts)
        await looked(parts)
    refused = [line for line in lines if line["event"] == "people_refused"]
    assert refused
    assert {line["log_level"] for line in refused} == {"error"}
    assert (roles_of(parts, "lin"), roles_of(parts, "chen")) == (("crc",), ("reviewer",))
    state, is_degraded = await health(parts)
    assert state.startswith("refused, ")
    assert is_degraded
    shutil.copy(ROOT / "playbooks" / "people.yaml", people)
    take_out(people, "chen")
    await looked(parts)
    assert roles_of(parts, "chen") == ()
    assert await health(parts) == ("ok", False)


async def test_the_last_reviewer_who_leaves_has_left_and_the_playbooks_are_told_as_refused(
    process: Open, people: Path, playbooks: Path
) -> None:
    parts = await process(people)
    take_out(people, "chen", "wu")
    with capture_logs() as lines:
        await looked(parts)
    assert roles_of(parts, "chen") == ()
    assert any(
        "reviewer" in line["problem"] for line in lines if line["event"] == "playbooks_refused"
    )
    found = await told(parts)
    assert found["playbooks"].startswith("refused, ")
    assert found["people"] == "ok"
    shutil.copy(ROOT / "playbooks" / "people.yaml", people)
    rename(playbooks, "Visits")
    await looked(parts)
    assert (await told(parts))["playbooks"] == "ok"
