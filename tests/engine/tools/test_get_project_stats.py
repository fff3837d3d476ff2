from datetime import date
from pathlib import Path

from adapters.clock import SystemClock
from adapters.edc.sqlite import SqliteRecords, open_records
from engine.ports.systems.records import Visit
from engine.tools.model import ToolContext
from engine.tools.registry import call
from engine.tools.study.get_project_stats import GET_PROJECT_STATS
from engine.tools.study.search_protocol import SEARCH_PROTOCOL


async def test_counts_agree_with_the_records(ctx: ToolContext, records: SqliteRecords) -> None:
    result = await call(GET_PROJECT_STATS, {}, ctx)
    visits = [v for s in await records.subjects() for v in await records.visits(s.subject_id)]
    assert result["subjects"] == sum(result["by_sex"].values()) == 12
    assert result["by_arm"] == {"A": 6, "B": 6}
    assert result["visits"] == len(visits) == 36
    assert sum(result["latest_ecog"].values()) + result["latest_ecog_missing"] == 12
    assert result["visits_with_adverse_event"] == sum(v.adverse_event != "" for v in visits)
    assert result["last_visit_date"] == "2026-11-05"


async def test_counts_are_told_in_both_languages(ctx: ToolContext) -> None:
    result = await call(GET_PROJECT_STATS, {}, ctx)
    assert GET_PROJECT_STATS.tell(result, "zh").splitlines() == [
        "- 受试者：**12** 人（女 6、男 6；A 组 6、B 组 6）",
        "- 访视：**36** 次，最近一次 2026-11-05",
        "- 最近一次访视的 ECOG：0 分 5 人、1 分 5 人、2 分 2 人",
        "- 不良事件：9 次访视有记录，涉及 8 名受试者",
    ]
    assert GET_PROJECT_STATS.tell(result, "en").splitlines() == [
        "- Subjects: **12** (6 female, 6 male; 6 in arm A, 6 in arm B)",
        "- Visits: **36**, date of the last: 2026-11-05",
        "- ECOG at the latest visit, subjects by score: 0: 5, 1: 5, 2: 2",
        "- Adverse events: recorded at 9 visits of 8 subjects",
    ]


async def test_missing_ecog_is_counted_as_missing(ctx: ToolContext, records: SqliteRecords) -> None:
    visit = Visit(subject_id="P003", visit_date=date(2026, 11, 21))
    await records.record_visit(visit, key="run1:record", by="chen")
    result = await call(GET_PROJECT_STATS, {}, ctx)
    assert result["latest_ecog_missing"] == 1
    assert "未记录 1 人" in GET_PROJECT_STATS.tell(result, "zh")
    assert "not recorded: 1" in GET_PROJECT_STATS.tell(result, "en")


async def test_study_without_anything_is_told_as_empty(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("study: NEW-1\nsubjects: []\n")
    (tmp_path / "protocol.yaml").write_text("windows: []\nsections: []\n")
    records = open_records(tmp_path / "new.sqlite", tmp_path, clock=SystemClock("UTC"))
    ctx = ToolContext(records=records, today=date(2026, 11, 21))
    stats = await call(GET_PROJECT_STATS, {}, ctx)
    assert GET_PROJECT_STATS.tell(stats, "en").splitlines()[:2] == [
        "- Subjects: **0** (none; none)",
        "- Visits: **0**, date of the last: none",
    ]
    found = await call(SEARCH_PROTOCOL, {"query": "dosing"}, ctx)
    assert SEARCH_PROTOCOL.tell(found, "en") == "Nothing in the protocol matches “dosing”."
    records.close()
