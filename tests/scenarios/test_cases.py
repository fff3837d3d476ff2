"""Runs of one case share its state, from wherever they are asked for (design §12)."""

from pathlib import Path

import pytest

from tests.fakes.feast import BY_FEAST, BY_ROOM, write_feast
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start


async def serve(start: Start, folder: Path, case: object) -> Service:
    folder = write_feast(folder, case)
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        project="KITCHEN",
        languages=("en",),
        timezone="Europe/Berlin",
    )


def is_done(message: Message) -> bool:
    return any(part["state"] == "done" for part in message["parts"])


async def settle_guests(room: WebRoom, feast: str = "F-7", guests: str = "80") -> None:
    await room.say("ida", "count the guests")
    form = await room.card("clarify")
    await room.fill("ida", form, "submit", feast=feast, guests=guests, hall="Blue")
    await room.wait_for(is_done)


@pytest.mark.parametrize("case", [BY_FEAST, BY_ROOM])
async def test_the_next_request_begins_where_the_case_stands(
    start: Start, tmp_path: Path, case: object
) -> None:
    service = await serve(start, tmp_path / "kitchen", case)
    async with WebRoom(service.url) as room:
        await settle_guests(room)
        await room.say("ida", "choose the menu for F-7")
        form = await room.card("clarify")
        assert "Menu" in text_of(form)
        assert "Hall" not in text_of(form)
        said = await room.wait_for(lambda m: "Already settled" in text_of(m))
        assert "Guests" in text_of(said)


async def test_a_case_of_an_entity_is_reached_from_another_conversation(
    start: Start, tmp_path: Path
) -> None:
    service = await serve(start, tmp_path / "kitchen", BY_FEAST)
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        await settle_guests(room)
        await other.say("otto", "choose the menu for F-7")
        form = await other.card("clarify")
        assert "Hall" not in text_of(form)
        await other.say("otto", "choose the menu for F-8")
        form = await other.wait_for(lambda m: bool(m["card"]) and "Hall" in text_of(m["card"]))
        assert form
