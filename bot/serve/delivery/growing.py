"""Delivery of a reply that is an answer in the making: shown as far as it is written."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

import structlog

from engine.errors import PlatformError, StoreError
from engine.frames.replies import Part, ReplyHead, being_answered, view
from engine.ports.platform import Platform, Rate
from engine.ports.storage.drafts import Draft, Drafts, GrowingPlatform, Growth
from engine.ports.storage.outbox import OutboxRow

log = structlog.get_logger()
# A slower platform is not waited for.
PATIENCE_S = 5.0
# What is shown without a message is shown again before the platform forgets it; and who waits for
# longer than this gets the message that says that work goes on.
AGAIN_S = 20.0
LONGEST_S = 45.0
# The whole reply makes its row due at once.
UNTIL_WHOLE_S = 60.0


@dataclass(frozen=True, slots=True)
class Answering:
    """A row whose one question is being answered: how far, and the platform that can show it."""

    platform: GrowingPlatform
    head: ReplyHead
    part: Part
    draft: Draft


@dataclass(frozen=True, slots=True)
class GrownMessage:
    """The message that shows the answer as far as it is written."""

    message_id: str


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Nothing to show now; the row is due again in so many seconds."""

    in_s: float


class AnswerDelivery:
    """Shows answers in the making; whatever fails, the row is shown as if there were none."""

    def __init__(self, drafts: Drafts, rate: Rate, *, lease_s: float) -> None:
        self._drafts = drafts
        self._rate = rate
        # The whole reply may follow under the same lease.
        self._patience_s = min(PATIENCE_S, lease_s / 4)

    async def answering(
        self, row: OutboxRow, platform: Platform, now: datetime
    ) -> Answering | None:
        """The row's answer in the making; None when it is to be shown as any other."""
        if (
            row.kind != "reply"
            or not row.head
            or row.card
            or not isinstance(platform, GrowingPlatform)
        ):
            return None
        parts = tuple(Part.model_validate_json(body) for body in row.parts)
        if not being_answered(parts) or not platform.grows_every_s(row.conversation):
            return None
        head = ReplyHead.model_validate_json(row.head)
        try:
            draft = await self._drafts.read(row.ref)
        except StoreError:
            return None
        waited_s = (now - head.at).total_seconds()
        if draft.off or not (row.message_id or draft.text or waited_s < LONGEST_S):
            return None
        return Answering(platform, head, parts[0], draft)

    async def show(
        self, row: OutboxRow, one: Answering, zone: str
    ) -> GrownMessage | LookAgain | None:
        """Show the answer so far. None when the row has to be shown as any other."""
        draft = one.draft
        if row.message_id and draft.text == draft.shown:
            return LookAgain(UNTIL_WHOLE_S)
        try:
            if wait_s := await self._wait_s(row, one.platform):
                return LookAgain(wait_s) if row.message_id else None
            async with asyncio.timeout(self._patience_s):
                message_id = await one.platform.grow(
                    row.conversation, row.message_id, _growth(row, one, zone)
                )
        except (PlatformError, TimeoutError) as error:
            log.info("answer_does_not_grow", row=row.row, error=repr(error))
            await self._drafts.stop(row.ref)
            return LookAgain(UNTIL_WHOLE_S) if row.message_id else None
        if row.message_id or not message_id:
            await self._drafts.shown(row.ref, draft.text)
        elif draft.text:
            # The message is known before it says anything: no crash leaves a text to nobody.
            await self._drafts.put(row.ref, draft.text)
        return GrownMessage(message_id) if message_id else LookAgain(AGAIN_S)

    async def _wait_s(self, row: OutboxRow, platform: GrowingPlatform) -> float:
        """In how many seconds the platform takes one more of all that grows there."""
        if not platform.growth.every_s:
            return 0.0
        name = f"{row.conversation.partition(':')[0]}:growing"
        return await self._rate.ask(name, platform.growth, 1)


def _growth(row: OutboxRow, one: Answering, zone: str) -> Growth:
    text = one.draft.text
    part = one.part.model_copy(update={"text": text}) if text else one.part
    return Growth(
        view=view(one.head, (part,), None, zone),
        working=view(one.head, (one.part,), None, zone),
        text=text,
        before=one.draft.shown,
        asker=one.head.asker,
        key=row.row,
    )
