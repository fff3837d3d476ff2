"""The tool that reads what a prompt had no room for."""

from dataclasses import replace
from typing import Any

import pytest

from engine.text.excerpts.excerpt import excerpt
from engine.tools.model import RUN_ROOM, ToolContext
from engine.tools.registry import call
from engine.tools.state.state_read import STATE_READ

DRAFT = "Clause one says this.\nClause two says that.\n" * 800
ROWS = [{"name": f"exhibit {n}", "proves": "the delivery " * 8} for n in range(300)]
KNOWN = {
    "profile": {"cause": "loan"},
    "decisions": {},
    "data": {"draft": DRAFT, "evidence": ROWS, "long": [{"text": DRAFT, "name": "x"}, {"n": 2}]},
}


@pytest.fixture
def run_ctx(ctx: ToolContext) -> ToolContext:
    return replace(ctx, room=RUN_ROOM, known=KNOWN)


async def read_whole(path: str, key: str, ctx: ToolContext) -> list[Any]:
    read: list[Any] = []
    start: int | None = 0
    while start is not None:
        result = await call(STATE_READ, {"path": path, "from": start}, ctx)
        assert not excerpt(result, RUN_ROOM).left_out
        read.append(result[key])
        start = result["next"]
    return read


async def test_a_long_text_and_a_long_list_are_read_to_their_ends(run_ctx: ToolContext) -> None:
    pages = await read_whole("data.draft", "text", run_ctx)
    assert "".join(pages) == DRAFT
    assert len(pages) > 3
    parts = await read_whole("data.evidence", "entries", run_ctx)
    assert [row for part in parts for row in part] == ROWS


async def test_an_entry_that_is_too_long_says_by_which_path_it_is_read(
    run_ctx: ToolContext,
) -> None:
    result = await call(STATE_READ, {"path": "data.long"}, run_ctx)
    assert (result["next"], result["total"]) == (1, 2)
    assert result["left_out"][0].startswith("data.long.0.text (only the first ")
    inside = await read_whole("data.long.0.text", "text", run_ctx)
    assert "".join(inside) == DRAFT
    last = await call(STATE_READ, {"path": "data.long", "from": 1}, run_ctx)
    assert (last["entries"], last["next"]) == ([{"n": 2}], None)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("", {"profile": "1 fields", "decisions": "0 fields", "data": "3 fields"}),
        ("profile", {"cause": "4 characters"}),
    ],
)
async def test_a_group_tells_its_fields(
    path: str, fields: dict[str, str], run_ctx: ToolContext
) -> None:
    assert (await call(STATE_READ, {"path": path}, run_ctx))["fields"] == fields


@pytest.mark.parametrize("path", ["data.nothing", "data.evidence.900", "data.evidence.-1", "a..b"])
async def test_what_is_not_there_is_told_with_what_is(path: str, run_ctx: ToolContext) -> None:
    result = await call(STATE_READ, {"path": path}, run_ctx)
    assert result["found"] is False
    assert list(result["fields"]) == ["profile", "decisions", "data"]
    assert STATE_READ.tell(result, "en")
