"""Messages of the stub Telegram, and updates shaped as Telegram sends them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.platforms.telegram.text import Parsed, units, with_found
from tests.fakes.platforms.timepiece import Timepiece

DATE = 1_790_000_000


@dataclass
class Sent:
    """A message of the bot as it shows now; `edits` counts changes, `deleted` when it is gone.

    With a `photo` or a `document` (named `file_name`), `text` is its caption.
    """

    chat_id: int
    message_id: int
    html: str
    text: str
    entities: list[dict[str, Any]]
    keyboard: list[list[dict[str, Any]]] = field(default_factory=list)
    force_reply: bool = False
    reply_to: int | None = None
    topic: int | None = None
    edits: int = 0
    deleted: bool = False
    photo: bytes = b""
    document: bytes = b""
    file_name: str = ""
    sent_at: float = 0.0

    @property
    def labels(self) -> list[str]:
        """The labels of all buttons, row by row."""
        return [button["text"] for row in self.keyboard for button in row]

    @property
    def links(self) -> list[str]:
        """The targets of all links."""
        return [e["url"] for e in self.entities if e["type"] == "text_link"]

    def data(self, label: str) -> str:
        """The callback data behind a label; KeyError when there is no such button."""
        return {b["text"]: str(b["callback_data"]) for row in self.keyboard for b in row}[label]


def chat_of(chat_id: int) -> dict[str, Any]:
    """A chat; group ids are negative."""
    if chat_id > 0:
        return {"id": chat_id, "type": "private", "first_name": "Ana"}
    return {"id": chat_id, "type": "supergroup", "title": "Ward 7", "is_forum": True}


class Updates:
    """Shapes updates with ids that rise; knows the bot they are for."""

    def __init__(self, bot: dict[str, Any], secret: str) -> None:
        self.bot = bot
        self.secret = secret
        self.time = Timepiece()
        self.open_callbacks: dict[str, float] = {}
        self._made_at: dict[int, float] = {}
        self._count = 0

    def secret_headers(self) -> dict[str, str]:
        """The headers with which Telegram proves who it is."""
        return {"X-Telegram-Bot-Api-Secret-Token": self.secret}

    def message_update(
        self,
        text: str,
        *,
        chat_id: int = 1001,
        user_id: int | None = None,
        name: str = "Ana",
        topic: int | None = None,
        reply_to: Sent | None = None,
        entities: Sequence[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """A person writes; in a private chat the person's id is the chat's."""
        found = with_found(Parsed(text)).entities if entities is None else list(entities)
        number = self._next()
        message: dict[str, Any] = {
            "message_id": 500_000 + number,
            "from": self.person(user_id or abs(chat_id), name),
            "chat": chat_of(chat_id),
            "date": DATE + number,
            "text": text,
            **({"entities": found} if found else {}),
            **_topic(topic),
        }
        if reply_to is not None:
            message["reply_to_message"] = self.payload_of(reply_to)
        return {"update_id": 90_000 + number, "message": message}

    def edit_update(
        self, update: dict[str, Any], text: str, *, seen: bool = True, **more: Any
    ) -> dict[str, Any]:
        """The writer changed a message's text; unless `seen`, something else of it has changed."""
        number = self._next()
        was = {key: value for key, value in update["message"].items() if key != "entities"}
        found = with_found(Parsed(text)).entities
        changed = was | {"text": text} | ({"entities": found} if found else {}) | more
        if seen:
            changed["edit_date"] = DATE + number
        return {"update_id": 90_000 + number, "edited_message": changed}

    def command_update(self, text: str, **where: Any) -> dict[str, Any]:
        """A person gives a command; `text` begins with it, as in "/cancel@signoff_bot"."""
        length = units(text.split()[0])
        mark = {"type": "bot_command", "offset": 0, "length": length}
        return self.message_update(text, entities=[mark], **where)

    def reply_update(
        self, prompt: Sent, text: str, *, user_id: int | None = None, name: str = "Ana"
    ) -> dict[str, Any]:
        """A person replies to a message of the bot."""
        return self.message_update(
            text,
            chat_id=prompt.chat_id,
            user_id=user_id,
            name=name,
            topic=prompt.topic,
            reply_to=prompt,
        )

    def tap_update(
        self, message: Sent, label: str, *, user_id: int | None = None, name: str = "Ana"
    ) -> dict[str, Any]:
        """A person taps the button of that label; the tap may be answered once."""
        number = self._next()
        callback_id = f"43800{number:012d}"
        self.open_callbacks[callback_id] = self.time.now()
        return {
            "update_id": 90_000 + number,
            "callback_query": {
                "id": callback_id,
                "from": self.person(user_id or abs(message.chat_id), name),
                "message": self.payload_of(message),
                "chat_instance": "-3141592653589793",
                "data": message.data(label),
            },
        }

    def migrated_update(self, old: int, new: int) -> dict[str, Any]:
        """The group `old` has become the supergroup `new`, as the old one is told."""
        update = self.message_update("", chat_id=old)
        del update["message"]["text"]
        update["message"]["migrate_to_chat_id"] = new
        return update

    def payload_of(self, message: Sent) -> dict[str, Any]:
        """A message of the bot as it stands inside an update."""
        payload: dict[str, Any] = {
            "message_id": message.message_id,
            "from": self.bot,
            "chat": chat_of(message.chat_id),
            "date": DATE,
            "text": message.text,
            "entities": message.entities,
            **_topic(message.topic),
        }
        if message.keyboard:
            payload["reply_markup"] = {"inline_keyboard": message.keyboard}
        return payload

    def person(self, user_id: int, name: str) -> dict[str, Any]:
        """A person as Telegram names them."""
        return {"id": user_id, "is_bot": False, "first_name": name, "language_code": "en"}

    def made_at(self, update: dict[str, Any]) -> float:
        """When that happened, by the server's time; now for an update of another's making."""
        return self._made_at.get(update["update_id"], self.time.now())

    def _next(self) -> int:
        self._count += 1
        self._made_at[90_000 + self._count] = self.time.now()
        return self._count


def _topic(topic: int | None) -> dict[str, Any]:
    return {} if topic is None else {"message_thread_id": topic, "is_topic_message": True}
