from datetime import date

from engine.tools.model import ToolContext
from engine.tools.registry import call
from tests.fakes.study import Study, Visit


async def test_counts_agree_with_the_records(ctx: ToolContext, records: Study) -> None:
    result = await call(records.tool("get_project_stats"), {}, ctx)
    visits = [visit for subject in records.subjects for visit in records.visits_of(subject)]
    assert result["subjects"] == result["women"] + result["men"] == 12
    assert result["visits"] == len(visits) == 36
    assert result["visits_with_event"] == sum(v.adverse_event != "" for v in visits)
    assert result["last_visit"] == "2026-11-05"


async def test_counts_are_told_in_both_languages(ctx: ToolContext, records: Study) -> None:
    result = await call(records.tool("get_project_stats"), {}, ctx)
    assert records.tool("get_project_stats").tell(result, "zh").splitlines() == [
        "- 受试者：**12** 人（女 6、男 6；A 组 6、B 组 6）",
        "- 访视：**36** 次，最近一次 2026-11-05",
        "- 最近一次访视的 ECOG：0 分 5 人、1 分 5 人、2 分 2 人",
        "- 不良事件：9 次访视有记录，涉及 8 名受试者",
    ]
    assert records.tool("get_project_stats").tell(result, "en").splitlines() == [
        "- Subjects: **12** (6 female, 6 male; 6 in arm A, 6 in arm B)",
        "- Visits: **36**, date of the last: 2026-11-05",
        "- ECOG at the latest visit, subjects by score: 0: 5, 1: 5, 2: 2",
        "- Adverse events: recorded at 9 visits of 8 subjects",
    ]


async def test_missing_ecog_is_counted_as_missing(ctx: ToolContext, records: Study) -> None:
    visit = Visit(subject_id="P003", visit_date=date(2026, 11, 21))
    records.add(visit)
    result = await call(records.tool("get_project_stats"), {}, ctx)
    assert result["no_score"] == 1
    assert "未记录 1 人" in records.tool("get_project_stats").tell(result, "zh")
    assert "not recorded: 1" in records.tool("get_project_stats").tell(result, "en")


async def test_study_without_anything_is_told_as_empty(ctx: ToolContext) -> None:
    tool = Study().tool("get_project_stats")
    stats = await call(tool, {}, ctx)
    assert tool.tell(stats, "en").splitlines()[:2] == [
        "- Subjects: **0** (0 female, 0 male; none)",
        "- Visits: **0**, date of the last: none",
    ]
