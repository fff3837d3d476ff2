"""docs/backup.md, carried out: copied while the service runs, restored, and a tap goes on."""

import asyncio
import itertools
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis

from bot.settings import Settings
from tests.docs.reading import ROOT, pages
from tests.fakes.platforms.patience import START_S, within
from tests.fakes.redis_servers import SAFE, server
from tests.fakes.settings import make_settings
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom
from tests.scenarios.conftest import running
from tests.scenarios.test_web_walk import to_review

(PAGE,) = (page for page in pages() if page.name == "docs/backup.md")
COPY_AOF, PUT_AOF, COPY_RDB, PUT_RDB, SWITCH_ON = (b.text for b in PAGE.blocks if b.kind == "sh")
CLIENT = f"""#!{sys.executable}
import os, sys
from redis import Redis

client = Redis(port=int(os.environ["REDIS_PORT"]))
client.response_callbacks.clear()
answer = client.execute_command(*sys.argv[1:])
print(answer.decode() if isinstance(answer, bytes) else answer)
"""


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs blocks of the page, with the three folders that it names."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("old", "backup", "new", "bin"):
            (self.folder / name).mkdir()
        client = self.folder / "bin" / "redis-cli"
        client.write_text(CLIENT)
        client.chmod(0o755)

    async def run(self, block: str, port: int = 0) -> None:
        process = await asyncio.create_subprocess_exec(
            *("bash", "-euo", "pipefail", "-c", block),
            env={
                "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
                "REDIS_PORT": str(port),
                "OLD_DIR": str(self.folder / "old"),
                "BACKUP_DIR": str(self.folder / "backup"),
                "NEW_DIR": str(self.folder / "new"),
            },
        )
        async with within(START_S, f"the commands end:\n{block}"):
            assert await process.wait() == 0


def settings(folder: Path, port: int) -> Settings:
    return make_settings(
        redis_url=f"redis://127.0.0.1:{port}/0",
        data_dir=folder / "data",
        playbooks=ROOT / "playbooks",
        people=ROOT / "playbooks" / "people.yaml",
        messages_per_min=100_000,
    )


async def ask_on(room: WebRoom, done: asyncio.Event) -> None:
    """Somebody who writes, and is answered, as long as the copy takes."""
    for asked in itertools.count(1):
        await room.say("zhao", f"ECOG of P{asked % 9 + 1:03}?")
        await room.wait_for(lambda _, asked=asked: len(room.shown) >= asked)
        if done.is_set():
            return


async def approved(room: WebRoom, card: Message) -> Message:
    status, answer = await room.tap("chen", card, "approve")
    assert (status, answer["ok"]) == (200, True), answer
    return await room.card("phase_done")


@pytest.mark.parametrize(
    ("copy", "put"), [(COPY_AOF, PUT_AOF), (COPY_RDB, PUT_RDB)], ids=["aof", "rdb"]
)
async def test_a_review_that_was_open_is_approved_after_a_restore(
    tmp_path: Path, copy: str, put: str
) -> None:
    shell = Shell(tmp_path)
    with server(tmp_path / "old", **SAFE) as port:
        async with running(settings(tmp_path, port)) as service, WebRoom(service.url) as room:
            card = await to_review(room)
            done = asyncio.Event()
            async with WebRoom(service.url, "beside") as beside, asyncio.TaskGroup() as people:
                people.create_task(ask_on(beside, done))
                await beside.wait_for(lambda message: True)
                await shell.run(copy, port)
                done.set()
            # What comes after the copy is lost with the server, but for what was written elsewhere.
            await approved(room, card)
            assert await recorded(service.parts) == 1
    await shell.run(put)
    by_snapshot = copy == COPY_RDB
    kept = SAFE | {"appendonly": "no"} if by_snapshot else SAFE
    with server(tmp_path / "new", **kept) as port:
        if by_snapshot:
            await shell.run(SWITCH_ON, port)
        async with running(settings(tmp_path, port)) as service, WebRoom(service.url) as room:
            again = await room.card("confirm")
            assert again["buttons"] == card["buttons"]
            await approved(room, again)
            assert await recorded(service.parts) == 1


async def recorded(parts: object) -> int:
    """How many visits of the request are in the study."""
    visits = visits_in(parts.settings.data_dir, "P003")  # type: ignore[attr-defined]
    return len([visit for visit in visits if visit.weight_kg == 61.5])


async def test_a_snapshot_is_not_loaded_by_a_server_that_looks_for_the_other_file(
    tmp_path: Path,
) -> None:
    shell = Shell(tmp_path)
    with server(tmp_path / "old", **SAFE) as port, Redis(port=port) as client:
        client.set("kept", "1")
        await shell.run(COPY_RDB, port)
    await shell.run(PUT_RDB)
    with server(tmp_path / "new", **SAFE) as port, Redis(port=port) as client:
        assert client.get("kept") is None
    (tmp_path / "new" / "appendonlydir").rename(tmp_path / "aside")
    with server(tmp_path / "new", **SAFE | {"appendonly": "no"}) as port:
        with Redis(port=port) as client:
            assert client.get("kept") == b"1"
        await shell.run(SWITCH_ON, port)
    with server(tmp_path / "new", **SAFE) as port, Redis(port=port) as client:
        assert client.get("kept") == b"1"
