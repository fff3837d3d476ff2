from dataclasses import replace
from typing import Any

import pytest

from engine.errors import ToolFailed
from engine.ports.library import NO_LIBRARY
from engine.tools.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from engine.tools.model import ToolContext
from engine.tools.registry import call


async def found(query: str, ctx: ToolContext) -> dict[str, Any]:
    return await call(KNOWLEDGE_SEARCH, {"query": query}, ctx)


async def test_the_best_passage_is_quoted_with_its_place(ctx: ToolContext) -> None:
    result = await found("质疑要几天答复", ctx)
    best = result["matches"][0]
    assert (best["score"], best["section"]) == (1.0, "2.2 答复与关闭质疑")
    told = KNOWLEDGE_SEARCH.tell(result, "zh")
    assert told.startswith(
        "**《SIGNOFF-101 数据管理指南》，2.2 答复与关闭质疑：**\n\n> 研究中心须在七个"
    )
    assert "出处：documents/clinical\\_qc/data-management-guide.zh.md\\#2.2-答复与关闭质疑" in told


async def test_an_english_question_is_answered_in_english(ctx: ToolContext) -> None:
    told = KNOWLEDGE_SEARCH.tell(await found("When does a soft check fire?", ctx), "en")
    assert "1.2 Soft edit checks" in told
    assert "> A soft check warns" in told
    assert "Source: documents/" in told


async def test_what_no_document_answers_is_said_so(ctx: ToolContext) -> None:
    result = await found("how do I bake <bread>?", ctx)
    assert result["matches"] == []
    told = KNOWLEDGE_SEARCH.tell(result, "en")
    assert told == "Nothing in this project's documents answers “how do I bake \\<bread\\>?”."


async def test_documents_of_another_project_are_not_searched(ctx: ToolContext) -> None:
    assert (await found("质疑", replace(ctx, project="MATTER-7")))["matches"] == []


async def test_without_documents_it_says_so(ctx: ToolContext) -> None:
    with pytest.raises(ToolFailed, match="no documents to search"):
        await found("质疑", replace(ctx, library=NO_LIBRARY))
