"""How long a model may be silent, how much it may write, and what settings ask of it."""

import asyncio
from typing import Any

import pytest

from adapters.openai import RequestFields, TimeLimits
from engine.errors import AnswerBroken, ModelError, ModelUnavailable
from engine.ports.model import Message
from tests.adapters.openai.conftest import Connect, Observed
from tests.fakes.model_server import Reply, call_tool, held, say, slow, think

ASK = (Message(role="user", content="你好"),)
TEXT = "P003 的体能状态更差一些。"


def cut_off(text: str, *, tokens: int) -> Reply:
    return say(text, cut=True, tokens=tokens)


async def test_a_stream_that_goes_on_is_heard_to_its_end(connect: Connect) -> None:
    """It takes longer altogether than the model may be silent."""
    stops = [(letters, asyncio.Event()) for letters in (3, 6, 9)]
    limits = TimeLimits(first_token_s=1.5, between_tokens_s=1.5)
    _, model = await connect(held(say(TEXT), *stops), limits=limits)
    for number, (_, go_on) in enumerate(stops):
        asyncio.get_running_loop().call_later(0.7 * (number + 1), go_on.set)
    assert (await model.complete(ASK)).text == TEXT


@pytest.mark.parametrize("listens", [True, False])
async def test_a_model_that_falls_silent_is_given_up(listens: bool, connect: Connect) -> None:
    limits = TimeLimits(first_token_s=60, between_tokens_s=0.3)
    server, model = await connect(fallbacks=("second",), limits=limits)
    stopped = held(say(TEXT), (3, asyncio.Event()))
    server.script(lambda r: stopped if r["model"] == "first" else say("Hi"))
    if listens:
        with pytest.raises(AnswerBroken, match=r"no further token within 0.3 s"):
            await model.complete(ASK, heard=lambda text: None)
    else:
        assert (await model.complete(ASK)).text == "Hi"


async def test_a_model_that_begins_nothing_is_given_up(
    connect: Connect, observed: Observed
) -> None:
    limits = TimeLimits(first_token_s=0.3, between_tokens_s=60)
    _, model = await connect(slow(asyncio.Event()), limits=limits)
    with pytest.raises(ModelUnavailable, match=r"no token within 0.3 s"):
        await model.complete(ASK)
    assert observed.outcomes() == ["timeout"]


async def test_a_limit_of_the_whole_ends_a_stream_that_goes_on(connect: Connect) -> None:
    limits = TimeLimits(first_token_s=60, between_tokens_s=60, total_s=0.4)
    _, model = await connect(held(say(TEXT), (3, asyncio.Event())), limits=limits)
    with pytest.raises(ModelUnavailable, match=r"no whole answer within 0.4 s"):
        await model.complete(ASK)


async def test_thoughts_in_a_field_of_their_own_are_a_sign_of_life_and_shown_to_nobody(
    connect: Connect,
) -> None:
    go_on, heard = asyncio.Event(), list[str]()
    limits = TimeLimits(first_token_s=1.5, between_tokens_s=60)
    # The thoughts have come when it stops; the answer comes after the limit of the first token.
    _, model = await connect(held(think("SECRET " * 4, say(TEXT)), (30, go_on)), limits=limits)
    asyncio.get_running_loop().call_later(2, go_on.set)
    answer = await model.complete(ASK, heard=heard.append)
    assert (answer.text, "".join(heard)) == (TEXT, TEXT)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>SECRET</think>{TEXT}",
        f"{TEXT[:5]}<thinking>SECRET</thinking>{TEXT[5:]}",
        f"{TEXT}<reasoning>SECRET",
    ],
)
@pytest.mark.parametrize("streams", [True, False])
async def test_thoughts_in_tags_are_no_part_of_the_answer(
    text: str, streams: bool, connect: Connect
) -> None:
    heard: list[str] = []
    server, model = await connect(say(text), streams=streams)
    assert (await model.complete(ASK, heard=heard.append)).text == TEXT
    assert "".join(heard) == TEXT
    assert ("stream" in server.requests[0]) == streams


async def test_who_hears_a_thought_without_a_beginning_is_told_where_it_ends(
    connect: Connect,
) -> None:
    heard: list[str] = []
    _, model = await connect(say(f"Hm, well.</think>{TEXT}"))
    assert (await model.complete(ASK, heard=heard.append)).text == TEXT
    assert "".join(heard) == f"Hm, well.</think>{TEXT}"


async def test_parts_of_a_message_that_are_no_text_are_left_out(connect: Connect) -> None:
    content = '[{"type": "thinking", "thinking": "SECRET"}, {"type": "text", "text": "Hi"}]'
    body = f'{{"choices": [{{"message": {{"content": {content}}}, "finish_reason": "stop"}}]}}'
    _, model = await connect(Reply(body=body))
    assert (await model.complete(ASK)).text == "Hi"


@pytest.mark.parametrize("begun", ["", "<think>I wonder whether"])
async def test_an_answer_cut_off_before_any_text_gets_more_room_once(
    begun: str, connect: Connect
) -> None:
    server, model = await connect(cut_off(begun, tokens=30), say("Hi", tokens=12))
    answer = await model.complete(ASK, max_tokens=50)
    assert [request["max_tokens"] for request in server.requests] == [50, 200]
    assert (answer.text, answer.tokens, answer.truncated) == ("Hi", 42, False)


async def test_an_answer_without_room_twice_is_told_as_that(connect: Connect) -> None:
    server, model = await connect(cut_off("", tokens=30), cut_off("", tokens=100))
    answer = await model.complete(ASK)
    assert (answer.has_no_room, answer.tokens, len(server.requests)) == (True, 130, 2)


@pytest.mark.parametrize("reply", [say("Half", cut=True), call_tool("look", {})])
async def test_what_has_text_or_a_call_is_not_asked_again(reply: Reply, connect: Connect) -> None:
    server, model = await connect(reply)
    await model.complete(ASK)
    assert len(server.requests) == 1


FIELDS = RequestFields(
    {
        "all": {"temperature": 0, "max_tokens": 900},
        "route": {"reasoning_effort": "low", "max_tokens": 100},
    }
)


@pytest.mark.parametrize(
    ("purpose", "asked"),
    [
        ("", {"temperature": 0, "max_tokens": 900}),
        ("answer", {"temperature": 0, "max_tokens": 900}),
        ("route", {"temperature": 0, "max_tokens": 100, "reasoning_effort": "low"}),
    ],
)
async def test_settings_give_a_purpose_its_request_fields(
    purpose: Any, asked: dict[str, Any], connect: Connect
) -> None:
    server, model = await connect(say("Hi"), fields=FIELDS)
    await model.complete(ASK, max_tokens=500, purpose=purpose)
    known = {"model", "messages", "stream", "stream_options"}
    sent = {name: value for name, value in server.requests[0].items() if name not in known}
    assert (sent, server.faults) == (asked, [])


async def test_a_field_that_the_server_rejects_is_named(connect: Connect) -> None:
    _, model = await connect(fields=RequestFields({"all": {"temperature": 9}}))
    with pytest.raises(ModelError, match="rejects the request"):
        await model.complete(ASK)
