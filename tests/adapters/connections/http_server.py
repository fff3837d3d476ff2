"""A JSON API on a port of this machine, that remembers what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web


class Api:
    """A server that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[web.Request] = []
        self.bodies: list[bytes] = []
        self.answers: list[Callable[[web.Request], Any]] = []
        self.tokens = 0
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The next answer that was arranged, the last one again and again."""
        self.asked.append(request)
        self.bodies.append(await request.read())
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        told = answer(request)
        if asyncio.iscoroutine(told):
            told = await told
        return told if isinstance(told, web.StreamResponse) else web.json_response(told)

    async def token(self, request: web.Request) -> web.StreamResponse:
        """An OAuth token, a new one each time."""
        form = await request.post()
        if form["grant_type"] != "client_credentials" or "Authorization" not in request.headers:
            return web.json_response({"error": "invalid_client"}, status=401)
        self.tokens += 1
        return web.json_response({"access_token": f"t{self.tokens}", "expires_in": 100})


@asynccontextmanager
async def serve(*answers: Callable[[web.Request], Any]) -> AsyncIterator[Api]:
    """The API on a port of this machine."""
    api = Api()
    api.answers = list(answers)
    app = web.Application()
    app.router.add_post("/token", api.token)
    app.router.add_route("*", "/{rest:.*}", api.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    api.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield api
    finally:
        await runner.cleanup()
