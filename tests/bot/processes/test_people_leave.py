"""Somebody leaves people.yaml while web and worker processes run: their tap counts no more."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.definitions.test_people_reread import spoil, take_out
from tests.bot.signoff_process import PLAYBOOKS, answering, serving
from tests.fakes.few_examples import few_examples
from tests.fakes.platforms.patience import START_S, until
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.test_web_walk import to_review


def events(home: Path, name: str) -> Iterator[dict[str, Any]]:
    """What a process has logged under that name."""
    for line in (home / "stderr.log").read_text().splitlines():
        told = json.loads(line) if line.startswith("{") else {}
        if told.get("event") == name:
            yield told


async def test_who_left_the_file_decides_nothing_and_a_card_that_nobody_can_decide_is_told(
    tmp_path: Path, redis: Redis, redis_server: EmbeddedServer
) -> None:
    port, people = free_port(), Path(shutil.copy(PLAYBOOKS / "people.yaml", tmp_path))
    given = {
        **few_examples(tmp_path),
        "SIGNOFF_PEOPLE": str(people),
        "SIGNOFF_DATA_DIR": str(tmp_path / "data"),
        "REDIS_URL": redis_server.url,
        "PORT": str(port),
    }
    homes, url = (tmp_path / "web", tmp_path / "worker"), f"http://127.0.0.1:{port}"
    for home in homes:
        home.mkdir()

    async def ready() -> dict[str, Any]:
        async with aiohttp.ClientSession() as http, http.get(f"{url}/readyz") as answer:
            return dict(await answer.json())

    async def has_read(count: int) -> None:
        await until(lambda: all(len([*events(h, "people_changed")]) == count for h in homes), 30)

    async with (
        serving(homes[0], "web", **given),
        serving(homes[1], "worker", **given),
    ):
        await answering(url)
        async with WebRoom(url) as room:
            card = await to_review(room)
            take_out(people, "chen")
            await has_read(1)
            status, answer = await room.tap("chen", card, "approve")
            assert (status, answer.get("ok")) != (200, True)
            assert (await room.card("confirm"))["outcome"] == ""
            # A file that is wrong lets nobody in and takes nobody out.
            spoil(people, "role")
            for home in homes:
                await until(lambda home=home: any(events(home, "people_refused")), START_S)
            assert "people" in (await ready())["degraded"]
            shutil.copy(PLAYBOOKS / "people.yaml", people)
            take_out(people, "chen", "wu")
            await has_read(2)
            told = await room.wait_for(lambda m: "people.yaml" in text_of(m), START_S)
            assert "Cancel it" in text_of(told) or "取消" in text_of(told)
            assert (await room.card("confirm"))["outcome"] == ""
            assert {line["person"] for line in events(homes[1], "approver_gone")} == {"everybody"}
