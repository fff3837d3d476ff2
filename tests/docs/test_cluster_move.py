"""docs/capacity.md: a service of 64 partitions moves from one server to a Cluster, and goes on."""

from pathlib import Path

from redis import Redis, RedisCluster

from bot.settings import Settings
from tests.docs.reading import ROOT
from tests.fakes.redis_servers import SAFE, cluster, server
from tests.fakes.settings import make_settings
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import running
from tests.scenarios.test_web_walk import to_review


def settings(folder: Path, url: str) -> Settings:
    return make_settings(
        redis_url=url,
        partitions=64,
        data_dir=folder / "data",
        playbooks=ROOT / "playbooks",
        people=ROOT / "playbooks" / "people.yaml",
    )


def copied(source: Redis, target: RedisCluster) -> int:
    """Every key as it is, with the time it has left; how many there were."""
    keys = list(source.scan_iter(count=1000))
    for key in keys:
        value, left_ms = source.dump(key), source.pttl(key)
        if value is not None:
            target.restore(key, max(left_ms, 0), value)
    return len(keys)


async def test_a_tap_resumes_a_run_that_came_from_a_single_server(tmp_path: Path) -> None:
    with server(tmp_path / "single", **SAFE) as port, cluster(tmp_path / "nodes") as nodes:
        async with (
            running(settings(tmp_path, f"redis://127.0.0.1:{port}/0")) as service,
            WebRoom(service.url) as room,
        ):
            card = await to_review(room)
        with Redis(port=port) as source, RedisCluster.from_url(nodes) as target:
            assert copied(source, target) > 10
        async with running(settings(tmp_path, nodes)) as service, WebRoom(service.url) as room:
            again = await room.card("confirm")
            assert again["buttons"] == card["buttons"]
            status, answer = await room.tap("chen", again, "approve")
            assert (status, answer["ok"]) == (200, True), answer
            assert await room.card("phase_done")
