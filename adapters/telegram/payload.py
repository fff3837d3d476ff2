"""The parts of Telegram's updates that we read; all else is ignored."""

from typing import Any

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from adapters.telegram.addresses import ChatPlace
from cards.model import Lang
from cards.texts import lang_of_tag
from engine.errors import BadPayload
from engine.events import SharedFile

GENERAL = 1
"""The id of a forum's topic General, which no call may name."""


class _PayloadPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class TelegramUser(_PayloadPart):
    """Who wrote or tapped."""

    id: int
    is_bot: bool = False
    first_name: str = ""
    last_name: str = ""
    username: str = ""
    language_code: str = ""

    @property
    def lang(self) -> Lang:
        """The language of their client, if we have it."""
        return lang_of_tag(self.language_code)

    @property
    def name(self) -> str:
        """The name as Telegram's clients show it."""
        return f"{self.first_name} {self.last_name}".strip() or self.username


class Chat(_PayloadPart):
    """Where it was written; `known_as` and `left` are ours, see `Payload.in_chat`."""

    id: int
    type: str = ""
    known_as: int | None = None
    left: bool = False

    @model_validator(mode="before")
    @classmethod
    def _without_our_fields(cls, given: Any) -> Any:
        """Drop our own fields from the payload: others must not set them."""
        if not isinstance(given, dict):
            return given
        return {name: given[name] for name in ("id", "type") if name in given}


class Entity(_PayloadPart):
    """A marked stretch of a text, in UTF-16 units."""

    type: str
    offset: int
    length: int
    url: str = ""
    user: TelegramUser | None = None


class MediaFile(_PayloadPart):
    """A file of a message; of a photo, one of its sizes."""

    file_id: str
    file_name: str = ""
    mime_type: str = ""
    file_size: int = 0


class TelegramMessage(_PayloadPart):
    """A message; one that is too old to be read has neither text nor sender.

    What is written under a file is its text.
    """

    message_id: int
    chat: Chat
    sender: TelegramUser | None = Field(default=None, alias="from")
    text: str = Field(default="", validation_alias=AliasChoices("text", "caption"))
    entities: tuple[Entity, ...] = Field(
        default=(), validation_alias=AliasChoices("entities", "caption_entities")
    )
    document: MediaFile | None = None
    photo: tuple[MediaFile, ...] = ()
    video: MediaFile | None = None
    audio: MediaFile | None = None
    voice: MediaFile | None = None
    edit_date: int = 0
    message_thread_id: int | None = None
    is_topic_message: bool = False
    reply_to_message: "TelegramMessage | None" = None
    migrate_to_chat_id: int | None = None
    migrate_from_chat_id: int | None = None

    @property
    def file(self) -> SharedFile | None:
        """The file that it came with, if any; of a photo, the largest size."""
        photo = max(self.photo, key=lambda size: size.file_size, default=None)
        found = self.document or photo or self.video or self.audio or self.voice
        if found is None:
            return None
        return SharedFile(
            platform="telegram",
            id=found.file_id,
            name=found.file_name or ("photo.jpg" if found is photo else ""),
            size_bytes=found.file_size,
            media_type=found.mime_type,
        )

    @property
    def place(self) -> ChatPlace:
        """The chat, or the forum topic in it; General is the chat itself (platform-facts A2)."""
        topic = self.message_thread_id if self.is_topic_message else None
        return ChatPlace(self.chat.id, None if topic == GENERAL else topic, self.chat.known_as)

    def entity_text(self, entity: Entity) -> str:
        """Return the text that `entity` marks."""
        return _cut(self.text, entity.offset, entity.offset + entity.length)

    def without(self, entity: Entity) -> str:
        """Return the text without what `entity` marks."""
        start, end = entity.offset, entity.offset + entity.length
        return _cut(self.text, 0, start) + _cut(self.text, end, None)


class Callback(_PayloadPart):
    """A tap on a button; `data` is missing for games."""

    id: str
    sender: TelegramUser = Field(alias="from")
    message: TelegramMessage | None = None
    data: str = ""


class Payload(_PayloadPart):
    """One update of the kinds we asked Telegram for.

    `message` was written now, or changed now (`edited`).
    """

    update_id: int
    message: TelegramMessage | None = None
    callback_query: Callback | None = None
    edited: bool = False

    @model_validator(mode="before")
    @classmethod
    def _one_message(cls, given: Any) -> Any:
        """Take `edited_message` as the message."""
        if not isinstance(given, dict):
            return given
        changed = given.get("edited_message")
        return {**given, "message": given.get("message") or changed, "edited": bool(changed)}

    @property
    def source_message(self) -> TelegramMessage | None:
        """The message that was written, or whose button was tapped."""
        return self.callback_query.message if self.callback_query else self.message

    def in_chat(self, chat: int, *, known_as: int, left: bool = False) -> "Payload":
        """Return the same update with the new and the old chat of a migrated group.

        `left` when the message itself stayed in the old chat.
        """
        message = self.source_message
        if message is None:
            return self
        now = {"id": chat, "known_as": known_as, "left": left}
        moved = message.model_copy(update={"chat": message.chat.model_copy(update=now)})
        if self.callback_query is None:
            return self.model_copy(update={"message": moved})
        tapped = self.callback_query.model_copy(update={"message": moved})
        return self.model_copy(update={"callback_query": tapped})


def parse(raw: Any) -> Payload:
    """Return the payload. Raises BadPayload for what is no update."""
    try:
        return Payload.model_validate(raw)
    except ValidationError as exc:
        raise BadPayload(f"not an update of Telegram: {exc.error_count()} faults") from exc


def _cut(text: str, start: int, end: int | None) -> str:
    wide = text.encode("utf-16-le", "surrogatepass")
    return wide[2 * start : None if end is None else 2 * end].decode("utf-16-le", "replace")
