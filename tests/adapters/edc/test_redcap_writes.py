"""A visit in REDCap is written once, whatever becomes of the answer; what is not known is said."""

import asyncio
from datetime import date

import pytest

from adapters.edc.redcap.records import RedcapRecords
from engine.errors import ToolFailed
from engine.ports.systems.records import Visit
from tests.adapters.edc.redcap_part import opened
from tests.fakes.redcap_server import RedcapServer, Trouble
from tests.fakes.redcap_study import enter

VISIT = Visit(
    subject_id="P003",
    visit_date=date(2026, 11, 21),
    ecog=1,
    weight_kg=61.35,
    systolic=120,
    diastolic=77,
    adverse_event="cough",
)
DAY = {"visit_date": "2026-11-21"}
LOST: list[Trouble] = ["broken", "bad_gateway", "page", "cut", "other_json"]


def written(server: RedcapServer) -> list[dict[str, str]]:
    """What stands in the project for the visit's day."""
    rows = server.project.rows
    return [rows[place] for place in sorted(rows) if rows[place].get("visit_date") == "2026-11-21"]


def imports(server: RedcapServer) -> int:
    return sum("data" in form for form in server.calls)


async def test_visit_is_kept_with_key_approver_and_status(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    await redcap.record_visit(VISIT, key="run1:s1", by="chen")

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
    assert ("P003", "visit", 5) in server.project.rows


@pytest.mark.parametrize("lost", LOST)
async def test_lost_answer_of_a_write_is_found_by_reading_again(
    lost: Trouble, redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.trouble("import", lost, done=True)

    assert await redcap.record_visit(VISIT, key="run1:s1", by="chen") == "new"
    assert await redcap.record_visit(VISIT, key="run1:s1", by="chen") == "repeat"
    assert (len(written(server)), imports(server)) == (1, 1)


async def test_late_answer_of_a_write_is_found_by_reading_again(server: RedcapServer) -> None:
    server.trouble("import", "silent", done=True)

    async with opened(server.url, timeout_s=3) as redcap:
        assert await redcap.record_visit(VISIT, key="run1:s1", by="chen") == "new"

    assert len(written(server)) == 1


@pytest.mark.parametrize("lost", LOST)
async def test_write_that_is_not_there_after_a_lost_answer_may_have_happened(
    lost: Trouble, redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.trouble("import", lost)

    with pytest.raises(ToolFailed, match=r"P003 on 2026-11-21 may or may not") as caught:
        await redcap.record_visit(VISIT, key="run1:s1", by="chen")

    assert caught.value.text("zh").startswith("无法确认 P003 在 2026-11-21 的访视")
    assert await redcap.record_visit(VISIT, key="run1:s1", by="chen") == "new"
    assert len(written(server)) == 1


@pytest.mark.parametrize("done", [True, False])
async def test_write_that_cannot_be_read_again_may_have_happened(
    done: bool, redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.trouble("import", "cut", done=done)
    server.trouble("export", "broken", after=3)

    with pytest.raises(ToolFailed, match="may or may not"):
        await redcap.record_visit(VISIT, key="run1:s1", by="chen")

    again = await redcap.record_visit(VISIT, key="run1:s1", by="chen")
    assert again == ("repeat" if done else "new")
    assert len(written(server)) == 1


async def test_answered_write_that_cannot_be_read_again_may_not_have_lasted(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.trouble("export", "broken", after=3)

    with pytest.raises(ToolFailed, match="may or may not"):
        await redcap.record_visit(VISIT, key="run1:s1", by="chen")


async def test_refused_write_says_that_nothing_was_written(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    with pytest.raises(ToolFailed, match="did not accept the visit; nothing was written"):
        await redcap.record_visit(VISIT.model_copy(update={"ecog": 9}), key="run1:s1", by="chen")

    assert written(server) == []


async def test_two_writers_of_one_day_see_the_same_one_stand(server: RedcapServer) -> None:
    server.importers = asyncio.Barrier(2)
    async with opened(server.url) as one, opened(server.url) as other:
        answers = await asyncio.gather(
            one.record_visit(VISIT, key="run1:s1", by="chen"),
            other.record_visit(VISIT, key="run2:s1", by="zhao"),
            return_exceptions=True,
        )
        keys = [row["signoff_key"] for row in written(server)]
        stands, beside = ("run1:s1", "run2:s1") if keys[0] == "run1:s1" else ("run2:s1", "run1:s1")
        assert sorted(keys) == ["run1:s1", "run2:s1"]
        failed = [answer for answer in answers if isinstance(answer, ToolFailed)]
        assert [answer for answer in answers if answer != "new"] == failed
        assert len(failed) == 1
        assert "came first" in str(failed[0])
        assert await one.record_visit(VISIT, key=stands, by="chen") == "repeat"
        with pytest.raises(ToolFailed, match="came first"):
            await other.record_visit(VISIT, key=beside, by="zhao")
    assert len(written(server)) == 2


async def test_two_writers_of_one_key_make_one_visit(server: RedcapServer) -> None:
    server.importers = asyncio.Barrier(2)
    async with opened(server.url) as one, opened(server.url) as other:
        before = len(await one.visits("P003"))
        answers = await asyncio.gather(
            one.record_visit(VISIT, key="run1:s1", by="chen"),
            other.record_visit(VISIT, key="run1:s1", by="chen"),
        )
        assert answers == ["new", "new"]
        assert len(await one.visits("P003")) == before + 1
        assert await one.record_visit(VISIT, key="run1:s1", by="chen") == "repeat"
    assert len(written(server)) == 2


async def test_visit_that_a_person_enters_at_the_same_moment_comes_first(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.before_import = lambda: enter(server.project, "P003", **DAY, ecog="0")

    with pytest.raises(ToolFailed, match="another one of that day") as caught:
        await redcap.record_visit(VISIT, key="run1:s1", by="chen")

    assert "同一天的另一条记录先一步写入" in caught.value.text("zh")
    assert [row["ecog"] for row in written(server)] == ["0", "1"]


async def test_visit_that_a_person_enters_afterwards_does_not_unseat_ours(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    await redcap.record_visit(VISIT, key="run1:s1", by="chen")
    enter(server.project, "P003", **DAY, ecog="0")

    assert await redcap.record_visit(VISIT, key="run1:s1", by="chen") == "repeat"


async def test_visit_that_a_person_entered_is_in_the_way_of_another(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    enter(server.project, "P003", **DAY)

    with pytest.raises(ToolFailed, match="already has a visit"):
        await redcap.record_visit(VISIT, key="run1:s1", by="chen")
    assert imports(server) == 0


async def test_visit_that_reads_back_otherwise_is_told(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.trouble("import", "cut", done=True)
    export = server.project.export

    def changed(names: list[str], records: list[str] | None) -> list[dict[str, str]]:
        for row in written(server):
            row["weight_kg"] = "16.35"
        return export(names, records)

    server.project.export = changed  # type: ignore[method-assign]

    with pytest.raises(ToolFailed, match="was written but reads back otherwise"):
        await redcap.record_visit(VISIT, key="run1:s1", by="chen")


async def test_lines_that_the_server_ends_otherwise_are_the_same_text(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    visit = VISIT.model_copy(update={"adverse_event": "cough\nand fever "})
    await redcap.record_visit(visit, key="run1:s1", by="chen")
    written(server)[0]["adverse_event"] = "cough\r\nand fever"

    assert await redcap.record_visit(visit, key="run1:s1", by="chen") == "repeat"
