"""A folder with one's own playbook, of a domain that nobody built in: it answers, and it writes."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.garage import bookings, write_garage
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start

STUDY = re.compile(r"ECOG|clinical|subject|visit|study|受试者|访视", re.IGNORECASE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_garage(tmp_path / "garage")


@pytest.fixture
async def service(start: Start, folder: Path) -> Service:
    return await start(playbooks=folder, people=folder / "people.yaml")


@pytest.fixture
async def room(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url) as room:
        yield room


async def test_a_question_is_answered_from_the_folders_own_database(room: WebRoom) -> None:
    await room.say("mia", "which hoists are there?")
    answer = await room.wait_for(lambda m: "3500" in text_of(m))
    assert "A1" in text_of(answer)
    assert "5000" in text_of(answer)


async def test_a_booking_is_asked_for_approved_and_written_once(
    room: WebRoom, folder: Path
) -> None:
    await room.say("mia", "please book a hoist")
    form = await room.card("clarify")
    await room.fill("mia", form, "submit", bay="B2", day="2026-12-01")
    card = await room.card("confirm")
    assert "B2" in text_of(card)
    assert (await room.tap("mia", card, "approve"))[1]["ok"] is False
    assert bookings(folder) == []
    assert (await room.tap("fred", card, "approve"))[1]["ok"]
    await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
    assert bookings(folder) == [("B2", "2026-12-01", "mia")]


async def test_nothing_that_people_read_speaks_of_another_domain(
    room: WebRoom, service: Service
) -> None:
    async with aiohttp.ClientSession() as session, session.get(service.url) as page:
        assert not STUDY.findall(await page.text())
    for said in ("help", "hello", "sing me a song about the sea"):
        await room.say("mia", said)
        answer = await room.wait_for(lambda m: m["parts"] and m["parts"][-1]["text"])
        assert not STUDY.findall(text_of(answer)), said
