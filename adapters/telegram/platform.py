"""Telegram as a platform: updates by polling or webhook, messages by the Bot API."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace

import structlog
from aiohttp import web
from telegram.constants import ChatAction
from telegram.error import TelegramError

from adapters.telegram.addresses import SUPERGROUPS, ChatPlace, parse_place
from adapters.telegram.bot import CarefulBot
from adapters.telegram.errors import GroupMoved, TopicGone, translate, translate_errors
from adapters.telegram.inbound.migrations import GroupMigrations
from adapters.telegram.inbound.polling import ALLOWED, Poller, PollPace
from adapters.telegram.inbound.receive import BotIdentity
from adapters.telegram.inbound.shared_files import TelegramFiles
from adapters.telegram.inbound.update_handler import ANSWER_S, ReadCard, UpdateHandler
from adapters.telegram.inbound.webhook import PATH, Webhook
from adapters.telegram.outbound.drafts import EVERY_S, GROWTH, IN_GROUPS_EVERY_S, MessageDrafts
from adapters.telegram.outbound.files import FileSender
from adapters.telegram.outbound.menu import register_commands
from adapters.telegram.outbound.messages import MessageIds, TelegramMessages
from cards.buttons import card_payload, run_payload
from cards.showing.view import MessageView
from engine.errors import Gone, StoreUnavailable
from engine.events import SharedFile
from engine.ports import platform as places
from engine.ports.platform import CheckFields, Intake, Lease
from engine.ports.storage.drafts import Growth
from engine.ports.storage.platform_texts import ExpiringTexts

_log = structlog.get_logger(__name__)
_IN_PRIVATE = places.Pace(every_s=1.0, burst=4)
# Bot API: about so many messages per second for all chats together (platform-facts B).
_PER_S = 30
_IN_GROUPS = places.Pace(every_s=3.0, burst=5)


class TelegramPlatform:
    """One bot on Telegram: by webhook when there is a secret, else by polling (design §3, §9)."""

    name = "telegram"
    growth = GROWTH

    def __init__(
        self,
        *,
        bot_token: str,
        webhook_secret: str,
        api_url: str,
        public_url: str,
        lease: Lease,
        texts: ExpiringTexts,
        read_card: ReadCard,
        pace: PollPace | None = None,
        per_s: int = _PER_S,
    ) -> None:
        self.overall = places.Pace(every_s=1 / per_s, burst=per_s)
        self._bot = CarefulBot(bot_token, api_url)
        self._shared = TelegramFiles(self._bot)
        self._bot_id = int(bot_token.partition(":")[0])
        self._secret = webhook_secret
        self._public_url = public_url.rstrip("/")
        self._pace = pace or PollPace()
        self._migrations = GroupMigrations(self._bot_id, texts)
        self._updates = UpdateHandler(
            self._bot,
            BotIdentity(self._bot_id),
            texts,
            self._migrations,
            read_card,
            soon_s=self._pace.soon_s,
        )
        self._poller = Poller(
            self._bot, self._updates, lease, name=f"telegram:{self._bot_id}", pace=self._pace
        )
        self._files = FileSender(self._bot)
        self._messages = TelegramMessages(self._bot, self._files)
        self._drafts = MessageDrafts(self._bot)

    def check_fields_by(self, check: CheckFields) -> None:
        """Have each field that is asked for judged so, as soon as it is given."""
        self._updates.forms.check_fields_by(check)

    def routes(self, intake: Intake) -> list[web.RouteDef]:
        """Return the webhook's route when there is a secret for it, else none."""
        if not self._secret:
            return []
        return [web.post(PATH, Webhook(self._updates, self._secret, intake).handle)]

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
        await self._updates.learn_name()
        await register_commands(self._bot)
        if not self._secret:
            await self._poller.run(intake)
        elif self._public_url:
            await self._set_webhook()

    async def close(self) -> None:
        """Close all connections to Telegram."""
        await self._poller.close()
        await self._bot.close_connections()

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Show the view in one or more messages; returns their ids, joined by commas, and more.

        When an earlier try under `key` broke off between two messages, the rest follows those.
        Raises PlatformError.
        """

        async def post(place: ChatPlace) -> str:
            if view.chart and (photo := await self._files.photo(place, view.chart)):
                return place.message_id(photo)
            return str(await self._messages.show(place, view, MessageIds(), key=key))

        return await self._write_in_place(conversation, post)

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> str:
        """Show the view in the messages of that id; ones no more needed are taken away.

        A view that got longer than they hold goes on in new ones. Raises PlatformError.
        """
        if view.chart:
            return message_id
        before, key = MessageIds.read(message_id), f"{conversation}/{message_id}"

        async def show(place: ChatPlace) -> str:
            return str(await self._messages.show(place, view, before, key=key))

        return await self._write_in_place(conversation, show)

    def grows_every_s(self, conversation: str) -> float:
        """In groups half as often as they take edits: the rest is for other messages."""
        try:
            place = parse_place(conversation, self._bot_id)
        except Gone:
            return 0.0
        return IN_GROUPS_EVERY_S if place.is_group else EVERY_S

    async def grow(self, conversation: str, message_id: str, growth: Growth) -> str:
        """Show an answer as far as it is written, in its message or as a draft.

        A message is there already where the reply has a card or work that goes on; a group, which
        takes no drafts, gets one for the text to come into. Raises PlatformError.
        """
        if message_id:
            return await self.edit(conversation, message_id, growth.view)
        place = parse_place(conversation, self._bot_id)
        if place.is_group:
            return await self.send(conversation, growth.working, key=growth.key)
        return await self._drafts.show(place, growth)

    async def _write_in_place(
        self, conversation: str, write: Callable[[ChatPlace], Awaitable[str]]
    ) -> str:
        """Write in the conversation's place; a group that has just migrated is followed once.

        What was for a topic that is gone is shown in its group.
        """
        place = await self._migrations.current_place(parse_place(conversation, self._bot_id))
        try:
            return await write(place)
        except TopicGone:
            # Nobody can read it where it was asked: the group can.
            _log.warning("telegram_topic_gone", chat=place.chat, topic=place.topic)
            return await write(replace(place, topic=None))
        except GroupMoved as error:
            if place.known_as:
                raise
            _log.info("telegram_group_moved", old=place.chat, new=error.chat)
            await self._migrations.record(place.chat, error.chat)
            return await write(await self._migrations.current_place(place))

    def pace(self, conversation: str) -> places.Pace:
        """One message per second and chat, 20 a minute in a group (platform-facts A2)."""
        in_group = conversation.partition(f"{self._bot_id}:")[2].startswith("-")
        return _IN_GROUPS if in_group else _IN_PRIVATE

    async def link(self, conversation: str, message_id: str) -> str:
        """Return a link to the message or topic, for members of a supergroup; never raises."""
        try:
            place = await self._migrations.current_place(parse_place(conversation, self._bot_id))
            shown = MessageIds.read(message_id) if message_id else MessageIds()
        except (Gone, StoreUnavailable):
            return ""
        # Only supergroups have such links.
        number = SUPERGROUPS - place.chat
        first = shown.ids[:1] if shown.chat == (place.chat if place.known_as else 0) else ()
        at = [part for part in (place.topic, *first) if part]
        return "/".join(map(str, ("https://t.me/c", number, *at))) if number > 0 and at else ""

    async def opening(self, card: str) -> str:
        """Return a link to the bot's private chat, which then shows the card; never raises."""
        name, payload = await self._updates.learn_name(), card_payload(card)
        return f"https://t.me/{name}?start={payload}" if name and payload else ""

    async def run_opening(self, run: str) -> str:
        """Return a link to the bot's private chat, which then tells of the run; never raises."""
        name, payload = await self._updates.learn_name(), run_payload(run)
        return f"https://t.me/{name}?start={payload}" if name and payload else ""

    async def address_prefix(self, conversation: str) -> str:
        """Return the bot's name in a group, where it must be mentioned; never raises."""
        try:
            in_group = parse_place(conversation, self._bot_id).is_group
        except Gone:
            return ""
        name = await self._updates.learn_name() if in_group else ""
        return f"@{name}" if name else ""

    async def probe(self) -> str:
        """Return "" when Telegram takes the token and updates come, by webhook or polling.

        While another process polls, this one waits for its turn, which is well.
        """
        with translate_errors():
            await self._bot.get_me()
            if self._secret:
                info = await self._bot.get_webhook_info()
                return "" if info.url else "no webhook is set"
        failures = self._poller.failures
        return f"updates could not be had, {failures} times in a row" if failures else ""

    async def is_listening(self) -> bool:
        """Whether updates were polled once, here or elsewhere; True with a webhook."""
        return bool(self._secret) or self._poller.began

    async def typing(self, conversation: str) -> None:
        """Show "typing…" for some seconds; best effort, never raises."""
        try:
            place = await self._migrations.current_place(parse_place(conversation, self._bot_id))
            async with asyncio.timeout(ANSWER_S):
                await self._bot.send_chat_action(
                    place.chat, ChatAction.TYPING, message_thread_id=place.topic
                )
        except (Gone, StoreUnavailable, TelegramError, TimeoutError) as exc:
            _log.debug("telegram_typing_failed", error=str(exc))

    def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """A shared file's content, from the Bot API's host alone. Raises PlatformError."""
        return self._shared.fetch(file)

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
