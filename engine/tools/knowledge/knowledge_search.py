"""Search the documents of the playbooks that a project may run."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import unquote

from pydantic import Field, StringConstraints

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.ports.library import Quote
from engine.tools.arguments import Arguments, Query
from engine.tools.model import Tool, ToolContext

MATCHES = 3
CLOSE_SECOND = 0.8
"""A second passage is shown when it scores at least this share of the best."""

QUOTED_CHARS = 900
ECHO_CHARS = 80


Name = Annotated[str, StringConstraints(max_length=300)]


class KnowledgeSearch(Arguments):
    """What to look for, or which section to read."""

    query: Query = Field(
        default="", description="The question or key words, in the person's language."
    )
    document: Name = Field(default="", description="A document, as `matches` names it.")
    section: Name = Field(default="", description="The section of that document to read whole.")


async def _run(args: KnowledgeSearch, ctx: ToolContext) -> dict[str, Any]:
    if ctx.library.knowledge is None:
        raise ToolFailed("knowledge.none")
    if args.document:
        found = await read_section(args.document, args.section, ctx)
        return {"query": args.query.strip(), "matches": [found] if found else []}
    quotes = await ctx.library.knowledge.search(ctx.serves, args.query, limit=MATCHES)
    return {"query": args.query.strip(), "matches": [_as_data(quote) for quote in quotes]}


async def read_section(document: str, heading: str, ctx: ToolContext) -> dict[str, Any] | None:
    """The section of a document of the project; None when it is not there. Raises ToolFailed."""
    if ctx.library.knowledge is None:
        raise ToolFailed("knowledge.none")
    quote = await ctx.library.knowledge.section(ctx.serves, document, heading)
    return _as_data(quote) if quote else None


def _as_data(quote: Quote) -> dict[str, Any]:
    return quote.model_dump(mode="json") | {"text": shorten(quote.text, QUOTED_CHARS)}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    matches = result["matches"]
    if not matches:
        query = literal(shorten(result["query"], ECHO_CHARS))
        return say("tool.knowledge.nothing", lang, query=query)
    best = matches[0]["score"]
    shown = [match for match in matches[:2] if match["score"] >= best * CLOSE_SECOND]
    return "\n\n".join(tell_quote(match, lang) for match in shown)


def tell_quote(match: Mapping[str, Any], lang: Lang) -> str:
    """A passage with its place, as Markdown."""
    title, section = literal(match["title"]), literal(match["section"])
    key = "tool.knowledge.section" if section else "tool.knowledge.document"
    head = say(key, lang, title=title, section=section)
    link = match["link"] or match["document"]
    # What is no address is read by people only.
    place = link if "://" in link else unquote(link)
    source = say("tool.knowledge.source", lang, link=literal(place))
    return f"**{head}**\n\n> {literal(match['text'])}\n\n{source}"


KNOWLEDGE_SEARCH = Tool(
    name="knowledge__search",
    description=(
        "Searches the documents that belong to the conversation's project, such as guides and "
        "house rules, not its records. `matches` holds the passages that answer best first, word "
        "for word, each with its document, section, link and a score (the best is 1); empty when "
        "nothing answers. What is not in them is not known. With a `document` and `section` of a "
        "match, that section is read whole."
    ),
    arguments=KnowledgeSearch,
    readonly=True,
    run=_run,
    tell=_tell,
    examples=(
        "文档里怎么说",
        "文档里有哪些规定",
        "查一下文档",
        "在文档里搜索",
        "搜索项目文档",
        "指南里怎么说",
        "规定里是怎么写的",
        "手册里有没有说明",
        "资料里怎么写的",
        "有没有相关的规定",
        "What do the documents say?",
        "What does the guide say?",
        "What do the house rules say?",
        "Search the documents",
        "Look it up in the documents",
        "Find it in the guide",
        "Is there a rule for it?",
        "What is written in the manual?",
        "Which section is about that?",
        "Does any document mention it?",
    ),
    cues={
        "文档里": {},
        "搜索文档": {},
        "查文档": {},
        "search the documents": {},
        "in the documents": {},
        "documents say": {},
    },
)
