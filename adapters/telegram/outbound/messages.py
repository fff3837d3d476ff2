"""Shows a view in as many messages as it needs; one that is too long with a document."""

from dataclasses import dataclass

import structlog
from telegram import Bot, InlineKeyboardMarkup
from telegram.constants import ParseMode

from adapters.telegram.addresses import ChatPlace
from adapters.telegram.errors import EditRefused, GroupMoved, translate_errors
from adapters.telegram.outbound.answers import NO_PREVIEW
from adapters.telegram.outbound.files import FileSender
from adapters.telegram.outbound.render import RenderedTexts, card_keyboard, render
from cards.showing.document import digest, document, is_settled
from cards.showing.plainer import one_line_view
from cards.showing.view import MessageView
from cards.texts import say
from engine.errors import Gone, PlatformError

_REMEMBERED = 256
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class MessageIds:
    """Message ids in order, and the mark of the document that came below them, "" without one.

    `chat` is where they are when that is not the conversation's own chat any more.
    """

    ids: tuple[int, ...] = ()
    mark: str = ""
    chat: int = 0

    @classmethod
    def read(cls, message_id: str) -> "MessageIds":
        """Parse what `str()` of one wrote. Raises Gone for other text."""
        ids, _, mark = message_id.partition(";")
        try:
            parts = [part.rpartition(":") for part in ids.split(",")]
            return cls(tuple(int(part[2]) for part in parts), mark, int(parts[0][0] or 0))
        except ValueError as error:
            raise Gone(f"not a Telegram message: {message_id!r}") from error

    def __str__(self) -> str:
        ids = ",".join(f"{self.chat}:{one}" if self.chat else str(one) for one in self.ids)
        return f"{ids};{self.mark}" if self.mark else ids


class TelegramMessages:
    """The messages of one bot."""

    def __init__(self, bot: Bot, files: FileSender) -> None:
        self._bot = bot
        self._files = files
        self._unfinished: dict[str, list[int]] = {}

    async def show(
        self, place: ChatPlace, view: MessageView, before: MessageIds, *, key: str
    ) -> MessageIds:
        """Show the view in the messages `before`, and in more below if needed.

        What an earlier try under `key` posted before it broke off is used. What was shown before a
        group moved is shown in its new chat as well. Raises PlatformError.
        """
        chat = place.chat if place.known_as else 0
        before = before if before.chat == chat else MessageIds()
        ids = [*self._unfinished.get(key, before.ids)]
        spare, ids = (ids, []) if view.plainer == "anew" else ([], ids)
        text, shown = "", render(view)
        if view.plainer == "file":
            text = document(view)
            shown = render(one_line_view(view, say("file.attached", view.lang)))
        elif not shown.whole and is_settled(view):
            text, shown = document(view), render(view, attached=True)
        mark = digest(text) if text else before.mark
        try:
            await self._show_all(place, ids, shown, view)
            if mark != before.mark and not await self._files.document(place, text):
                if view.plainer:
                    raise PlatformError("Telegram takes no file here")
                mark = before.mark
                await self._show_all(place, ids, render(view), view)
        except PlatformError as error:
            if not isinstance(error, GroupMoved):
                self._remember(key, ids)
            raise
        for message_id in spare:
            await self._try_to_remove(place, message_id)
        self._unfinished.pop(key, None)
        return MessageIds(tuple(ids), mark, chat)

    async def _show_all(
        self, place: ChatPlace, ids: list[int], shown: RenderedTexts, view: MessageView
    ) -> None:
        """Edit the messages in `ids`, post missing ones (adding their ids), delete spare ones.

        The card's keyboard stands under the last message.
        """
        keyboards = [*[None] * (len(shown.chunks) - 1), card_keyboard(view.card, view.lang)]
        wanted = list(zip(shown.chunks, keyboards, strict=True))
        for at, (chunk, keyboard) in enumerate(wanted[: len(ids)]):
            ids[at] = await self._replace(place, ids[at], chunk, keyboard, shown.mode)
        for chunk, keyboard in wanted[len(ids) :]:
            ids.append(await self._post(place, chunk, keyboard, shown.mode))
        while len(ids) > len(wanted):
            await self._remove(place, ids[-1])
            ids.pop()

    async def _post(
        self,
        place: ChatPlace,
        text: str,
        keyboard: InlineKeyboardMarkup | None,
        mode: ParseMode | None,
    ) -> int:
        with translate_errors():
            message = await self._bot.send_message(
                place.chat,
                text,
                parse_mode=mode,
                message_thread_id=place.topic,
                reply_markup=keyboard,
                link_preview_options=NO_PREVIEW,
            )
        return message.message_id

    async def _replace(
        self,
        place: ChatPlace,
        message_id: int,
        text: str,
        keyboard: InlineKeyboardMarkup | None,
        mode: ParseMode | None,
    ) -> int:
        """Edit a message; returns its id, or that of a new one where it takes no edit."""
        try:
            await self._edit(place, message_id, text, keyboard, mode)
            return message_id
        except EditRefused:
            posted = await self._post(place, text, keyboard, mode)
        await self._try_to_remove(place, message_id)
        return posted

    async def _edit(
        self,
        place: ChatPlace,
        message_id: int,
        text: str,
        keyboard: InlineKeyboardMarkup | None,
        mode: ParseMode | None,
    ) -> None:
        """Edit a message; the same content is success, and no keyboard removes it."""
        with translate_errors():
            await self._bot.edit_message_text(
                text,
                chat_id=place.chat,
                message_id=message_id,
                parse_mode=mode,
                reply_markup=keyboard,
                link_preview_options=NO_PREVIEW,
            )

    async def _remove(self, place: ChatPlace, message_id: int) -> None:
        """Delete a message; one older than 48 hours is emptied, as Telegram does not delete it."""
        try:
            with translate_errors():
                await self._bot.delete_message(place.chat, message_id)
        except Gone:
            return
        except PlatformError as exc:
            if exc.retryable:
                raise
            await self._edit(place, message_id, "…", None, None)

    async def _try_to_remove(self, place: ChatPlace, message_id: int) -> None:
        """Delete a message that was posted anew, if Telegram lets us."""
        try:
            await self._remove(place, message_id)
        except PlatformError as error:
            _log.warning("telegram_message_left", message=message_id, error=str(error))

    def _remember(self, key: str, ids: list[int]) -> None:
        if ids:
            self._unfinished[key] = ids
        if len(self._unfinished) > _REMEMBERED:
            del self._unfinished[next(iter(self._unfinished))]
