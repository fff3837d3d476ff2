"""A visit in REDCap is written once, whatever becomes of the answer; what is not known is said."""

import asyncio
from typing import Any

import pytest

from engine.errors import ToolFailed
from tests.adapters.connections.redcap_part import Edc, opened
from tests.fakes.redcap_server import RedcapServer, Trouble
from tests.fakes.redcap_study import enter

VISIT: dict[str, Any] = {
    "subject_id": "P003",
    "visit_date": "2026-11-21",
    "ecog": 1,
    "weight_kg": 61.35,
    "systolic": 120,
    "diastolic": 77,
    "adverse_event": "cough",
}
AFTER_WRITE = 4
"""So many exports come before the one that reads again: dictionary, keys, form, record."""

DAY = {"visit_date": "2026-11-21"}
LOST: list[Trouble] = ["broken", "bad_gateway", "page", "cut", "other_json"]


def written(server: RedcapServer) -> list[dict[str, str]]:
    """What stands in the project for the visit's day."""
    rows = server.project.rows
    return [rows[place] for place in sorted(rows) if rows[place].get("visit_date") == "2026-11-21"]


def imports(server: RedcapServer) -> int:
    return sum("data" in form for form in server.calls)


async def test_visit_is_kept_with_key_approver_and_status(
    redcap: Edc, server: RedcapServer
) -> None:
    await redcap.write(VISIT, key="run1:s1", by="chen")

    assert written(server) == [
        {
            "visit_date": "2026-11-21",
            "ecog": "1",
            "weight_kg": "61.35",
            "systolic": "120",
            "diastolic": "77",
            "adverse_event": "cough",
            "signoff_key": "run1:s1",
            "signoff_approved_by": "chen",
            "visit_complete": "2",
        }
    ]
    assert ("P003", "visit", 5, "") in server.project.rows


@pytest.mark.parametrize("lost", LOST)
async def test_lost_answer_of_a_write_is_found_by_reading_again(
    lost: Trouble, redcap: Edc, server: RedcapServer
) -> None:
    server.trouble("import", lost, done=True)

    assert await redcap.write(VISIT, key="run1:s1", by="chen") == "new"
    assert await redcap.write(VISIT, key="run1:s1", by="chen") == "repeat"
    assert (len(written(server)), imports(server)) == (1, 1)


async def test_late_answer_of_a_write_is_found_by_reading_again(server: RedcapServer) -> None:
    server.trouble("import", "silent", done=True)

    async with opened(server.url, timeout_s=3) as redcap:
        assert await redcap.write(VISIT, key="run1:s1", by="chen") == "new"

    assert len(written(server)) == 1


@pytest.mark.parametrize("lost", LOST)
async def test_write_that_is_not_there_after_a_lost_answer_may_have_happened(
    lost: Trouble, redcap: Edc, server: RedcapServer
) -> None:
    server.trouble("import", lost)

    with pytest.raises(ToolFailed, match="may have been done"):
        await redcap.write(VISIT, key="run1:s1", by="chen")

    assert await redcap.write(VISIT, key="run1:s1", by="chen") == "new"
    assert len(written(server)) == 1


@pytest.mark.parametrize("done", [True, False])
async def test_write_that_cannot_be_read_again_may_have_happened(
    done: bool, redcap: Edc, server: RedcapServer
) -> None:
    server.trouble("import", "cut", done=done)
    server.trouble("export", "broken", after=AFTER_WRITE)

    with pytest.raises(ToolFailed, match="may have been done"):
        await redcap.write(VISIT, key="run1:s1", by="chen")

    again = await redcap.write(VISIT, key="run1:s1", by="chen")
    assert again == ("repeat" if done else "new")
    assert len(written(server)) == 1


async def test_answered_write_that_cannot_be_read_again_may_not_have_lasted(
    redcap: Edc, server: RedcapServer
) -> None:
    server.trouble("export", "broken", after=AFTER_WRITE)

    with pytest.raises(ToolFailed, match="may have been done"):
        await redcap.write(VISIT, key="run1:s1", by="chen")


