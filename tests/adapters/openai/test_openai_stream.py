"""Streams: handed over as they come, and in the end the same answer as without."""

import asyncio
from typing import Any

import pytest

from adapters.openai import TimeLimits
from engine.errors import AnswerBroken, BadModelOutput, ModelRefused
from engine.ports.model import Message, ToolOffer
from tests.adapters.openai.conftest import Clock, Connect, Observed
from tests.fakes.model_server import (
    Reply,
    broken,
    call_tools,
    cut,
    fail,
    garble,
    refuse,
    say,
    slow,
)
from tests.fakes.model_stream import error_event

ASK = (Message(role="user", content="你好"),)
OFFER = ToolOffer(name="look", description="Looks.", parameters={"type": "object"})
TEXT = "P003 的体能状态更差一些。"
CALLS = call_tools(("look", {"a": "体能"}), ("look", {}), ("look", "{bad"))


@pytest.mark.parametrize(
    "reply",
    [
        say(TEXT),
        say(TEXT, cut=True, tokens=42),
        say(""),
        CALLS,
        Reply(text=TEXT, calls=CALLS.calls, finish="tool_calls"),
        Reply(text=TEXT, usage=False),
    ],
)
async def test_a_stream_ends_as_the_same_completion(reply: Reply, connect: Connect) -> None:
    price = {"prices": {"first": (1.0, 2.0)}}
    server, model = await connect(reply, **price)
    heard: list[str] = []
    streamed = await model.complete(ASK, tools=(OFFER,), heard=heard.append)
    other, whole = await connect(reply, **price)
    assert streamed == await whole.complete(ASK, tools=(OFFER,))
    assert "".join(heard) == (reply.text or "")
    assert (server.faults, other.faults) == ([], [])
    assert server.requests == other.requests


async def test_text_is_handed_over_piece_by_piece(connect: Connect) -> None:
    _, model = await connect(say(TEXT))
    heard: list[str] = []
    await model.complete(ASK, heard=heard.append)
    assert len(heard) == len(TEXT) / 3
    assert "" not in heard


@pytest.mark.parametrize("split", [1, 2, 7])
async def test_events_may_be_cut_anywhere_on_their_way(split: int, connect: Connect) -> None:
    reply = Reply(text=TEXT, calls=CALLS.calls, finish="tool_calls", split=split)
    _, model = await connect(reply)
    answer = await model.complete(ASK, tools=(OFFER,), heard=lambda text: None)
    assert answer.text == TEXT
    assert [call.arguments for call in answer.tool_calls] == [
        '{"a": "\\u4f53\\u80fd"}',
        "{}",
        "{bad",
    ]


async def test_calls_without_an_index_are_told_apart_by_their_ids(connect: Connect) -> None:
    _, model = await connect(Reply(calls=CALLS.calls, finish="tool_calls", indexed=False))
    answer = await model.complete(ASK, tools=(OFFER,), heard=lambda text: None)
    assert [call.id for call in answer.tool_calls] == ["call_1", "call_2", "call_3"]
    assert [call.arguments for call in answer.tool_calls][1:] == ["{}", "{bad"]


async def test_a_slow_first_token_is_waited_for(connect: Connect) -> None:
    release = asyncio.Event()
    server, model = await connect(slow(release, "At last."))
    heard: list[str] = []
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(model.complete(ASK, heard=heard.append))
        await server.is_asked()
        assert heard == []
        release.set()
    assert (answer.result().text, "".join(heard)) == ("At last.", "At last.")


async def test_a_first_token_that_never_comes_gives_way_to_the_next_model(
    connect: Connect,
) -> None:
    server, model = await connect(fallbacks=("second",), limits=TimeLimits(total_s=2))
    never = asyncio.Event()
    server.script(lambda r: slow(never) if r["model"] == "first" else say("Hi"))
    assert (await model.complete(ASK, heard=lambda text: None)).text == "Hi"


