"""The model port over any OpenAI-compatible chat-completions server."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import openai
from openai import AsyncOpenAI
from pydantic import BaseModel, Field, ValidationError

from engine.errors import BadModelOutput, ModelError, ModelRefused, ModelUnavailable
from engine.ports.model import Completion, Message, ToolCall, ToolOffer

RETRIES: Final = 1
_AWAY: Final = frozenset({401, 403, 404, 408, 409, 429})


class _Dialect(NamedTuple):
    """How a server wants to be asked; found out from its 400s."""

    limit: str = "max_tokens"
    schemas: bool = True


class OpenAIModel:
    """A Model: asks `model`, then each of `fallbacks` when the one before is away.

    `timeout_s` is the time for one of them, retries included. The key goes into the
    Authorization header and nowhere else.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        model: str,
        fallbacks: Sequence[str] = (),
        timeout_s: float = 60,
    ) -> None:
        self._models = (model, *fallbacks)
        self._timeout_s = timeout_s
        self._dialects: dict[str, _Dialect] = {}
        self._client = AsyncOpenAI(
            api_key=api_key, base_url=base_url or None, timeout=timeout_s, max_retries=RETRIES
        )

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
    ) -> Completion:
        """One answer; `schema` asks for a JSON object of that schema.

        Raises ModelUnavailable when every model is away, ModelRefused, BadModelOutput, and
        ModelError for a request that the server rejects.
        """
        away = ""
        for name in self._models:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return _completion(await self._ask(name, messages, tools, schema, max_tokens))
            except TimeoutError:
                away = f"{name}: no answer within {self._timeout_s:g} s"
            except openai.APIError as error:
                away = f"{name}: {_translated(error)}"
        raise ModelUnavailable(f"no model answers ({away})")

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def _ask(
        self,
        name: str,
        messages: Sequence[Message],
        tools: Sequence[ToolOffer],
        schema: Mapping[str, Any] | None,
        max_tokens: int,
    ) -> bytes:
        """The server's answer, asked again in its dialect when it rejects ours with 400."""
        dialect = self._dialects.get(name, _Dialect())
        while True:
            request = _request(name, messages, tools, schema, max_tokens, dialect)
            try:
                answer = await self._client.chat.completions.with_raw_response.create(**request)
            except openai.BadRequestError as error:
                other = _other(dialect, error, asks_schema=schema is not None)
                if other is None:
                    raise
                dialect = other
            else:
                self._dialects[name] = dialect
                content: bytes = answer.content
                return content


def _other(
    dialect: _Dialect, error: openai.BadRequestError, *, asks_schema: bool
) -> _Dialect | None:
    if error.param == "max_tokens" and dialect.limit == "max_tokens":
        return dialect._replace(limit="max_completion_tokens")
    refused = error.code == "content_filter" or (error.param or "").startswith("messages")
    if asks_schema and dialect.schemas and not refused:
        return dialect._replace(schemas=False)
    return None


def _translated(error: openai.APIError) -> str:
    """Why the model is away; raises for an answer that no other model would mend.

    The server's own words are left out: they may quote the key.
    """
    if isinstance(error, openai.APIStatusError):
        if error.status_code in _AWAY or error.status_code >= 500:
            return f"status {error.status_code}"
        if error.code == "content_filter":
            raise ModelRefused("the provider's content filter declined") from None
        raise ModelError(f"the model server rejects the request ({error.status_code})") from None
    if isinstance(error, openai.APIConnectionError):
        return "no connection" if not isinstance(error, openai.APITimeoutError) else "time-out"
    raise BadModelOutput("the model server's answer is not a chat completion") from None


def _request(
    name: str,
    messages: Sequence[Message],
    tools: Sequence[ToolOffer],
    schema: Mapping[str, Any] | None,
    max_tokens: int,
    dialect: _Dialect,
) -> dict[str, Any]:
    dialogue = [_message(message) for message in messages]
    request: dict[str, Any] = {"model": name, "messages": dialogue, dialect.limit: max_tokens}
    if tools:
        request["tools"] = [{"type": "function", "function": t.model_dump()} for t in tools]
    if schema is not None and dialect.schemas:
        form = {"name": "answer", "schema": dict(schema), "strict": True}
        request["response_format"] = {"type": "json_schema", "json_schema": form}
    elif schema is not None:
        wanted = f"Answer with one JSON object of this JSON schema:\n{json.dumps(dict(schema))}"
        dialogue.insert(0, {"role": "system", "content": wanted})
        request["response_format"] = {"type": "json_object"}
    return request


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


class _Function(BaseModel):
    name: str
    arguments: str = "{}"


class _Call(BaseModel):
    id: str
    function: _Function


class _Said(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Usage(BaseModel):
    total_tokens: int = 0


class _Answer(BaseModel):
    """What we read of a chat completion; servers are not all strict about the rest."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


def _completion(body: bytes) -> Completion:
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError:
        raise BadModelOutput("the model server's answer is not a chat completion") from None
    choice = answer.choices[0]
    said = choice.message
    if said.refusal or choice.finish_reason == "content_filter":
        raise ModelRefused("the model declined to answer")
    return Completion(
        text=said.content or "",
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
            for call in said.tool_calls or ()
        ),
        tokens=answer.usage.total_tokens if answer.usage else 0,
        truncated=choice.finish_reason == "length",
    )
