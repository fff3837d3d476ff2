"""python-telegram-bot's Bot, whose every failure is a TelegramError."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from telegram import Bot, Message
from telegram.error import NetworkError

from adapters.telegram.request import BotRequest

DEFAULT_API = "https://api.telegram.org"

P = ParamSpec("P")
T = TypeVar("T")

_UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)


def _careful(
    call: Callable[P, Coroutine[Any, Any, T]], gives: type[object] = object
) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return the call, which raises NetworkError for an answer that the library cannot read.

    The same for one that is not what the call `gives`.
    """

    @wraps(call)
    async def careful_call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            answer = await call(*args, **kwargs)
        except _UNREADABLE as error:
            reason = f"the answer cannot be read: {type(error).__name__}"
            raise NetworkError(reason) from error
        if not isinstance(answer, gives):
            raise NetworkError("the answer is another than was asked for")
        return answer

    return careful_call


class CarefulBot(Bot):
    """The calls that we make; the library reads answers without checking what they are.

    `api_url` is "" for Telegram's own.
    """

    def __init__(self, bot_token: str, api_url: str = "") -> None:
        api = (api_url or DEFAULT_API).rstrip("/")
        self._connections = BotRequest(), BotRequest()
        request, get_updates_request = self._connections
        super().__init__(
            bot_token,
            f"{api}/bot",
            f"{api}/file/bot",
            request=request,
            get_updates_request=get_updates_request,
        )

    async def close_connections(self) -> None:
        """Close the HTTP sessions."""
        for request in self._connections:
            await request.shutdown()

    answer_callback_query = _careful(Bot.answer_callback_query)
    edit_message_reply_markup = _careful(Bot.edit_message_reply_markup)
    edit_message_text = _careful(Bot.edit_message_text)
    get_chat = _careful(Bot.get_chat)
    get_file = _careful(Bot.get_file)
    get_me = _careful(Bot.get_me)
    get_my_commands = _careful(Bot.get_my_commands)
    get_webhook_info = _careful(Bot.get_webhook_info)
    send_document = _careful(Bot.send_document, gives=Message)
    send_message = _careful(Bot.send_message, gives=Message)
    send_photo = _careful(Bot.send_photo, gives=Message)
