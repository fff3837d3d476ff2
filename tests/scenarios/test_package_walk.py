"""The example package is built, installed and used: questions, and a write that is approved."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.signoff_process import ended
from tests.fakes.tyre_desk import ROOT, install_tyre_tools, write_tyre_desk
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_tyre_tools(tmp_path_factory.mktemp("package"))


@pytest.fixture
async def room(
    start: Start, installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[WebRoom]:
    monkeypatch.syspath_prepend(installed)
    monkeypatch.setenv("TYRE_ORDERS", str(tmp_path / "orders.txt"))
    folder = write_tyre_desk(tmp_path / "garage")
    service = await start(playbooks=folder, people=folder / "people.yaml")
    async with WebRoom(service.url) as room:
        yield room


async def test_a_question_is_answered_by_the_package(room: WebRoom) -> None:
    await room.say("mia", "which tyres are there?")
    answer = await room.wait_for(lambda m: "T-16" in text_of(m))
    assert "89.90 EUR" in text_of(answer)


async def test_an_order_is_approved_and_written_once(room: WebRoom, tmp_path: Path) -> None:
    orders = tmp_path / "orders.txt"
    await room.say("mia", "please order tyres")
    form = await room.card("clarify")
    await room.fill("mia", form, "submit", number="T-17", amount="4")
    card = await room.card("confirm")
    assert "T-17" in text_of(card)
    assert not orders.exists()
    assert (await room.tap("fred", card, "approve"))[1]["ok"]
    await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
    (line,) = orders.read_text().splitlines()
    assert line.startswith("T-17 4 mia fred ")


async def test_what_the_package_refuses_is_told(room: WebRoom, tmp_path: Path) -> None:
    await room.say("mia", "please order tyres")
    form = await room.card("clarify")
    await room.fill("mia", form, "submit", number="T-99", amount="4")
    card = await room.card("confirm")
    assert (await room.tap("fred", card, "approve"))[1]["ok"]
    told = await room.wait_for(lambda m: any(part["state"] == "failed" for part in m["parts"]))
    assert "did nothing: there is no tyre T-99" in text_of(told)
    assert not (tmp_path / "orders.txt").exists()


async def test_tools_are_listed_with_where_they_come_from(installed: Path, tmp_path: Path) -> None:
    folder = write_tyre_desk(tmp_path / "garage")
    variables = {
        "SIGNOFF_PLAYBOOKS": str(folder),
        "SIGNOFF_PEOPLE": str(folder / "people.yaml"),
        "PYTHONPATH": f"{installed}:{ROOT}",
    }
    listed = await ended(folder, "tools", "list", "--json", **variables)
    found = {each["tool"]: each for each in json.loads(listed.out)}
    assert found["find_tyre"]["from"] == "package tyre-tools 1.0"
    assert (found["order_tyres"]["does"], found["order_tyres"]["arguments"]) == (
        "writes",
        "number amount",
    )
    assert found["book_hoist"]["from"] == "connection workshop"
    called = await ended(folder, "tools", "call", "find_tyre", "--arg", "number=T-16", **variables)
    assert called.out == "- Number: T-16\n- Name: Winter 205/55 R16\n- Price: 89.90 EUR\n"
    wrong = await ended(folder, "tools", "call", "find_tyre", "--arg", "number=16", **variables)
    assert (wrong.status, "Wrong arguments number" in wrong.err) == (1, True)
