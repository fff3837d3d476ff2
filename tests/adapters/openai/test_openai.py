import asyncio
import json
import subprocess
import sys

import aiohttp
import pytest

from adapters.openai import OpenAIModel, TimeLimits
from engine.errors import BadModelOutput, ModelError, ModelRefused, ModelUnavailable
from engine.ports.model import Message, ToolCall, ToolOffer
from tests.adapters.openai.conftest import Connect, Observed
from tests.fakes.model_server import (
    API_KEY,
    ModelServer,
    Reply,
    call_tools,
    fail,
    garble,
    refuse,
    say,
    slow,
)
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.tables import table

ASK = (Message(role="user", content="你好"),)
OFFER = ToolOffer(
    name="look", description="Looks.", parameters={"type": "object", "properties": {}}
)
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


async def test_a_text_comes_back_with_its_cost(connect: Connect) -> None:
    server, model = await connect(say("Hello", tokens=42))
    answer = await model.complete(ASK, max_tokens=77)
    assert (answer.text, answer.tokens, answer.truncated) == ("Hello", 42, False)
    assert server.requests == [
        {
            "model": "first",
            "messages": [{"role": "user", "content": "你好"}],
            "max_tokens": 77,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]
    assert server.faults == []


async def test_a_dialogue_with_tool_calls_keeps_the_protocol(connect: Connect) -> None:
    server, model = await connect(call_tools(("look", {"a": 1}), ("look", "{bad")), say("Done"))
    first = await model.complete(ASK, tools=(OFFER,))
    assert [(c.name, c.arguments) for c in first.tool_calls] == [
        ("look", '{"a": 1}'),
        ("look", "{bad"),
    ]
    turn = Message(role="assistant", tool_calls=first.tool_calls)
    results = [Message(role="tool", tool_call_id=c.id, content="ok") for c in first.tool_calls]
    answer = await model.complete((*ASK, turn, *results), tools=(OFFER,))
    assert (answer.text, server.faults) == ("Done", [])


async def test_an_answer_cut_by_the_length_limit_is_marked(connect: Connect) -> None:
    _, model = await connect(say("Half", cut=True))
    assert (await model.complete(ASK)).truncated


async def test_a_schema_is_asked_for_strictly(connect: Connect) -> None:
    server, model = await connect(say('{"n": 1}'))
    await model.complete(ASK, schema=SCHEMA)
    wanted = server.requests[0]["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"] == SCHEMA
    assert wanted["json_schema"]["strict"] is True
    assert server.faults == []


@pytest.mark.parametrize(
    "loose",
    [
        {**SCHEMA, "required": []},
        {**SCHEMA, "additionalProperties": True},
        {**SCHEMA, "properties": {"n": {**SCHEMA, "required": []}}},
        {**SCHEMA, "properties": {"n": {"type": "array", "items": {**SCHEMA, "required": []}}}},
    ],
)
async def test_a_schema_that_leaves_things_open_is_asked_for_but_not_enforced(
    connect: Connect, loose: dict[str, object]
) -> None:
    server, model = await connect(say('{"n": 1}'))
    await model.complete(ASK, schema=loose)
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == loose
    assert server.faults == []


async def test_a_server_without_schemas_is_asked_for_a_json_object(connect: Connect) -> None:
    server, model = await connect(say('{"n": 1}'), say('{"n": 2}'), served={"json_schema": False})
    assert (await model.complete(ASK, schema=SCHEMA)).text == '{"n": 1}'
    await model.complete(ASK, schema=SCHEMA)
    formats = [request["response_format"]["type"] for request in server.requests]
    assert formats == ["json_object", "json_object"]
    assert json.dumps(SCHEMA) in server.requests[0]["messages"][0]["content"]
    assert server.faults == []


async def test_a_server_with_the_newer_limit_is_asked_in_its_words(connect: Connect) -> None:
    server, model = await connect(
        say("Hi"), served={"limit": "max_completion_tokens", "json_schema": False}
    )
    await model.complete(ASK, schema=SCHEMA, max_tokens=9)
    assert server.requests[0]["max_completion_tokens"] == 9


@pytest.mark.parametrize("status", [429, 500, 503, 401, 403, 404])
async def test_a_model_that_is_away_gives_way_to_the_next(status: int, connect: Connect) -> None:
    server, model = await connect(fallbacks=("second",))
    server.script(lambda r: fail(status) if r["model"] == "first" else say("from the second"))
    assert (await model.complete(ASK)).text == "from the second"


async def test_an_unknown_model_gives_way_to_the_next(connect: Connect) -> None:
    _, model = await connect(say("Hi"), fallbacks=("second",), served={"models": ("second",)})
    assert (await model.complete(ASK)).text == "Hi"


async def test_a_passing_failure_is_tried_again(connect: Connect) -> None:
    _, model = await connect(fail(503), say("Hi"))
    assert (await model.complete(ASK)).text == "Hi"


async def test_when_every_model_is_away_it_is_unavailable(connect: Connect) -> None:
    server, model = await connect(fallbacks=("second",))
    server.script(lambda request: fail(500))
    with pytest.raises(ModelUnavailable, match="status 500"):
        await model.complete(ASK)
    assert {request["model"] for request in server.requests} == {"first", "second"}


async def test_an_answer_that_takes_too_long_is_unavailable(connect: Connect) -> None:
    _, model = await connect(slow(asyncio.Event()), limits=TimeLimits(total_s=0.2))
    with pytest.raises(ModelUnavailable):
        await model.complete(ASK)


async def test_a_slow_answer_within_the_time_arrives(connect: Connect) -> None:
    release = asyncio.Event()
    server, model = await connect(slow(release, "At last."))
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(model.complete(ASK))
        await server.is_asked()
        assert not answer.done()
        release.set()
    assert answer.result().text == "At last."


async def test_no_server_is_unavailable(connect: Connect) -> None:
    async with ModelServer() as server:
        gone = server.base_url
    model = OpenAIModel(api_key="k", base_url=gone, model="m", limits=TimeLimits(total_s=5))
    with pytest.raises(ModelUnavailable, match="no connection"):
        await model.complete(ASK)
    await model.close()


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (refuse(), ModelRefused),
        (Reply(text="", finish="content_filter"), ModelRefused),
        (fail(400, code="content_filter"), ModelRefused),
        (fail(422), ModelError),
        (garble("<html>"), BadModelOutput),
        (garble('{"choices": []}'), BadModelOutput),
        (garble('{"choices": [{"message": null}]}'), BadModelOutput),
        (garble('{"error": "busy"}'), BadModelOutput),
    ],
)
async def test_what_no_other_model_would_mend_is_raised_at_once(
    reply: Reply, error: type[ModelError], connect: Connect
) -> None:
    server, model = await connect(reply, fallbacks=("second",))
    with pytest.raises(error) as raised:
        await model.complete(ASK)
    assert not isinstance(raised.value, ModelUnavailable)
    assert len(server.requests) == 1


