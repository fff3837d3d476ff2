"""With a model: what hangs on its answers waits for them, over crashes too."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.wiring.service import open_parts
from tests.fakes.model_server import ModelServer, Reply, call_tool, fail, say, say_json, slow
from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start, runs_in
from tests.scenarios.test_did_you_mean import RECORD, VISIT, part_is
from tests.scenarios.test_failpoints import dying, settings_in, still, web_here
from tests.scenarios.test_model_walk import settings

ASK = "P003 和 P004 谁更严重?如果是 P003 就录入 P003 今天的访视"
ANSWER = "P003 更严重"
WORK = "如果大于 1 就录入今天的访视"


def routes(request: dict[str, Any]) -> bool:
    return "response_format" in request


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server
        assert server.faults == []


async def test_what_hangs_on_a_slow_answer_waits_and_is_asked_about_then(
    start: Start, model: ModelServer
) -> None:
    answered = asyncio.Event()
    asked, work = ASK.split("?")
    pieces = [
        {"kind": "qa_query", "route": "", "text": f"{asked}?", "depends_on": []},
        {
            "kind": "workflow",
            "route": "clinical_qc/visit-entry",
            "text": work,
            "condition": "如果是 P003",
            "depends_on": [0],
        },
    ]
    sorted_at_once = say_json({"pieces": pieces})
    model.script(lambda r: sorted_at_once if routes(r) else slow(answered, ANSWER))
    service = await start(**settings(model), reply_after_s=0.2)
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK)
        message = await room.wait_for(lambda m: len(m["parts"]) == 2)
        assert [p["state"] for p in message["parts"]] == ["working", "waiting"]
        assert message["card"] is None
        answered.set()
        card = await room.card("select")
        message = await room.wait_for(part_is("answered", ANSWER))
        assert message["parts"][1]["state"] == "needs_you"
        assert await runs_in(service, room) == 0
        await room.tap("lin", card, "1")
        form = await room.card("clarify")
        assert "P003" in [row["value"] for row in form["rows"]]
        assert await runs_in(service, room) == 1


async def test_what_hangs_on_an_answer_that_fails_is_left(start: Start, model: ModelServer) -> None:
    model.script(lambda request: fail(404))
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK)
        message = await room.wait_for(part_is("cancelled", "第 1 项没有完成"))
        assert message["parts"][0]["state"] == "failed"
        assert await runs_in(service, room) == 0


async def test_a_model_that_sees_no_condition_does_not_start_the_work(
    start: Start, model: ModelServer
) -> None:
    """The person's words say "if", whatever the model makes of them."""
    text = f"查一下 P003 的 ECOG,{WORK}。{RECORD}"
    pieces = [
        {"kind": "qa_query", "route": "", "text": "查一下 P003 的 ECOG", "depends_on": []},
        {"kind": "workflow", "route": "clinical_qc/visit-entry", "text": WORK, "depends_on": [0]},
        {"kind": "unclear", "route": "", "text": RECORD, "depends_on": []},
    ]
    model.script(lambda request: say_json({"pieces": pieces}))
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        await room.say("lin", text)
        message = await room.wait_for(lambda m: len(m["parts"]) == 3)
        assert any(routes(request) for request in model.requests)
        assert [p["state"] for p in message["parts"]] == ["answered", "needs_you", "needs_you"]
        assert await runs_in(service, room) == 0


async def test_without_an_answer_nothing_hangs_on_it(start: Start) -> None:
    service = await start()
    await service.parts.connections.close()
    async with WebRoom(service.url) as room:
        await room.say("lin", f"查一下 P003 的 ECOG,{WORK}")
        message = await room.wait_for(lambda m: len(m["parts"]) == 2)
        assert [p["state"] for p in message["parts"]] == ["failed", "cancelled"]
        assert "第 1 项没有完成" in message["parts"][1]["html"]
        assert message["card"] is None
        assert await runs_in(service, room) == 0
        await room.say("lin", "/runs")
        await room.wait_for(lambda m: "没有进行中的流程" in text_of(m))


@pytest.mark.parametrize("away", [True, False])
async def test_the_unsure_rest_gets_its_card_when_the_model_cannot_help(
    start: Start, model: ModelServer, away: bool
) -> None:
    model.script(lambda request: fail(503) if away else say("not JSON at all"))
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        await room.say("lin", f"查一下P003的ECOG。{VISIT}。")
        card = await room.card("select")
        (message,) = room.shown.values()
        assert [p["state"] for p in message["parts"]] == ["answered", "needs_you"]
        assert any(routes(request) for request in model.requests)
        await room.tap("lin", card, "1")
        await room.card("clarify")
        assert await runs_in(service, room) == 1


