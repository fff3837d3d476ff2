"""A step that takes long holds up nothing but its own run (design §3: lanes, cancel)."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_web_walk import to_review, today


@contextmanager
def held(data_dir: Path) -> Iterator[None]:
    """The study's file as another program's long write leaves it: readable, and not writable."""
    study = sqlite3.connect(data_dir / "study.sqlite3", isolation_level=None)
    study.execute("BEGIN IMMEDIATE")
    yield
    study.execute("ROLLBACK")
    study.close()


async def test_while_a_run_is_in_a_long_call_all_else_goes_on_and_cancel_ends_it_at_once(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        with held(service.parts.settings.data_dir):
            await room.tap("chen", card, "approve")
            (name, _), *_ = await service.parts.services.decisions.active_runs("web:local:main")
            # Talk goes on, and so does another run in the same conversation.
            await room.say("lin", "P001 的 ECOG")
            await room.wait_for(lambda m: "P001" in text_of(m) and "<strong>" in text_of(m))
            await room.say("wu", "录入 P004 今天的访视")
            await room.wait_for(lambda m: bool(m["card"]) and "P004" in text_of(m["card"]))
            # The control lane is behind none of it.
            await room.say("lin", "/cancel")
            await room.wait_for(lambda m: "写入可能已经发生" in text_of(m))
            ended = await service.parts.services.decisions.run(name)
            assert ended is not None
            assert ended[1] == "cancelled"
        # The call that was under way may land; nothing starts after it, and nobody is told "done".
        await room.say("lin", "/runs")
        listed = await room.wait_for(lambda m: "吴静" in text_of(m))
        assert "林悦" not in text_of(listed)
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert [v.visit_date.isoformat() for v in visits].count(today()) <= 1
        assert all((m["card"] or {}).get("kind") != "phase_done" for m in room.shown.values())
