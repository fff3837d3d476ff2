"""One payload from arrival to answer: parsed, handed to intake, acknowledged (design §3)."""

import asyncio
from typing import Any

import structlog
from telegram import Bot, ForceReply, LinkPreviewOptions, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import TelegramError

from adapters.telegram.forms import ask, ask_again
from adapters.telegram.payload import Message, Payload, Person, parse
from adapters.telegram.receive import Me, prompt_answered, update_of
from adapters.telegram.richtext import Span, Tag, head, plain
from engine.events import (
    Answered,
    FormRefused,
    FormWanted,
    NotRecorded,
    Outcome,
    Update,
)
from engine.ports.platform import Intake

ANSWER_S = 2.5
"""How long an answer to Telegram may hold up the acknowledgement of an update, in seconds."""

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_ALERT_CHARS = 200
_log = structlog.get_logger(__name__)


class Desk:
    """Takes updates in, and answers the people behind them as well as it can in time."""

    def __init__(self, bot: Bot, me: Me) -> None:
        self._bot = bot
        self._me = me

    async def learn_name(self) -> None:
        """Ask Telegram for the bot's name unless it is known; mentions in groups depend on it."""
        if self._me.username:
            return
        try:
            async with asyncio.timeout(ANSWER_S):
                user = await self._bot.get_me()
        except (TelegramError, TimeoutError) as exc:
            _log.warning("telegram_name_unknown", error=str(exc))
        else:
            self._me = Me(self._me.id, user.username or "")

    async def take(self, raw: Any, intake: Intake) -> bool:
        """False when the update has to come again, because it was not recorded. Raises BadPayload.

        A tap that was not recorded is settled: its person is told to tap again.
        """
        payload = parse(raw)
        if payload.message is not None and payload.message.chat.type != "private":
            await self.learn_name()
        update = update_of(payload, self._me)
        if update is None:
            return True
        outcome = await intake(update)
        await self._answer(payload, update, outcome)
        return not isinstance(outcome, NotRecorded) or payload.callback_query is not None

    async def _answer(self, payload: Payload, update: Update, outcome: Outcome) -> None:
        """What counts is recorded by now; an answer that fails is logged and left out."""
        try:
            async with asyncio.timeout(ANSWER_S):
                if payload.callback_query is not None:
                    await self._answer_tap(payload, outcome)
                elif payload.message is not None:
                    await self._answer_message(payload.message, outcome)
        except (TelegramError, TimeoutError) as exc:
            _log.warning("telegram_answer_failed", update=update.id, error=str(exc))

    async def _answer_tap(self, payload: Payload, outcome: Outcome) -> None:
        callback = payload.callback_query
        assert callback is not None
        match outcome:
            case Answered(text=text, ok=ok):
                await self._tell(callback.id, text, alert=not ok)
            case NotRecorded(text=text):
                await self._tell(callback.id, text, alert=True)
            case FormWanted(form=form) if callback.message is not None:
                await self._tell(callback.id)
                mention = _mention(callback.message, callback.sender)
                await self._prompt(callback.message, ask(form, mention))
            case _:
                await self._tell(callback.id)

    async def _tell(self, callback_id: str, text: str = "", *, alert: bool = False) -> None:
        """Telegram forgets a tap within seconds; one that it forgot needs no answer."""
        try:
            await self._bot.answer_callback_query(
                callback_id, text=head(text, _ALERT_CHARS) or None, show_alert=alert
            )
        except TelegramError as exc:
            _log.info("telegram_tap_unanswered", error=str(exc))

    async def _answer_message(self, message: Message, outcome: Outcome) -> None:
        match outcome:
            case Answered(text=text):
                await self._bot.send_message(
                    message.chat.id,
                    plain(text),
                    message_thread_id=message.place.topic,
                    reply_parameters=_to(message),
                    link_preview_options=NO_PREVIEW,
                )
            case FormRefused(errors=errors):
                prompt = prompt_answered(message, self._me)
                if prompt is not None and message.sender is not None:
                    mention = _mention(message, message.sender)
                    await self._prompt(message, ask_again(prompt, errors, mention))
            case _:
                pass

    async def _prompt(self, at: Message, html: str) -> None:
        await self._bot.send_message(
            at.chat.id,
            html,
            parse_mode=ParseMode.HTML,
            message_thread_id=at.place.topic,
            reply_markup=ForceReply(selective=True),
            reply_parameters=_to(at),
            link_preview_options=NO_PREVIEW,
        )


def _to(message: Message) -> ReplyParameters:
    return ReplyParameters(message.message_id, allow_sending_without_reply=True)


def _mention(message: Message, person: Person) -> Span | None:
    """Who a prompt in a group is for; elsewhere there is nobody else."""
    if not message.place.is_group:
        return None
    return Span(plain(person.name or str(person.id)), (Tag("a", f"tg://user?id={person.id}"),))
