"""Answers shown while they are written: put where all processes see them, and delivered."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha1

import structlog

from bot.waits import pause
from cards.showing.view import MessageView
from engine.errors import PlatformError, StoreError
from engine.frames.replies import (
    Part,
    ReplyHead,
    is_being_answered,
    read_parts,
    reply_view,
)
from engine.ports.clock import Clock
from engine.ports.platform import Platform, Rate
from engine.ports.storage.drafts import Draft, Drafts, GrowingPlatform, Growth, ShowDraft
from engine.ports.storage.outbox import OutboxRow
from engine.react.answer_parts import number_answer, read_draft, split_answer

log = structlog.get_logger()
# A shorter answer that is written faster is shown as a whole.
BEGINS_CHARS = 200
BEGINS_S = 1.0
IDLE_S = 60.0
# A slower platform is not waited for.
PATIENCE_S = 5.0
# What is shown without a message is shown again before the platform forgets it; and who waits for
# longer than this gets the message that says that work goes on.
AGAIN_S = 20.0
LONGEST_S = 45.0
# The whole reply makes its row due at once.
UNTIL_WHOLE_S = 60.0


@dataclass(slots=True)
class _PendingDraft:
    """An answer that is being written; `text` is what has not been stored yet."""

    every_s: float
    since_s: float | None = None
    begun: bool = False
    text: str | None = None
    due_s: float = 0.0


class DraftWriter:
    """Stores drafts of answers, at the pace of each platform; a draft that fails is left out.

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
        self._changed = asyncio.Event()

    @contextmanager
    def writing(self, reply: str, conversation: str) -> Iterator[ShowDraft | None]:
        """A function that shows the reply's answer so far; None where the platform cannot."""
        platform = self._platforms.get(conversation.partition(":")[0])
        streaming = platform if isinstance(platform, GrowingPlatform) else None
        every_s = streaming.grows_every_s(conversation) if streaming else 0.0
        if not every_s:
            yield None
            return
        draft = self._writing[reply] = _PendingDraft(every_s)
        try:
            yield lambda text: self._show(draft, text)
        finally:
            # What is not stored yet comes with the whole reply.
            if self._writing.get(reply) is draft:
                del self._writing[reply]

    def _show(self, draft: _PendingDraft, text: str) -> bool:
        now_s = self._clock.elapsed_s()
        draft.since_s = now_s if draft.since_s is None else draft.since_s
        draft.begun = draft.begun or len(text) >= BEGINS_CHARS or now_s - draft.since_s >= BEGINS_S
        if draft.begun:
            draft.text = self._mask(text)
            self._changed.set()
        return draft.begun

    async def run(self) -> None:
        """Store drafts as they are due, until cancelled."""
        while True:
            self._changed.clear()
            await pause(self._changed, await self._put_due())

    async def _put_due(self) -> float:
        """Store every draft that is due; returns in how many seconds the next one is."""
        next_s = IDLE_S
        for reply, draft in [*self._writing.items()]:
            now_s = self._clock.elapsed_s()
            if draft.text is not None and now_s >= draft.due_s:
                text, draft.text, draft.due_s = draft.text, None, now_s + draft.every_s
                await self._put(reply, text)
            elif draft.text is not None:
                next_s = min(next_s, draft.due_s - now_s)
        return next_s

    async def _put(self, reply: str, text: str) -> None:
        try:
            await self._drafts.put(reply, text)
        except StoreError as error:
            log.info("draft_not_put", reply=reply, error=str(error))


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """The row of an answer that is being written, and the platform that can show it so.

    `beside` names how the parts and the card stand that are no part of it, "" where there are none.
    With a card or a run among them the message is posted as any other, and grows from then on.
    """

    platform: GrowingPlatform
    head: ReplyHead
    parts: tuple[Part, ...]
    draft: Draft
    beside: str = ""
    is_posted_first: bool = False

    def grown_parts(self) -> tuple[Part, ...]:
        """The parts with the text so far."""
        texts = split_answer(*self._read(self.draft.text))
        return tuple(
            part.model_copy(update={"text": texts.get(part.index + 1, part.text)})
            if is_being_answered(part)
            else part
            for part in self.parts
        )

    def numbered_text(self, draft: str) -> str:
        """The text of a draft alone, as people read it."""
        return number_answer(*self._read(draft))

    def _read(self, draft: str) -> tuple[str, tuple[int, ...]]:
        text, numbers = read_draft(draft) if len(self.parts) > 1 else (draft, ())
        asked = (part.index + 1 for part in self.parts if is_being_answered(part))
        return text, numbers or tuple(asked)


