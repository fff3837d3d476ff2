"""Whom a tool is for, and how long it may take."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from cards.model import Principal
from engine.errors import ToolFailed
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import TOOLS, call, may_read, rehearse
from tests.fakes.study import Study

VISIT = {
    "subject_id": "P003",
    "visit_date": "2026-11-21",
    "ecog": 1,
    "weight_kg": 61,
    "systolic": 120,
    "diastolic": 77,
}


async def _done(args: Arguments, ctx: ToolContext) -> dict[str, Any]:
    return {"done": True}


async def _endless(args: Arguments, ctx: ToolContext) -> Any:
    await asyncio.Event().wait()


def made(**given: Any) -> Tool[Any]:
    plain: dict[str, Any] = {"readonly": True, "run": _done, "tell": lambda result, lang: ""}
    return Tool(name="made", description="For tests.", arguments=Arguments, **plain | given)


@pytest.mark.parametrize(
    ("readonly", "told"),
    [(True, "was stopped.$"), (False, "the write may have happened")],
)
async def test_a_call_that_takes_too_long_fails_and_a_write_is_not_said_to_be_undone(
    readonly: bool, told: str, ctx: ToolContext
) -> None:
    slow = made(run=_endless, readonly=readonly, timeout_s=0.01)
    with pytest.raises(ToolFailed, match=f"^made gave no result within 0.01 seconds.*{told}"):
        await call(slow, {}, ctx)


async def test_a_rehearsal_that_takes_too_long_has_written_nothing(ctx: ToolContext) -> None:
    slow = made(rehearse=_endless, readonly=False, timeout_s=0.01)
    with pytest.raises(ToolFailed, match="was stopped"):
        await rehearse(slow, {}, ctx)


async def test_a_role_is_needed_where_a_tool_names_some(ctx: ToolContext) -> None:
    closed = made(roles=("monitor", "reviewer"))
    wu = Principal(id="wu", name="Wu Jing", roles=("crc", "reviewer"))
    assert await call(closed, {}, replace(ctx, person=wu)) == {"done": True}
    assert may_read(closed, replace(ctx, person=wu))
    for person in (ctx.person, None):
        other = replace(ctx, person=person)
        assert not may_read(closed, other)
        for attempt in (call, rehearse):
            with pytest.raises(ToolFailed, match="one of these roles: monitor, reviewer"):
                await attempt(closed, {}, other)


async def test_study_data_is_only_for_conversations_of_its_project(
    ctx: ToolContext, records: Study
) -> None:
    other = replace(ctx, project="MATTER-7", key="run1:record", by="chen")
    for known in records.tools:
        assert not may_read(known, other)
        assert may_read(known, ctx)
        assert may_read(known, replace(ctx, project=""))
    before = records.visits_of("P003")
    for attempt in (call, rehearse):
        with pytest.raises(ToolFailed, match="project MATTER-7 and has no access") as caught:
            await attempt(records.tool("record_visit"), VISIT, other)
        assert "SIGNOFF-101" in caught.value.text("zh")
    assert records.visits_of("P003") == before


async def test_the_services_own_tools_are_for_every_project(ctx: ToolContext) -> None:
    bare = replace(ctx, key="run1", by="chen")
    given = {"query": "x", "text": "P003", "name": "a.txt"}
    for known in TOOLS:
        if known.name == "project__add":
            with pytest.raises(ToolFailed, match="no place here"):
                await call(known, {"name": "x"}, bare)
            continue
        takes = set(known.arguments.model_fields)
        await call(known, {n: v for n, v in given.items() if n in takes}, bare)
