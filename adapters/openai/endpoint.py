"""One request to one model over HTTP, whole or streamed, in the dialect that its server takes."""

import json
import logging
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream

from adapters.openai.failures import GARBLED, Failure
from adapters.openai.limits import RequestFields, SilenceTimer
from adapters.openai.responses import ChatResponse, PartialAnswer, StreamEvent, parse_response
from adapters.openai.thoughts import ReturnedThoughts, ThoughtHabits
from engine.ports.model import Message, Purpose, ThoughtWay, ToolOffer

CONNECT_S = 5.0
# At lower levels they log headers of answers, which may quote the key.
for _library in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_library).setLevel(logging.WARNING)


@dataclass(slots=True)
class ModelRequest:
    """A request to any of the models; `spoken` counts letters that were passed to `heard`.

    `way` is how the model that is asked gives its thoughts. `room` is how many times the usual
    limit of tokens the answer may have.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolOffer]
    schema: Mapping[str, Any] | None
    max_tokens: int
    heard: Callable[[str], None] | None = None
    purpose: Purpose = ""
    room: int = 1
    spoken: int = 0
    way: ThoughtWay | None = None

    def hear(self, text: str) -> None:
        """Pass text of the answer on."""
        if self.heard and text:
            self.spoken += len(text)
            self.heard(text)


class Dialect(NamedTuple):
    """How requests to a server are written; learnt from what it rejects."""

    limit: str = "max_tokens"
    schemas: bool = True
    streams: bool = True
    usage: bool = True
    thoughts: bool = False


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """Return what the library trusts by itself, read once in a process: it takes 40 ms."""
    return httpx2.create_ssl_context()


class ModelEndpoint:
    """The server of all models. The key goes only into the Authorization header."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        fields: RequestFields = RequestFields(),  # noqa: B008
        streams: bool = True,
        thoughts: Mapping[str, ThoughtWay] | None = None,
    ) -> None:
        ways = thoughts or {}
        self._habits, self._returned = ThoughtHabits(ways), ReturnedThoughts()
        self._dialects = {
            name: Dialect(streams=streams, thoughts=True)
            for name, way in ways.items()
            if way == "returned"
        }
        self._first = Dialect(streams=streams)
        self._fields = fields
        self._client = AsyncOpenAI(
            api_key=api_key,
            base_url=base_url or None,
            # SilenceTimer is timed by who asks.
            timeout=openai.Timeout(None, connect=CONNECT_S),
            max_retries=0,
            # Messages go only to the server in the settings: no redirect is followed.
            http_client=openai.DefaultAsyncHttpxClient(
                verify=_trusted_certificates(), follow_redirects=False
            ),
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def ask(
        self, name: str, ask: ModelRequest, silence: SilenceTimer
    ) -> ChatResponse | Failure:
        """Return the answer, asking again in another dialect where the server rejects this one.

        Raises the library's APIError.
        """
        dialect = self._dialects.get(name, self._first)
        fields = self._fields.of(ask.purpose)
        ask.way = self._habits.way(name, fields)
        while True:
            try:
                body = request_body(name, ask, dialect, fields)
                if dialect.thoughts:
                    self._returned.add_to(body["messages"], name, ask.messages)
                answer, streamed = await self._send(body, ask, silence)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                next_dialect = other_dialect(dialect, error, ask)
                if next_dialect is None:
                    raise
                dialect = next_dialect
                continue
            self._dialects[name] = dialect._replace(streams=streamed)
            if isinstance(answer, ChatResponse):
                self._learn(name, ask, fields, answer)
            return answer

    def _learn(
        self, name: str, ask: ModelRequest, fields: Mapping[str, Any], answer: ChatResponse
    ) -> None:
        self._habits.learn(name, fields, answer.whole_text, is_cut=answer.is_truncated)
        if answer.thoughts and answer.call_ids:
            self._returned.keep(name, ask.messages, answer.call_ids, answer.thoughts)

    async def _send(
        self, body: dict[str, Any], ask: ModelRequest, silence: SilenceTimer
    ) -> tuple[ChatResponse | Failure, bool]:
        """Return the answer to one request, and whether it came in pieces, if it was to."""
        if "stream" not in body:
            silence.expect_whole()
            raw = await self._client.chat.completions.with_raw_response.create(**body)
            return _whole(raw.content, ask), False
        silence.expect_first()
        raw = await self._client.chat.completions.with_raw_response.create(**body)
        async with raw.parse(to=AsyncStream[object]) as stream:
            kind = raw.headers.get("content-type", "")
            if kind.startswith("text/event-stream"):
                return await _read_stream(stream, ask, silence), True
            if kind.startswith("application/json"):
                silence.expect_whole()
                return _whole(await raw.http_response.aread(), ask), False
        return GARBLED, True


def _whole(body: bytes, ask: ModelRequest) -> ChatResponse | Failure:
    answer = parse_response(body, ask.way)
    if isinstance(answer, ChatResponse) and not answer.refused:
        ask.hear(answer.text)
    return answer


async def _read_stream(
    stream: AsyncStream[object], ask: ModelRequest, silence: SilenceTimer
) -> ChatResponse | Failure:
    pieces = PartialAnswer(ask.way)
    while True:
        try:
            event = await anext(stream, None)
            if event is None:
                answer = pieces.whole()
                if isinstance(answer, ChatResponse):
                    ask.hear(pieces.rest())
                return answer
            piece = StreamEvent.model_validate(event)
        except ValueError:
            # Of pydantic, or of json and utf-8: the library hands these on.
            return GARBLED
        if piece.says_something:
            silence.end()
        ask.hear(pieces.add(piece))


def other_dialect(
    dialect: Dialect, error: openai.APIStatusError, ask: ModelRequest
) -> Dialect | None:
    """Return the dialect to try after a 400 or 422; None when another would not help."""
    param = error.param or ""
    if param == "max_tokens" and dialect.limit == "max_tokens":
        return dialect._replace(limit="max_completion_tokens")
    if dialect.streams:
        # A server that knows no such option may name it only in its sentence.
        if dialect.usage and (param.startswith("stream_options") or "stream_options" in str(error)):
            return dialect._replace(usage=False)
        if param == "stream":
            return dialect._replace(streams=False)
    if not dialect.thoughts and "reasoning_content" in str(error) and _has_calls(ask):
        return dialect._replace(thoughts=True)
    refused = error.code == "content_filter" or param.startswith("messages")
    if ask.schema is not None and dialect.schemas and not refused:
        return dialect._replace(schemas=False)
    return None


def _has_calls(ask: ModelRequest) -> bool:
    return any(message.tool_calls for message in ask.messages)


def request_body(
    name: str, ask: ModelRequest, dialect: Dialect, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the body of the request to that model, with further `fields`."""
    dialogue = [_message(message) for message in ask.messages]
    limit = ask.room * fields.get("max_tokens", ask.max_tokens)
    body: dict[str, Any] = {"model": name, "messages": dialogue, dialect.limit: limit}
    if further := {key: value for key, value in fields.items() if key != "max_tokens"}:
        body["extra_body"] = further
    if ask.tools:
        body["tools"] = [{"type": "function", "function": t.model_dump()} for t in ask.tools]
    if ask.schema is not None and dialect.schemas:
        form = {"name": "answer", "schema": dict(ask.schema), "strict": _strict(ask.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    elif ask.schema is not None:
        wanted = f"Answer with one JSON object of this JSON schema:\n{json.dumps(dict(ask.schema))}"
        dialogue.insert(0, {"role": "system", "content": wanted})
        body["response_format"] = {"type": "json_object"}
    if dialect.streams:
        body["stream"] = True
        if dialect.usage:
            body["stream_options"] = {"include_usage": True}
    return body


def _strict(schema: Mapping[str, Any]) -> bool:
    """Whether the schema may be enforced: only where all properties are required."""
    if schema.get("type") == "array":
        return _strict(schema.get("items", {}))
    if schema.get("type") != "object":
        return True
    inner: Mapping[str, Any] = schema.get("properties", {})
    whole = set(schema.get("required", ())) == set(inner)
    closed = schema.get("additionalProperties") is False
    return whole and closed and all(_strict(each) for each in inner.values())


def _message(message: Message) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        made["content"] = message.content or None
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.role == "tool":
        made["tool_call_id"] = message.tool_call_id
    return made
