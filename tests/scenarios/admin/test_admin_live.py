"""Pages that are open hear of changes by server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from bot.pages.live import LiveUpdates
from bot.pages.session import COOKIE, AdminSessions
from tests.fakes.admin_client import NAME, TOKEN, AdminClient
from tests.fakes.admin_sight import Sight
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Service


@asynccontextmanager
async def heard(admin: AdminClient, path: str) -> AsyncIterator[aiohttp.ClientResponse]:
    """The stream of a page, once it is under way."""
    async with admin.stream(path) as stream:
        assert stream.status == 200
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.headers["Cache-Control"] == "no-store"
        assert "Content-Security-Policy" in stream.headers
        await line(stream, b"retry: 3000")
        yield stream


async def line(stream: aiohttp.ClientResponse, wanted: bytes) -> None:
    """Returns at that line of the stream."""
    async with within(PATIENCE_S, f"the stream has the line {wanted!r}"):
        async for each in stream.content:
            if each.strip() == wanted:
                return
    raise AssertionError(f"the stream ended before {wanted!r}")


async def test_a_page_hears_of_its_run_and_a_list_of_all(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    async with (
        heard(admin, f"/admin/live?run={sight.waits}") as mine,
        heard(admin, "/admin/live") as everything,
        WebRoom(service.url, "waits") as room,
    ):
        # An attempt that is refused is in the run's log, so its page has something new.
        _, answer = await room.tap("zhao", sight.card, "approve")
        assert answer["ok"] is False
        await line(mine, b"event: changed")
        await room.tap("chen", sight.card, "approve")
        await line(mine, b"event: changed")
        await line(everything, b"event: changed")


async def test_only_who_is_signed_in_hears_and_until_they_sign_out(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    path = f"/admin/live?run={sight.waits}"
    async with AdminClient(service.url) as stranger, stranger.stream(path) as refused:
        assert (refused.status, await refused.read()) == (401, b"")
    page = await admin.get("/runs")
    async with heard(admin, path) as stream, WebRoom(service.url, "waits") as room:
        await admin.press(page, "/admin/logout")
        await room.tap("zhao", sight.card, "approve")
        async with within(PATIENCE_S, "the stream of who signed out ends"):
            told = await stream.read()
    # What is new is fetched, which the session that ended cannot do.
    assert told.count(b"changed") <= 1


async def test_streams_end_with_the_service_and_are_only_so_many(service: Service) -> None:
    parts, ended = service.parts, asyncio.Event()
    sessions = AdminSessions(SecretStr(TOKEN), parts.store.sessions, parts.store.rate, "")
    secret = await sessions.sign_in(NAME, TOKEN, "127.0.0.9")
    app = web.Application()
    app.add_routes(
        [web.get("/live", LiveUpdates(sessions, parts.store.listing, ended, most=1).stream)]
    )
    headers = {"Cookie": f"{COOKIE}={secret}"}
    async with (
        TestServer(app, host="127.0.0.1") as server,
        aiohttp.ClientSession(server.make_url("/"), headers=headers) as http,
    ):
        async with http.get("/live") as first:
            await line(first, b"retry: 3000")
            async with http.get("/live") as second:
                assert second.status == 503
            ended.set()
            async with within(PATIENCE_S, "the stream ends with the service"):
                await first.read()
        async with http.get("/live") as late:
            assert late.status == 503
