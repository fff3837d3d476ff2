"""What rules over records read: the subjects of the study, and all visits of one."""

from typing import Any

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.tools.arguments import Arguments, SubjectId
from engine.tools.model import Tool, ToolContext
from engine.tools.study.subject import find_subject


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
        return {**subject, "visits": []}
    visits = await ctx.records.visits(subject.subject_id)
    return {"found": True, "visits": [visit.model_dump(mode="json") for visit in visits]}


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
    run=_visits,
    tell=_tell,
)
