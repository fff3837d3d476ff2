"""A worker that dies between a write and its result: people are asked, nothing is repeated."""

import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.keys import memos
from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from cards.texts import say
from tests.bot.signoff_process import serving
from tests.fakes.desk import desk_files, fixed_files
from tests.fakes.few_examples import few_examples
from tests.fakes.folders import write_files
from tests.fakes.model_server import API_KEY, ModelServer, Reply, say_json
from tests.fakes.platforms.patience import end_of
from tests.fakes.ports import free_port
from tests.fakes.stored import read_entries
from tests.fakes.study import add_study_tools
from tests.fakes.web_room import Message, WebRoom, new_id, text_of
from tests.scenarios.conftest import settings_over
from tests.scenarios.test_failpoints import insist, still

ASK, TEXT = "post a note at the desk", "ward 3 is closed"
WITH_NOTE = "tests.fakes.with_post_note"
PROJECT = "SIGNOFF-101"
DIES = "after memory.remember"
PLAN = [
    {"type": "tool", "name": "post_note", "arguments": {"text": TEXT}},
    {"type": "reply", "text": "It is posted."},
]


class Place:
    """A service in processes of its own, over the test's store."""

    def __init__(self, folder: Path, server: EmbeddedServer, model: ModelServer) -> None:
        self.folder = folder
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.settings: Settings = settings_over(server, folder, port=port)
        self.variables = {
            "REDIS_URL": server.url,
            "PORT": str(port),
            "SIGNOFF_DATA_DIR": str(folder / "data"),
            **few_examples(folder),
            "SIGNOFF_PARTITIONS": str(self.settings.partitions),
            "SIGNOFF_LEASE_S": "1",
            "OPENAI_API_KEY": API_KEY,
            "OPENAI_BASE_URL": model.base_url,
            "LLM_MODEL": "scripted",
        }

    def playbook(self, files: dict[str, str]) -> None:
        """The desk's playbook, beside a shipped one."""
        desk = write_files(Path(self.variables["SIGNOFF_PLAYBOOKS"]) / "desk", files)
        add_study_tools(desk, "read_clinical_data", "get_project_stats")

    @asynccontextmanager
    async def process(self, command: str, **more: str) -> AsyncIterator[Any]:
        """`signoff COMMAND` with the tool that does not honour its key."""
        variables = {**self.variables, **more}
        async with serving(self.folder, command, module=WITH_NOTE, **variables) as process:
            yield process


def planner(request: dict[str, Any]) -> Reply:
    return say_json(PLAN)


@pytest.fixture
async def place(redis: Redis, redis_server: EmbeddedServer, tmp_path: Path) -> AsyncIterator[Place]:
    async with ModelServer(planner) as model:
        yield Place(tmp_path, redis_server, model)


async def notes(redis: Redis) -> list[str]:
    """Every note that was posted."""
    return [json.loads(each)["text"] for each in await redis.lrange(memos(PROJECT), 0, -1)]


async def approved(room: WebRoom, kind: str) -> None:
    """The note is asked for, filled in and approved."""
    said = new_id()
    await insist(lambda: room.post("messages", "lin", text=ASK, id=said))
    if kind == "fixed":
        form = await room.card("clarify")
        await room.fill("lin", form, "submit", subject_id=TEXT)
    card = await room.card("confirm")
    assert TEXT in text_of(card)
    assert (await room.tap("chen", card, "approve"))[1]["ok"]


FILES: dict[str, Callable[[], dict[str, str]]] = {
    "fixed": fixed_files,
    "planned": lambda: desk_files(("memory__remember", "post_note")),
}


async def lost(room: WebRoom) -> Message:
    """The card that asks whether it has happened."""
    asks = say("lost.title", "en", tool="")
    message = await room.wait_for(
        lambda m: bool(m["card"]) and asks in m["card"]["title"] and not m["card"]["outcome"]
    )
    card: Message = message["card"]
    return card


@pytest.mark.parametrize(
    ("kind", "choice", "state", "posted"),
    [
        ("fixed", "happened", "done", 1),
        ("fixed", "fail", "failed", 1),
        ("planned", "happened", "done", 1),
        ("planned", "again", "done", 2),
    ],
)
async def test_a41_a_write_that_may_have_happened_is_asked_about_and_never_repeated_by_itself(
    place: Place, redis: Redis, kind: str, choice: str, state: str, posted: int
) -> None:
    place.playbook(FILES[kind]())
    async with place.process("web"), WebRoom(place.url) as room:
        async with place.process("worker", SIGNOFF_FAILPOINT=DIES) as dying:
            await approved(room, kind)
            assert await end_of(dying) == -signal.SIGKILL
        assert await notes(redis) == [TEXT]
        async with place.process("worker"):
            card = await lost(room)
            assert TEXT in text_of(card)
            assert await notes(redis) == [TEXT], "nothing is repeated before somebody decides"
            _, refused = await room.tap("lin", card, choice)
            assert not refused["ok"], "the requester is not whom the review names"
            assert (await room.tap("chen", card, choice))[1]["ok"]
            await room.wait_for(lambda m: any(part["state"] == state for part in m["parts"]))
            await still(place.settings)
        assert await notes(redis) == [TEXT] * posted
        log = await read_entries(redis, *await redis.keys("*:log:*"))
        whys = [entry.get("why", "") for entry in log]
        assert any("may have run" in why and "is not repeated" in why for why in whys)
        assert any("says" in why and "post_note may have run" in why for why in whys)
        assert any(entry.get("again") for entry in log), "the audit tells that the step was retaken"
