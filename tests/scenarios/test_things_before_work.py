"""What the folder's look-ups tell of a thing goes before the asker's own request about it."""

import shutil
from pathlib import Path

from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_mine_walk import listed

WIND = Path(__file__).parents[1] / "engine" / "understanding" / "domains" / "wind"


async def test_what_is_recorded_of_a_thing_is_looked_up_and_ones_own_request_is_told_of(
    start: Start, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(WIND, tmp_path / "wind"))
    service = await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
    )
    async with WebRoom(service.url) as room:
        await room.say("jude", "log a fault on T24: oil leak")
        await room.card("clarify")
        for asked, told in (
            ("T24 有哪些故障没处理", "没有找到"),
            ("which faults of T24 are open?", "Nothing was found"),
        ):
            message = await listed(room, "jude", asked, told)
            assert "oil leak" not in text_of(message)
        for asked in ("what is the status of my fault on T24?", "我报的 T24 故障怎么样了"):
            await listed(room, "jude", asked, "oil leak", "Jude")
