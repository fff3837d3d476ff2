"""Telegram's chats and topics, and their conversation ids (design §3)."""

import re
from dataclasses import dataclass

from engine.errors import Gone

SUPERGROUPS = -(10**12)
_FORM = re.compile(r"telegram:(\d{1,20}):(-?\d{1,20})(?::(\d{1,20}))?")


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """A chat, or one topic of a forum; `topic` is None outside topics and in General.

    A group that became a supergroup has a new `chat`, and is `known_as` what it was.
    """

    chat: int
    topic: int | None = None
    known_as: int | None = None

    @property
    def is_group(self) -> bool:
        """Whether it is a group, whose ids are negative in Telegram."""
        return self.chat < 0

    def conversation(self, bot_id: int) -> str:
        """Return the conversation id of this place for that bot."""
        topic = "" if self.topic is None else f":{self.topic}"
        return f"telegram:{bot_id}:{self.known_as or self.chat}{topic}"

    def message_id(self, number: int) -> str:
        """Return a message's id as `edit` takes it, with the chat where a group has migrated."""
        return f"{self.chat}:{number}" if self.known_as else str(number)


def is_supergroup(chat: int) -> bool:
    """Whether this is a supergroup or channel; their ids are below `SUPERGROUPS`."""
    return chat < SUPERGROUPS


def parse_place(conversation: str, bot_id: int) -> ChatPlace:
    """Return the place of a conversation id. Raises Gone for ids that are not of this bot."""
    match = _FORM.fullmatch(conversation)
    if match is None or int(match[1]) != bot_id:
        raise Gone(f"not a conversation of this Telegram bot: {conversation!r}")
    return ChatPlace(int(match[2]), int(match[3]) if match[3] else None)
