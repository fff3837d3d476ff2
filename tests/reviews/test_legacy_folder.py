"""A run over records of before: its folder says what they are today, or the run is blocked."""

import json
from pathlib import Path
from shutil import copytree

from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from engine.mail import RunResumed
from tests.fakes.model_server import ModelServer, say_json
from tests.fixtures.state import FOLDER, read, restore, resumed
from tests.fixtures.state_cases import do
from tests.reviews.test_versions import one
from tests.scenarios.conftest import settings_over
from tests.scenarios.test_model_walk import settings as with_model
from tests.scenarios.test_note_walk import plan

BATCH = FOLDER / "v1" / "batch-children.json"
PLAN = FOLDER / "v2" / "llm-plan-intends.json"
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
    async with resumed(settings, fixture) as crank:
        for doing in fixture["ways"]["approve"]["do"]:
            await do(crank, doing)
        waiting = await crank.parts.store.operations.waiting()
        assert "blocked" in {kept.status for kept in await crank.runs()}
        assert waiting
    settings = settings_over(redis_server, tmp_path, partitions=1)
    async with resumed(settings, fixture) as crank:
        for each in waiting:
            assert await crank.parts.store.operations.retry(each.name, RESUMED)
        await crank.still()
        stood = {kept.run.key: kept.status for kept in await crank.runs()}
        assert "blocked" not in stood.values()
        assert stood["P001"] == "completed"


async def test_a_plan_of_before_that_names_what_a_step_gives_no_more_is_planned_anew(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    """As it was taken down, but one step earlier: what it refers to is not read yet."""
    fixture = read(PLAN)
    await restore(redis, PLAN, fixture)
    key = one(fixture, "run")
    run = json.loads(str(await redis.hget(key, "body")))
    frame = run["frames"][-1]
    assert frame["steps"][0]["arguments"]["text"].endswith("$steps.1.visit.ecog")
    first = {
        "number": 1,
        "tool": frame["done"][0]["tool"],
        "arguments": {"subject_id": "P003", "field": "ecog"},
    }
    frame |= {"steps": [first, *frame["steps"]], "done": [], "started": False}
    frame |= {"shown": [], "approval": ""}
    await redis.hset(key, "body", json.dumps(run))
    async with ModelServer(lambda request: say_json(plan("zh"))) as model:
        settings = settings_over(redis_server, tmp_path, partitions=1, **with_model(model))
        async with resumed(settings, fixture) as crank:
            await do(crank, {"do": "later", "seconds": 3600})
            (kept,) = await crank.runs()
            told = [str(entry.get("why")) for entry in kept.entries]
            why = "step 2, memory__remember: $steps.1.visit.ecog leads nowhere"
            assert f"plans anew: {why}" in told
            # Nothing is written by what was approved before: the new plan is shown anew.
            assert (kept.status, kept.run.state.written) == ("suspended", ())
            assert "ECOG 为 1" in str(await crank.card())
