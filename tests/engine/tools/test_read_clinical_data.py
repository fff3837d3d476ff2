from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any

import pytest

from engine.tools.model import ToolContext
from engine.tools.registry import call
from tests.fakes.study import Study, Visit

Told = Callable[..., Awaitable[tuple[str, str]]]


@pytest.fixture
def told(ctx: ToolContext, records: Study) -> Told:
    """What people read of a subject, zh and en."""
    tool = records.tool("read_clinical_data")

    async def tell(**arguments: Any) -> tuple[str, str]:
        result = await call(tool, arguments, ctx)
        return tool.tell(result, "zh"), tool.tell(result, "en")

    return tell


async def test_ecog_is_told_with_its_visit_date(told: Told) -> None:
    assert await told(subject_id="P003", field="ecog") == (
        "P003 的 ECOG：**1**（访视日期 2026-10-28）",
        "ECOG of P003: **1** (visit of 2026-10-28)",
    )


async def test_a_model_gets_the_values_as_such(ctx: ToolContext, records: Study) -> None:
    asked = {"subject_id": "P003", "field": "ecog"}
    result = await call(records.tool("read_clinical_data"), asked, ctx)
    assert (result["visit_date"], result["ecog"], result["weight_kg"]) == ("2026-10-28", 1, 61.2)


@pytest.mark.parametrize(
    ("field", "zh", "en"),
    [
        ("weight_kg", "P003 的体重：**61.2 kg**", "Weight of P003: **61.2 kg**"),
        (
            "blood_pressure",
            "P003 的血压：**122/78 mmHg**",
            "Blood pressure of P003: **122/78 mmHg**",
        ),
    ],
)
async def test_field_is_told_with_its_unit(told: Told, field: str, zh: str, en: str) -> None:
    told_zh, told_en = await told(subject_id="p003", field=field)
    assert told_zh == f"{zh}（访视日期 2026-10-28）"
    assert told_en == f"{en} (visit of 2026-10-28)"


async def test_named_date_gives_that_visit(told: Told) -> None:
    zh, en = await told(subject_id="P003", field="ecog", visit_date="2026-09-02")
    assert zh == "P003 的 ECOG：**0**（访视日期 2026-09-02）"
    assert en == "ECOG of P003: **0** (visit of 2026-09-02)"


async def test_date_without_a_visit_is_said_with_the_dates_there_are(told: Told) -> None:
    zh, en = await told(subject_id="P010", field="ecog", visit_date="2026-10-01")
    assert zh == "P010 在 2026-10-01 没有访视记录。已有的访视日期：2026-09-21, 2026-10-22。"
    assert en == (
        "P010 has no visit recorded on 2026-10-01. Recorded visits: 2026-09-21, 2026-10-22."
    )


async def test_missing_value_is_said_to_be_missing(told: Told) -> None:
    zh, en = await told(subject_id="P007", field="weight_kg")
    assert zh == "P007 的体重：**未记录**（访视日期 2026-10-19）。此前：2026-09-22 48.9 kg"
    assert en == (
        "Weight of P007: **not recorded** (visit of 2026-10-19). Earlier: 2026-09-22 48.9 kg"
    )


async def test_earlier_adverse_events_are_not_kept_back(told: Told) -> None:
    zh, en = await told(subject_id="P009", field="adverse_event")
    assert zh == (
        "P009 的不良事件：**未记录到**（访视日期 2026-11-02）。"
        "此前：2026-10-03 皮疹，1 级 / rash, grade 1"
    )
    assert en == (
        "Adverse event of P009: **none recorded** (visit of 2026-11-02). "
        "Earlier: 2026-10-03 皮疹，1 级 / rash, grade 1"
    )


async def test_all_values_are_listed(told: Told) -> None:
    zh, en = await told(subject_id="P007")
    assert zh.splitlines() == [
        "P007 在 2026-10-19 的访视：",
        "",
        "- ECOG：**2**",
        "- 体重：**未记录**",
        "- 血压：**127/74 mmHg**",
        "- 不良事件：**未记录到**",
    ]
    assert en.splitlines()[0] == "P007, visit of 2026-10-19:"
    assert "- Weight: **not recorded**" in en


async def test_visit_dates_are_listed(told: Told) -> None:
    zh, en = await told(subject_id="P010", field="visit_date")
    assert zh == "P010 共 2 次访视：2026-09-21, 2026-10-22。最近一次：**2026-10-22**"
    assert en == "P010 has 2 visits: 2026-09-21, 2026-10-22. Latest: **2026-10-22**"


async def test_unknown_subject_gets_the_nearest_ids(told: Told) -> None:
    zh, en = await told(subject_id="P3")
    assert zh.startswith("研究中没有受试者 P3。最接近的编号：P003, ")
    assert en.startswith("The study has no subject P3. The closest ids are P003, ")


async def test_new_visit_is_the_latest(told: Told, records: Study) -> None:
    visit = Visit(subject_id="P003", visit_date=date(2026, 11, 21), ecog=2, systolic=120)
    records.add(visit)
    zh, _ = await told(subject_id="P003", field="ecog")
    assert zh == "P003 的 ECOG：**2**（访视日期 2026-11-21）"
    _, en = await told(subject_id="P003", field="blood_pressure")
    assert en == "Blood pressure of P003: **120/- mmHg** (visit of 2026-11-21)"


async def test_stored_text_cannot_bring_markup(told: Told, records: Study) -> None:
    evil = "**bold**\n\n# head [x](http://e.example) <!channel> `code`"
    visit = Visit(subject_id="P003", visit_date=date(2026, 11, 21), adverse_event=evil)
    records.add(visit)
    _, en = await told(subject_id="P003", field="adverse_event")
    assert r"**\*\*bold\*\* \# head \[x\](http://e.example) \<!channel\> \`code\`**" in en
    assert "\n" not in en
