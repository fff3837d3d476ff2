"""What an operator reads and does: `signoff aside`, `signoff retry`, and who may read /metrics."""

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.processes.web import application
from bot.settings import Settings
from bot.wiring.service import open_parts
from engine.ports.storage.store import AsideWrite, Effects
from tests.bot.signoff_process import FILES, ended
from tests.fakes.settings import make_settings

ROOT = Path(__file__).parents[3]
LANE = "talk:web:local:main"


async def set_aside(settings: Settings, mail: str) -> None:
    async with open_parts(settings) as parts:
        await parts.store.mailbox.put(LANE, "odd", update_id="odd")
        (claim,) = (await parts.store.mailbox.take(1)).claims
        aside = AsideWrite(LANE, mail, "it failed three times")
        await parts.store.mailbox.commit(claim, Effects(aside=(aside,)), pop=True)


def settings_for(redis_server: EmbeddedServer, tmp_path: Path, **more: str) -> Settings:
    return make_settings(
        redis_url=redis_server.url,
        data_dir=tmp_path / "data",
        playbooks=ROOT / "playbooks",
        people=ROOT / "playbooks" / "people.yaml",
        **more,
    )


async def test_what_was_set_aside_is_listed_and_retried_by_name(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    await set_aside(settings_for(redis_server, tmp_path), '{"update":{"text":"two\\nlines"}}')
    variables = {**FILES, "REDIS_URL": redis_server.url}
    listed = await ended(tmp_path, "aside", **variables)
    assert listed.status == 0
    (line,) = listed.out.splitlines()
    name, *_, end = line.partition("  ")
    assert end.endswith(f"{LANE}  it failed three times: two lines")

    retried = await ended(tmp_path, "retry", name, "0-999", **variables)
    assert retried.status == 1
    assert retried.out == f"{name}: goes on\n"
    assert retried.err.splitlines()[-1].startswith("0-999: nothing waits under this name")
    assert (await ended(tmp_path, "aside", **variables)).out.startswith("nothing is set aside")


@pytest.mark.parametrize(
    ("given", "status"), [("", 401), ("Bearer wrong", 401), ("Bearer hush-hush", 200)]
)
async def test_with_an_admin_token_metrics_are_for_who_has_it(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, given: str, status: int
) -> None:
    settings = settings_for(redis_server, tmp_path, admin_token="hush-hush")
    async with open_parts(settings) as parts, TestClient(TestServer(application(parts))) as client:
        headers = {"Authorization": given} if given else {}
        answer = await client.get("/metrics", headers=headers)
        assert answer.status == status
        assert ("signoff_lanes 0.0" in await answer.text()) == (status == 200)
