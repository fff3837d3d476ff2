"""`signoff projects`: added, bound and removed by an operator, who is told what cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import Ended, ended
from tests.fakes.bridges import write_bridges
from tests.fakes.tables import table

ROOM = "web:local:mill"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_bridges(tmp_path / "bridges")


@pytest.fixture
def projects(redis: Redis, redis_server: EmbeddedServer, folder: Path) -> Any:
    """Runs the command in the folder, over the test's store."""

    async def run(*words: str) -> Ended:
        return await ended(folder, "projects", *words, REDIS_URL=redis_server.url)

    return run


def said(done: Ended) -> str:
    """The last line of the standard error, behind the log."""
    return done.err.splitlines()[-1]


async def test_a_project_is_added_bound_and_removed(projects: Any) -> None:
    of = ("--of", "river=Isar", "--playbook", "survey")
    names = ("--name", "en=Old weir", "--name", "zh=旧堰")
    assert (await projects("add", "north-9", *names, *of)).out == "north-9: added\n"
    assert (await projects("bind", "north-9", ROOM)).out == f"{ROOM}: belongs to north-9 now\n"
    assert "already" in (await projects("bind", "north-9", ROOM)).out
    listed = json.loads((await projects("list", "--json")).out)
    found = next(each for each in listed if each["id"] == "north-9")
    assert (found["name"], found["of"]) == ({"en": "Old weir", "zh": "旧堰"}, {"river": "Isar"})
    assert [each["conversation"] for each in found["conversations"]] == [ROOM]
    assert found["conversations"][0]["by"].startswith("operator")
    assert [each["id"] for each in listed if each["default"]] == ["office"]
    table = (await projects("list")).out
    assert "Old weir" in table
    assert ROOM in table
    refused = await projects("remove", "north-9")
    assert (refused.status, said(refused)) == (1, f"north-9: conversations are bound to it: {ROOM}")
    told = await projects("unbind", ROOM)
    assert told.out == f"{ROOM}: belongs to office now, as all do that nobody bound\n"
    assert (await projects("remove", "north-9")).status == 0
    assert "north-9" not in (await projects("list")).out
    changes = json.loads((await projects("changes", "--json")).out)
    assert [each["what"] for each in changes] == ["removed", "unbound", "bound", "added"]
    assert {each["via"] for each in changes} == {"command line"}
    assert "removed" in (await projects("changes")).out


@table(
    ("words", "told"),
    [
        (("add", "no good"), "no good: is no id of a project"),
        (("add", "NORTH-1"), "NORTH-1: there is a project 'north-1' already"),
        (("add", "x", "--playbook", "survay"), "x: there is no playbook 'survay'; did you mean"),
        (("bind", "north-11", ROOM), "north-11: there is no such project; did you mean 'north-1'?"),
        (("bind", "north-1", "mill"), "mill: is no conversation; `/project`, asked there"),
        (("bind", "north-1", "web:"), "web:: is no conversation"),
        (("unbind", ROOM), f"{ROOM}: is not bound; see `signoff projects list`"),
        (("remove", "north-1"), "north-1: is the folder's own"),
        (("remove", "mole"), "mole: is none; known here: "),
    ],
)
async def test_what_cannot_be_is_told(projects: Any, words: tuple[str, ...], told: str) -> None:
    done = await projects(*words)
    assert (done.status, done.out) == (1, "")
    assert said(done).startswith(told)
