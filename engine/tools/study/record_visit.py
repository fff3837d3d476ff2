"""Write a visit: the one tool that changes anything, reachable only from a run."""

from typing import Any

from pydantic import Field

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.ports.systems.records import Visit
from engine.tools.arguments import Arguments, Day, SubjectId
from engine.tools.model import Tool, ToolContext
from engine.tools.study.visit_text import field_name, tell_value

TOLD = ("ecog", "weight_kg", "blood_pressure", "adverse_event")


class RecordVisit(Arguments):
    """A whole visit. The bounds only keep out what no person has; the playbook's rules judge."""

    subject_id: SubjectId = Field(description="The subject's id, such as P003.")
    visit_date: Day = Field(description="The day of the visit, YYYY-MM-DD.")
    ecog: int = Field(ge=0, le=5, description="ECOG performance status.")
    weight_kg: float = Field(ge=1, le=700, allow_inf_nan=False, description="Weight in kg.")
    systolic: int = Field(ge=20, le=400, description="Systolic blood pressure in mmHg.")
    diastolic: int = Field(ge=10, le=300, description="Diastolic blood pressure in mmHg.")
    adverse_event: str | None = Field(
        default=None, max_length=2000, description="What happened; empty or null when nothing did."
    )


async def _run(args: RecordVisit, ctx: ToolContext) -> dict[str, Any]:
    if not ctx.key or not ctx.by:
        raise ToolFailed("tool.record.unapproved")
    visit = Visit(
        subject_id=args.subject_id,
        visit_date=args.visit_date,
        ecog=args.ecog,
        weight_kg=args.weight_kg,
        systolic=args.systolic,
        diastolic=args.diastolic,
        adverse_event=args.adverse_event or "",
    )
    outcome = await ctx.records.record_visit(visit, key=ctx.key, by=ctx.by)
    return {"written": outcome == "new", "visit": visit.model_dump(mode="json")}


async def _rehearse(args: RecordVisit, ctx: ToolContext) -> None:
    """Refuse what the study would refuse: an unknown subject, a day that has a visit."""
    if await ctx.records.subject(args.subject_id) is None:
        raise ToolFailed("study.unknown", subject_id=args.subject_id)
    visits = await ctx.records.visits(args.subject_id)
    if any(visit.visit_date == args.visit_date for visit in visits):
        day = args.visit_date.isoformat()
        raise ToolFailed("study.conflict", subject_id=args.subject_id, visit_date=day)


def _tell(result: dict[str, Any], lang: Lang) -> str:
    visit = result["visit"]
    who, day = literal(visit["subject_id"]), visit["visit_date"]
    values = (f"{field_name(name, lang)} {tell_value(name, visit, lang)}" for name in TOLD)
    key = "tool.record.done" if result["written"] else "tool.record.again"
    return say(key, lang, who=who, day=day, values=say("list.and", lang).join(values))


RECORD_VISIT = Tool(
    name="record_visit",
    description=(
        "Writes one visit of a subject into the study records: date, ECOG, weight, blood pressure, "
        "adverse event. It needs the approval that a run holds; the same approval writes once."
    ),
    arguments=RecordVisit,
    readonly=False,
    clinical=True,
    run=_run,
    tell=_tell,
    rehearse=_rehearse,
    keyed=True,
    # More than the study itself waits for another write: it says best why it gave up.
    timeout_s=30,
)
