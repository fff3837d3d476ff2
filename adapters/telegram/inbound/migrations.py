"""Groups that became supergroups: the new chat goes by its old conversation (design §3).

Telegram tells it in a message of both chats, and to whoever still writes to the old one.
"""

from dataclasses import replace

from adapters.telegram.addresses import ChatPlace, is_supergroup
from adapters.telegram.payload import Payload
from engine.ports.storage.platform_texts import ExpiringTexts

_KEEP_S = 20 * 365 * 24 * 3600.0


class Moves:
    """Which chat a group has become, for one bot. Raises StoreUnavailable."""

    def __init__(self, bot_id: int, slate: ExpiringTexts) -> None:
        self._bot_id = bot_id
        self._slate = slate
        self._known: dict[str, int] = {}

    async def note(self, old: int, new: int) -> None:
        """Keep that `old` has become `new`."""
        # Who writes to the old chat finds the new one first; both are written again at a repeat.
        for name, chat in ((f"from:{new}", old), (f"to:{old}", new)):
            key = self._key(name)
            was = await self._slate.read(key)
            await self._slate.write(key, str(chat), was=was, keep_s=_KEEP_S)
            self._known[key] = chat

    async def here(self, place: ChatPlace) -> ChatPlace:
        """Where this place of a conversation is now."""
        if place.chat >= 0 or is_supergroup(place.chat):
            return place
        new = await self._find(f"to:{place.chat}")
        return place if new is None else replace(place, chat=new, known_as=place.chat)

    async def named(self, payload: Payload) -> Payload:
        """The update as of the conversation that its chat has always been."""
        message = payload.at
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
        if key not in self._known and (found := await self._slate.read(key)):
            self._known[key] = int(found)
        return self._known.get(key)

    def _key(self, name: str) -> str:
        return f"telegram:{self._bot_id}:{name}"
