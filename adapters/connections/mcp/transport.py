"""The SDK's transport to a server, which calls back when it has ended."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from engine.ports.systems.remote_tools import Http, Server, Stdio

CONNECT_S = 10.0
# A server may hold a stream open for long without saying anything.
SILENCE_S = 300.0


@asynccontextmanager
async def transport(server: Server, on_end: Callable[[], None]) -> AsyncIterator[Any]:
    """Open the SDK's two streams; `on_end` is called when the server sends nothing more."""
    match server.at:
        case Stdio(command, args, env):
            # A byte that is no UTF-8 must not end the session.
            child = StdioServerParameters(
                command=command, args=list(args), env=env, encoding_error_handler="replace"
            )
            async with stdio_client(child) as (read, write):
                yield _WatchedStream(read, on_end), write
        case Http(url, headers):
            limits = httpx2.Timeout(CONNECT_S, read=SILENCE_S)
            async with (
                httpx2.AsyncClient(headers=headers, timeout=limits) as client,
                streamable_http_client(url, http_client=client) as (read, write),
            ):
                yield _WatchedStream(read, on_end), write


class _WatchedStream:
    """A stream of the SDK that tells when it has ended."""

    def __init__(self, stream: Any, on_end: Callable[[], None]) -> None:
        self._stream = stream
        self._on_end = on_end

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        return await self._stream.receive()

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await anext(self._stream)
        except StopAsyncIteration:
            self._on_end()
            raise

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        left: bool | None = await self._stream.__aexit__(kind, error, trace)
        return left
