"""Count what the study has so far."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.ports.systems.records import Subject, Visit
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext

SEX = {"F": "tool.stats.sex_f", "M": "tool.stats.sex_m"}


class GetProjectStats(Arguments):
    """Nothing: the whole project is counted."""


async def _run(args: GetProjectStats, ctx: ToolContext) -> dict[str, Any]:
    subjects = await ctx.records.subjects()
    visits = [v for s in subjects for v in await ctx.records.visits(s.subject_id)]
    latest = _latest(visits)
    return {
        "subjects": len(subjects),
        "by_sex": _counted(s.sex for s in subjects),
        "by_arm": _counted(s.arm for s in subjects),
        "enrolled_on": _span(subjects),
        "visits": len(visits),
        "last_visit_date": max((v.visit_date.isoformat() for v in visits), default=None),
        "latest_ecog": _counted(str(v.ecog) for v in latest if v.ecog is not None),
        "latest_ecog_missing": len(subjects) - sum(v.ecog is not None for v in latest),
        "visits_with_adverse_event": sum(bool(v.adverse_event) for v in visits),
        "subjects_with_adverse_event": len({v.subject_id for v in visits if v.adverse_event}),
    }


def _latest(visits: Iterable[Visit]) -> list[Visit]:
    latest = {v.subject_id: v for v in sorted(visits, key=lambda v: v.visit_date)}
    return list(latest.values())


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _span(subjects: Iterable[Subject]) -> dict[str, str | None]:
    days = [s.enrolled_on.isoformat() for s in subjects]
    return {"first": min(days, default=None), "last": max(days, default=None)}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    lines = (
        say(
            "tool.stats.subjects",
            lang,
            n=result["subjects"],
            sex=_listed((say(SEX[s], lang, n=n) for s, n in result["by_sex"].items()), lang),
            arm=_listed(_arms(result["by_arm"], lang), lang),
        ),
        say(
            "tool.stats.visits",
            lang,
            n=result["visits"],
            day=result["last_visit_date"] or say("tool.stats.none", lang),
        ),
        _tell_ecog(result, lang),
        say(
            "tool.stats.events",
            lang,
            visits=result["visits_with_adverse_event"],
            subjects=result["subjects_with_adverse_event"],
        ),
    )
    return "\n".join(f"- {line}" for line in lines)


def _arms(counts: dict[str, int], lang: Lang) -> Iterable[str]:
    return (say("tool.stats.arm", lang, arm=literal(arm), n=n) for arm, n in counts.items())


def _tell_ecog(result: dict[str, Any], lang: Lang) -> str:
    counts, missing = result["latest_ecog"], result["latest_ecog_missing"]
    told = (say("tool.stats.score", lang, score=score, n=n) for score, n in counts.items())
    key = "tool.stats.ecog_missing" if missing else "tool.stats.ecog"
    return say(key, lang, scores=_listed(told, lang), missing=missing)


def _listed(told: Iterable[str], lang: Lang) -> str:
    return say("list.items", lang).join(told) or say("tool.stats.none", lang)


GET_PROJECT_STATS = Tool(
    name="get_project_stats",
    description=(
        "Counts the whole study: subjects (by sex and arm), enrolment dates, visits, date of the "
        "last visit, how many subjects have which ECOG at their latest visit, and how many visits "
        "and subjects have an adverse event recorded. Takes no arguments; says nothing about one "
        "single subject."
    ),
    arguments=GetProjectStats,
    readonly=True,
    clinical=True,
    run=_run,
    tell=_tell,
    examples=(
        "现在有多少受试者",
        "一共入组了多少人",
        "项目统计一下",
        "研究进展怎么样",
        "男女各多少人",
        "A 组和 B 组各有几人",
        "总共做了多少次访视",
        "最近一次访视是哪天",
        "ECOG 分布情况",
        "有多少人出现不良事件",
        "不良事件一共多少例",
        "给我项目概况",
        "How many subjects are there?",
        "How many patients have enrolled so far?",
        "Give me the project statistics",
        "How is the study going?",
        "How many women and men are in the study?",
        "How many subjects are in arm A?",
        "How many visits were done in total?",
        "What is the distribution of ECOG scores?",
        "How many subjects had adverse events?",
        "Show me an overview of the project",
    ),
    cues={
        "多少受试者": {},
        "多少人": {},
        "多少例": {},
        "几名受试者": {},
        "统计": {},
        "概况": {},
        "进展": {},
        "分布": {},
        "入组情况": {},
        "how many subjects": {},
        "how many patients": {},
        "how many visits": {},
        "statistics": {},
        "stats": {},
        "overview": {},
        "distribution": {},
    },
)