async def test_refused_write_says_that_nothing_was_written(
    redcap: Edc, server: RedcapServer
) -> None:
    with pytest.raises(ToolFailed, match="did not accept this; nothing was written"):
        await redcap.write({**VISIT, "systolic": "high"}, key="run1:s1", by="chen")

    assert written(server) == []


async def test_two_writers_of_one_day_see_the_same_one_stand(server: RedcapServer) -> None:
    server.importers = asyncio.Barrier(2)
    async with opened(server.url) as one, opened(server.url) as other:
        answers = await asyncio.gather(
            one.write(VISIT, key="run1:s1", by="chen"),
            other.write(VISIT, key="run2:s1", by="chen"),
            return_exceptions=True,
        )
        keys = [row["signoff_key"] for row in written(server)]
        stands, beside = ("run1:s1", "run2:s1") if keys[0] == "run1:s1" else ("run2:s1", "run1:s1")
        assert sorted(keys) == ["run1:s1", "run2:s1"]
        failed = [answer for answer in answers if isinstance(answer, ToolFailed)]
        assert [answer for answer in answers if answer != "new"] == failed
        assert len(failed) == 1
        assert "came first" in str(failed[0])
        assert await one.write(VISIT, key=stands, by="chen") == "repeat"
        with pytest.raises(ToolFailed, match="came first"):
            await other.write(VISIT, key=beside, by="chen")
    assert len(written(server)) == 2


async def test_two_writers_of_one_key_make_one_visit(server: RedcapServer) -> None:
    server.importers = asyncio.Barrier(2)
    async with opened(server.url) as one, opened(server.url) as other:
        answers = await asyncio.gather(
            one.write(VISIT, key="run1:s1", by="chen"),
            other.write(VISIT, key="run1:s1", by="chen"),
        )
        assert answers == ["new", "new"]
        assert await one.write(VISIT, key="run1:s1", by="chen") == "repeat"
    assert len(written(server)) == 2


async def test_visit_that_a_person_enters_at_the_same_moment_comes_first(
    redcap: Edc, server: RedcapServer
) -> None:
    server.before_import = lambda: enter(server.project, "P003", **DAY, ecog="0")

    with pytest.raises(ToolFailed, match="another one was written"):
        await redcap.write(VISIT, key="run1:s1", by="chen")

    assert [row["ecog"] for row in written(server)] == ["0", "1"]


async def test_visit_that_a_person_enters_afterwards_does_not_unseat_ours(
    redcap: Edc, server: RedcapServer
) -> None:
    await redcap.write(VISIT, key="run1:s1", by="chen")
    enter(server.project, "P003", **DAY, ecog="0")

    assert await redcap.write(VISIT, key="run1:s1", by="chen") == "repeat"


async def test_visit_that_a_person_entered_is_in_the_way_of_another(
    redcap: Edc, server: RedcapServer
) -> None:
    enter(server.project, "P003", **DAY)

    with pytest.raises(ToolFailed, match="already has this of P003"):
        await redcap.write(VISIT, key="run1:s1", by="chen")
    assert imports(server) == 0


async def test_visit_that_reads_back_otherwise_is_told(redcap: Edc, server: RedcapServer) -> None:
    server.trouble("import", "cut", done=True)
    export = server.project.export

    def changed(*asked: Any) -> list[dict[str, str]]:
        for row in written(server):
            row["weight_kg"] = "16.35"
        return export(*asked)

    server.project.export = changed  # type: ignore[method-assign]

    with pytest.raises(ToolFailed, match="but reads back otherwise"):
        await redcap.write(VISIT, key="run1:s1", by="chen")


async def test_lines_that_the_server_ends_otherwise_are_the_same_text(
    redcap: Edc, server: RedcapServer
) -> None:
    visit = {**VISIT, "adverse_event": "cough\nand fever "}
    await redcap.write(visit, key="run1:s1", by="chen")
    written(server)[0]["adverse_event"] = "cough\r\nand fever"

    assert await redcap.write(visit, key="run1:s1", by="chen") == "repeat"
