"""What operators read of how a message was understood and answered: `signoff traces`."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.operate import traces
from engine.tools.model import QUESTION_ROOM
from tests.bot.signoff_process import FILES, ended
from tests.conftest import PARTITIONS
from tests.fakes.model_server import ModelServer, Reply, call_tool, say
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start

MAIL, MOBILE = "lin.yue@example.org", "13812345678"
TOLD = f"P003 的 ECOG 是多少?回复 {MAIL} 或 {MOBILE}"
MONTH_MS = 30 * 24 * 3_600_000
QUESTION = "P003 和 P004 最近谁的体能状态更差?"
# Comes back twice as long, for each quotation mark is escaped.
LONG = "入组标准 排除标准 访视 退出 dose visit " + '"' * 1100
ANSWER = f"P003 更差,详情找 {MAIL}"


async def listed(service: Service, capsys: pytest.CaptureFixture[str]) -> str:
    """What `signoff traces` prints."""
    capsys.readouterr()
    assert await traces.list_traces(service.parts.settings) == 0
    return _told(capsys)


def _told(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, without the log."""
    lines = capsys.readouterr().out.splitlines()
    return "\n".join(line for line in lines if "[info" not in line)


async def one(service: Service, capsys: pytest.CaptureFixture[str], kind: str) -> dict[str, Any]:
    """The newest trace of that kind, whole."""
    lines = (await listed(service, capsys)).splitlines()
    name = next(line.split()[0] for line in lines if f"  {kind}  " in line)
    assert await traces.show_trace(service.parts.settings, name) == 0
    found: dict[str, Any] = json.loads(_told(capsys))
    assert found["kind"] == kind
    return found


def thinking(request: dict[str, Any]) -> Reply:
    """Looks something up that comes back at length, tries to write, and answers."""
    results = [m for m in request["messages"] if m["role"] == "tool"]
    if not results:
        return call_tool("search_protocol", {"query": LONG}, tokens=100)
    if len(results) == 1:
        return call_tool("record_visit", {"subject_id": "P003"}, tokens=200)
    return say(ANSWER, tokens=300)


async def test_a_message_leaves_how_it_was_routed_and_no_personal_data(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service = await start()
    assert await listed(service, capsys) == "no trace is kept"
    async with WebRoom(service.url) as room:
        await room.say("lin", TOLD)
        message = await room.wait_for(lambda m: bool(m["parts"]))
    url = str(service.parts.settings.redis_url)
    variables = {**FILES, "REDIS_URL": url, "SIGNOFF_PARTITIONS": str(PARTITIONS)}
    answer = await ended(tmp_path, "traces", **variables)
    assert answer.status == 0
    (line,) = answer.out.splitlines()
    assert "  routed  " in line
    kept = await one(service, capsys, "routed")
    assert next(v["strategy"] for v in kept["verdicts"]) == "command"
    assert all(set(v) == {"strategy", "sure", "why"} for v in kept["verdicts"])
    assert [v["sure"] for v in kept["verdicts"]][-1] is True
    assert kept["intents"][0]["kind"] == "qa_query"
    assert (kept["by"], kept["conversation"]) == ("lin", "web:local:main")
    assert kept["project"] == "SIGNOFF-101"
    for text in (line, json.dumps(kept)):
        assert MAIL not in text
        assert MOBILE not in text
        assert "***" in text
    assert not any(v["why"] in text_of(message) for v in kept["verdicts"])
    (key,) = await service.parts.store.client.keys("*:trace:*")
    assert 0 < await service.parts.store.client.pttl(key) <= MONTH_MS
    unknown = await ended(tmp_path, "traces", "0-nobody", **variables)
    assert (unknown.status, unknown.out) == (1, "")
    assert unknown.err.splitlines()[-1].startswith("0-nobody: no trace is kept under this name")
    folder = await ended(tmp_path, "traces", str(tmp_path), **variables)
    assert (folder.status, folder.err.count("is a folder, and no trace")) == (1, 1)


async def test_an_answer_leaves_its_thoughts_calls_and_costs_and_none_of_it_is_said(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ModelServer(thinking) as model:
        service = await start(
            openai_api_key=model.api_key, openai_base_url=model.base_url, llm_model="stub"
        )
        async with WebRoom(service.url) as room:
            await room.say("lin", QUESTION)
            message = await room.wait_for(lambda m: "P003 更差" in text_of(m["parts"]))
        assert model.faults == []
    kept = await one(service, capsys, "react")
    assert (kept["question"], kept["outcome"], kept["model"]) == (QUESTION, "answered", "stub")
    assert kept["tokens"] == 600
    assert kept["seconds"] > 0
    steps = kept["steps"]
    assert {step.get("iteration", 0) for step in steps} == {0, 1, 2}
    calls = [step for step in steps if step.get("action")]
    assert [call["action"] for call in calls] == ["search_protocol", "record_visit"]
    assert [call.get("ok", True) for call in calls] == [True, False]
    assert json.loads(calls[0]["arguments"]) == {"query": LONG}
    assert all(len(call["observation"]) < QUESTION_ROOM + 300 for call in calls)
    assert "Not shown, for it is too long: " in calls[0]["observation"]
    assert MAIL not in json.dumps(kept)
    for hidden in ("search_protocol", "Refused", "observation", "iteration"):
        assert hidden not in text_of(message)


async def test_with_no_days_to_keep_them_there_are_none(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    service = await start(trace_days=0)
    async with WebRoom(service.url) as room:
        await room.say("lin", TOLD)
        await room.wait_for(lambda m: bool(m["parts"]))
    assert await listed(service, capsys) == "no trace is kept"
    assert await service.parts.store.client.keys("*trace*") == []
