"""The same conversation with records on a REDCap server: answers, a write, and a server away."""

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.redcap_server import TOKEN, RedcapServer
from tests.fakes.redcap_study import redcap_folder, sample_project
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start

VALUES = {"ecog": "2", "weight_kg": "61.5", "systolic": "121", "diastolic": "77"}
ASK = "帮我查一下 P003 的 ECOG,然后录入今天的访视数据"


@pytest.fixture
async def redcap() -> AsyncIterator[RedcapServer]:
    async with RedcapServer(sample_project()) as server:
        yield server
    assert server.faults == []


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    """What connections.yaml names."""
    monkeypatch.setenv("REDCAP_API_TOKEN", TOKEN)


async def started(start: Start, url: str, folder: Path) -> Service:
    playbooks = redcap_folder(folder, url)
    return await start(playbooks=playbooks, people=playbooks / "people.yaml")


async def approved(room: WebRoom) -> None:
    await room.say("lin", ASK)
    await room.fill("lin", await room.card("clarify"), "submit", **VALUES)
    status, answer = await room.tap("chen", await room.card("confirm"), "approve")
    assert (status, answer["ok"]) == (200, True)


def ours(server: RedcapServer) -> list[dict[str, str]]:
    return [row for row in server.project.rows.values() if row.get("signoff_key")]


async def test_an_approved_visit_stands_in_the_project_once(
    start: Start, redcap: RedcapServer, tmp_path: Path
) -> None:
    service = await started(start, redcap.url, tmp_path)
    async with WebRoom(service.url) as room:
        await approved(room)
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
    (row,) = ours(redcap)
    assert (row["weight_kg"], row["signoff_approved_by"]) == ("61.5", "chen")


async def test_an_approved_visit_whose_answer_was_lost_stands_in_the_project_once(
    start: Start, redcap: RedcapServer, tmp_path: Path
) -> None:
    redcap.trouble("import", "cut", done=True)
    service = await started(start, redcap.url, tmp_path)
    async with WebRoom(service.url) as room:
        await approved(room)
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
    assert len(ours(redcap)) == 1


async def test_a_server_that_is_away_keeps_nobody_from_starting(
    start: Start, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/api/"
        service = await started(start, url, tmp_path)
        async with WebRoom(service.url) as room:
            await room.say("lin", "P003 的 ECOG 是多少?")
            await room.wait_for(is_away)


def is_away(message: Message) -> bool:
    return "目前连不上 edc" in text_of(message)
