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


@pytest.mark.parametrize(
    "said", ["/help", "hello", "你好", "who are you", "sing a song of the sea"]
)
async def test_no_answer_speaks_of_another_domain(room: WebRoom, said: str) -> None:
    await room.say("mia", said)
    answer = await room.wait_for(lambda m: any(part["state"] == "answered" for part in m["parts"]))
    assert not STUDY.findall(text_of(answer))


@pytest.mark.parametrize("address", ["/", "/chat/people", "/metrics"])
async def test_no_page_speaks_of_another_domain(service: Service, address: str) -> None:
    async with aiohttp.ClientSession() as session, session.get(service.url + address) as page:
        assert page.status == 200
        assert not STUDY.findall(await page.text())


async def test_the_page_offers_what_its_reader_may_ask(service: Service) -> None:
    address = f"{service.url}/chat/people"
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        people = (await answer.json())["people"]
    assert people[0]["examples"]["en"][-1] == "book a hoist"
    assert people[0]["examples"]["zh"][-1] == "预订一台举升机"
