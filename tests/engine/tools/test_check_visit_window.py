from typing import Any

import pytest

from engine.tools.model import ToolContext
from engine.tools.registry import call
from tests.fakes.study import sample_study

CHECK_VISIT_WINDOW = sample_study().tool("check_visit_window")


async def checked(ctx: ToolContext, **arguments: Any) -> dict[str, Any]:
    return await call(CHECK_VISIT_WINDOW, arguments, ctx)


@pytest.mark.parametrize(
    ("day", "name", "off"),
    [
        ("2026-08-05", "V1", 0),
        ("2026-08-08", "V1", 0),
        ("2026-08-09", "V1", 1),
        ("2026-08-04", "V1", -1),
        ("2026-08-29", "V2", -1),
        ("2026-08-30", "V2", 0),
        ("2026-11-17", "V5", -1),
        ("2026-11-18", "V5", 0),
        ("2026-12-02", "V5", 0),
        ("2026-12-03", "V5", 1),
        ("2027-01-06", "V6", 0),
        ("2027-01-16", "V6", 10),
    ],
)
async def test_window_and_distance_from_its_edge(
    day: str, name: str, off: int, ctx: ToolContext
) -> None:
    found = await checked(ctx, subject_id="P003", visit_date=day)
    assert (found["window"], found["days_off"]) == (name, off)


async def test_no_date_means_today(ctx: ToolContext) -> None:
    result = await checked(ctx, subject_id="p003")
    assert (result["visit_date"], result["study_day"]) == ("2026-11-21", 108)
    assert CHECK_VISIT_WINDOW.tell(result, "zh") == (
        "P003 在 2026-11-21 的访视（入组后第 108 天）**在 V5 窗口内**"
        "（2026-11-18 至 2026-12-02，计划日 2026-11-25）。"
    )
    assert CHECK_VISIT_WINDOW.tell(result, "en") == (
        "A visit of P003 on 2026-11-21 (day 108) is **inside the V5 window** "
        "(2026-11-18 to 2026-12-02, planned 2026-11-25)."
    )


async def test_day_out_of_window_is_told_with_the_nearest(ctx: ToolContext) -> None:
    result = await checked(ctx, subject_id="P003", visit_date="2026-08-29")
    assert CHECK_VISIT_WINDOW.tell(result, "zh") == (
        "P003 在 2026-08-29 的访视（入组后第 24 天）**不在任何窗口内**；"
        "最接近的是 V2（2026-08-30 至 2026-09-05，计划日 2026-09-02），**早 1 天**。"
    )
    late = await checked(ctx, subject_id="P003", visit_date="2027-01-16")
    assert CHECK_VISIT_WINDOW.tell(late, "en").endswith(
        "is **in no window**; the nearest is V6 (2026-12-09 to 2027-01-06, planned 2026-12-23), "
        "**10 days late**."
    )


async def test_day_before_enrolment_is_told_as_such(ctx: ToolContext) -> None:
    result = await checked(ctx, subject_id="P003", visit_date="2026-08-03")
    assert "入组前 2 天" in CHECK_VISIT_WINDOW.tell(result, "zh")
    assert "(2 days before enrolment)" in CHECK_VISIT_WINDOW.tell(result, "en")


async def test_unknown_subject_gets_the_nearest_ids(ctx: ToolContext) -> None:
    result = await checked(ctx, subject_id="P012A")
    assert (result["enrolled_on"], result["nearest"][:4]) == (None, "P012")
    assert "P012A" in CHECK_VISIT_WINDOW.tell(result, "en")
