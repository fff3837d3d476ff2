"""Each project keeps its cases for as long as `signoff.yaml` says of it (docs/project.md)."""

from pathlib import Path

import pytest
import yaml
from redis.asyncio import Redis

from engine.errors import DefinitionError
from tests.fakes.tour import write_tour
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_case_questions import plan

DAY_MS = 86_400_000
SIGNOFF = """\
timezone: Europe/Berlin
languages: [en, zh]
project: CHOIR
retention: {cases: 90d}
projects:
  - {id: CHOIR, name: {en: Choir, zh: 合唱团}}
  - {id: BAND, name: {en: Band, zh: 乐队}, retention: {cases: 10y}}
"""


def serving_two(folder: Path, signoff: str = SIGNOFF) -> Path:
    """The tour's playbook, which serves both projects."""
    playbooks = write_tour(folder) / "playbooks"
    (playbooks / "signoff.yaml").write_text(signoff, "utf-8")
    path = playbooks / "tour" / "playbook.yaml"
    made = yaml.safe_load(path.read_text("utf-8"))
    del made["project"]
    path.write_text(yaml.safe_dump(made, allow_unicode=True), "utf-8")
    return folder


async def test_a_case_is_kept_for_as_long_as_its_project_says(
    start: Start, tmp_path: Path, redis: Redis
) -> None:
    folder = serving_two(tmp_path / "music")
    service = await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        languages=("en", "zh"),
        project="CHOIR",
        case_days=90.0,
        partitions=1,
        projects=(("web:local:band", "BAND"),),
    )
    async with WebRoom(service.url, "band") as room:
        await plan(room, service)
    # As if it had last changed a hundred days ago, and another were gone since.
    (band,) = await service.parts.services.cases.ids()
    seconds, _ = await redis.time()
    old = (seconds - 100 * 86_400) * 1000
    await redis.zadd("{p0}:cases", {band: old, "CHOIR/tour/gone": old})
    async with WebRoom(service.url) as room:
        await plan(room, service)
    kept = {}
    for case in await service.parts.services.cases.ids():
        (key,) = [each async for each in redis.scan_iter() if each.endswith(f"c:{case}:st")]
        kept[case.partition("/")[0]] = round(await redis.pttl(key) / DAY_MS)
    assert kept == {"CHOIR": 90, "BAND": 3650}
    assert len(await service.parts.services.cases.ids()) == len(kept)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [("{cases: soon}", "as in 90d, 12w or 2y"), ("{runs: 1y}", "runs")],
)
async def test_a_retention_that_no_project_has_is_told_with_its_line(
    start: Start, tmp_path: Path, wrong: str, why: str
) -> None:
    folder = serving_two(tmp_path / "music", SIGNOFF.replace("{cases: 10y}", wrong))
    with pytest.raises(DefinitionError, match=why):
        await start(playbooks=folder / "playbooks", people=folder / "people.yaml")
