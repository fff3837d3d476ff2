"""Tells open pages by server-sent events when to fetch themselves again.

The store is asked for a mark that changes with what a page shows. A page whose stream is missing or
broken polls every few seconds.
"""

import asyncio
from contextlib import suppress
from typing import Final

from aiohttp import web

from bot.pages.guard import SECURITY_HEADERS
from bot.pages.session import AdminSessions
from bot.waits import pause
from engine.errors import StoreError
from engine.ports.storage.archive import Listing

EVERY_S: Final = 1.0
LIST_S: Final = 3.0
"""Seconds between two looks at the store, for the page of a run and for a list."""
ASKED_S: Final = 15.0
"""Seconds between two checks that the visitor is signed in; each sends a line to stay open."""
MOST: Final = 100
"""The streams that a process keeps open; further pages poll."""


class LiveUpdates:
    """The streams of a process, at most `most`; all end once `ended` is set."""

    def __init__(
        self, sessions: AdminSessions, listing: Listing, ended: asyncio.Event, *, most: int = MOST
    ) -> None:
        self._sessions = sessions
        self._listing = listing
        self._ended = ended
        self._most = most
        self._open = 0

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """`changed` after each change of the run, or of any run; 401 without a session."""
        if await self._sessions.find_visitor(request.cookies) is None:
            return web.Response(status=401)
        if self._open >= self._most or self._ended.is_set():
            return web.Response(status=503, headers={"Retry-After": "30"})
        response = web.StreamResponse(headers={**SECURITY_HEADERS, "X-Accel-Buffering": "no"})
        response.content_type = "text/event-stream"
        await response.prepare(request)
        self._open += 1
        try:
            # The page was closed, or the store went away: the browser connects again.
            with suppress(ConnectionError, StoreError):
                await self._follow(request, response)
        finally:
            self._open -= 1
        return response

    async def _follow(self, request: web.Request, response: web.StreamResponse) -> None:
        run, mark, moving, asked_s = request.query.get("run", ""), "", False, 0.0
        every_s = EVERY_S if run else LIST_S
        await response.write(b"retry: 3000\n\n")
        while not self._ended.is_set():
            before, mark = mark, await self._listing.mark(run)
            new, moving = bool(before) and (mark != before or moving), mark != before
            asked_s += every_s
            if new or asked_s >= ASKED_S:
                asked_s = 0.0
                # Once more when the changes end, since the last one may be older than the fetch.
                await response.write(b"event: changed\ndata: 1\n\n" if new else b": here\n\n")
                if await self._sessions.find_visitor(request.cookies) is None:
                    return
            await pause(self._ended, every_s)
