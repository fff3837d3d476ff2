"""What Telegram says about accounts: a bot knows those who have written to it."""

from telegram.constants import ChatType

from adapters.telegram.bot import CarefulBot
from adapters.telegram.errors import translated
from adapters.telegram.request import BotRequest
from engine.errors import Gone, PlatformError

_DEFAULT_API = "https://api.telegram.org"


class TelegramAccounts:
    """Asks as one bot."""

    def __init__(self, *, bot_token: str, api_url: str) -> None:
        self._request, self._unused = BotRequest(), BotRequest()
        base_url = f"{(api_url or _DEFAULT_API).rstrip('/')}/bot"
        self._bot = CarefulBot(
            bot_token, base_url, request=self._request, get_updates_request=self._unused
        )

    async def account(self, account: str) -> str:
        """What the person of a user id is called there.

        Raises Gone for one that never wrote to the bot; PlatformError.
        """
        with translated():
            chat = await self._bot.get_chat(int(account))
            if chat.type != ChatType.PRIVATE:
                raise Gone(f"getChat: the id is a {chat.type}'s, not a person's")
            return chat.effective_name or ""
        raise PlatformError("getChat: no answer")

    async def close(self) -> None:
        """Ends the HTTP sessions."""
        await self._request.shutdown()
        await self._unused.shutdown()
