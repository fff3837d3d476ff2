"""The chat log of the web chat, in memory."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import StoreUnavailable
from engine.ports.conversations import ChatMessage, ChatPage
from engine.ports.platform import ChatEntry


class MemoryChatLog:
    """A ChatLog whose positions count 1, 2, 3 ...; `away` makes it refuse, as a lost store does."""

    def __init__(self) -> None:
        self.away = False
        self._entries: dict[str, list[ChatEntry]] = defaultdict(list)
        self._changed = asyncio.Condition()

    async def append(self, conversation: str, body: Mapping[str, Any]) -> str:
        if self.away:
            raise StoreUnavailable("the store is away")
        async with self._changed:
            entries = self._entries[conversation]
            entries.append(ChatEntry(seq=str(len(entries) + 1), body=dict(body)))
            self._changed.notify_all()
            return entries[-1].seq

    def reply_id(self, conversation: str, update_id: str) -> str:
        return f"reply to {update_id} in {conversation}"

    async def read(self, conversation: str, after: str, *, wait_s: float) -> Sequence[ChatEntry]:
        if self.away:
            raise StoreUnavailable("the store is away")
        start = int(after.partition("-")[0])
        entries = self._entries[conversation]
        try:
            async with asyncio.timeout(wait_s), self._changed:
                await self._changed.wait_for(lambda: len(entries) > start)
        except TimeoutError:
            return ()
        return tuple(entries[start:])

    async def page(self, conversation: str, *, before: int | None, count: int) -> ChatPage:
        if self.away:
            raise StoreUnavailable("the store is away")
        now = self._now(conversation)
        kept = [m for m in now if before is None or m.number < before]
        seq = str(len(self._entries[conversation]))
        return ChatPage(tuple(kept[-count:]), seq, len(kept) > count)

    async def newest(self, conversations: Sequence[str]) -> Sequence[int]:
        if self.away:
            raise StoreUnavailable("the store is away")
        return [len(self._now(name)) for name in conversations]

    def _now(self, conversation: str) -> list[ChatMessage]:
        last: dict[tuple[Any, Any], Mapping[str, Any]] = {}
        for body in self.bodies(conversation):
            if body["op"] in ("said", "post", "edit"):
                last[body["id"], body.get("person")] = body
        return [ChatMessage(number, body) for number, body in enumerate(last.values(), 1)]

    def bodies(self, conversation: str) -> list[Mapping[str, Any]]:
        """What was appended to a conversation, oldest first."""
        return [entry.body for entry in self._entries[conversation]]
