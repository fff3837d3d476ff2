"""What `signoff init` makes, from the first message to the row that is written."""

import csv
from pathlib import Path

import pytest

from bot.starting.init import InitOptions, make_folder
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start


@pytest.mark.parametrize(
    ("lang", "said", "title"),
    [("en", "please book a pallet in", "Please review"), ("zh", "帮我预约换轮胎", "请审批")],
)
async def test_what_is_asked_for_is_approved_and_written(
    lang: str, said: str, title: str, tmp_path: Path, start: Start
) -> None:
    wish = {"en": "book a pallet in", "zh": "预约换轮胎"}[lang]
    folder = tmp_path / "bot"
    make_folder(InitOptions(folder, None, "Kim", lang, "UTC", wish, asks=False))
    service = await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
        languages=(lang,),
    )
    async with WebRoom(service.url) as room:
        await room.say("kim", said)
        form = await room.card("clarify")
        await room.fill("kim", form, "submit", what="3 x", needed_by="2026-12-03")
        card = await room.card("confirm")
        assert title in str(card)
        assert not (await room.tap("kim", card, "approve"))[1]["ok"]
        assert (await room.tap("robin", card, "approve"))[1]["ok"]
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
    with (folder / "requests.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert {**row, "key": ""} == {
        "what": "3 x",
        "needed_by": "2026-12-03",
        "asked_by": "kim",
        "approved_by": "robin",
        "key": "",
    }
