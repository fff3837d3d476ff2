"""A folder whose tools are those of an MCP server: questions, approved writes, and lost answers."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.parts_desk import orders, write_parts_desk
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_parts_desk(tmp_path / "garage")


@pytest.fixture
async def room(start: Start, folder: Path) -> AsyncIterator[WebRoom]:
    service = await start(playbooks=folder, people=folder / "people.yaml")
    async with WebRoom(service.url) as room:
        yield room


async def asked(room: WebRoom) -> Message:
    """The card that asks to approve an order of three brake pads."""
    await room.say("mia", "please order a part for me")
    form = await room.card("clarify")
    await room.fill("mia", form, "submit", part="P-100", amount="3")
    return await room.card("confirm")


def is_done(message: Message) -> bool:
    return any(part["state"] == "done" for part in message["parts"])


async def test_questions_are_answered_by_the_servers_tools(room: WebRoom) -> None:
    await room.say("mia", "which parts are there?")
    answer = await room.wait_for(lambda m: "Oil filter" in text_of(m))
    assert "P-100" in text_of(answer)


async def test_an_order_is_written_once_after_its_approval(room: WebRoom, folder: Path) -> None:
    card = await asked(room)
    assert "P-100" in text_of(card)
    assert orders(folder) == []
    assert (await room.tap("fred", card, "approve"))[1]["ok"]
    await room.wait_for(is_done)
    assert orders(folder) == ["P-100 3 mia"]


async def another(room: WebRoom, before: Message) -> Message:
    """The card that asks once more."""
    found = await room.wait_for(
        lambda m: (
            bool(m["card"]) and m["card"]["token"] != before["token"] and not m["card"]["outcome"]
        )
    )
    card: Message = found["card"]
    return card


async def test_what_the_server_takes_by_then_is_approved_anew(room: WebRoom, folder: Path) -> None:
    card = await asked(room)
    (folder / "newer").touch()
    assert (await room.tap("fred", card, "approve"))[1]["ok"]
    again = await another(room, card)
    assert "order_part" in text_of(again)
    assert "has changed; nothing was written" in text_of(again)
    assert orders(folder) == []
    assert (await room.tap("fred", again, "approve"))[1]["ok"]
    await room.wait_for(is_done)
    assert orders(folder) == ["P-100 3 mia"]


async def test_who_does_not_approve_it_anew_has_nothing_written(
    room: WebRoom, folder: Path
) -> None:
    card = await asked(room)
    (folder / "newer").touch()
    await room.tap("fred", card, "approve")
    again = await another(room, card)
    await room.fill("fred", again, "reject", reason="not this way")
    await room.wait_for(lambda m: any(p["state"] in ("rejected", "failed") for p in m["parts"]))
    assert orders(folder) == []


async def test_an_order_whose_answer_is_lost_is_asked_about(room: WebRoom, folder: Path) -> None:
    (folder / "dies").touch()
    card = await asked(room)
    assert (await room.tap("fred", card, "approve"))[1]["ok"]
    lost = await another(room, card)
    assert "order_part" in text_of(lost)
    assert orders(folder) == ["P-100 3 mia"]
    assert (await room.tap("fred", lost, "happened"))[1]["ok"]
    await room.wait_for(is_done)
    assert orders(folder) == ["P-100 3 mia"]