async def test_a_stream_that_breaks_before_any_text_is_asked_again(
    connect: Connect, clock: Clock
) -> None:
    server, model = await connect(cut(say(TEXT), after=1), cut(CALLS, after=4), say(TEXT))
    heard: list[str] = []
    assert (await model.complete(ASK, tools=(OFFER,), heard=heard.append)).text == TEXT
    assert "".join(heard) == TEXT
    assert (len(server.requests), len(clock.pauses)) == (3, 2)


async def test_a_stream_that_breaks_after_text_is_an_error_and_not_asked_again(
    connect: Connect,
) -> None:
    server, model = await connect(cut(say(TEXT), after=3), say(TEXT), fallbacks=("second",))
    heard: list[str] = []
    with pytest.raises(AnswerBroken, match=r"first: .* broke off after 6 letters"):
        await model.complete(ASK, heard=heard.append)
    assert "".join(heard) == TEXT[:6]
    assert len(server.requests) == 1


async def test_a_stream_that_ends_without_its_end_is_broken(connect: Connect) -> None:
    server, model = await connect(broken(say(TEXT), b"", after=1), say(TEXT))
    assert (await model.complete(ASK, heard=lambda text: None)).text == TEXT
    assert len(server.requests) == 2


async def test_an_error_in_the_middle_is_an_error(connect: Connect, observed: Observed) -> None:
    _, model = await connect(broken(say(TEXT), error_event("overloaded"), after=1), say(TEXT))
    assert (await model.complete(ASK, heard=lambda text: None)).text == TEXT
    assert observed.outcomes() == ["failed", "ok"]


@pytest.mark.parametrize("event", [b"data: {oops\n\n", b"data: [1]\n\n", b"data: \xff\n\n"])
async def test_an_event_that_is_no_completion_is_bad_output(event: bytes, connect: Connect) -> None:
    _, model = await connect(broken(say(TEXT), event, after=1))
    with pytest.raises(BadModelOutput):
        await model.complete(ASK, heard=lambda text: None)


@pytest.mark.parametrize("reply", [refuse(), Reply(text="I ", finish="content_filter")])
async def test_a_streamed_refusal_is_a_refusal(reply: Reply, connect: Connect) -> None:
    _, model = await connect(reply)
    with pytest.raises(ModelRefused):
        await model.complete(ASK, heard=lambda text: None)


@pytest.mark.parametrize("served", [{"streams": False}, {"streams": None}])
async def test_a_server_that_does_not_stream_hands_its_text_over_at_once(
    served: dict[str, Any], connect: Connect
) -> None:
    server, model = await connect(served=served)
    server.script(lambda request: say(TEXT))
    heard: list[str] = []
    for _ in range(2):
        assert (await model.complete(ASK, heard=heard.append)).text == TEXT
    assert heard == [TEXT, TEXT]
    # What was found out is kept.
    assert "stream" not in server.requests[-1]
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 422])
async def test_a_server_that_knows_no_stream_options_is_asked_without(
    status: int, connect: Connect
) -> None:
    server, model = await connect(say(TEXT), say(TEXT), served={"stream_options": status})
    for _ in range(2):
        answer = await model.complete(ASK, heard=lambda text: None)
        assert (answer.text, answer.tokens) == (TEXT, 0)
    assert ["stream_options" in request for request in server.requests] == [False, False]
    assert server.faults == []


async def test_what_is_neither_stream_nor_completion_is_bad_output(connect: Connect) -> None:
    _, model = await connect(garble("<html>"), garble("<html>"))
    with pytest.raises(BadModelOutput):
        await model.complete(ASK, heard=lambda text: None)


async def test_an_error_of_who_listens_comes_back_and_harms_nothing(connect: Connect) -> None:
    def listen(text: str) -> None:
        raise ValueError("not today")

    _, model = await connect(say(TEXT), say(TEXT), concurrency=1)
    with pytest.raises(ValueError, match="not today"):
        await model.complete(ASK, heard=listen)
    assert (await model.complete(ASK)).text == TEXT


async def test_a_failure_before_the_stream_is_tried_again(connect: Connect) -> None:
    _, model = await connect(fail(503), say(TEXT))
    assert (await model.complete(ASK, heard=lambda text: None)).text == TEXT
