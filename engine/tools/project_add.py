"""Add a project: a write, reachable only from a run, such as that of an intake."""

import re
from hashlib import sha256
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed, ToolRefused
from engine.ports.projects import KEEPS_NONE, PROJECT_FORM, Project, ProjectChange
from engine.text.language import LocalizedText
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext

_ID: Final = re.compile(PROJECT_FORM)
Short = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


class ProjectAdd(Arguments):
    """The project that is to be."""

    name: Annotated[Short, StringConstraints(min_length=1)] = Field(
        description="What people call it."
    )
    id: Short = Field(default="", description="Its id; empty for one that is found for it.")
    playbooks: tuple[str, ...] = Field(
        default=(), strict=False, description="The playbooks that it may run; empty for all."
    )
    of: Short = Field(default="", description="What it belongs to, as the id of a customer.")
    of_kind: Short = Field(default="", description="The kind of that, as in customer.")
    bind: bool = Field(default=False, description="Whether this conversation is the project's.")


async def _run(args: ProjectAdd, ctx: ToolContext) -> dict[str, Any]:
    if not ctx.key or not ctx.by:
        raise ToolFailed("tool.project.unapproved")
    project = _project(args, ctx)
    _check(args, project, ctx)
    change = ProjectChange(
        what="added",
        project=project.id,
        conversation=ctx.place() if args.bind else "",
        by=ctx.by,
        via=ctx.conversation.partition(":")[0],
        at=project.at,
    )
    if await ctx.kept_projects.add(project, change) == "taken":
        raise ToolRefused("tool.project.taken", id=literal(project.id))
    return {"id": project.id, "name": args.name, "bound": args.bind}


async def _rehearse(args: ProjectAdd, ctx: ToolContext) -> None:
    """Refuse an id that is taken, or is none, before people are asked."""
    kept = await ctx.kept_projects.load()
    project = _project(args, ctx)
    _check(args, project, ctx)
    known = (*ctx.projects.projects.values(), *(kept.projects.values() if kept else ()))
    if args.id and any(each.handle == project.handle for each in known):
        raise ToolRefused("tool.project.taken", id=literal(project.id))


def _check(args: ProjectAdd, project: Project, ctx: ToolContext) -> None:
    if ctx.kept_projects is KEEPS_NONE:
        raise ToolFailed("tool.project.nowhere")
    if _ID.fullmatch(project.id) is None:
        raise ToolRefused("tool.project.no_id", id=literal(project.id))
    own = ctx.projects.projects.get(project.id)
    if own is not None and own.at is None:
        # The folder's, or one that a playbook or a setting names.
        raise ToolRefused("tool.project.taken", id=literal(project.id))
    if args.bind and not ctx.place():
        raise ToolRefused("tool.project.no_place")


def _project(args: ProjectAdd, ctx: ToolContext) -> Project:
    digest = sha256(ctx.key.encode()).hexdigest()[:12]
    return Project(
        id=args.id or f"p-{digest}",
        name=LocalizedText(args.name),
        playbooks=args.playbooks,
        of={args.of_kind or "of": args.of} if args.of else {},
        by=ctx.by,
        at=ctx.now,
        key=ctx.key,
        tenant=ctx.projects.tenant(ctx.conversation),
    )


def _tell(result: dict[str, Any], lang: Lang) -> str:
    key = "tool.project.bound" if result["bound"] else "tool.project.done"
    return say(key, lang, name=literal(result["name"]), id=literal(result["id"]))


PROJECT_ADD = Tool(
    name="project__add",
    description=(
        "Adds a project, with files, memory, findings and runs of its own; with `bind` the "
        "conversation belongs to it from then on. It needs the approval that a run holds; the same "
        "approval adds it once."
    ),
    arguments=ProjectAdd,
    readonly=False,
    run=_run,
    tell=_tell,
    rehearse=_rehearse,
    keyed=True,
)
