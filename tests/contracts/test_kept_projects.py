"""Projects that are added while the service runs: once, and their ids are never used again."""

import asyncio
from datetime import UTC, datetime

import pytest

from adapters.redis import keys
from adapters.redis.repositories.projects import CHANGES, RedisProjects
from adapters.redis.scripts import Scripts
from engine.ports.projects import Binding, KeptProjects, Project, ProjectChange
from engine.text.language import LocalizedText

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
QUAY = "chat:T1:quay"


@pytest.fixture
def projects(scripts: Scripts) -> RedisProjects:
    return RedisProjects(scripts.client)


def project(name: str, *, key: str = "", title: str = "") -> Project:
    return Project(
        id=name, name=LocalizedText(title or name), by="ada", at=NOW, key=key, of={"port": "K"}
    )


def change(what: str, name: str, conversation: str = "") -> ProjectChange:
    given = {"what": what, "project": name, "conversation": conversation, "by": "ada", "via": "web"}
    return ProjectChange.model_validate({**given, "at": NOW.isoformat()})


async def add(projects: RedisProjects, name: str, *, key: str = "", at: str = "") -> str:
    return await projects.add(project(name, key=key), change("added", name, at))


async def bind(projects: RedisProjects, at: str, name: str, *, is_kept: bool = True) -> str:
    binding = Binding(conversation=at, project=name, by="ada", at=NOW)
    return await projects.bind(binding, change("bound", name, at), is_kept=is_kept)


async def everything(projects: RedisProjects) -> KeptProjects:
    kept = await projects.load()
    assert kept is not None
    return kept


async def test_what_is_added_is_there_as_it_was_given(projects: RedisProjects) -> None:
    assert await everything(projects) == KeptProjects()
    assert await add(projects, "pier-1") == "new"
    kept = await everything(projects)
    assert kept.projects == {"pier-1": project("pier-1")}
    assert await projects.load(kept.version) is None
    assert await add(projects, "pier-2", at=QUAY) == "new"
    after = await projects.load(kept.version)
    assert after is not None
    assert [each.project for each in after.bindings.values()] == ["pier-2"]
    assert after.bindings[QUAY] == Binding(conversation=QUAY, project="pier-2", by="ada", at=NOW)


async def test_one_key_adds_once_and_an_id_is_one_projects(projects: RedisProjects) -> None:
    tries = (add(projects, "pier-1", key="run1:0", at=QUAY) for _ in range(8))
    assert sorted(await asyncio.gather(*tries)) == ["new", *["repeat"] * 7]
    assert await add(projects, "pier-1", key="run2:0") == "taken"
    # Its folder would be the same one on some file systems.
    assert await add(projects, "PIER-1", key="run1:0") == "repeat"
    assert await add(projects, "Pier-1") == "taken"
    assert await add(projects, "pier-2") == "new"
    # Without a key nothing is known to be a repeat.
    assert await add(projects, "pier-2") == "taken"
    assert [each.project for each in await projects.changes(9)] == ["pier-2", "pier-1"]


async def test_a_place_belongs_to_one_project_at_a_time(projects: RedisProjects) -> None:
    for name in ("pier-1", "pier-2"):
        await add(projects, name)
    before = await everything(projects)
    assert await bind(projects, QUAY, "pier-1") == "bound"
    assert await bind(projects, QUAY, "pier-1") == "same"
    assert await bind(projects, QUAY, "pier-2") == "bound"
    kept = await everything(projects)
    assert [each.project for each in kept.bindings.values()] == ["pier-2"]
    assert kept.version == before.version + 2
    assert await projects.unbind(QUAY, change("unbound", "pier-2", QUAY))
    assert not await projects.unbind(QUAY, change("unbound", "pier-2", QUAY))
    assert (await everything(projects)).bindings == {}
    told = [(each.what, each.project) for each in await projects.changes(3)]
    assert told == [("unbound", "pier-2"), ("bound", "pier-2"), ("bound", "pier-1")]


async def test_nothing_is_bound_to_a_project_that_is_not_there(projects: RedisProjects) -> None:
    await add(projects, "pier-1")
    assert await bind(projects, QUAY, "pier-9") == "gone"
    # The folder says that there is one.
    assert await bind(projects, QUAY, "pier-9", is_kept=False) == "bound"


async def test_a_project_is_removed_only_while_nothing_is_bound_to_it(
    projects: RedisProjects,
) -> None:
    await add(projects, "pier-1", at=QUAY)
    await add(projects, "pier-2", at="chat:T1:yard")
    assert await projects.remove("pier-1", change("removed", "pier-1")) == "bound"
    assert not (await everything(projects)).projects["pier-1"].removed
    await projects.unbind(QUAY, change("unbound", "pier-1", QUAY))
    assert await projects.remove("pier-1", change("removed", "pier-1")) == "removed"
    assert await projects.remove("pier-1", change("removed", "pier-1")) == "gone"
    assert await projects.remove("pier-9", change("removed", "pier-9")) == "gone"
    assert (await everything(projects)).projects["pier-1"].removed
    # What is its own is kept: nobody else may get its id.
    assert await bind(projects, QUAY, "pier-1") == "gone"
    assert await add(projects, "pier-1") == "taken"
    assert (await projects.changes(1))[0].what == "removed"


async def test_only_the_newest_changes_are_kept(projects: RedisProjects, scripts: Scripts) -> None:
    await add(projects, "pier-1")
    await scripts.client.rpush(f"{keys.PROJECTS}:changes", *map(str, range(CHANGES)))
    await bind(projects, QUAY, "pier-1")
    assert await scripts.client.llen(f"{keys.PROJECTS}:changes") == CHANGES
    assert [each.what for each in await projects.changes(2)] == ["bound", "added"]


async def test_what_a_newer_version_wrote_lets_nobody_into_another_project(
    projects: RedisProjects, scripts: Scripts
) -> None:
    await add(projects, "pier-1", at=QUAY)
    await scripts.client.hset(keys.PROJECTS, "pier-1", '{"id":"pier-1","shape":"new"}')
    await scripts.client.hset(f"{keys.PROJECTS}:bound", QUAY, '{"to":"pier-1"}')
    kept = await everything(projects)
    assert kept.projects["pier-1"].playbooks == ("?",)
    assert kept.bindings[QUAY].project == "?"
