"""Errors of Telegram and its client library as ours."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from telegram import error as tg

from engine.errors import Forbidden, Gone, PlatformError, RateLimited, Unavailable

_GONE = ("not found", "message_id_invalid", "peer_id_invalid")
_NO_EDIT = "message can't be edited"
_TOPIC_GONE = ("message thread not found", "topic_deleted", "topic_id_invalid")
_FORBIDDEN = ("not enough rights", "have no rights", "chat_write_forbidden", "topic_closed")
_SAME = "message is not modified"


class TooFast(tg.TelegramError):
    """Telegram asks to wait; the library's own error class raises a deprecation warning."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class GroupMoved(Gone):
    """The group has become the supergroup `chat`, where everything goes on."""

    def __init__(self, chat: int) -> None:
        super().__init__(f"the group has become chat {chat}")
        self.chat = chat


class EditRefused(Gone):
    """The message is there, but takes no edit any more."""


class TopicGone(Gone):
    """The topic is not there any more; the group may be."""


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise PlatformError for every TelegramError inside, except for an edit without a change."""
    try:
        yield
    except tg.TelegramError as exc:
        if _SAME not in str(exc).lower():
            raise translate(exc) from exc


def translate(exc: tg.TelegramError) -> PlatformError:
    """Return our error for one of Telegram's."""
    text = str(exc)
    match exc:
        case TooFast():
            return RateLimited(text, retry_after_s=exc.retry_after_s)
        case tg.Forbidden():
            return Forbidden(text)
        case tg.BadRequest():
            return _bad_request(text)
        case tg.ChatMigrated():
            return GroupMoved(exc.new_chat_id)
        case tg.InvalidToken():
            return Forbidden("Telegram does not know this bot token")
        case _:
            return Unavailable(text)


def _bad_request(text: str) -> PlatformError:
    folded = text.lower()
    if any(mark in folded for mark in _TOPIC_GONE):
        return TopicGone(text)
    if _NO_EDIT in folded:
        return EditRefused(text)
    if any(mark in folded for mark in _GONE):
        return Gone(text)
    return Forbidden(text) if any(mark in folded for mark in _FORBIDDEN) else PlatformError(text)


def retry_after(body: bytes) -> float:
    """Return the seconds that Telegram asks to wait, at least one."""
    try:
        return max(1.0, float(json.loads(body)["parameters"]["retry_after"]))
    except (ValueError, LookupError, TypeError):
        return 1.0