@dataclass(frozen=True, slots=True)
class StreamedMessage:
    """The message that shows the answer so far."""

    message_id: str


@dataclass(frozen=True, slots=True)
class CheckLater:
    """Nothing to show now; the row is due again in so many seconds."""

    in_s: float


class StreamingDelivery:
    """Delivers answers while they are written; after a failure the row is shown as any other."""

    def __init__(self, drafts: Drafts, rate: Rate, *, lease_s: float) -> None:
        self._drafts = drafts
        self._rate = rate
        # The whole reply may follow under the same lease.
        self._patience_s = min(PATIENCE_S, lease_s / 4)

    async def find(
        self, row: OutboxRow, platform: Platform, now: datetime
    ) -> StreamedAnswer | None:
        """The row's unfinished answer; None for a row that is shown as any other."""
        if row.kind != "reply" or not row.head:
            return None
        parts = read_parts(row.parts)
        if not any(map(is_being_answered, parts)) or not isinstance(platform, GrowingPlatform):
            return None
        if not platform.grows_every_s(row.conversation):
            return None
        head = ReplyHead.model_validate_json(row.head)
        try:
            draft = await self._drafts.read(row.ref)
        except StoreError:
            return None
        waited_s = (now - head.at).total_seconds()
        if draft.off or not (row.message_id or draft.text or waited_s < LONGEST_S):
            return None
        beside = "" if all(map(is_being_answered, parts)) else _digest(row)
        first = bool(row.card) or any(part.run for part in parts)
        return StreamedAnswer(platform, head, parts, draft, beside, first)

    async def show(
        self, row: OutboxRow, answer: StreamedAnswer, grown: MessageView, zone: str
    ) -> StreamedMessage | CheckLater | None:
        """Show `grown`, which has the answer so far. None when the row is to be shown as any other.

        So it has to where something else of the reply has changed, which is to stay.
        """
        draft = answer.draft
        has_changed = answer.beside != draft.beside or bool(answer.beside and row.attempts)
        if has_changed and (row.message_id or answer.is_posted_first):
            shown = draft.text if row.message_id else ""
            await self._drafts.mark_shown(row.ref, shown, answer.beside)
            if draft.text and not row.message_id:
                # It comes into the message that is posted now, also if no more of it is written.
                await self._drafts.put(row.ref, draft.text)
            return None
        if answer.is_posted_first and not row.message_id:
            return None
        if row.message_id and draft.text == draft.shown:
            return CheckLater(UNTIL_WHOLE_S)
        try:
            if wait_s := await self._wait_s(row, answer.platform):
                return CheckLater(wait_s) if row.message_id else None
            async with asyncio.timeout(self._patience_s):
                message_id = await answer.platform.grow(
                    row.conversation, row.message_id, _growth(row, answer, grown, zone)
                )
        except (PlatformError, TimeoutError) as error:
            log.info("answer_does_not_grow", row=row.row, error=repr(error))
            await self._drafts.stop(row.ref)
            return CheckLater(UNTIL_WHOLE_S) if row.message_id else None
        if row.message_id or not message_id:
            await self._drafts.mark_shown(row.ref, draft.text, answer.beside)
        else:
            await self._drafts.mark_shown(row.ref, "", answer.beside)
            if draft.text:
                # Its id is stored before it has text, so that a crash leaves none unfinished.
                await self._drafts.put(row.ref, draft.text)
        return StreamedMessage(message_id) if message_id else CheckLater(AGAIN_S)

    async def _wait_s(self, row: OutboxRow, platform: GrowingPlatform) -> float:
        """Seconds until the platform takes another update of a streamed message."""
        if not platform.growth.every_s:
            return 0.0
        name = f"{row.conversation.partition(':')[0]}:growing"
        return await self._rate.ask(name, platform.growth, 1)


def _growth(row: OutboxRow, answer: StreamedAnswer, grown: MessageView, zone: str) -> Growth:
    return Growth(
        view=grown,
        working=reply_view(answer.head, answer.parts, None, zone),
        text=answer.numbered_text(answer.draft.text),
        before=answer.numbered_text(answer.draft.shown),
        asker=answer.head.asker,
        key=row.row,
        alone=not answer.beside,
    )


def _digest(row: OutboxRow) -> str:
    card = (row.card.body, row.card.status, str(row.card.version)) if row.card else ()
    return sha1("\0".join((*row.parts, *card)).encode(), usedforsecurity=False).hexdigest()
