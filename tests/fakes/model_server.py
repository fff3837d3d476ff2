"""A scripted model that speaks the chat-completions protocol over HTTP, and checks what it gets.

`async with ModelServer([call_tool("read", {"id": "P003"}), say("It is 1.")]) as server:` gives a
server at `server.base_url` (127.0.0.1, a free port), usable from this process and any other.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.model_checks import violations
from tests.fakes.model_stream import LETTERS, events
from tests.fakes.platforms.patience import PATIENCE_S, within

API_KEY = "test-key"


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted answer; made by the functions below."""

    text: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    finish: str = "stop"
    status: int = 200
    refusal: str | None = None
    tokens: int | None = None
    body: str | None = None
    code: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    usage: bool = True
    cut_after: int | None = None
    broken: bytes | None = None
    split: int | None = None
    thoughts: str = ""
    indexed: bool = True
    until: asyncio.Event | None = field(default=None, compare=False)
    stops: tuple[tuple[int, asyncio.Event], ...] = field(default=(), compare=False)


Script = Iterable[Reply] | Callable[[dict[str, Any]], Reply]


def say(text: str, *, cut: bool = False, tokens: int | None = None) -> Reply:
    """The model answers in text; `cut` when its length limit ended it."""
    return Reply(text=text, finish="length" if cut else "stop", tokens=tokens)


def think(thoughts: str, reply: Reply) -> Reply:
    """The model thinks first, in a field of its own."""
    return replace(reply, thoughts=thoughts)


def say_json(value: Any) -> Reply:
    """The model answers with a JSON text."""
    return say(json.dumps(value, ensure_ascii=False))


def call_tool(name: str, arguments: Mapping[str, Any] | str, *, tokens: int | None = None) -> Reply:
    """The model asks for one tool call; arguments as a text are sent as they are."""
    return call_tools((name, arguments), tokens=tokens)


def call_tools(*calls: tuple[str, Mapping[str, Any] | str], tokens: int | None = None) -> Reply:
    """The model asks for several tool calls at once."""
    written = tuple((n, a if isinstance(a, str) else json.dumps(dict(a))) for n, a in calls)
    return Reply(calls=written, finish="tool_calls", tokens=tokens)


def refuse(text: str = "I can't help with that.") -> Reply:
    """The model declines."""
    return Reply(refusal=text)


