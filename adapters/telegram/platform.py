"""Telegram as the service sees it: listen and routes bring updates in, send and edit go out."""

import asyncio
from collections.abc import AsyncGenerator

import structlog
from aiohttp import web
from telegram import Bot, InlineKeyboardMarkup
from telegram.constants import ChatAction, ParseMode
from telegram.error import TelegramError

from adapters.telegram.addresses import Place, place_of
from adapters.telegram.desk import ANSWER_S, NO_PREVIEW, Desk
from adapters.telegram.errors import translate, translated
from adapters.telegram.polling import ALLOWED, Lease, Pace, Poller
from adapters.telegram.receive import Me
from adapters.telegram.render import chunks_of, keyboard_of
from adapters.telegram.request import BotRequest
from adapters.telegram.shared_files import TelegramFiles
from adapters.telegram.webhook import PATH, Webhook
from cards.view import MessageView
from engine.errors import Gone, PlatformError
from engine.events import SharedFile
from engine.ports import platform as places
from engine.ports.platform import Intake

_DEFAULT_API = "https://api.telegram.org"
_REMEMBERED = 256
_SUPERGROUPS = -(10**12)
_log = structlog.get_logger(__name__)
_IN_PRIVATE = places.Pace(every_s=1.0, burst=4)
# Bot API: about so many messages per second for all chats together (platform-facts B).
_PER_S = 30
_IN_GROUPS = places.Pace(every_s=3.0, burst=5)


