"""What rules over records read: the subjects of the study, and all visits of one."""

from datetime import date
from typing import Any

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.ports.systems.records import Visit
from engine.tools.arguments import Arguments, SubjectId
from engine.tools.model import Tool, ToolContext
from engine.tools.study.subject import find_subject

_TYPES: dict[object, str] = {
    str: "text",
    date: "date",
    int | None: "integer",
    float | None: "number",
}


class ListSubjects(Arguments):
    """Nothing: every subject is listed."""


class ListVisits(Arguments):
    """Whose visits."""

    subject_id: SubjectId


async def _subjects(args: ListSubjects, ctx: ToolContext) -> dict[str, Any]:
    return {"subjects": [s.subject_id for s in await ctx.records.subjects()]}


async def _visits(args: ListVisits, ctx: ToolContext) -> dict[str, Any]:
    subject = await find_subject(args.subject_id, ctx.records)
    if isinstance(subject, dict):
        near = ", ".join(map(literal, subject["nearest"]))
        key = "tool.no_subject_near" if near else "tool.no_subject"
        raise ToolFailed(key, who=literal(args.subject_id), ids=near)
    visits = await ctx.records.visits(subject.subject_id)
    return {"visits": [visit.model_dump(mode="json") for visit in visits]}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    listed = result.get("subjects") or [v["visit_date"] for v in result["visits"]]
    return say("list.items", lang).join(literal(str(each)) for each in listed)


LIST_SUBJECTS = Tool(
    name="list_subjects",
    description="Lists the ids of all subjects.",
    arguments=ListSubjects,
    readonly=True,
    clinical=True,
    run=_subjects,
    tell=_tell,
)
LIST_VISITS = Tool(
    name="list_visits",
    description="Lists every visit of one subject, with all its values.",
    arguments=ListVisits,
    readonly=True,
    clinical=True,
    columns={name: _TYPES.get(given.annotation, "") for name, given in Visit.model_fields.items()},
    run=_visits,
    tell=_tell,
)
