"""Tells pages that are open when to look again, by server-sent events; what is new they fetch.

The store is asked for a mark that changes with what a page shows. A page without such a stream, or
whose stream broke, asks by itself every few seconds.
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
"""How often the store is asked for each open page of a run, and of a list."""
ASKED_S: Final = 15.0
"""How often it is asked whether its visitor is signed in still; then a line keeps it open, too."""
MOST: Final = 100
"""So many streams a process keeps open; further pages ask by themselves."""


class LiveUpdates:
    """The streams of one process, at most `most`; all end as soon as `ended` is set."""

    def __init__(
        self, sessions: AdminSessions, listing: Listing, ended: asyncio.Event, *, most: int = MOST
    ) -> None:
        self._sessions = sessions
        self._listing = listing
        self._ended = ended
        self._most = most
        self._open = 0

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """`changed` after each change of a run, or of any run; 401 for who is not signed in."""
        if await self._sessions.find_visitor(request.cookies) is None:
            return web.Response(status=401)
        if self._open >= self._most or self._ended.is_set():
            return web.Response(status=503, headers={"Retry-After": "30"})
        response = web.StreamResponse(headers={**SECURITY_HEADERS, "X-Accel-Buffering": "no"})
        response.content_type = "text/event-stream"
        await response.prepare(request)
        self._open += 1
        try:
            # A page that went, or a store that does: the browser asks again.
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
                # Once more when it came to rest: what was begun may have ended in between.
                await response.write(b"event: changed\ndata: 1\n\n" if new else b": here\n\n")
                if await self._sessions.find_visitor(request.cookies) is None:
                    return
            await pause(self._ended, every_s)
