"""A scripted model that speaks the chat-completions protocol over HTTP, and checks what it gets.

`async with ModelServer([call_tool("read", {"id": "P003"}), say("It is 1.")]) as server:` gives a
server at `server.base_url` (127.0.0.1, a free port), usable from this process and any other.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

API_KEY = "test-key"
_ROLES = {"system", "developer", "user", "assistant", "tool"}
_KNOWN = {
    *("model", "messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens"),
    *("response_format", "temperature", "stream"),
}


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
    until: asyncio.Event | None = field(default=None, compare=False)


Script = Iterable[Reply] | Callable[[dict[str, Any]], Reply]


def say(text: str, *, cut: bool = False, tokens: int | None = None) -> Reply:
    """The model answers in text; `cut` when its length limit ended it."""
    return Reply(text=text, finish="length" if cut else "stop", tokens=tokens)


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


def fail(status: int, *, code: str | None = None) -> Reply:
    """The server answers with an error status."""
    return Reply(status=status, code=code)


def garble(body: str) -> Reply:
    """The server answers 200 with this body instead of a completion."""
    return Reply(body=body)


def slow(until: asyncio.Event, text: str = "At last.") -> Reply:
    """The model answers only after `until` is set (or never, when the server ends before)."""
    return Reply(text=text, until=until)


class ModelServer:
    """The server; `requests` are the bodies it took, `faults` what was wrong with any request."""

    def __init__(
        self,
        script: Script = (),
        *,
        api_key: str = API_KEY,
        models: Sequence[str] = (),
        json_schema: bool = True,
        limit: str = "max_tokens",
    ) -> None:
        self.api_key = api_key
        self.requests: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.arrived = asyncio.Event()
        self._models = tuple(models)
        self._json_schema = json_schema
        self._limit = limit
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

    async def _complete(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return self._wrong(401, "the Authorization header is not Bearer and the key")
        try:
            body = await request.json()
        except ValueError:
            return self._wrong(400, "the body is no JSON")
        fault = next(_violations(body), None)
        if fault:
            return self._wrong(400, fault)
        rejected = self._unsupported(body)
        if rejected is not None:
            return rejected
        self.requests.append(body)
        self.arrived.set()
        return await self._reply(body)

    def _wrong(self, status: int, fault: str) -> web.Response:
        self.faults.append(fault)
        return _error(status, fault)

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
        return None

    async def _reply(self, body: dict[str, Any]) -> web.Response:
        reply = self._choose(body) if self._choose else next(self._replies, None)
        if reply is None:
            return self._wrong(400, "the script has no more replies")
        if reply.until is not None:
            await self._released(reply.until)
        if reply.status != 200:
            return _error(reply.status, "scripted failure", code=reply.code)
        if reply.body is not None:
            return web.Response(text=reply.body, content_type="application/json")
        return web.json_response(self._completion(reply, body))

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
        if reply.calls:
            message["tool_calls"] = [self._call(*call) for call in reply.calls]
        prompt = len(json.dumps(body["messages"])) // 4
        total = prompt + 20 if reply.tokens is None else reply.tokens
        return {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": body["model"],
            "choices": [
                {"index": 0, "message": message, "finish_reason": reply.finish, "logprobs": None}
            ],
            "usage": {
                "prompt_tokens": min(prompt, total),
                "completion_tokens": total - min(prompt, total),
                "total_tokens": total,
            },
        }

    def _call(self, name: str, arguments: str) -> dict[str, Any]:
        self._calls += 1
        function = {"name": name, "arguments": arguments}
        return {"id": f"call_{self._calls}", "type": "function", "function": function}


def _error(
    status: int, message: str, *, code: str | None = None, param: str | None = None
) -> web.Response:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = {"message": message, "type": kind, "param": param, "code": code}
    return web.json_response({"error": error}, status=status)


def _violations(body: Any) -> Iterator[str]:
    """What the real protocol would not take, the first first."""
    if not isinstance(body, dict):
        yield "the body is no JSON object"
        return
    if unknown := set(body) - _KNOWN:
        yield f"unknown parameters {sorted(unknown)}"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model is missing"
    if body.get("stream"):
        yield "this server does not stream"
    for limit in ("max_tokens", "max_completion_tokens"):
        if limit in body and not (isinstance(body[limit], int) and body[limit] > 0):
            yield f"{limit} must be a positive integer"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages must be a list that is not empty"
        return
    yield from _wrong_messages(messages)
    yield from _wrong_tools(body.get("tools"))
    yield from _wrong_format(body.get("response_format"), messages)


def _wrong_messages(messages: list[Any]) -> Iterator[str]:
    """Every call is answered by a tool message, right after it; no other tool message exists."""
    unanswered: list[str] = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            yield f"messages[{index}] has no known role"
            return
        if message["role"] == "tool":
            if message.get("tool_call_id") not in unanswered:
                yield f"messages[{index}]: tool_call_id answers no call right before it"
                return
            unanswered.remove(message["tool_call_id"])
        elif unanswered:
            yield f"messages[{index}]: calls {unanswered} have no tool message"
            return
        calls = message.get("tool_calls")
        if calls is not None:
            yield from _wrong_calls(index, message, calls)
            unanswered = [call["id"] for call in calls if isinstance(call, dict) and "id" in call]
        if not isinstance(message.get("content"), str) and not (
            message["role"] == "assistant" and calls
        ):
            yield f"messages[{index}]: content must be a string"
    if unanswered:
        yield f"calls {unanswered} have no tool message"


def _wrong_calls(index: int, message: dict[str, Any], calls: Any) -> Iterator[str]:
    if message["role"] != "assistant" or not isinstance(calls, list) or not calls:
        yield f"messages[{index}]: tool_calls belong to an assistant and are not empty"
        return
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if (
            not isinstance(function, dict)
            or not (call.get("type") == "function" and call.get("id"))
            or not all(isinstance(function.get(k), str) for k in ("name", "arguments"))
        ):
            yield f"messages[{index}]: a tool call is malformed"


def _wrong_tools(tools: Any) -> Iterator[str]:
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        yield "tools must not be an empty list"
        return
    for tool in tools:
        function = tool.get("function", {}) if isinstance(tool, dict) else {}
        name = function.get("name", "")
        if tool.get("type") != "function" or not isinstance(name, str) or not name:
            yield "a tool is malformed"
        elif not name.replace("_", "").replace("-", "").isalnum() or len(name) > 64:
            yield f"the tool name {name!r} is not allowed"
        elif function.get("parameters", {}).get("type") != "object":
            yield f"the parameters of {name} are no object schema"


def _wrong_format(wanted: Any, messages: list[dict[str, Any]]) -> Iterator[str]:
    if wanted is None:
        return
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "json_object":
        if not any("json" in str(m.get("content")).lower() for m in messages):
            yield "json_object wants the word JSON in the messages"
    elif kind == "json_schema":
        form = wanted.get("json_schema", {})
        if not form.get("name") or not isinstance(form.get("schema"), dict):
            yield "json_schema wants a name and a schema"
        elif form.get("strict"):
            yield from _not_strict(form["schema"])
    elif kind != "text":
        yield f"response_format {kind!r} is unknown"


def _not_strict(schema: Mapping[str, Any]) -> Iterator[str]:
    """A strict schema names all its properties as required and allows no others."""
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            yield "a strict schema needs additionalProperties false"
        if set(schema.get("required", ())) != set(properties):
            yield "a strict schema requires every property"
        for inner in properties.values():
            yield from _not_strict(inner)
    elif schema.get("type") == "array":
        yield from _not_strict(schema.get("items", {}))