class TelegramPlatform:
    """One bot on Telegram: by webhook when there is a secret, else by polling (design §3, §9)."""

    name = "telegram"

    def __init__(
        self,
        *,
        bot_token: str,
        webhook_secret: str,
        api_url: str,
        public_url: str,
        lease: Lease,
        pace: Pace | None = None,
        per_s: int = _PER_S,
    ) -> None:
        self.overall = places.Pace(every_s=1 / per_s, burst=per_s)
        self._request = BotRequest()
        self._unused = BotRequest()
        api = (api_url or _DEFAULT_API).rstrip("/")
        self._bot = Bot(
            bot_token,
            f"{api}/bot",
            f"{api}/file/bot",
            request=self._request,
            get_updates_request=self._unused,
        )
        self._shared = TelegramFiles(self._bot, f"{api}/file/bot{bot_token}")
        self._bot_id = int(bot_token.partition(":")[0])
        self._secret = webhook_secret
        self._public_url = public_url.rstrip("/")
        self._pace = pace or Pace()
        self._desk = Desk(self._bot, Me(self._bot_id))
        self._poller = Poller(
            self._bot, self._desk, lease, name=f"telegram:{self._bot_id}", pace=self._pace
        )
        self._begun: dict[str, list[int]] = {}

    def routes(self, intake: Intake) -> list[web.RouteDef]:
        """The webhook's route when there is a secret for it, else none."""
        if not self._secret:
            return []
        return [web.post(PATH, Webhook(self._desk, self._secret, intake).handle)]

    async def listen(self, intake: Intake) -> None:
        """Register the webhook and return; without a secret, poll until cancelled.

        Without a public address the webhook is left as it is, with a warning.
        Raises PlatformError when Telegram refuses the webhook's address or the token.
        """
        if self._secret and not self._public_url:
            _log.warning(
                "telegram_webhook_not_set",
                warning="TELEGRAM_WEBHOOK_SECRET is set and SIGNOFF_PUBLIC_URL is not: nothing"
                f" arrives from Telegram unless you have set its webhook to {PATH} by hand",
            )
        await self._desk.learn_name()
        if not self._secret:
            await self._poller.run(intake)
        elif self._public_url:
            await self._set_webhook()

    async def close(self) -> None:
        """Close all connections to Telegram."""
        await self._poller.close()
        await self._request.shutdown()
        await self._unused.shutdown()

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Show the view in one or more messages; returns their ids, joined by commas.

        When an earlier try under `key` broke off between two messages, the rest follows those.
        Raises PlatformError.
        """
        place = place_of(conversation, self._bot_id)
        chunks = chunks_of(view)
        keyboards = _keyboards(view, len(chunks))
        sent = self._begun.pop(key, [])
        try:
            for message_id, chunk, keyboard in zip(sent, chunks, keyboards, strict=False):
                await self._show(place, message_id, chunk, keyboard)
            for chunk, keyboard in list(zip(chunks, keyboards, strict=True))[len(sent) :]:
                sent.append(await self._post(place, chunk, keyboard))
        except PlatformError:
            self._remember(key, sent)
            raise
        return ",".join(map(str, sent))

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> None:
        """Show the view in the messages of that id; ones no more needed are taken away.

        A view that got longer than they hold is cut with a note. Raises PlatformError.
        """
        place = place_of(conversation, self._bot_id)
        ids = [int(part) for part in message_id.split(",")]
        chunks = chunks_of(view, most=len(ids))
        keyboards = _keyboards(view, len(chunks))
        for one, chunk, keyboard in zip(ids, chunks, keyboards, strict=False):
            await self._show(place, one, chunk, keyboard)
        for spare in ids[len(chunks) :]:
            await self._take_away(place, spare)

    def pace(self, conversation: str) -> places.Pace:
        """One message per second and chat, 20 a minute in a group (platform-facts A2)."""
        in_group = conversation.partition(f"{self._bot_id}:")[2].startswith("-")
        return _IN_GROUPS if in_group else _IN_PRIVATE

    async def link(self, conversation: str, message_id: str) -> str:
        """The message, or a forum's topic, for members of a supergroup; never raises."""
        try:
            place = place_of(conversation, self._bot_id)
        except Gone:
            return ""
        # Only supergroups have such links, and their ids count downwards from here.
        number = _SUPERGROUPS - place.chat
        at = [part for part in (place.topic, message_id.partition(",")[0]) if part]
        return "/".join(map(str, ("https://t.me/c", number, *at))) if number > 0 and at else ""

    async def typing(self, conversation: str) -> None:
        """Show "typing…" for some seconds; best effort, never raises."""
        try:
            place = place_of(conversation, self._bot_id)
            async with asyncio.timeout(ANSWER_S):
                await self._bot.send_chat_action(
                    place.chat, ChatAction.TYPING, message_thread_id=place.topic
                )
        except (Gone, TelegramError, TimeoutError) as exc:
            _log.debug("telegram_typing_failed", error=str(exc))

    def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """A shared file's content, from the Bot API's host alone. Raises PlatformError."""
        return self._shared.fetch(file)

    async def _post(self, place: Place, html: str, keyboard: InlineKeyboardMarkup | None) -> int:
        with translated():
            message = await self._bot.send_message(
                place.chat,
                html,
                parse_mode=ParseMode.HTML,
                message_thread_id=place.topic,
                reply_markup=keyboard,
                link_preview_options=NO_PREVIEW,
            )
        return message.message_id

    async def _show(
        self, place: Place, message_id: int, html: str, keyboard: InlineKeyboardMarkup | None
    ) -> None:
        """The same content again is success; leaving the keyboard out removes it."""
        with translated():
            await self._bot.edit_message_text(
                html,
                chat_id=place.chat,
                message_id=message_id,
                parse_mode=ParseMode.HTML,
                reply_markup=keyboard,
                link_preview_options=NO_PREVIEW,
            )

    async def _take_away(self, place: Place, message_id: int) -> None:
        """Telegram deletes nothing older than 48 hours; such a message is emptied instead."""
        try:
            with translated():
                await self._bot.delete_message(place.chat, message_id)
        except Gone:
            return
        except PlatformError as exc:
            if exc.retryable:
                raise
            await self._show(place, message_id, "…", None)

    def _remember(self, key: str, sent: list[int]) -> None:
        if sent:
            self._begun[key] = sent
        if len(self._begun) > _REMEMBERED:
            del self._begun[next(iter(self._begun))]

    async def _set_webhook(self) -> None:
        failures = 0
        while True:
            try:
                await self._bot.set_webhook(
                    self._public_url + PATH,
                    secret_token=self._secret,
                    allowed_updates=list(ALLOWED),
                )
            except TelegramError as exc:
                if not translate(exc).retryable:
                    raise translate(exc) from exc
                failures += 1
                _log.warning("telegram_webhook_failed", error=str(exc), failures=failures)
                await asyncio.sleep(self._pace.after(failures, exc))
            else:
                return


def _keyboards(view: MessageView, count: int) -> list[InlineKeyboardMarkup | None]:
    """One keyboard for each message: the card's under the last, none under the others."""
    return [*[None] * (count - 1), keyboard_of(view.card)]
