"""The commands that Telegram's clients offer beside the text field, in each language."""

import asyncio

import structlog
from telegram import Bot, BotCommand
from telegram.error import TelegramError

from cards.texts import FALLBACK, languages, say

COMMANDS = {
    "pending": "telegram.command.pending",
    "mine": "telegram.command.mine",
    "case": "telegram.command.case",
    "runs": "telegram.command.runs",
    "why": "telegram.command.why",
    "cancel": "telegram.command.cancel",
    "stop": "telegram.command.stop",
    "recover": "telegram.command.recover",
    "help": "telegram.command.help",
}
"""The commands in the list, without /start and those of forms."""

_WITHIN_S = 10.0
_log = structlog.get_logger(__name__)


async def register_commands(bot: Bot) -> None:
    """Register the commands where Telegram has others; a failure is only logged."""
    try:
        async with asyncio.timeout(_WITHIN_S):
            # Whose client speaks none of them reads the first.
            for code, lang in ((None, FALLBACK), *((each, each) for each in languages())):
                wanted = [BotCommand(name, say(key, lang)) for name, key in COMMANDS.items()]
                if list(await bot.get_my_commands(language_code=code)) != wanted:
                    await bot.set_my_commands(wanted, language_code=code)
    except (TelegramError, TimeoutError) as exc:
        _log.warning("telegram_commands_not_registered", error=str(exc))
