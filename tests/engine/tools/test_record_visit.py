from dataclasses import replace
from typing import Any

import pytest

from adapters.edc.sqlite import SqliteRecords
from engine.errors import ToolFailed, ToolRetry
from engine.tools.model import ToolContext
from engine.tools.registry import call
from engine.tools.study.record_visit import RECORD_VISIT

VISIT: dict[str, Any] = {
    "subject_id": "p003",
    "visit_date": "2026-11-21",
    "ecog": 1,
    "weight_kg": 61,
    "systolic": 120,
    "diastolic": 77,
    "adverse_event": " 无力 / weakness ",
}


async def test_approved_visit_is_written_once(
    approved: ToolContext, records: SqliteRecords
) -> None:
    first = await call(RECORD_VISIT, VISIT, approved)
    second = await call(RECORD_VISIT, VISIT, approved)
    assert (first["written"], second["written"]) == (True, False)
    assert first["visit"] == second["visit"]
    stored = (await records.visits("P003"))[-1]
    assert stored.model_dump(mode="json") == first["visit"]
    assert (stored.weight_kg, stored.adverse_event) == (61.0, VISIT["adverse_event"])


async def test_write_is_told_in_both_languages(approved: ToolContext) -> None:
    first = await call(RECORD_VISIT, VISIT, approved)
    assert RECORD_VISIT.tell(first, "zh") == (
        "已录入 P003 在 2026-11-21 的访视：ECOG **1**，体重 **61 kg**，血压 **120/77 mmHg**，"
        "不良事件 **无力 / weakness**。"
    )
    assert RECORD_VISIT.tell(first, "en").startswith("Recorded the visit of P003 on 2026-11-21: ")
    again = await call(RECORD_VISIT, VISIT, approved)
    assert RECORD_VISIT.tell(again, "zh").startswith("此前已录入，没有重复写入：")
    assert RECORD_VISIT.tell(again, "en").startswith("Recorded before, not written again: ")


@pytest.mark.parametrize(("key", "by"), [("", "chen"), ("run1:record", "")])
async def test_nothing_is_written_without_approval(
    key: str, by: str, approved: ToolContext, records: SqliteRecords
) -> None:
    before = await records.visits("P003")
    with pytest.raises(ToolFailed, match="only by a run that was approved"):
        await call(RECORD_VISIT, VISIT, replace(approved, key=key, by=by))
    assert await records.visits("P003") == before


async def test_taken_date_and_unknown_subject_are_refused(approved: ToolContext) -> None:
    with pytest.raises(ToolFailed, match="P003 already has a visit of 2026-10-28"):
        await call(RECORD_VISIT, VISIT | {"visit_date": "2026-10-28"}, approved)
    with pytest.raises(ToolFailed, match="no subject P099"):
        await call(RECORD_VISIT, VISIT | {"subject_id": "P099"}, approved)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ecog", "1"),
        ("ecog", True),
        ("ecog", 6),
        ("ecog", 1.5),
        ("ecog", None),
        ("weight_kg", "61"),
        ("weight_kg", float("nan")),
        ("weight_kg", 0),
        ("systolic", 120.5),
        ("diastolic", -5),
        ("visit_date", 20261121),
        ("visit_date", "1763683200"),
        ("adverse_event", 0),
        ("adverse_event", "x" * 2001),
    ],
)
async def test_value_of_another_type_or_beyond_nature_is_refused(
    name: str, value: object, approved: ToolContext, records: SqliteRecords
) -> None:
    before = await records.visits("P003")
    with pytest.raises(ToolRetry, match=f"^Wrong arguments {name}\\. "):
        await call(RECORD_VISIT, VISIT | {name: value}, approved)
    assert await records.visits("P003") == before


async def test_value_that_only_a_rule_refuses_passes_the_tool(approved: ToolContext) -> None:
    result = await call(RECORD_VISIT, VISIT | {"ecog": 4, "systolic": 210}, approved)
    assert result["written"] is True


async def test_visit_without_an_adverse_event_is_told_so(approved: ToolContext) -> None:
    result = await call(RECORD_VISIT, VISIT | {"adverse_event": None}, approved)
    assert result["visit"]["adverse_event"] == ""
    assert RECORD_VISIT.tell(result, "en").endswith("Adverse event **none recorded**.")
