"""The fastest echo that is still python-telegram-bot: uvloop, aiohttp for requests, concurrent."""

import asyncio
import hmac
import json
import os
import sys
from typing import Any

import aiohttp
import uvloop
from aiohttp import web
from telegram import Update
from telegram.error import NetworkError, TimedOut
from telegram.ext import Application, MessageHandler, filters
from telegram.request import BaseRequest, RequestData

from tests.bench.peers.ptb_default import echo

SECRET = os.environ.get("TELEGRAM_WEBHOOK_SECRET", "")


class AiohttpRequest(BaseRequest):
    """Requests over one aiohttp session."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float | None:
        """Seconds."""
        return 5.0

    async def initialize(self) -> None:
        """Open the session."""
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10))

    async def shutdown(self) -> None:
        """Close it."""
        if self._session is not None:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        *_: Any,
        **__: Any,
    ) -> tuple[int, bytes]:
        """Status and body of the answer."""
        assert self._session is not None
        fields = request_data.json_parameters if request_data else None
        try:
            async with self._session.request(method, url, data=fields) as answer:
                return answer.status, await answer.read()
        except TimeoutError as error:
            raise TimedOut from error
        except aiohttp.ClientError as error:
            raise NetworkError(str(error)) from error


async def _serve() -> None:
    api = os.environ["API"]
    bot = Application.builder().token(os.environ["TELEGRAM_BOT_TOKEN"]).updater(None)
    quick = bot.base_url(f"{api}bot").request(AiohttpRequest()).concurrent_updates(True)
    application = quick.get_updates_request(AiohttpRequest()).build()
    application.add_handler(MessageHandler(filters.TEXT, echo))

    async def webhook(request: web.Request) -> web.Response:
        given = request.headers.get("X-Telegram-Bot-Api-Secret-Token", "")
        if not hmac.compare_digest(given, SECRET):
            return web.Response(status=401)
        update = Update.de_json(json.loads(await request.read()), application.bot)
        await application.update_queue.put(update)
        return web.Response()

    served = web.Application()
    served.router.add_post("/telegram/webhook", webhook)
    runner = web.AppRunner(served, access_log=None)
    await runner.setup()
    async with application:
        await application.start()
        await web.TCPSite(runner, "127.0.0.1", int(sys.argv[1])).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_serve())