async def test_the_key_is_in_no_message_and_no_error(connect: Connect) -> None:
    server, model = await connect(api_key="sk-secret-of-ours")
    with pytest.raises(ModelUnavailable) as raised:
        await model.complete(ASK)
    assert server.faults
    assert "secret" not in f"{raised.value!r}"
    server, model = await connect(say("Hi"))
    answer = await model.complete(ASK, tools=(OFFER,), schema=SCHEMA)
    assert API_KEY not in json.dumps(server.requests)
    assert API_KEY not in f"{answer!r}{model!r}"


VIOLATIONS = [
    {"model": "m"},
    {"model": "m", "messages": []},
    {"messages": [{"role": "user", "content": "x"}]},
    {"model": "m", "messages": [{"role": "robot", "content": "x"}]},
    {"model": "m", "messages": [{"role": "user", "content": None}]},
    {"model": "m", "messages": [{"role": "tool", "content": "x", "tool_call_id": "call_1"}]},
    {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": []},
    {"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": 0},
    {"model": "m", "messages": [{"role": "user", "content": "x"}], "shape": 1},
    {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "response_format": {"type": "json_object"},
    },
]


@table("body", VIOLATIONS)
async def test_the_scripted_server_takes_no_broken_request(body: dict[str, object]) -> None:
    async with ModelServer([say("Hi")]) as server, aiohttp.ClientSession() as session:
        url = f"{server.base_url}/chat/completions"
        headers = {"Authorization": f"Bearer {server.api_key}"}
        async with session.post(url, json=body, headers=headers) as answer:
            assert answer.status == 400
        assert (len(server.faults), server.requests) == (1, [])


async def test_a_call_left_unanswered_is_a_broken_request(connect: Connect) -> None:
    server, model = await connect(say("Hi"))
    turn = Message(role="assistant", tool_calls=(ToolCall(id="c1", name="look", arguments="{}"),))
    with pytest.raises(ModelError):
        await model.complete((*ASK, turn, *ASK))
    assert "have no tool message" in server.faults[0]


async def test_the_scripted_server_serves_another_process() -> None:
    program = (
        "import asyncio, sys\n"
        "from adapters.openai import OpenAIModel\n"
        "from engine.ports.model import Message\n"
        "async def main():\n"
        "    model = OpenAIModel(api_key=sys.argv[2], base_url=sys.argv[1], model='m')\n"
        "    print((await model.complete([Message(role='user', content='x')])).text)\n"
        "    await model.close()\n"
        "asyncio.run(main())\n"
    )
    async with ModelServer([say("from afar")]) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, server.base_url, server.api_key),
            stdout=subprocess.PIPE,
        )
        async with within(PATIENCE_S, "the process ends"):
            out, _ = await process.communicate()
    assert out.decode().strip() == "from afar"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("streamed", [False, True])
async def test_what_is_asked_follows_no_redirect_to_another_host(
    status: int, streamed: bool, connect: Connect, observed: Observed
) -> None:
    async with ModelServer([say("from elsewhere")]) as other:
        elsewhere = f"{other.base_url}/chat/completions".replace("127.0.0.1", "localhost")
        _, model = await connect(fail(status, location=elsewhere))
        with pytest.raises(ModelUnavailable, match=f"status {status}"):
            await model.complete(ASK, heard=(lambda text: None) if streamed else None)
    assert (other.requests, other.faults) == ([], [])
    assert observed.outcomes() == ["denied"]
