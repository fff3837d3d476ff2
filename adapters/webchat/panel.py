"""The panel that shows how messages were read, for sample people whom any visitor may be."""

import asyncio
from pathlib import Path
from typing import Final

from aiohttp import web

from adapters.webchat.middleware import RequestGuard, json_response
from adapters.webchat.page_requests import room_of
from adapters.webchat.room_names import conversation_of
from adapters.webchat.static_files import StaticFiles
from adapters.webchat.visitors import Visitors
from cards.texts import lang_of_tag
from engine.ports.pages import PanelFeed

PANEL: Final = "/dev/panel.js"
_FOLDER = Path(__file__).parent / "static" / "dev"
_LOOK_S: Final = 0.2
_LOOKS: Final = 75
"""A request without news is answered after so many looks, before a proxy or the page gives up."""


class SidePanel:
    """Requests of the panel: its files, and what it shows beside a room; `close` answers all."""

    def __init__(self, feed: PanelFeed, visitors: Visitors, guard: RequestGuard) -> None:
        self._feed = feed
        self._visitors = visitors
        self._guard = guard
        self._files = StaticFiles(_FOLDER)
        self._closed = asyncio.Event()

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of these requests."""
        return [
            web.get("/dev/messages", self._guard(self._messages)),
            web.get("/dev/{file}", self._guard(self._file)),
        ]

    def close(self) -> None:
        """Answer every open request."""
        self._closed.set()

    async def _file(self, request: web.Request) -> web.StreamResponse:
        return self._files.serve(request.match_info["file"])

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        """Return what stands beside the room as soon as that is not the version in `after`."""
        room = room_of(request)
        await self._visitors.reader(request, room, request.query.get("person", ""))
        known = request.query.get("after", "")
        for _ in range(_LOOKS):
            if known != str(self._feed.version) or self._closed.is_set():
                break
            await _wait(self._closed)
        lang = lang_of_tag(request.query.get("lang", ""))
        return json_response(200, self._feed.page(conversation_of(room), lang))


async def _wait(event: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(_LOOK_S):
            await event.wait()
    except TimeoutError:
        return
