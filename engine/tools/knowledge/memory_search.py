"""Search what a project remembered."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.tools.arguments import Arguments, Query
from engine.tools.knowledge.ranking import rank, tokens
from engine.tools.model import Tool, ToolContext

MATCHES = 5
ECHO_CHARS = 80


class MemorySearch(Arguments):
    """What to look for."""

    query: Query = Field(default="", description="Key words, zh or en; empty for the newest.")


async def _run(args: MemorySearch, ctx: ToolContext) -> dict[str, Any]:
    if ctx.library.memory is None:
        raise ToolFailed("memory.none")
    memos = await ctx.library.memory.memos(ctx.project)
    texts = {f"{number:09d}": Counter(tokens(memo.text)) for number, memo in enumerate(memos)}
    matching = [int(name) for name, _ in rank(args.query, texts)]
    listed = matching or range(len(memos))
    return {
        "query": args.query.strip(),
        "matched": bool(matching),
        "memos": [
            memos[number].model_dump(mode="json", exclude={"id"}) for number in listed[:MATCHES]
        ],
        "total": len(memos),
    }


def _tell(result: dict[str, Any], lang: Lang) -> str:
    if not result["memos"]:
        return say("tool.memory.empty", lang)
    lines = "\n".join(_tell_memo(memo, lang) for memo in result["memos"])
    return f"{_head(result, lang)}\n\n{lines}"


def _head(result: dict[str, Any], lang: Lang) -> str:
    count, total = len(result["memos"]), result["total"]
    if result["matched"]:
        return say("tool.memory.found", lang, n=count, total=total)
    if not result["query"]:
        return say("tool.memory.newest", lang, n=count, total=total)
    query = literal(shorten(result["query"], ECHO_CHARS))
    return say("tool.memory.nothing_but", lang, query=query, n=count, total=total)


def _tell_memo(memo: Mapping[str, Any], lang: Lang) -> str:
    day, by, text = memo["at"][:10], literal(memo["by"]), literal(memo["text"])
    return "- " + say("tool.memory.memo", lang, text=text, by=by, day=day)


MEMORY_SEARCH = Tool(
    name="memory__search",
    description=(
        "Looks through what was remembered for the conversation's project by approved runs: "
        "agreements, preferences, lessons. `matched` is true when `memos` answer the query, best "
        "first; else they are just the newest. Each has its text, who approved it and when; "
        "`total` counts all there are."
    ),
    arguments=MemorySearch,
    readonly=True,
    run=_run,
    tell=_tell,
    examples=(
        "你记住了什么",
        "这个项目记住了哪些事情",
        "之前约定过什么",
        "我们之前记下的约定有哪些",
        "项目记忆里有什么",
        "有没有记住联系人的偏好",
        "查一下项目记忆",
        "之前总结过哪些经验教训",
        "最近记住的几条是什么",
        "关于供应商你还记得什么",
        "What do you remember?",
        "What was remembered for this project?",
        "What did we agree on earlier?",
        "Show the project memory",
        "What is in the project memory?",
        "Which lessons were remembered?",
        "Do you remember any preferences of the customer?",
        "What are the newest memos?",
        "List what you remember",
        "Is anything remembered about the supplier?",
    ),
    cues={
        "记住了": {},
        "项目记忆": {},
        "还记得什么": {},
        "do you remember": {},
        "was remembered": {},
        "project memory": {},
    },
)
