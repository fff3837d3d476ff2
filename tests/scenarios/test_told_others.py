"""A phase_done card is for others too: they read it where they are reached, and decide nothing."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fakes.leave import copy_leave
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start


def folder_with(folder: Path, tells: list[Any]) -> Path:
    """The leave sample, whose bookings are told to others."""
    copy_leave(folder)
    file = folder / "playbooks" / "leave" / "playbook.yaml"
    playbook = yaml.safe_load(file.read_text("utf-8"))
    playbook["phases"][-1]["done_card"] = {
        "title": {"en": "Away", "zh": "休假"},
        "text": {"en": "{requester} is away.", "zh": "{requester} 休假。"},
        "shows": ["first_day", "last_day"],
        "tells": tells,
    }
    file.write_text(yaml.safe_dump(playbook, allow_unicode=True), "utf-8")
    return folder


@pytest.fixture
async def rooms(start: Start, tmp_path: Path) -> AsyncIterator[Any]:
    """What opens the service, and the rooms of who asks and of everybody else."""
    opened: list[WebRoom] = []

    async def begin(tells: list[Any]) -> tuple[WebRoom, WebRoom]:
        folder = folder_with(tmp_path / "leave", tells)
        service = await start(
            playbooks=folder / "playbooks",
            people=folder / "people.yaml",
            connections=folder / "connections.yaml",
        )
        for room in ("own", "main"):
            opened.append(await WebRoom(service.url, room=room).__aenter__())
        return opened[0], opened[1]

    yield begin
    for room in opened:
        await room.__aexit__(None, None, None)


async def approved(own: WebRoom) -> None:
    """Lin asks for days, and Wei approves them."""
    await own.say("lin", "I want to take leave from 1 to 5 February 2027")
    card = await own.card("confirm")
    assert (await own.tap("wei", card, "approve"))[1]["ok"]


@pytest.mark.parametrize(
    "tells", [[{"roles": ["lead"]}], [{"person": "$requester"}, {"roles": ["lead"]}]]
)
async def test_others_read_it_and_have_nothing_to_tap(tells: list[Any], rooms: Any) -> None:
    own, main = await rooms(tells)
    await approved(own)
    told = await main.wait_for(lambda message: "is away" in text_of(message))
    assert "2027-02-01" in text_of(told)
    assert not told.get("buttons")
    theirs = await own.wait_for(lambda message: "is away" in text_of(message))
    assert "nobody was told" not in text_of(theirs)


async def test_who_cannot_be_told_is_said(rooms: Any) -> None:
    own, _ = await rooms([{"person": "$requester.manager"}])
    await approved(own)
    told = await own.wait_for(lambda message: "is away" in text_of(message))
    assert "nobody was told" in text_of(told)
