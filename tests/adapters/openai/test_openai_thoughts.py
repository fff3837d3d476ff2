"""Thoughts that stand before an answer without a tag, and those that a model wants back."""

from typing import Any

import pytest

from adapters.openai import RequestFields
from adapters.openai.thoughts import KEPT_CHARS, ReturnedThoughts
from engine.ports.model import Message, ToolCall, ToolOffer
from tests.adapters.openai.conftest import Connect
from tests.fakes.model_server import Reply, broken, call_tool, fail, say, think

ASK = (Message(role="user", content="你好"),)
OFFER = ToolOffer(name="look", description="Looks.", parameters={"type": "object"})
SECRET = "SECRET thoughts, at some length"
TEXT = "P003 的体能状态更差一些。"
LED = say(f"{SECRET}\n</think>\n{TEXT}")


async def listened(model: Any, **options: Any) -> list[str]:
    heard: list[str] = []
    await model.complete(ASK, heard=heard.append, **options)
    return heard


async def test_of_a_model_that_nobody_knows_no_thought_is_handed_over(connect: Connect) -> None:
    _, model = await connect(LED, thoughts={})
    assert "".join(await listened(model)) == TEXT


async def test_a_model_that_led_with_thoughts_is_heard_from_their_end_on(connect: Connect) -> None:
    _, model = await connect(LED, LED, say(TEXT), thoughts={})
    await listened(model)
    second = await listened(model)
    assert ("".join(second), len(second) > 3) == (TEXT, True)
    assert await listened(model) == [TEXT], "one without thoughts comes whole"


async def test_a_model_that_led_with_none_is_heard_as_it_writes(connect: Connect) -> None:
    _, model = await connect(say(TEXT), say(TEXT), thoughts={})
    assert await listened(model) == [TEXT]
    assert len(await listened(model)) > 3


@pytest.mark.parametrize("reply", [say(f"<think>{SECRET}</think>{TEXT}"), think(SECRET, say(TEXT))])
async def test_thoughts_with_a_beginning_hold_nothing_else_back(
    reply: Reply, connect: Connect
) -> None:
    _, model = await connect(reply, thoughts={})
    heard = await listened(model)
    assert ("".join(heard), len(heard) > 3) == (TEXT, True)


async def test_what_a_model_does_is_known_of_requests_with_the_same_fields(
    connect: Connect,
) -> None:
    fields = RequestFields({"answer": {"reasoning_effort": "high"}})
    _, model = await connect(say(TEXT), LED, say(TEXT), thoughts={}, fields=fields)
    await listened(model, purpose="route")
    heard = await listened(model, purpose="answer")
    assert "".join(heard) == TEXT, "that it did not think for the router says nothing"
    assert await listened(model, purpose="route") == [TEXT], "it may think now"


async def test_a_setting_says_it_of_the_first_answer_already(connect: Connect) -> None:
    _, model = await connect(LED, thoughts={"first": "leading"})
    heard = await listened(model)
    assert ("".join(heard), len(heard) > 3) == (TEXT, True)


@pytest.mark.parametrize("streams", [True, False])
async def test_a_thought_that_the_limit_cut_off_is_no_answer(
    streams: bool, connect: Connect
) -> None:
    cut = say(SECRET, cut=True, tokens=30)
    server, model = await connect(cut, LED, thoughts={"first": "leading"}, streams=streams)
    assert "".join(await listened(model, max_tokens=50)) == TEXT
    assert [request["max_tokens"] for request in server.requests] == [50, 200]


@pytest.mark.parametrize("streams", [True, False])
async def test_the_first_answer_of_an_unknown_model_may_be_a_thought_that_was_cut_off(
    streams: bool, connect: Connect
) -> None:
    cut = say(SECRET, cut=True, tokens=30)
    server, model = await connect(cut, LED, thoughts={}, streams=streams)
    assert "".join(await listened(model, max_tokens=50)) == TEXT
    assert [request["max_tokens"] for request in server.requests] == [50, 200]


