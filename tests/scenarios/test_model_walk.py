"""With a model: it routes what the rules are unsure of, and answers with tools (spec 001 §5)."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from bot.settings import Settings
from tests.fakes.model_server import (
    API_KEY,
    ModelServer,
    Reply,
    call_tool,
    fail,
    say,
    say_json,
    slow,
)
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start, running
from tests.scenarios.test_web_walk import to_review

QUESTION = "P003 和 P004 最近谁的体能状态更差?"


def settings(server: ModelServer) -> dict[str, Any]:
    return {
        "openai_api_key": API_KEY,
        "openai_base_url": server.base_url,
        "llm_model": "stub-model",
    }


def scripted(request: dict[str, Any]) -> Reply:
    """Routes the question, looks both subjects up, and answers from what the tools said."""
    if "response_format" in request:
        return say_json(
            {"intents": [{"text": QUESTION, "kind": "qa_query", "playbook": "", "depends_on": []}]}
        )
    results = [m for m in request["messages"] if m["role"] == "tool"]
    if len(results) < 2:
        subject = ("P003", "P004")[len(results)]
        return call_tool("read_clinical_data", {"subject_id": subject, "field": "ecog"})
    assert "P003" in json.dumps(results[0])
    return say("**P003** 更差一些。")


async def test_a_question_that_no_look_up_fits_goes_through_the_tools(start: Start) -> None:
    async with ModelServer(scripted) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", QUESTION)
            message = await room.wait_for(
                lambda m: bool(m["parts"]) and m["parts"][0]["state"] == "answered"
            )
            assert "<strong>P003</strong> 更差一些" in message["parts"][0]["html"]
        assert model.faults == []
        offered = {t["function"]["name"] for r in model.requests for t in r.get("tools", ())}
        assert "record_visit" not in offered
        assert "read_clinical_data" in offered


async def test_a_model_that_is_away_leaves_look_ups_and_runs_working(start: Start) -> None:
    async with ModelServer(lambda request: fail(503)) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await to_review(room)
            await room.say("lin", "写一首关于大海的诗")
            message = await room.wait_for(lambda m: len(m["parts"]) == 1)
            assert message["parts"][0]["state"] in ("answered", "failed")


async def test_other_messages_and_runs_go_on_while_the_model_thinks(start: Start) -> None:
    """Lanes: the talk lane is busy, yet a run goes on and a command is answered at once."""
    answered = asyncio.Event()

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return scripted(request)
        return slow(answered, "慢慢想出来的答案")

    async with ModelServer(script) as model:
        service = await start(**settings(model), reply_after_s=0.2)
        async with WebRoom(service.url) as room:
            card = await to_review(room)
            await room.say("lin", QUESTION)
            await room.wait_for(lambda m: bool(m["parts"]) and m["parts"][0]["state"] == "working")
            await room.say("lin", "/runs")
            await room.wait_for(lambda m: bool(m["card"]) and m["card"]["kind"] == "run")
            await room.tap("chen", card, "approve")
            await room.card("phase_done")
            answered.set()
            await room.wait_for(lambda m: "慢慢想出来的答案" in text_of(m))


async def test_a_worker_that_is_told_to_stop_finishes_what_it_holds(
    start: Start, new_settings: Callable[..., Settings]
) -> None:
    answered = asyncio.Event()

    def script(request: dict[str, Any]) -> Reply:
        return scripted(request) if "response_format" in request else slow(answered, "最后的答案")

    async with ModelServer(script) as model:
        async with running(new_settings(**settings(model))) as service:
            async with WebRoom(service.url) as room:
                await room.say("lin", QUESTION)
                await room.wait_for(lambda m: bool(m["parts"]))
            # The model answers only after the stop.
            asyncio.get_running_loop().call_later(0.1, answered.set)
        later = await start()
        async with WebRoom(later.url) as room:
            await room.wait_for(lambda m: "最后的答案" in text_of(m))
        assert len([r for r in model.requests if "response_format" not in r]) == 1


async def test_the_questions_of_a_message_are_one_dialogue_that_sees_all_of_it(
    start: Start,
) -> None:
    """ "Has P001 the same?" means what the question before it says."""
    text = f"查一下 P003 的 ECOG。{QUESTION}P001 有这样的情况吗?"

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            pieces = [
                {"kind": "qa_query", "route": "", "text": said, "depends_on": []}
                for said in ("查一下 P003 的 ECOG", QUESTION, "P001 有这样的情况吗?")
            ]
            return say_json({"pieces": pieces})
        return say("[2]\nP004 更差。\n[3]\n没有。")

    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", text)
            message = await room.wait_for(
                lambda m: len(m["parts"]) == 3 and m["parts"][2]["state"] == "answered"
            )
        asked = [r for r in model.requests if "response_format" not in r]
    assert ["P004 更差" in p["html"] for p in message["parts"]] == [False, True, False]
    assert "没有" in message["parts"][2]["html"]
    (question,) = [request["messages"][-1]["content"] for request in asked]
    assert text in question
    assert "2. <data>P003 和 P004 最近谁的体能状态更差?</data>: yours" in question
    assert "answered: <data>" in question


@pytest.mark.parametrize(
    ("text", "said", "option"),
    [
        ("P003今天的访视", "就选第一个吧", "1"),
        ("record temperature 37.1 for P009", "not the second, the first one", "1"),
        ("record temperature 37.1 for P009", "not the first, the other one", "2"),
    ],
)
async def test_an_option_that_is_meant_in_words_is_named_and_left_to_the_button(
    start: Start, text: str, said: str, option: str
) -> None:
    def script(request: dict[str, Any]) -> Reply:
        given = json.loads(request["messages"][-1]["content"])
        piece = {"text": given["message"], "route": "", "condition": "", "depends_on": []}
        if given["message"] == text:
            return say_json({"pieces": [{**piece, "kind": "unclear", "card": None, "option": ""}]})
        assert ", 2 “" in given["context"], "the open card is told with its options"
        return say_json({"pieces": [{**piece, "kind": "card_reply", "card": 1, "option": option}]})

    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", text)
            card = await room.card("select")
            meant = next(b["label"] for b in card["buttons"] if b["data"].split(":")[2] == option)
            await room.say("lin", said)
            told = await room.wait_for(lambda m: m["card"] is None and meant in text_of(m["parts"]))
            assert told["parts"][0]["state"] == "needs_you"
            assert await room.card("select"), "a model decides nothing"
        assert model.faults == []
