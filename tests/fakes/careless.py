"""A tool that writes and does not honour its key: each call is another note."""

import secrets
from typing import Any

from cards.markdown import literal
from cards.model import Lang
from engine.errors import ToolFailed
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext


class PostNote(Arguments):
    """What the note says."""

    text: str


async def _run(args: PostNote, ctx: ToolContext) -> dict[str, Any]:
    if ctx.library.memory is None or not ctx.by:
        raise ToolFailed("memory.none")
    # The key is not the run's: whoever calls twice has two notes.
    await ctx.library.memory.remember(ctx.project, args.text, key=secrets.token_hex(8), by=ctx.by)
    return {"text": args.text}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    return literal(result["text"])


POST_NOTE = Tool(
    name="post_note",
    description="Posts a note about the project where everybody reads it.",
    arguments=PostNote,
    readonly=False,
    run=_run,
    tell=_tell,
)
