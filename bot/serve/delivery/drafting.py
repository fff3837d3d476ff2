"""Answers while they are written: taken from the turns of this process, put where all see them."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import structlog

from bot.stopping import pause
from engine.errors import StoreError
from engine.ports.clock import Clock
from engine.ports.platform import Platform
from engine.ports.storage.drafts import Drafts, GrowingPlatform, Show

log = structlog.get_logger()
# A shorter answer that is quickly written comes as a whole.
BEGINS_CHARS = 200
BEGINS_S = 1.0
IDLE_S = 60.0


@dataclass(slots=True)
class _PendingDraft:
    """An answer that is being written; `text` is what has still to be put."""

    every_s: float
    since_s: float | None = None
    begun: bool = False
    text: str | None = None
    due_s: float = 0.0


class DraftWriter:
    """Takes texts at once and puts them at each platform's pace; what fails is left out.

    `mask` takes secrets out of a text.
    """

    def __init__(
        self,
        drafts: Drafts,
        platforms: Mapping[str, Platform],
        clock: Clock,
        mask: Callable[[str], str],
    ) -> None:
        self._drafts = drafts
        self._platforms = platforms
        self._clock = clock
        self._mask = mask
        self._writing: dict[str, _PendingDraft] = {}
        self._told = asyncio.Event()

    @contextmanager
    def writing(self, reply: str, conversation: str) -> Iterator[Show | None]:
        """What shows the answer of that reply, where its platform can."""
        platform = self._platforms.get(conversation.partition(":")[0])
        able = platform if isinstance(platform, GrowingPlatform) else None
        every_s = able.grows_every_s(conversation) if able else 0.0
        if not every_s:
            yield None
            return
        one = self._writing[reply] = _PendingDraft(every_s)
        try:
            yield lambda text: self._show(one, text)
        finally:
            # What was not put yet comes with the whole reply.
            if self._writing.get(reply) is one:
                del self._writing[reply]

    def _show(self, one: _PendingDraft, text: str) -> bool:
        now_s = self._clock.elapsed_s()
        one.since_s = now_s if one.since_s is None else one.since_s
        one.begun = one.begun or len(text) >= BEGINS_CHARS or now_s - one.since_s >= BEGINS_S
        if one.begun:
            one.text = self._mask(text)
            self._told.set()
        return one.begun

    async def run(self) -> None:
        """Put what was told until cancelled."""
        while True:
            self._told.clear()
            await pause(self._told, await self._put_due())

    async def _put_due(self) -> float:
        """Put every text that is due; answers in how many seconds the next one is."""
        next_s = IDLE_S
        for reply, one in [*self._writing.items()]:
            now_s = self._clock.elapsed_s()
            if one.text is not None and now_s >= one.due_s:
                text, one.text, one.due_s = one.text, None, now_s + one.every_s
                await self._put(reply, text)
            elif one.text is not None:
                next_s = min(next_s, one.due_s - now_s)
        return next_s

    async def _put(self, reply: str, text: str) -> None:
        try:
            await self._drafts.put(reply, text)
        except StoreError as error:
            log.info("draft_not_put", reply=reply, error=str(error))
