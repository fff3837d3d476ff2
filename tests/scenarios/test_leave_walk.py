"""The leave sample from the request to the write, over its database, when things go wrong too."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.leave import copy_leave, database_of, leave_of
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start

BEFORE = [("2026-12-21", "2026-12-24", "wei")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_leave(tmp_path / "leave")


@pytest.fixture
async def service(start: Start, folder: Path) -> Service:
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
    )


@pytest.fixture
async def room(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url) as room:
        yield room


async def ask(room: WebRoom, first: str, last: str, text: str = "please book leave for me") -> None:
    """Lin asks for these days."""
    await room.say("lin", text)
    form = await room.card("clarify")
    _, told = await room.fill("lin", form, "submit", first_day=first, last_day=last)
    assert told["ok"], told


async def ended(room: WebRoom, state: str, *words: str) -> str:
    """What the reply says once a part of it is in that state and says these words."""

    def matches(message: Message) -> bool:
        parts = [each for each in message["parts"] if each["state"] == state]
        return bool(parts) and all(word in text_of(message) for word in words)

    return text_of(await room.wait_for(matches))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("how many days of leave do I have left?", "You have 16 of 20 days left."),
        ("我还有几天年假", "还剩 16 天，全年 20 天。"),
        ("show my leave", "2026-12-24"),
    ],
)
async def test_a_question_is_answered_for_whoever_asks(room: WebRoom, said: str, told: str) -> None:
    await room.say("lin", said)
    await ended(room, "answered", told)


@pytest.mark.parametrize("said", ["who in the warehouse is on leave?", "仓库谁休假"])
async def test_the_calendar_of_a_team_has_who_is_away(room: WebRoom, said: str) -> None:
    await room.say("wei", said)
    told = await ended(room, "answered", "Lin Tao", "Oda Berg")
    assert "Wei Min" not in told


@pytest.mark.parametrize(
    ("said", "told", "not_told"),
    [
        (
            "who in the warehouse is on leave from 2026-12-25 to 2026-12-31?",
            "2026-12-31",
            "2026-12-21",
        ),
        ("仓库 2026-12-25 至 2026-12-31 谁休假", "2026-12-31", "2026-12-21"),
        ("show my leave since 2026-12-24", "Since 2026-12-24:", "Nothing"),
        ("show my leave until 2026-12-20", "Nothing was found", "2026-12-24"),
        ("我的休假 2026-12-24 以来有哪些", "2026-12-24 起：", "没有找到"),
    ],
)
async def test_a_calendar_is_of_the_days_that_are_asked_about(
    room: WebRoom, said: str, told: str, not_told: str
) -> None:
    await room.say("lin", said)
    assert not_told not in await ended(room, "answered", told)


async def test_leave_is_approved_and_written_once(room: WebRoom, folder: Path) -> None:
    await ask(room, "2027-02-01", "2027-02-05")
    card = await room.card("confirm")
    assert (await room.tap("oda", card, "approve"))[1]["ok"] is False
    assert leave_of(folder, "lin") == BEFORE
    assert (await room.tap("wei", card, "approve"))[1]["ok"]
    await ended(room, "done")
    assert leave_of(folder, "lin") == [*BEFORE, ("2027-02-01", "2027-02-05", "wei")]


@pytest.mark.parametrize(
    "said", ["I want to take leave from 1 to 5 February 2027", "我要从2027年2月1日到2月5日休假"]
)
async def test_days_in_the_request_are_asked_for_no_more(room: WebRoom, said: str) -> None:
    await room.say("lin", said)
    card = await room.card("confirm")
    assert "2027-02-01" in text_of(card)
    assert "2027-02-05" in text_of(card)


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (("2026-12-24", "2026-12-28"), "you are on leave then already"),
        (("2027-03-01", "2027-03-17"), "16 days are left, which is not enough"),
        (("2027-03-05", "2027-03-01"), "comes before the first day"),
    ],
)
async def test_what_the_checks_find_is_told_and_nobody_is_asked(
    room: WebRoom, folder: Path, days: tuple[str, str], told: str
) -> None:
    await ask(room, *days)
    await ended(room, "refused", "This leave cannot be booked.", told)
    assert leave_of(folder, "lin") == BEFORE


async def test_a_rejection_is_told_with_its_reason(room: WebRoom, folder: Path) -> None:
    await ask(room, "2027-02-01", "2027-02-05", text="申请年假")
    card = await room.card("confirm")
    assert (await room.fill("wei", card, "reject", reason="盘点周"))[1]["ok"]
    await ended(room, "rejected", "Wei Min", "盘点周")
    assert leave_of(folder, "lin") == BEFORE


async def test_a_database_that_is_away_is_told(room: WebRoom, folder: Path) -> None:
    database_of(folder).mkdir(parents=True)
    await room.say("lin", "show my leave")
    await ended(room, "failed", "staff")


async def test_a_write_that_the_database_refuses_is_told(room: WebRoom, folder: Path) -> None:
    await ask(room, "2027-02-01", "2027-02-05")
    card = await room.card("confirm")
    with closing(sqlite3.connect(database_of(folder))) as db:
        db.execute(
            "CREATE TRIGGER closed BEFORE INSERT ON leave"
            " BEGIN SELECT raise(ABORT, 'the year is closed'); END"
        )
    await room.tap("wei", card, "approve")
    await ended(room, "failed", "staff")
    assert leave_of(folder, "lin") == BEFORE
