"""A conversation as server-sent events: everything kept, then whatever comes."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable

from aiohttp import web

from adapters.webchat.guard import SECURITY_HEADERS
from engine.errors import BadPayload, StoreUnavailable
from engine.ports.platform import ChatEntry, ChatLog, Cursor

_SEQ = re.compile(r"\d{1,20}(?:-\d{1,20})?")
_RETRY_MS = 2_000


class EventStreams:
    """The open event streams of this process; `close` ends them all cleanly."""

    def __init__(self, log: ChatLog, *, heartbeat_s: float) -> None:
        self._log = log
        self._heartbeat_s = heartbeat_s
        self._open: set[asyncio.Timeout] = set()
        self._closed = False

    async def serve(
        self, request: web.Request, conversation: str, still: Callable[[], Awaitable[bool]]
    ) -> web.StreamResponse:
        """Stream the entries after the client's last one until the client goes or `close`.

        It also ends as soon as the client is `still` allowed no more, asked before each write.
        """
        after = _position(request)
        if self._closed:
            return web.json_response({"error": "shutting down"}, status=503)
        response = web.StreamResponse(
            headers={**SECURITY_HEADERS, "Content-Type": "text/event-stream; charset=utf-8"}
        )
        await response.prepare(request)
        # A deadline without a time: `close` moves it to now, which wakes the read that waits.
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._open.add(scope)
                await self._follow(response, conversation, after, still)
        except TimeoutError:
            if not scope.expired():
                raise
        except (ConnectionResetError, StoreUnavailable):
            return response  # the client has gone, or comes back on its own with its last id
        finally:
            self._open.discard(scope)
        return response

    def close(self) -> None:
        """End every stream; new ones are refused with 503."""
        if self._closed:
            return
        self._closed = True
        now = asyncio.get_running_loop().time()
        for scope in self._open:
            scope.reschedule(now)

    async def _follow(
        self,
        response: web.StreamResponse,
        conversation: str,
        after: str,
        still: Callable[[], Awaitable[bool]],
    ) -> None:
        await response.write(f"retry: {_RETRY_MS}\n\n".encode())
        drafts = Cursor()
        while True:
            entries = await self._log.read(
                conversation, after, wait_s=self._heartbeat_s, drafts=drafts
            )
            if not await still():
                return
            if entries:
                after = entries[-1].seq or after
                await response.write(b"".join(map(_event, entries)))
            else:
                await response.write(b": still here\n\n")


def _event(entry: ChatEntry) -> bytes:
    data = json.dumps(dict(entry.body), ensure_ascii=False, separators=(",", ":"))
    # What is not kept is no place to go on from.
    position = f"id: {entry.seq}\n" if entry.seq else ""
    return f"{position}data: {data}\n\n".encode()


def _position(request: web.Request) -> str:
    for name, value in (
        ("Last-Event-ID", request.headers.get("Last-Event-ID")),
        ("after", request.query.get("after")),
    ):
        if value and not _SEQ.fullmatch(value):
            raise BadPayload(f"{name}: not a position of this conversation")
        if value:
            return value
    return "0"
