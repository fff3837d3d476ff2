"""Search the documents of a project's playbooks."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.tools.arguments import Arguments, Query
from engine.tools.model import Tool, ToolContext

MATCHES = 3
CLOSE_SECOND = 0.8
"""A second passage is shown when it scores at least this share of the best."""

QUOTED_CHARS = 900
ECHO_CHARS = 80


class KnowledgeSearch(Arguments):
    """What to look for."""

    query: Query = Field(description="The question or key words, zh or en.")


async def _run(args: KnowledgeSearch, ctx: ToolContext) -> dict[str, Any]:
    if ctx.library.knowledge is None:
        raise ToolFailed("knowledge.none")
    quotes = await ctx.library.knowledge.search(ctx.project, args.query, limit=MATCHES)
    return {
        "query": args.query.strip(),
        "matches": [
            quote.model_dump(mode="json") | {"text": shorten(quote.text, QUOTED_CHARS)}
            for quote in quotes
        ],
    }


def _tell(result: dict[str, Any], lang: Lang) -> str:
    matches = result["matches"]
    if not matches:
        query = literal(shorten(result["query"], ECHO_CHARS))
        return say("tool.knowledge.nothing", lang, query=query)
    best = matches[0]["score"]
    shown = [match for match in matches[:2] if match["score"] >= best * CLOSE_SECOND]
    return "\n\n".join(_tell_match(match, lang) for match in shown)


def _tell_match(match: Mapping[str, Any], lang: Lang) -> str:
    title, section = literal(match["title"]), literal(match["section"])
    key = "tool.knowledge.section" if section else "tool.knowledge.document"
    head = say(key, lang, title=title, section=section)
    source = say("tool.knowledge.source", lang, link=literal(match["link"] or match["document"]))
    return f"**{head}**\n\n> {literal(match['text'])}\n\n{source}"


KNOWLEDGE_SEARCH = Tool(
    name="knowledge__search",
    description=(
        "Searches the documents that belong to the conversation's project, such as guides and "
        "house rules, not the study protocol and not the records. `matches` holds the passages "
        "that answer best first, word for word, each with its document, section, link and a score "
        "(the best is 1); empty when nothing answers. What is not in them is not known."
    ),
    arguments=KnowledgeSearch,
    readonly=True,
    run=_run,
    tell=_tell,
    examples=(
        "数据管理指南里怎么说",
        "硬性逻辑核查有哪些",
        "软性核查什么时候触发",
        "怎样修改逻辑核查",
        "质疑应该怎么写",
        "质疑超过几天要上报",
        "什么算重大偏离",
        "一致性核对多久做一次",
        "核对发现差异怎么处理",
        "锁库需要满足哪些条件",
        "立案材料包括哪些",
        "诉讼费怎么计算",
        "怎么申请延期",
        "财产保全申请书要写什么",
        "截图可以单独作为证据吗",
        "What does the data management guide say?",
        "What is a hard edit check?",
        "When does a soft check fire?",
        "How is an edit check changed?",
        "How is a query closed?",
        "What counts as a major deviation?",
        "How often is the reconciliation done?",
        "What must be true before the database lock?",
        "What goes into a filing package?",
        "How is the court fee worked out?",
        "How do we ask for an extension?",
        "What does a request for preservation name?",
        "Is a screenshot enough as evidence?",
    ),
    cues={
        "数据管理指南": {},
        "data management guide": {},
        "逻辑核查": {},
        "edit check": {},
        "一致性核对": {},
        "reconciliation": {},
        "锁库": {},
        "database lock": {},
        "诉讼费": {},
        "court fee": {},
        "财产保全": {},
        "证据保全": {},
        "preservation of": {},
    },
)
