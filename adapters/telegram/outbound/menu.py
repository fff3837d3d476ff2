"""The commands that Telegram's clients offer beside the text field, in zh and en."""

import asyncio

import structlog
from telegram import Bot, BotCommand
from telegram.error import TelegramError

from cards.model import Lang
from cards.texts import say

COMMANDS = {
    "pending": "telegram.command.pending",
    "runs": "telegram.command.runs",
    "cancel": "telegram.command.cancel",
    "stop": "telegram.command.stop",
    "recover": "telegram.command.recover",
    "help": "telegram.command.help",
}
"""What people give by hand; /start and the words of forms need no place in the list."""

# Whose client speaks neither reads the first.
_LANGUAGES: tuple[tuple[str | None, Lang], ...] = ((None, "en"), ("zh", "zh"), ("en", "en"))
_WITHIN_S = 10.0
_log = structlog.get_logger(__name__)


async def register_commands(bot: Bot) -> None:
    """Tell Telegram the commands, where it knows others; a failure is logged and harms nothing."""
    try:
        async with asyncio.timeout(_WITHIN_S):
            for code, lang in _LANGUAGES:
                wanted = [BotCommand(name, say(key, lang)) for name, key in COMMANDS.items()]
                if list(await bot.get_my_commands(language_code=code)) != wanted:
                    await bot.set_my_commands(wanted, language_code=code)
    except (TelegramError, TimeoutError) as exc:
        _log.warning("telegram_commands_not_registered", error=str(exc))
