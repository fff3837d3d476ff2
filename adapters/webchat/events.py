"""Conversations as server-sent events: all entries that are kept, then new ones."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from aiohttp import web

from adapters.webchat.middleware import SECURITY_HEADERS
from engine.errors import StoreUnavailable
from engine.ports.conversations import ChatEntry, ChatLog, Cursor

RETRY_MS = 2_000
_HEARTBEAT = b": still here\n\n"
_HEARTBEAT_EVENT = b"event: beat\ndata: {}\n\n"


@dataclass(frozen=True, slots=True)
class Subscription:
    """A conversation to be read after a position, while its reader `may_read` it.

    While it `is_hidden` from them, nothing of it is told.
    """

    conversation: str
    after: str
    may_read: Callable[[], Awaitable[bool]]
    is_hidden: Callable[[], Awaitable[bool]]


class EventStreams:
    """The open event streams of this process; `close` ends them all."""

    def __init__(self, log: ChatLog, *, heartbeat_s: float) -> None:
        self._log = log
        self._heartbeat_s = heartbeat_s
        self._open: set[asyncio.Timeout] = set()
        self._closed = False

    async def serve(
        self, request: web.Request, subscriptions: Sequence[Subscription]
    ) -> web.StreamResponse:
        """Stream entries after each position until the client goes or `close`.

        It also ends when a reader may not read on, checked before each write. With `beats` in the
        query heartbeats are events, which a page can hear.
        """
        if self._closed:
            return web.json_response({"error": "shutting down"}, status=503)
        response = web.StreamResponse(
            headers={**SECURITY_HEADERS, "Content-Type": "text/event-stream; charset=utf-8"}
        )
        await response.prepare(request)
        beat = _HEARTBEAT_EVENT if "beats" in request.query else _HEARTBEAT
        stream = _Stream(self._log, response, subscriptions, beat, self._heartbeat_s)
        # A deadline without a time: `close` moves it to now, which wakes the reads that wait.
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._open.add(scope)
                await stream.run()
        except TimeoutError:
            if not scope.expired():
                raise
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


class _AccessEnded(Exception):
    """A reader may not read on."""


class _Stream:
    """One response with the entries of one or more conversations.

    Of several, an event's name is the conversation's number in the request, from 0. An event's id
    is the positions in all of them, so that the browser resumes each after a break.
    """

    def __init__(
        self,
        log: ChatLog,
        response: web.StreamResponse,
        subscriptions: Sequence[Subscription],
        beat: bytes,
        heartbeat_s: float,
    ) -> None:
        self._log = log
        self._response = response
        self._subscriptions = subscriptions
        self._positions = [subscription.after for subscription in subscriptions]
        self._beat = beat
        self._heartbeat_s = heartbeat_s

    async def run(self) -> None:
        """Write until the client goes, the store does, or a reader may not read on."""
        try:
            await self._response.write(f"retry: {RETRY_MS}\n\n".encode())
            async with asyncio.TaskGroup() as group:
                for number, subscription in enumerate(self._subscriptions):
                    group.create_task(self._follow(number, subscription))
        except* (ConnectionResetError, StoreUnavailable, _AccessEnded):
            pass  # the client has gone, or comes back on its own with its last id

    async def _follow(self, number: int, subscription: Subscription) -> None:
        drafts = Cursor()
        while True:
            entries = await self._log.read(
                subscription.conversation,
                self._positions[number],
                wait_s=self._heartbeat_s,
                drafts=drafts,
            )
            if not await subscription.may_read():
                raise _AccessEnded
            if await subscription.is_hidden():
                entries = ()
                await asyncio.sleep(self._heartbeat_s)
            events = b"".join(self._event(number, entry) for entry in entries)
            await self._response.write(events or self._beat)

    def _event(self, number: int, entry: ChatEntry) -> bytes:
        data = json.dumps(dict(entry.body), ensure_ascii=False, separators=(",", ":"))
        name = f"event: {number}\n" if len(self._subscriptions) > 1 else ""
        # An entry that is not kept is no position to resume from.
        place = ""
        if entry.seq:
            self._positions[number] = entry.seq
            place = f"id: {','.join(self._positions)}\n"
        return f"{place}{name}data: {data}\n\n".encode()
