"""A program is told of every end of what it asked for, over the system of record's webhook."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.programs import Program
from tests.fakes.leave import copy_leave
from tests.fakes.record_server import SECRET, RecordServer
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_asking_programs import TAKE, TOKEN, Asking


@dataclass(frozen=True, slots=True)
class Asked:
    """A program that has asked for leave, the people it waits for, and who is told of the end."""

    program: Asking
    room: WebRoom
    card: dict[str, Any]
    record: RecordServer

    async def end(self) -> dict[str, Any]:
        """The last of what was sent; that it is the last one is checked."""

        def found() -> list[dict[str, Any]]:
            return [each for each in self.record.kept.values() if each["ended"]]

        await self.record.wait_for(lambda: bool(found()))
        (end,) = found()
        assert end["number"] == max(each["number"] for each in self.record.kept.values())
        assert self.record.faults == []
        return end


def syncing_leave(folder: Path, sync: str) -> Path:
    """The sample, which sends to an address."""
    copy_leave(folder)
    (main,) = folder.glob("playbooks/*/playbook.yaml")
    main.write_text(f"{main.read_text('utf-8').rstrip()}\nsync: {sync}\n", "utf-8")
    return folder


@pytest.fixture
async def asked(start: Start, tmp_path: Path) -> AsyncIterator[Asked]:
    async with RecordServer() as record:
        folder = syncing_leave(tmp_path / "leave", f"{{to: '{record.url}', ends: true}}")
        service = await start(
            playbooks=folder / "playbooks",
            people=folder / "people.yaml",
            connections=folder / "connections.yaml",
            programs=(Program("lin", SecretStr(TOKEN)),),
            sync_secret=SecretStr(SECRET),
        )
        program = Asking(service.url)
        try:
            async with WebRoom(service.url, room="main") as room:
                await program.call("PUT", "pay-7", TAKE)
                yield Asked(program, room, await room.card("confirm"), record)
        finally:
            await program.close()


async def test_what_was_written_is_told_as_done_under_the_programs_own_key(asked: Asked) -> None:
    await asked.room.tap("wei", asked.card, "approve")
    end = await asked.end()
    assert (end["request"], end["request_key"], end["requester"]) == ("take", "pay-7", "lin")
    assert (end["ended"]["state"], end["by_kind"], end["fields"]) == ("done", "", {})
    (decided,) = end["decided"]
    assert decided["votes"][0]["person"] == "wei"
    standing = (await asked.program.call("GET", "pay-7")).body
    assert (standing["state"], standing["text"]) == (end["ended"]["state"], end["ended"]["text"])


async def test_a_rejection_is_told_with_who_and_why(asked: Asked) -> None:
    await asked.room.fill("wei", asked.card, "reject", reason="stocktaking")
    end = await asked.end()
    assert end["ended"]["state"] == "rejected"
    assert "stocktaking" in end["ended"]["text"]
    (decided,) = end["decided"]
    assert (decided["reason"], decided["votes"][-1]["person"]) == ("stocktaking", "wei")


async def test_a_cancellation_is_told_with_who_cancelled(asked: Asked) -> None:
    await asked.program.call("DELETE", "pay-7")
    end = await asked.end()
    assert (end["ended"]["state"], end["by"], end["by_kind"]) == ("cancelled", "lin", "person")
    assert end["request_key"] == "pay-7"
