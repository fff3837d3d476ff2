"""An echo as python-telegram-bot's webhook example has it: Application, its defaults, fed by us."""

import asyncio
import os
import sys

from aiohttp import web
from telegram import Update
from telegram.ext import Application, ContextTypes, MessageHandler, filters


async def echo(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    """Say the same."""
    assert update.message is not None
    assert update.message.text is not None
    await update.message.reply_text(update.message.text)


async def _serve() -> None:
    api = os.environ["API"]
    bot = Application.builder().token(os.environ["TELEGRAM_BOT_TOKEN"]).updater(None)
    application = bot.base_url(f"{api}bot").build()
    application.add_handler(MessageHandler(filters.TEXT, echo))

    async def webhook(request: web.Request) -> web.Response:
        await application.update_queue.put(Update.de_json(await request.json(), application.bot))
        return web.Response()

    served = web.Application()
    served.router.add_post("/telegram/webhook", webhook)
    runner = web.AppRunner(served)
    await runner.setup()
    async with application:
        await application.start()
        await web.TCPSite(runner, "127.0.0.1", int(sys.argv[1])).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve())
