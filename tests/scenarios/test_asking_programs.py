"""A program asks people for something over HTTP, and is told what they decided."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from bot.programs import Program
from tests.fakes.leave import copy_leave, leave_of
from tests.fakes.tables import table
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import ROOT, Service, Start

TOKEN, OTHERS = (
    "a token of lin's program".replace(" ", "-"),
    "a token of wei's program".replace(" ", "-"),
)
DAYS = {"first_day": "2027-02-01", "last_day": "2027-02-05"}
TAKE = {"request": "take", "data": DAYS}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program got."""

    status: int
    body: dict[str, Any]


class Asking:
    """A program with a token."""

    def __init__(self, url: str, token: str = TOKEN) -> None:
        self._http = aiohttp.ClientSession(
            base_url=url, headers={"Authorization": f"Bearer {token}"}
        )

    async def call(self, method: str, key: str, body: Any = None, **query: str) -> Answer:
        async with self._http.request(
            method, f"/internal/requests/{key}", json=body, params=query
        ) as answer:
            return Answer(answer.status, await answer.json())

    async def until(self, key: str, state: str) -> dict[str, Any]:
        """How the request stands, once it is in that state."""
        found = await self.call("GET", key)
        while found.body["state"] != state:
            assert not found.body["over"], found.body
            found = await self.call("GET", key, wait="20", mark=found.body["mark"])
        return found.body

    async def close(self) -> None:
        await self._http.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_leave(tmp_path / "leave")


@pytest.fixture
async def service(start: Start, folder: Path) -> Service:
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
        programs=(
            Program("lin", SecretStr(TOKEN)),
            Program("wei", SecretStr(OTHERS)),
            Program("nobody", SecretStr("a-token-of-no-person")),
        ),
    )


@pytest.fixture
async def program(service: Service) -> AsyncIterator[Asking]:
    program = Asking(service.url)
    yield program
    await program.close()


@pytest.fixture
async def room(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url, room="main") as room:
        yield room


async def test_what_was_asked_is_approved_written_once_and_told(
    program: Asking, room: WebRoom, folder: Path
) -> None:
    begun = await program.call("PUT", "kite-1", TAKE)
    assert (begun.status, begun.body["over"]) == (202, False)
    card = await room.card("confirm")
    waiting = await program.until("kite-1", "in_review")
    (told,) = waiting["cards"]
    assert (told["status"], told["waiting_for"], told["votes"]) == ("open", "team lead", [])
    assert (await room.tap("wei", card, "approve"))[1]["ok"]
    done = await program.until("kite-1", "done")
    assert (done["over"], done["data"]["first_day"]) == (True, "2027-02-01")
    assert done["decisions"] == {"leave": "approved"}
    (vote,) = done["cards"][0]["votes"]
    assert (vote["person"], vote["choice"]) == ("wei", "approve")
    assert leave_of(folder, "lin")[-1] == ("2027-02-01", "2027-02-05", "wei")
    # Asked again, after a lost answer, it is the same one.
    again = await program.call("PUT", "kite-1", TAKE)
    assert (again.status, again.body["state"]) == (200, "done")
    other = await program.call(
        "PUT", "kite-1", {**TAKE, "data": {**DAYS, "last_day": "2027-02-04"}}
    )
    assert (other.status, other.body["error"]) == (409, "conflict")
    assert len(leave_of(folder, "lin")) == 2


async def test_a_rejection_is_told_with_its_reason(program: Asking, room: WebRoom) -> None:
    await program.call("PUT", "kite-2", {**TAKE, "lang": "zh", "text": "年假"})
    card = await room.card("confirm")
    assert (await room.fill("wei", card, "reject", reason="盘点周"))[1]["ok"]
    told = await program.until("kite-2", "rejected")
    (card_told,) = told["cards"]
    assert (card_told["choice"], card_told["reason"]) == ("reject", "盘点周")
    assert card_told["votes"][0]["reason"] == "盘点周"