async def test_a_cut_thought_teaches_nothing_and_twice_cut_it_is_no_answer(
    connect: Connect,
) -> None:
    cut = say(SECRET, cut=True, tokens=30)
    _, model = await connect(cut, cut, LED, thoughts={})
    answer = await model.complete(ASK)
    assert (answer.text, answer.has_no_room) == ("", True)
    assert "".join(await listened(model)) == TEXT, "it is still not taken for one without thoughts"


@pytest.mark.parametrize(
    "reply",
    [
        say(f"<think>{SECRET}</think>{TEXT}", cut=True),
        think(SECRET, say(TEXT, cut=True)),
        say('{"pieces": [', cut=True),
    ],
)
async def test_what_shows_that_it_is_no_thought_is_kept_as_far_as_it_came(
    reply: Reply, connect: Connect
) -> None:
    server, model = await connect(reply, thoughts={})
    answer = await model.complete(ASK)
    assert (answer.truncated, bool(answer.text), SECRET in answer.text) == (True, True, False)
    assert len(server.requests) == 1


async def test_a_thought_that_breaks_off_is_asked_for_again(connect: Connect) -> None:
    _, model = await connect(broken(LED, b"", after=5), LED, thoughts={})
    assert "".join(await listened(model)) == TEXT


def asked_further(server: Any) -> list[Message]:
    """The dialogue after the server's first calls, as the engine goes on with it."""
    calls = (ToolCall(id="call_1", name="look", arguments="{}"),)
    calling = Message(role="assistant", tool_calls=calls)
    return [*ASK, calling, Message(role="tool", tool_call_id="call_1", content="1")]


def returned(server: Any) -> list[Any]:
    """What each message of the last request tells of thoughts."""
    return [m.get("reasoning_content") for m in server.requests[-1]["messages"]]


THINKS = think(SECRET, call_tool("look", {}))


@pytest.mark.parametrize("streams", [True, False])
async def test_a_model_that_wants_its_thoughts_back_gets_them_with_their_calls(
    streams: bool, connect: Connect
) -> None:
    server, model = await connect(
        THINKS, say(TEXT), say(TEXT), thoughts={"first": "returned"}, streams=streams
    )
    answer = await model.complete(ASK, tools=(OFFER,))
    assert SECRET not in str(answer), "the engine, which stores and shows, has none of it"
    await model.complete(asked_further(server), tools=(OFFER,))
    assert returned(server) == [None, SECRET, None]
    other = [ASK[0].model_copy(update={"content": "P002?"}), *asked_further(server)[1:]]
    await model.complete(other, tools=(OFFER,))
    assert returned(server) == [None, "", None], "another dialogue with the same calls"


async def test_a_model_that_wants_none_back_is_told_none(connect: Connect) -> None:
    server, model = await connect(THINKS, say(TEXT))
    await model.complete(ASK, tools=(OFFER,))
    await model.complete(asked_further(server), tools=(OFFER,))
    assert returned(server) == [None, None, None]


async def test_a_server_that_says_what_is_missing_gets_it_from_then_on(connect: Connect) -> None:
    missing = "The `reasoning_content` in the thinking mode must be passed back to the API."
    script = (THINKS, fail(400), say(TEXT), say(TEXT))
    server, model = await connect(*script, served={"tells": missing}, thoughts={})
    await model.complete(ASK, tools=(OFFER,))
    for _ in range(2):
        assert (await model.complete(asked_further(server), tools=(OFFER,))).text == TEXT
        assert returned(server) == [None, SECRET, None]
    assert len(server.requests) == 4


def test_the_oldest_thoughts_go_when_there_are_too_many() -> None:
    kept, told = ReturnedThoughts(), [{}, {}, {}]
    for number in range(3):
        asked = [Message(role="user", content=str(number))]
        kept.keep("m", asked, ["c"], ("reasoning", str(number) * (KEPT_CHARS // 2)))
    for number in range(3):
        calling = Message(
            role="assistant", tool_calls=(ToolCall(id="c", name="look", arguments="{}"),)
        )
        kept.add_to([{}, told[number]], "m", [Message(role="user", content=str(number)), calling])
    assert [len(next(iter(each.values()))) for each in told] == [0, *[KEPT_CHARS // 2] * 2]
