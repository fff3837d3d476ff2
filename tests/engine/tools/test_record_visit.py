from dataclasses import replace
from typing import Any

import pytest

from engine.errors import ToolFailed, ToolRetry
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call, rehearse
from tests.fakes.study import Study

VISIT: dict[str, Any] = {
    "subject_id": "p003",
    "visit_date": "2026-11-21",
    "ecog": 1,
    "weight_kg": 61,
    "systolic": 120,
    "diastolic": 77,
    "adverse_event": " 无力 / weakness ",
}


def visit_tool(records: Study) -> Tool[Any]:
    return records.tool("record_visit")


async def test_approved_visit_is_written_once(approved: ToolContext, records: Study) -> None:
    first = await call(visit_tool(records), VISIT, approved)
    second = await call(visit_tool(records), VISIT, approved)
    assert (first["repeated"], second["repeated"]) == (False, True)
    *_, stored = records.visits_of("P003")
    assert (stored.weight_kg, stored.adverse_event) == (61.0, VISIT["adverse_event"])


async def test_write_is_told_in_both_languages(approved: ToolContext, records: Study) -> None:
    first = await call(visit_tool(records), VISIT, approved)
    assert visit_tool(records).tell(first, "zh") == (
        "已录入 P003 在 2026-11-21 的访视：ECOG **1**，体重 **61 kg**，血压 **120/77 mmHg**，"
        "不良事件 **无力 / weakness**。"
    )
    assert (
        visit_tool(records)
        .tell(first, "en")
        .startswith("Recorded the visit of P003 on 2026-11-21: ")
    )
    again = await call(visit_tool(records), VISIT, approved)
    assert again["repeated"]
    assert visit_tool(records).tell(again, "zh") == visit_tool(records).tell(first, "zh")


@pytest.mark.parametrize(("key", "by"), [("", "chen"), ("run1:record", "")])
async def test_nothing_is_written_without_approval(
    key: str, by: str, approved: ToolContext, records: Study
) -> None:
    before = records.visits_of("P003")
    with pytest.raises(ToolFailed, match="only in a run that was approved"):
        await call(visit_tool(records), VISIT, replace(approved, key=key, by=by))
    assert records.visits_of("P003") == before


async def test_taken_date_and_unknown_subject_are_refused(
    approved: ToolContext, records: Study
) -> None:
    with pytest.raises(ToolFailed, match="P003 already has a visit of 2026-10-28"):
        await rehearse(visit_tool(records), VISIT | {"visit_date": "2026-10-28"}, approved)
    with pytest.raises(ToolFailed, match="P003 already has a visit of 2026-10-28"):
        await call(visit_tool(records), VISIT | {"visit_date": "2026-10-28"}, approved)
    with pytest.raises(ToolFailed, match="no subject P099"):
        await call(visit_tool(records), VISIT | {"subject_id": "P099"}, approved)


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
    ],
)
async def test_value_of_another_type_or_beyond_nature_is_refused(
    name: str, value: object, approved: ToolContext, records: Study
) -> None:
    before = records.visits_of("P003")
    with pytest.raises(ToolRetry, match=f"^Wrong arguments {name}\\. "):
        await call(visit_tool(records), VISIT | {name: value}, approved)
    assert records.visits_of("P003") == before


async def test_value_that_only_a_rule_refuses_passes_the_tool(
    approved: ToolContext, records: Study
) -> None:
    result = await call(visit_tool(records), VISIT | {"ecog": 4, "systolic": 210}, approved)
    assert result["repeated"] is False


async def test_visit_without_an_adverse_event_is_told_so(
    approved: ToolContext, records: Study
) -> None:
    result = await call(visit_tool(records), VISIT | {"adverse_event": None}, approved)
    assert visit_tool(records).tell(result, "en").endswith("Adverse event **none recorded**.")
