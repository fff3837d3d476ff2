"""One request to one model over HTTP, whole or streamed, in the dialect that its server takes."""

import logging
from typing import Any

import openai
from openai import AsyncOpenAI, AsyncStream

from adapters.openai.answers import ChatResponse, Pieces, StreamEvent, read
from adapters.openai.failures import GARBLED, Failure
from adapters.openai.requests import Dialect, ModelRequest, other, request

CONNECT_S = 5.0
# At lower levels they write headers that a server sent back, and these may quote the key.
for _library in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_library).setLevel(logging.WARNING)


class ModelEndpoint:
    """The server of all models; the key goes into its Authorization header and nowhere else."""

    def __init__(self, *, api_key: str, base_url: str, timeout_s: float) -> None:
        self._dialects: dict[str, Dialect] = {}
        self._client = AsyncOpenAI(
            api_key=api_key,
            base_url=base_url or None,
            timeout=openai.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
            max_retries=0,
            # What people said goes to the server that was set, whatever that one answers.
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def ask(self, name: str, ask: ModelRequest) -> ChatResponse | Failure:
        """The answer; asked again in the server's dialect when it takes not ours.

        Raises the library's APIError.
        """
        dialect = self._dialects.get(name, Dialect())
        while True:
            try:
                answer = await self._once(request(name, ask, dialect), ask)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                next_dialect = other(dialect, error, ask)
                if next_dialect is None:
                    raise
                dialect = next_dialect
                continue
            if answer is not None:
                self._dialects[name] = dialect
                return answer
            dialect = dialect._replace(streams=False)

    async def _once(self, body: dict[str, Any], ask: ModelRequest) -> ChatResponse | Failure | None:
        """The answer to a request; None when a stream was asked for and something else came."""
        raw = await self._client.chat.completions.with_raw_response.create(**body)
        if "stream" not in body:
            answer = read(raw.content)
            if isinstance(answer, ChatResponse) and not answer.refused:
                ask.hear(answer.choices[0].message.content or "")
            return answer
        async with raw.parse(to=AsyncStream[object]) as stream:
            kind = raw.headers.get("content-type", "")
            if kind.startswith("text/event-stream"):
                return await _streamed(stream, ask)
        return None if kind.startswith("application/json") else GARBLED


async def _streamed(stream: AsyncStream[object], ask: ModelRequest) -> ChatResponse | Failure:
    pieces = Pieces()
    while True:
        try:
            event = await anext(stream, None)
            if event is None:
                return pieces.whole()
            piece = StreamEvent.model_validate(event)
        except ValueError:
            # Of pydantic, or of json and utf-8: the library hands these on.
            return GARBLED
        ask.hear(pieces.add(piece))
