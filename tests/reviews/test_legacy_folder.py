"""A run over records of before: its folder says what they are today, or the run is blocked."""

from pathlib import Path
from shutil import copytree

from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from engine.mail import RunResumed
from tests.fixtures.state import FOLDER, read, restore, resumed
from tests.fixtures.state_cases import do
from tests.scenarios.conftest import settings_over

BATCH = FOLDER / "v1" / "batch-children.json"
ROOT = Path(__file__).parents[2]
RESUMED = RunResumed(by="operator:root", via="command line").model_dump_json()


async def test_a_folder_without_the_mapping_blocks_the_run_until_it_has_one(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    fixture = read(BATCH)
    await restore(redis, BATCH, fixture)
    folder = Path(copytree(ROOT / "playbooks", tmp_path / "playbooks"))
    (folder / "legacy.yaml").unlink()
    settings = settings_over(redis_server, tmp_path, partitions=1, playbooks=folder)
    async with resumed(settings, fixture["made_at"]) as crank:
        for doing in fixture["ways"]["approve"]["do"]:
            await do(crank, doing)
        waiting = await crank.parts.store.operations.waiting()
        assert "blocked" in {kept.status for kept in await crank.runs()}
        assert waiting
    settings = settings_over(redis_server, tmp_path, partitions=1)
    async with resumed(settings, fixture["made_at"]) as crank:
        for each in waiting:
            assert await crank.parts.store.operations.retry(each.name, RESUMED)
        await crank.still()
        stood = {kept.run.key: kept.status for kept in await crank.runs()}
        assert "blocked" not in stood.values()
        assert stood["P001"] == "completed"
