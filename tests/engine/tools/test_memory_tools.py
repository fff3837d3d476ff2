from dataclasses import replace

import pytest

from engine.errors import ToolFailed, ToolRetry
from engine.ports.library import NO_LIBRARY
from engine.tools.knowledge.memory_remember import MEMORY_REMEMBER
from engine.tools.knowledge.memory_search import MEMORY_SEARCH
from engine.tools.model import ToolContext
from engine.tools.registry import call, rehearse

TEXTS = ("周三下午联系协调员", "Site 2 sends lab reports by courier", "随访电话由李医生拨打")


async def remember(text: str, key: str, approved: ToolContext) -> bool:
    result = await call(MEMORY_REMEMBER, {"text": text}, replace(approved, key=key))
    return bool(result["written"])


async def test_what_was_remembered_is_found_again(ctx: ToolContext, approved: ToolContext) -> None:
    for number, text in enumerate(TEXTS):
        assert await remember(text, f"run{number}:remember:0", approved)
    result = await call(MEMORY_SEARCH, {"query": "随访电话谁来打"}, ctx)
    assert (result["matched"], result["total"]) == (True, 3)
    assert result["memos"][0]["text"] == TEXTS[2]
    assert "- 随访电话由李医生拨打（chen，20" in MEMORY_SEARCH.tell(result, "zh")
    english = await call(MEMORY_SEARCH, {"query": "lab report"}, ctx)
    assert [memo["text"] for memo in english["memos"]] == [TEXTS[1]]


async def test_with_nothing_that_matches_the_newest_are_told_as_such(
    ctx: ToolContext, approved: ToolContext
) -> None:
    assert MEMORY_SEARCH.tell(await call(MEMORY_SEARCH, {}, ctx), "en").startswith("Nothing has")
    for number, text in enumerate(TEXTS):
        await remember(text, f"run{number}:remember:0", approved)
    result = await call(MEMORY_SEARCH, {"query": "parking"}, ctx)
    assert [memo["text"] for memo in result["memos"]] == list(reversed(TEXTS))
    assert MEMORY_SEARCH.tell(result, "en").startswith("Nothing that was remembered matches")
    newest = MEMORY_SEARCH.tell(await call(MEMORY_SEARCH, {}, ctx), "en")
    assert newest.startswith("What was remembered for this project, newest first (3 shown, 3 in")


async def test_one_approval_remembers_once(ctx: ToolContext, approved: ToolContext) -> None:
    first = await call(MEMORY_REMEMBER, {"text": TEXTS[0]}, approved)
    again = await call(MEMORY_REMEMBER, {"text": TEXTS[0]}, approved)
    assert MEMORY_REMEMBER.tell(first, "zh") == f"已记住：{TEXTS[0]}"
    assert MEMORY_REMEMBER.tell(again, "en").startswith("Remembered before, not written again: ")
    assert (await call(MEMORY_SEARCH, {}, ctx))["total"] == 1


async def test_projects_do_not_share_what_they_remember(
    ctx: ToolContext, approved: ToolContext
) -> None:
    await remember(TEXTS[0], "run1:remember:0", approved)
    assert (await call(MEMORY_SEARCH, {}, replace(ctx, project="MATTER-7")))["total"] == 0


@pytest.mark.parametrize(("key", "by"), [("", "chen"), ("run1:remember:0", "")])
async def test_nothing_is_remembered_without_approval(
    key: str, by: str, ctx: ToolContext, approved: ToolContext
) -> None:
    with pytest.raises(ToolFailed, match="only by a run that was approved"):
        await call(MEMORY_REMEMBER, {"text": TEXTS[0]}, replace(approved, key=key, by=by))
    assert (await call(MEMORY_SEARCH, {}, ctx))["total"] == 0


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 1001])
async def test_nothing_and_too_much_are_not_remembered(text: str, approved: ToolContext) -> None:
    with pytest.raises(ToolRetry, match=r"^Wrong arguments text\. "):
        await call(MEMORY_REMEMBER, {"text": text}, approved)


async def test_rehearsal_writes_nothing_and_says_when_there_is_no_memory(
    ctx: ToolContext, approved: ToolContext
) -> None:
    await rehearse(MEMORY_REMEMBER, {"text": TEXTS[0]}, ctx)
    assert (await call(MEMORY_SEARCH, {}, ctx))["total"] == 0
    bare = replace(approved, library=NO_LIBRARY)
    for attempt in (call, rehearse):
        with pytest.raises(ToolFailed, match="no project memory"):
            await attempt(MEMORY_REMEMBER, {"text": TEXTS[0]}, bare)
    with pytest.raises(ToolFailed, match="no project memory"):
        await call(MEMORY_SEARCH, {}, bare)


async def test_remembered_text_cannot_bring_markup(ctx: ToolContext, approved: ToolContext) -> None:
    await remember("[tap](https://example.com)\n# **now**", "run1:remember:0", approved)
    told = MEMORY_SEARCH.tell(await call(MEMORY_SEARCH, {}, ctx), "en")
    assert "\\[tap\\](https://example.com) \\# \\*\\*now\\*\\*" in told
