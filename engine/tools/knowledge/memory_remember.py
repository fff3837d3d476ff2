"""Remember something for a project: a write, reachable only from a run."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.ports.library import Memory
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext

Remembered = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]


class MemoryRemember(Arguments):
    """What to remember."""

    text: Remembered = Field(description="One thing, told so that it stands by itself.")


async def _run(args: MemoryRemember, ctx: ToolContext) -> dict[str, Any]:
    memory = _memory(ctx)
    if not ctx.key or not ctx.by:
        raise ToolFailed("tool.remember.unapproved")
    outcome = await memory.remember(ctx.project, args.text, key=ctx.key, by=ctx.by)
    return {"written": outcome == "new", "text": args.text}


async def _rehearse(args: MemoryRemember, ctx: ToolContext) -> None:
    """Refuse when there is nothing to remember in, or it is away."""
    await _memory(ctx).memos(ctx.project)


def _memory(ctx: ToolContext) -> Memory:
    if ctx.library.memory is None:
        raise ToolFailed("memory.none")
    return ctx.library.memory


def _tell(result: dict[str, Any], lang: Lang) -> str:
    key = "tool.remember.done" if result["written"] else "tool.remember.again"
    return say(key, lang, text=literal(result["text"]))


MEMORY_REMEMBER = Tool(
    name="memory__remember",
    description=(
        "Remembers one thing for the conversation's project, for everyone in it to find again. It "
        "needs the approval that a run holds; the same approval remembers once."
    ),
    arguments=MemoryRemember,
    readonly=False,
    run=_run,
    tell=_tell,
    rehearse=_rehearse,
    keyed=True,
    of_project=True,
)