def writes(request: dict[str, Any]) -> Reply:
    """Tries to write, and answers when that is refused."""
    if any(m["role"] == "tool" for m in request["messages"]):
        return say("**P003** 更严重。")
    return call_tool("record_visit", {"subject_id": "P003", "ecog": 4})


@pytest.mark.parametrize("choice", ["1", "none"])
async def test_a_question_that_tries_to_write_leads_to_the_workflow(
    start: Start, model: ModelServer, choice: str
) -> None:
    model.script(writes)
    service = await start(**settings(model))
    data = service.parts.settings.data_dir
    before = visits_in(data, "P003")
    async with WebRoom(service.url) as room:
        await room.say("lin", "P003 和 P004 最近谁的体能状态更差?")
        card = await room.card("select")
        message = await room.wait_for(lambda m: bool(m["parts"]))
        assert "<strong>P003</strong> 更严重" in message["parts"][0]["html"]
        assert "Refused" in json.dumps(model.requests[-1]["messages"])
        assert [b["data"].split(":")[2] for b in card["buttons"]] == ["1", "more", "none"]
        assert await runs_in(service, room) == 0
        await room.tap("lin", card, choice)
        await room.card("select", closed=True)
        if choice == "1":
            await room.card("clarify")
        else:
            await room.wait_for(part_is("answered", "<strong>P003</strong> 更严重"))
        assert await runs_in(service, room) == (choice == "1")
    assert visits_in(data, "P003") == before


async def test_a_worker_that_dies_after_its_progress_loses_and_doubles_nothing(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, model: ModelServer
) -> None:
    model.script(lambda request: say(ANSWER))
    given = settings_in(tmp_path, redis_server, **settings(model))
    async with web_here(given), dying("worker", given, "after mailbox.commit") as ends:
        async with WebRoom(f"http://127.0.0.1:{given.port}") as room:
            await room.say("lin", ASK)
            card = await room.card("select")
            message = await room.wait_for(part_is("answered", ANSWER))
            assert message["parts"][1]["state"] == "needs_you"
            assert ends == [-signal.SIGKILL]
            await room.tap("lin", card, "1")
            await room.card("clarify")
            await still(given)
            assert len([m for m in room.shown.values() if m["parts"]]) == 1
            cards = [m["card"] for m in room.shown.values() if m["card"]]
            assert sorted(c["kind"] for c in cards) == ["clarify", "select"]
            assert ANSWER in text_of(message)
        async with open_parts(given) as parts:
            assert len(await parts.services.decisions.active_runs("web:local:main")) == 1


async def test_whether_a_condition_holds_is_looked_up_before_the_person_decides(
    start: Start, model: ModelServer
) -> None:
    text = "如果 P003 最近有过不良事件，就录入 P003 今天的访视"
    work = {"kind": "workflow", "route": "clinical_qc/visit-entry", "text": text}
    condition = {"condition": "如果 P003 最近有过不良事件", "depends_on": []}
    found = "没有，P003 最近一次访视无不良事件"
    model.script(lambda r: say_json({"pieces": [work | condition]}) if routes(r) else say(found))
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        await room.say("lin", text)
        card = await room.card("select")
        message = await room.wait_for(part_is("answered", found))
        assert [part["state"] for part in message["parts"]] == ["answered", "needs_you"]
        assert await runs_in(service, room) == 0
        await room.tap("lin", card, "1")
        await room.card("clarify")
        assert await runs_in(service, room) == 1


async def test_questions_that_lean_on_each_other_are_one_dialogue(
    start: Start, model: ModelServer
) -> None:
    parts = ["P001 和 P002 谁的血压更高？", "高的那个最近有没有不良事件？"]
    pieces = [
        {"kind": "qa_query", "route": "", "text": part, "depends_on": [*range(n)]}
        for n, part in enumerate(parts)
    ]
    both = say("[1]\nP002 更高\n[2]\nP002 有一次疲乏")
    model.script(lambda r: say_json({"pieces": pieces}) if routes(r) else both)
    service = await start(**settings(model))
    async with WebRoom(service.url) as room:
        await room.say("lin", "".join(parts))
        message = await room.wait_for(part_is("answered", "P002 有一次疲乏"))
    assert [part["state"] for part in message["parts"]] == ["answered", "answered"]
    assert sum(not routes(request) for request in model.requests) == 1
