"""The messages of a room, as its event stream brings them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from bot.terminal.client import ChatClient, Entry

View = Mapping[str, Any]
OnEntry = Callable[[Entry, View | None], None]
"""Called with an entry, and with the view that its message had before (None for a new one)."""


def _nothing(entry: Entry, before: View | None) -> None:
    pass


class Room:
    """The messages by id, in the order in which they were first shown."""

    def __init__(self, on_entry: OnEntry = _nothing) -> None:
        self.shown: dict[str, View] = {}
        self.entries = 0
        self._on_entry = on_entry
        self._changed = asyncio.Condition()
        self._following: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def followed(self, chat: ChatClient) -> AsyncIterator["Room"]:
        """Follow the room until the block ends."""
        following = self._following = asyncio.create_task(self._follow(chat))
        try:
            yield self
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def until(self, ready: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until `ready()`; False when it is not in time.

        Raises what ended the stream, NoService or RequestRefused.
        """
        waiting = asyncio.create_task(self._until(ready))
        tasks = {waiting} if self._following is None else {waiting, self._following}
        try:
            await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        if self._following and self._following.done():
            self._following.result()
        return ready()

    async def silent(self, for_s: float, timeout_s: float) -> None:
        """Wait until no entry has come for so long."""
        clock = asyncio.get_running_loop().time
        ends = clock() + timeout_s
        while clock() < ends and await self.changed_since(self.entries, for_s):
            pass

    async def changed_since(self, entries: int, timeout_s: float) -> bool:
        """Wait until there are more than so many entries; False when none comes in time."""
        return await self.until(self._more_than(entries), timeout_s)

    def _more_than(self, seen: int) -> Callable[[], bool]:
        return lambda: self.entries > seen

    async def _until(self, ready: Callable[[], bool]) -> None:
        async with self._changed:
            await self._changed.wait_for(ready)

    async def _follow(self, chat: ChatClient) -> None:
        async for entry in chat.entries():
            async with self._changed:
                before = self.shown.get(str(entry.get("id", "")))
                if entry.get("op") in ("post", "edit"):
                    self.shown[str(entry["id"])] = entry["view"]
                if entry.get("op") != "typing":
                    self.entries += entry.get("op") != "draft"
                    self._on_entry(entry, before)
                self._changed.notify_all()


def part_states(view: View) -> set[str]:
    """The states of a message's parts."""
    return {str(part["state"]) for part in view["parts"]}


def is_open(card: Mapping[str, Any] | None) -> bool:
    """Whether there is a card that has buttons."""
    return bool(card and card["buttons"])
