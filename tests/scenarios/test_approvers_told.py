"""Who approved something is told when it was not done in the end (docs/reviews.md)."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.fakes.leave import copy_leave
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start


def lose_the_table(data: Path) -> None:
    """As a migration of the system that went wrong between the request and its approval."""
    (file,) = data.glob("*.sqlite3")
    with closing(sqlite3.connect(file)) as found, found:
        names = found.execute("select name from sqlite_master where type = 'table'").fetchall()
        for (name,) in names:
            if not name.startswith("sqlite_"):
                found.execute(f"drop table {name}")


async def test_an_approved_write_that_fails_is_told_to_who_approved_it(
    start: Start, tmp_path: Path
) -> None:
    folder = copy_leave(tmp_path / "leave")
    service = await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
    )
    async with WebRoom(service.url, room="own") as own, WebRoom(service.url) as main:
        await own.say("lin", "I want to take leave from 1 to 5 February 2027")
        card = await own.card("confirm")
        lose_the_table(service.parts.settings.data_dir)
        assert (await own.tap("wei", card, "approve"))[1]["ok"]
        told = await main.wait_for(lambda message: "was not carried through" in text_of(message))
        assert "which you approved for Lin Tao" in text_of(told)
        assert not (told["card"] or {}).get("buttons")
        theirs = await own.wait_for(lambda m: any(p["state"] == "failed" for p in m["parts"]))
        assert "which you approved" not in text_of(theirs)