async def test_it_is_withdrawn_and_nothing_is_written(
    program: Asking, room: WebRoom, folder: Path
) -> None:
    await program.call("PUT", "kite-3", TAKE)
    card = await room.card("confirm")
    gone = await program.call("DELETE", "kite-3")
    assert (gone.status, gone.body["state"], gone.body["over"]) == (200, "cancelled", True)
    assert (await room.tap("wei", card, "approve"))[1]["ok"] is False
    assert len(leave_of(folder, "lin")) == 1
    assert (await program.call("DELETE", "kite-3")).body["state"] == "cancelled"


async def test_two_at_once_under_one_key_are_one_request(
    program: Asking, room: WebRoom, folder: Path
) -> None:
    longer = {**TAKE, "data": {**DAYS, "last_day": "2027-02-06"}}
    calls = [program.call("PUT", "kite-8", body) for body in (TAKE, TAKE, longer, TAKE, longer)]
    answers = await asyncio.gather(*calls)
    (begun,) = (n for n, answer in enumerate(answers) if answer.status == 202)
    same = {0, 1, 3} if begun in (0, 1, 3) else {2, 4}
    assert {n for n, answer in enumerate(answers) if answer.status == 200} == same - {begun}
    assert {a.body["error"] for n, a in enumerate(answers) if n not in same} == {"conflict"}
    await room.card("confirm")
    assert len((await program.call("GET", "kite-8")).body["cards"]) == 1


async def test_what_is_lacking_is_asked_of_the_person(program: Asking, room: WebRoom) -> None:
    await program.call("PUT", "kite-4", {"request": "take"})
    form = await room.card("clarify")
    told = await program.until("kite-4", "needs_you")
    assert told["cards"][0]["kind"] == "clarify"
    assert (await room.fill("lin", form, "submit", **DAYS))[1]["ok"]
    await program.until("kite-4", "in_review")


async def test_a_program_decides_nothing_and_reads_only_its_own(
    program: Asking, room: WebRoom, service: Service
) -> None:
    await program.call("PUT", "kite-5", TAKE)
    await room.card("confirm")
    theirs = Asking(service.url, OTHERS)
    try:
        found = await theirs.call("GET", "kite-5")
        gone = await theirs.call("DELETE", "kite-5")
    finally:
        await theirs.close()
    assert [each.body["error"] for each in (found, gone)] == ["unknown", "unknown"]


@table(
    ("body", "path"),
    [
        ({"request": "leave"}, "request"),
        ({"request": "take", "playbook": "leav"}, "playbook"),
        ({"request": "take", "data": {"first": "2027-02-01"}}, "data.first"),
        ({"request": "take", "data": {"first_day": "tomorrow"}}, "data.first_day"),
        ({"request": "take", "data": {"first_day": "2020-01-01"}}, "data.first_day"),
        ({"request": "take", "person": "wei"}, "person"),
        ({}, "request"),
    ],
)
async def test_what_is_wrong_is_told_and_nobody_is_asked(
    program: Asking, body: Any, path: str
) -> None:
    answer = await program.call("PUT", "kite-6", body)
    assert (answer.status, answer.body["error"]) == (422, "invalid")
    assert path in [fault["path"] for fault in answer.body["faults"]]
    assert (await program.call("GET", "kite-6")).status == 404


async def test_the_commands_of_the_page_do_what_it_says(service: Service) -> None:
    page = (ROOT / "docs" / "programs.md").read_text("utf-8")
    _, ask, look = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    shown = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])  # type: ignore[index]
    for script in (ask, look):
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            script.replace("http://127.0.0.1:8080", service.url),
            env={"TOKEN": TOKEN, "MARK": "", "PATH": "/usr/bin:/bin"},
            stdout=asyncio.subprocess.PIPE,
        )
        told = json.loads((await process.communicate())[0])
        assert told.keys() == shown.keys()
        assert told["state"] in ("accepted", "working", "in_review")
    assert all(card.keys() == shown["cards"][0].keys() for card in told["cards"])


@table(
    ("token", "status", "error"),
    [
        ("a-wrong-token-of-some", 401, "unauthorized"),
        ("a-token-of-no-person", 403, "not_allowed"),
    ],
)
async def test_only_whom_the_settings_name_may_ask(
    service: Service, token: str, status: int, error: str
) -> None:
    program = Asking(service.url, token)
    try:
        answer = await program.call("PUT", "kite-7", TAKE)
    finally:
        await program.close()
    assert (answer.status, answer.body["error"]) == (status, error)
