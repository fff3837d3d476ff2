"""Look up what was recorded of one subject."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.ports.systems.records import Visit
from engine.tools.arguments import Arguments, Day, SubjectId
from engine.tools.model import Tool, ToolContext
from engine.tools.study.subject import find_subject
from engine.tools.study.visit_text import field_name, tell_unknown, tell_value

MEASURED = ("ecog", "weight_kg", "blood_pressure", "adverse_event")


class ReadClinicalData(Arguments):
    """Whose data, which field, and of which visit."""

    subject_id: SubjectId = Field(description="The subject's id, such as P003.")
    field: Literal["ecog", "weight_kg", "blood_pressure", "adverse_event", "visit_date", "all"] = (
        Field(default="all", description="What is asked; visit_date lists the dates of all visits.")
    )
    visit_date: Day | None = Field(
        default=None, description="The visit's date, YYYY-MM-DD; left out for the latest visit."
    )


async def _run(args: ReadClinicalData, ctx: ToolContext) -> dict[str, Any]:
    subject = await find_subject(args.subject_id, ctx.records)
    if isinstance(subject, dict):
        return subject
    visits = await ctx.records.visits(subject.subject_id)
    visit = _chosen(visits, args)
    return {
        "found": True,
        "subject_id": subject.subject_id,
        "field": args.field,
        "asked_date": args.visit_date.isoformat() if args.visit_date else None,
        "visit": _values(visit, args.field) if visit else None,
        "earlier": [_values(v, args.field) for v in _earlier(visits, visit, args)],
        "visit_dates": [v.visit_date.isoformat() for v in visits],
    }


def _chosen(visits: Sequence[Visit], args: ReadClinicalData) -> Visit | None:
    if args.visit_date is None:
        return max(visits, key=lambda v: v.visit_date, default=None)
    return next((v for v in visits if v.visit_date == args.visit_date), None)


def _earlier(
    visits: Sequence[Visit], latest: Visit | None, args: ReadClinicalData
) -> Sequence[Visit]:
    """The visits before the latest, newest first, when one field is asked of no certain date."""
    if latest is None or args.visit_date or args.field not in MEASURED:
        return ()
    return sorted(
        (v for v in visits if v.visit_date < latest.visit_date),
        key=lambda v: v.visit_date,
        reverse=True,
    )


def _values(visit: Visit, field: str) -> dict[str, Any]:
    values = visit.model_dump(mode="json", exclude={"subject_id"})
    wanted = {
        "all": set(values),
        "blood_pressure": {"systolic", "diastolic"},
    }.get(field, {field})
    return {name: v for name, v in values.items() if name == "visit_date" or name in wanted}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    if not result["found"]:
        return tell_unknown(result, lang)
    if not result["visit_dates"]:
        return say("tool.read.no_visits", lang, who=literal(result["subject_id"]))
    if result["visit"] is None:
        return _tell_no_visit(result, lang)
    if result["field"] == "visit_date":
        return _tell_dates(result, lang)
    if result["field"] == "all":
        return _tell_all(result, lang)
    return _tell_field(result, lang)


def _tell_field(result: dict[str, Any], lang: Lang) -> str:
    field, visit, earlier = result["field"], result["visit"], _tell_earlier(result, lang)
    name = field_name(field, lang)
    return say(
        "tool.read.field_earlier" if earlier else "tool.read.field",
        lang,
        who=literal(result["subject_id"]),
        # Chinese puts a space only before what is written in Latin letters.
        name=f" {name}" if lang == "zh" and name.isascii() else name,
        value=tell_value(field, visit, lang),
        day=visit["visit_date"],
        earlier=earlier,
    )


def _tell_earlier(result: dict[str, Any], lang: Lang) -> str:
    """Earlier adverse events; or, when the latest visit lacks the value, the last recorded one."""
    field = result["field"]
    known = [visit for visit in result["earlier"] if _recorded(visit)]
    if field != "adverse_event":
        known = known[:1] if not _recorded(result["visit"]) else []
    told = (f"{v['visit_date']} {tell_value(field, v, lang)}" for v in known)
    return say("list.clauses", lang).join(told)


def _recorded(visit: dict[str, Any]) -> bool:
    return any(v not in (None, "") for name, v in visit.items() if name != "visit_date")


def _tell_all(result: dict[str, Any], lang: Lang) -> str:
    visit = result["visit"]
    head = say("tool.read.visit", lang, who=literal(result["subject_id"]), day=visit["visit_date"])
    colon = say("list.colon", lang)
    lines = (f"- {field_name(f, lang)}{colon}{tell_value(f, visit, lang)}" for f in MEASURED)
    return "\n".join((head, "", *lines))


def _tell_dates(result: dict[str, Any], lang: Lang) -> str:
    who, dates = literal(result["subject_id"]), result["visit_dates"]
    if asked := result["asked_date"]:
        return say("tool.read.visited", lang, who=who, day=asked)
    key = "tool.read.one_date" if len(dates) == 1 else "tool.read.dates"
    days = say("list.items", lang).join(dates)
    return say(key, lang, who=who, n=len(dates), days=days, latest=dates[-1])


def _tell_no_visit(result: dict[str, Any], lang: Lang) -> str:
    who, asked = literal(result["subject_id"]), result["asked_date"]
    days = say("list.items", lang).join(result["visit_dates"])
    return say("tool.read.no_visit", lang, who=who, day=asked, days=days)


READ_CLINICAL_DATA = Tool(
    name="read_clinical_data",
    description=(
        "Reads what was recorded of one subject: ECOG, weight (kg), blood pressure (mmHg), adverse "
        "event, or the dates of all visits. Gives the latest visit unless a date is named; for one "
        "field `earlier` holds the visits before it, newest first. What was not recorded comes as "
        "null, an adverse event as empty text. For an unknown subject `found` is false and "
        "`nearest` lists ids that exist."
    ),
    arguments=ReadClinicalData,
    readonly=True,
    clinical=True,
    run=_run,
    tell=_tell,
    examples=(
        "查一下 P003 的 ECOG",
        "帮我查一下 P003 的 ECOG 评分",
        "P001 最近一次访视的体重是多少",
        "P007 体重多少",
        "看看 P004 的血压",
        "P004 最近的收缩压和舒张压",
        "P006 有不良事件吗",
        "P009 出现过什么不良反应",
        "P002 上次访视是什么时候",
        "P005 做过哪几次访视",
        "把 P008 最近的访视数据给我看看",
        "P003 的数据",
        "P003 在 2026-10-01 的 ECOG 是几分",
        "What is the ECOG of P003?",
        "Look up the ECOG score of P003",
        "How much does P001 weigh?",
        "What was the weight of P007 at the last visit?",
        "Show me the blood pressure of P004",
        "Any adverse events for P006?",
        "Did P009 report side effects?",
        "When was the last visit of P002?",
        "List the visit dates of P005",
        "Show the latest visit data of P008",
        "What is recorded for P011?",
    ),
    cues={
        "ecog": {"field": "ecog"},
        "体能评分": {"field": "ecog"},
        "performance status": {"field": "ecog"},
        "体重": {"field": "weight_kg"},
        "weight": {"field": "weight_kg"},
        "weigh": {"field": "weight_kg"},
        "血压": {"field": "blood_pressure"},
        "收缩压": {"field": "blood_pressure"},
        "舒张压": {"field": "blood_pressure"},
        "blood pressure": {"field": "blood_pressure"},
        "systolic": {"field": "blood_pressure"},
        "diastolic": {"field": "blood_pressure"},
        "不良事件": {"field": "adverse_event"},
        "不良反应": {"field": "adverse_event"},
        "adverse event": {"field": "adverse_event"},
        "side effect": {"field": "adverse_event"},
        "访视日期": {"field": "visit_date"},
        "访视是什么时候": {"field": "visit_date"},
        "哪几次访视": {"field": "visit_date"},
        "visit date": {"field": "visit_date"},
        "when was": {"field": "visit_date"},
        "最近的访视数据": {"field": "all"},
        "全部数据": {"field": "all"},
        "所有数据": {"field": "all"},
        "latest visit data": {"field": "all"},
        "all data": {"field": "all"},
    },
    needs=("subject_id",),
)