def fail(status: int, *, code: str | None = None, **headers: str) -> Reply:
    """The server answers with an error status; `retry_after="1"` is the header Retry-After."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status=status, code=code, headers=named)


def garble(body: str) -> Reply:
    """The server answers 200 with this body instead of a completion."""
    return Reply(body=body)


def cut(reply: Reply, *, after: int) -> Reply:
    """The connection is lost after so many events of the stream, or instead of an answer."""
    return replace(reply, cut_after=after)


def broken(reply: Reply, event: bytes, *, after: int) -> Reply:
    """After so many events of the stream this one comes, and no other."""
    return replace(reply, cut_after=after, broken=event)


def slow(until: asyncio.Event, text: str = "At last.") -> Reply:
    """The model answers only after `until` is set (or never, when the server ends before)."""
    return Reply(text=text, until=until)


def held(reply: Reply, *stops: tuple[int, asyncio.Event]) -> Reply:
    """A streamed answer stops after so many letters until that event is set, and so on."""
    return replace(reply, stops=stops)


class ModelServer:
    """The server; `requests` are the bodies it took, `faults` what was wrong with any request.

    `stream_options` is the status with which it rejects these, 0 to take them. `streams` None: it
    answers as a whole although a stream was asked for. `tells` stands in every error. `now` is how
    many requests wait for their answers.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        api_key: str = API_KEY,
        models: Sequence[str] = (),
        json_schema: bool = True,
        limit: str = "max_tokens",
        streams: bool | None = True,
        stream_options: int = 0,
        tells: str = "",
    ) -> None:
        self.api_key = api_key
        self.requests: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.arrived = asyncio.Event()
        self.now = 0
        self._models = tuple(models)
        self._json_schema = json_schema
        self._limit = limit
        self._streams = streams
        self._stream_options = stream_options
        self._tells = tells
        self._closing = asyncio.Event()
        self._calls = 0
        self.script(script)

    def script(self, script: Script) -> None:
        """Answer from this script from now on."""
        self._choose: Callable[[dict[str, Any]], Reply] | None = None
        self._replies: Iterator[Reply] = iter(())
        if callable(script):
            self._choose = script
        else:
            self._replies = iter(tuple(script))

    async def is_asked(self) -> None:
        """Returns once a request has come since `arrived` was cleared last."""
        async with within(PATIENCE_S, "a model is asked", lambda: f"{len(self.requests)} times"):
            await self.arrived.wait()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=4 * 2**20)
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return self._wrong(401, "the Authorization header is not Bearer and the key")
        try:
            body = await request.json()
        except ValueError:
            return self._wrong(400, "the body is no JSON")
        fault = next(violations(body), None)
        if fault:
            return self._wrong(400, fault)
        rejected = self._unsupported(body)
        if rejected is not None:
            return rejected
        self.requests.append(body)
        self.arrived.set()
        self.now += 1
        try:
            return await self._reply(request, body)
        finally:
            self.now -= 1

    def _wrong(self, status: int, fault: str) -> web.Response:
        self.faults.append(fault)
        return _error(status, f"{fault} {self._tells}")

    def _unsupported(self, body: dict[str, Any]) -> web.Response | None:
        """What this server does not offer; asking for it is no fault."""
        if self._models and body["model"] not in self._models:
            return _error(404, f"no model {body['model']}", code="model_not_found", param="model")
        other = {"max_tokens", "max_completion_tokens"} - {self._limit}
        if other & set(body):
            return _error(
                400, f"use {self._limit}", code="unsupported_parameter", param=other.pop()
            )
        kind = body.get("response_format", {}).get("type")
        if kind == "json_schema" and not self._json_schema:
            return _error(400, "response_format json_schema is unknown", param="response_format")
        if "stream_options" in body and self._stream_options:
            return _error(self._stream_options, "unknown field stream_options")
        if body.get("stream") and self._streams is False:
            return _error(400, "no streams here", param="stream")
        return None

    async def _reply(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        reply = self._choose(body) if self._choose else next(self._replies, None)
        if reply is None:
            return self._wrong(400, "the script has no more replies")
        streams = bool(body.get("stream")) and bool(self._streams) and reply.status == 200
        waits = [reply.until, *(until for _, until in reply.stops)]
        for each in waits if not streams else ():
            if each is not None:
                await self._released(each)
        if reply.status != 200:
            said = f"scripted failure {self._tells}"
            return _error(reply.status, said, code=reply.code, headers=dict(reply.headers))
        if reply.body is not None:
            return web.Response(text=reply.body, content_type="application/json")
        completion = self._completion(reply, body)
        if not streams and reply.cut_after is not None and request.transport:
            request.transport.close()
        if not streams:
            return web.json_response(completion)
        return await self._streamed(reply, completion, request, body)

    async def _streamed(
        self, reply: Reply, completion: dict[str, Any], request: web.Request, body: dict[str, Any]
    ) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await answer.prepare(request)
        if reply.until is not None:
            await self._released(reply.until)
        usage = bool(body.get("stream_options", {}).get("include_usage")) and reply.usage
        made = list(events(completion, usage=usage, indexed=reply.indexed))
        done = 0
        for letters, until in reply.stops:
            # The first event has no letters.
            stop = 1 + -(-letters // LETTERS)
            await answer.write(b"".join(made[done:stop]))
            done = stop
            await self._released(until)
        if self._closing.is_set():
            return answer
        sent = b"".join(made[done:][: reply.cut_after]) + (reply.broken or b"")
        step = reply.split or max(len(sent), 1)
        for at in range(0, len(sent), step):
            await answer.write(sent[at : at + step])
        if reply.cut_after is not None and reply.broken is None and request.transport:
            request.transport.close()
        else:
            await answer.write_eof()
        return answer

    async def _released(self, until: asyncio.Event) -> None:
        waits = [asyncio.ensure_future(e.wait()) for e in (until, self._closing)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _completion(self, reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        message["refusal"] = reply.refusal
        if reply.thoughts:
            message["reasoning_content"] = reply.thoughts
        if reply.calls:
            message["tool_calls"] = [self._call(*call) for call in reply.calls]
        prompt = len(json.dumps(body["messages"])) // 4
        total = prompt + 20 if reply.tokens is None else reply.tokens
        usage = {
            "prompt_tokens": min(prompt, total),
            "completion_tokens": total - min(prompt, total),
            "total_tokens": total,
        }
        return {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": body["model"],
            "choices": [
                {"index": 0, "message": message, "finish_reason": reply.finish, "logprobs": None}
            ],
            **({"usage": usage} if reply.usage else {}),
        }

    def _call(self, name: str, arguments: str) -> dict[str, Any]:
        self._calls += 1
        function = {"name": name, "arguments": arguments}
        return {"id": f"call_{self._calls}", "type": "function", "function": function}


def _error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = {"message": message, "type": kind, "param": param, "code": code}
    return web.json_response({"error": error}, status=status, headers=headers)
