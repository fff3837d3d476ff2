"""The chat log of the web chat, in memory."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import StoreUnavailable
from engine.ports.conversations import ChatEntry, ChatMessage, ChatPage, Cursor, ListedFor


class MemoryChatLog:
    """A ChatLog whose positions count 1, 2, 3 ...; `away` makes it refuse, as a lost store does."""

    def __init__(self) -> None:
        self.away = False
        self._entries: dict[str, list[ChatEntry]] = defaultdict(list)
        self._drafts: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._changed = asyncio.Condition()

    async def append(
        self, conversation: str, body: Mapping[str, Any], *, listed: ListedFor | None = None
    ) -> str:
        if self.away:
            raise StoreUnavailable("the store is away")
        async with self._changed:
            entries = self._entries[conversation]
            entries.append(ChatEntry(seq=str(len(entries) + 1), body=dict(body)))
            self._changed.notify_all()
            return entries[-1].seq

    def reply_id(self, conversation: str, update_id: str) -> str:
        return f"reply to {update_id} in {conversation}"

    async def draft(self, conversation: str, body: Mapping[str, Any]) -> None:
        if self.away:
            raise StoreUnavailable("the store is away")
        async with self._changed:
            self._drafts[conversation].append(dict(body))
            self._changed.notify_all()

    async def read(
        self, conversation: str, after: str, *, wait_s: float, drafts: Cursor | None = None
    ) -> Sequence[ChatEntry]:
        if self.away:
            raise StoreUnavailable("the store is away")
        start = int(after.partition("-")[0])
        entries, told = self._entries[conversation], self._drafts[conversation]
        seen = len(told)
        if drafts is not None:
            seen = int(drafts.at or len(told))
            drafts.at = str(seen)
        try:
            async with asyncio.timeout(wait_s), self._changed:
                await self._changed.wait_for(
                    lambda: len(entries) > start or (drafts is not None and len(told) > seen)
                )
        except TimeoutError:
            return ()
        if drafts is not None:
            drafts.at = str(len(told))
        growing = told[seen:] if drafts is not None else []
        return (*(ChatEntry(seq="", body=body) for body in growing), *entries[start:])

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
