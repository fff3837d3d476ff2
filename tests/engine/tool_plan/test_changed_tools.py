"""What a write's system takes has changed since its approval: people are asked anew."""

import json
from dataclasses import replace
from typing import Any

from engine.errors import ToolFailed
from engine.runs.replay import replay, trace_of
from engine.toolbox.toolbox import Toolbox
from engine.tools import registry
from tests.engine.tool_plan.test_planned_runs import NOTE, READ, REPLY, memos, walk
from tests.fakes.walk import CHEN, Walk


class Server:
    """A system that takes now what it says; None while it is away."""

    def __init__(self) -> None:
        self.takes: str | None = "one"
        self.asked = 0

    async def pin(self) -> str:
        self.asked += 1
        if self.takes is None:
            raise ToolFailed("connection.away", name="server")
        return self.takes


def over(server: Server) -> Walk:
    """A planned run whose write is one of a system outside."""
    found: Walk = walk([READ, NOTE, REPLY])
    tools: list[Any] = [
        replace(tool, pin=server.pin) if tool.name == "memory__remember" else tool
        for tool in (*found.records.tools, *registry.TOOLS)
    ]
    found.toolbox = Toolbox(own=tools)
    return found


async def test_a_write_is_made_where_nothing_has_changed() -> None:
    server = Server()
    found = await over(server).start()
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]
    assert server.asked == 2


async def test_what_has_changed_is_asked_about_once_more() -> None:
    server = Server()
    found = await over(server).start()
    server.takes = "another"
    await found.answer("approve", by=CHEN)
    assert memos(found) == []
    assert "has changed; nothing was written" in found.card.text
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]
    assert found.run.status == "completed"
    entries = [json.dumps(entry, ensure_ascii=False) for entry in found.log]
    services = replace(found.services(), model=None)
    asked = server.asked
    again = await replay(trace_of(found.run, entries), found.playbook, services)
    assert (again.difference, server.asked) == (None, asked), "nobody is asked by a replay"


async def test_who_rejects_it_then_has_nothing_written() -> None:
    server = Server()
    found = await over(server).start()
    server.takes = "another"
    await found.answer("approve", by=CHEN)
    await found.answer("reject", {"reason": "not so"}, by=CHEN)
    assert memos(found) == []
    assert found.run.status == "failed"


async def test_what_could_not_be_asked_for_then_is_asked_about_again() -> None:
    server = Server()
    server.takes = None
    found = await over(server).start()
    server.takes = "one"
    await found.answer("approve", by=CHEN)
    assert memos(found) == []
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]


async def test_a_system_that_is_away_at_the_write_is_a_failed_step() -> None:
    server = Server()
    found = await over(server).start()
    server.takes = None
    await found.answer("approve", by=CHEN)
    assert memos(found) == []
    assert "cannot be reached" in str(found.run.frames)
