"""Groups that became supergroups, whose new chat keeps the old conversation (design §3).

Telegram reports it by a message in both chats, and to callers that still write to the old one.
"""

from dataclasses import replace

from adapters.telegram.addresses import ChatPlace, is_supergroup
from adapters.telegram.payload import Payload
from engine.ports.storage.platform_texts import ExpiringTexts

_KEEP_S = 20 * 365 * 24 * 3600.0


class GroupMigrations:
    """Which chat a group has become, for one bot. Raises StoreUnavailable."""

    def __init__(self, bot_id: int, texts: ExpiringTexts) -> None:
        self._bot_id = bot_id
        self._texts = texts
        self._known: dict[str, int] = {}

    async def record(self, old: int, new: int) -> None:
        """Record that `old` has become `new`."""
        # This order: whoever finds the new chat finds the old one too. A repeat writes both again.
        for name, chat in ((f"from:{new}", old), (f"to:{old}", new)):
            key = self._key(name)
            was = await self._texts.read(key)
            await self._texts.write(key, str(chat), was=was, keep_s=_KEEP_S)
            self._known[key] = chat

    async def current_place(self, place: ChatPlace) -> ChatPlace:
        """Return where this place of a conversation is now."""
        if place.chat >= 0 or is_supergroup(place.chat):
            return place
        new = await self._find(f"to:{place.chat}")
        return place if new is None else replace(place, chat=new, known_as=place.chat)

    async def resolve(self, payload: Payload) -> Payload:
        """Return the update with the conversation that its chat has always had."""
        message = payload.source_message
        if message is None or message.chat.id >= 0:
            return payload
        chat = message.chat
        if is_supergroup(chat.id):
            old = await self._find(f"from:{chat.id}")
            return payload if old is None else payload.in_chat(chat.id, known_as=old)
        new = await self._find(f"to:{chat.id}")
        return payload if new is None else payload.in_chat(new, known_as=chat.id, left=True)

    async def _find(self, name: str) -> int | None:
        key = self._key(name)
        if key not in self._known and (found := await self._texts.read(key)):
            self._known[key] = int(found)
        return self._known.get(key)

    def _key(self, name: str) -> str:
        return f"telegram:{self._bot_id}:{name}"
