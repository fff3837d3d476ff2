"""Delivery: each due row on its way; messages are rendered as they are now (design §3)."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol, assert_never

import structlog

from bot.serve.delivery.localizer import Localizer
from bot.serve.delivery.pacing import LONGEST_S, Throttle, backoff_s
from bot.serve.delivery.streaming import (
    CheckLater,
    StreamedAnswer,
    StreamedMessage,
    StreamingDelivery,
)
from bot.serve.work.lanes import POLL_S
from bot.waits import pause
from cards.model import Card
from cards.showing.plainer import plainer_views
from cards.showing.show import reminder_message, show
from cards.showing.view import MessageView
from cards.texts import say
from engine.errors import (
    Forbidden,
    Gone,
    PlatformError,
    RateLimited,
    StoreError,
    Unavailable,
    is_about_content,
)
from engine.frames.replies import Part, ReplyHead, is_settled, read_parts, reply_view
from engine.ports.clock import Clock
from engine.ports.meter import Meter
from engine.ports.platform import (
    Platform,
    Rate,
    SupportsAddressing,
    SupportsCardLinks,
    SupportsRecall,
)
from engine.ports.storage.outbox import Following, Outbox, OutboxRow

log = structlog.get_logger()
AT_ONCE = 32
# Time limit for the link to a card's conversation, and for how it is answered there.
LINK_S = 2.0
# Time limit for the search for what an earlier try has posted.
RECALL_S = 4.0
# Attempts for a row that fails by a fault of ours.
FAULTS = 5


class Carrier(Protocol):
    """Carries rows to something that is no platform. Raises StoreError."""

    def carries(self, row: OutboxRow) -> bool:
        """Whether the row is one of its own."""
        ...

    async def carry(self, row: OutboxRow) -> Following:
        """Hand the row over, now or later; a fault of ours is raised."""
        ...

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Drop a row that cannot be handed over."""
        ...


class Delivery:
    """Sends due rows until stopped; a destination that fails holds up no other.

    Rows that no platform shows go to one of the `carriers`. `localizer` chooses the language and
    zone of a place. `link` is where people find what a platform refuses to show, or "".
    `with_links` puts links to the files that a card shows into a message.
    """

    def __init__(
        self,
        outbox: Outbox,
        platforms: Mapping[str, Platform],
        clock: Clock,
        *,
        carriers: Sequence[Carrier],
        rate: Rate,
        localizer: Localizer,
        reply_after_s: float,
        lease_s: float,
        meter: Meter,
        streaming: StreamingDelivery | None = None,
        link: str = "",
        with_links: Callable[[MessageView], MessageView] = lambda view: view,
    ) -> None:
        self._link = link
        self._with_links = with_links
        self._localizer = localizer
        self._streaming = streaming
        self._outbox = outbox
        self._platforms = platforms
        self._clock = clock
        self._carriers = carriers
        self._reply_after_s = reply_after_s
        # Whoever takes longer than the lease would be repeated by another.
        self._patience_s = lease_s * 2 / 3
        self._throttle = Throttle(rate)
        self._meter = meter
        self._busy = 0
        self._is_looking = self._is_running = False
        self._wake = asyncio.Event()

    def wake(self, in_s: float = 0.0) -> None:
        """Look for due rows now, or in so many seconds."""
        if in_s > 0:
            asyncio.get_running_loop().call_later(in_s, self._wake.set)
        else:
            self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Send due rows until `stop`; returns once none is being sent."""
        self._is_running = True
        async with asyncio.TaskGroup() as sending:
            while not stop.is_set():
                self._is_looking = True
                self._wake.clear()
                next_s, _ = await self._take(sending)
                if next_s > 0:
                    self._is_looking = False
                    await pause(self._wake, min(max(next_s, 0.01), POLL_S))

    def is_idle(self) -> bool:
        """Whether `run` has no due row left to show, as far as it was woken; True before it."""
        is_awake = self._is_running and (self._is_looking or self._wake.is_set())
        return not (self._busy or is_awake)

    async def send_due(self) -> tuple[float, int]:
        """Send every row that is due; seconds until the next one is, and how many were.

        Only while `run` is not under way.
        """
        async with asyncio.TaskGroup() as sending:
            return await self._take(sending)

    async def _take(self, sending: asyncio.TaskGroup) -> tuple[float, int]:
        free = AT_ONCE - self._busy
        if free <= 0:
            return POLL_S, 0
        try:
            rows, next_s = await self._outbox.take_rows(free)
        except StoreError as error:
            log.warning("store_away", error=str(error))
            return POLL_S, 0
        for row in rows:
            self._busy += 1
            sending.create_task(self._carry_in_order(row))
        # With room left, all that were due are taken.
        return next_s if len(rows) < free else 0.0, len(rows)

    async def _carry_in_order(self, row: OutboxRow) -> None:
        """Carry a destination's due rows in order."""
        current: Following = row
        try:
            while isinstance(current, OutboxRow):
                current = await self._carry_or_retry(current)
            if current is not None:
                asyncio.get_running_loop().call_later(current, self._wake.set)
        except StoreError as error:
            # The row is due again after its lease; a message that was shown may be shown once more.
            log.warning("store_away", row=row.row, error=str(error))
        finally:
            if self._busy >= AT_ONCE:
                self._wake.set()
            self._busy -= 1

    async def _carry_or_retry(self, row: OutboxRow) -> Following:
        """Carry a row; after a fault it is tried again, and after FAULTS attempts given up."""
        try:
            return await self._carry(row)
        except StoreError:
            raise
        except Exception as error:
            # The delivery boundary: a fault of ours delays this destination alone.
            log.error("row_failed", row=row.row, to=row.conversation, exc_info=error)
            if row.attempts >= FAULTS:
                return await self._give_up(row, f"fault: {type(error).__name__}")
            return await self._outbox.retry(row, in_s=2.0**row.attempts)

    async def _carry(self, row: OutboxRow) -> Following:
        if carrier := self._carrier(row):
            return await carrier.carry(row)
        return await self._show(row)

    async def _give_up(self, row: OutboxRow, reason: str) -> Following:
        if carrier := self._carrier(row):
            return await carrier.give_up(row, reason)
        return await self._outbox.drop(row, reason)

    def _carrier(self, row: OutboxRow) -> Carrier | None:
        return next((carrier for carrier in self._carriers if carrier.carries(row)), None)

    async def _show(self, row: OutboxRow) -> Following:
        platform = self._platforms.get(row.conversation.partition(":")[0])
        if platform is None:
            log.warning("platform_off", conversation=row.conversation)
            return await self._outbox.retry(row, in_s=LONGEST_S, unsure=False)
        row = await self._recall(row, platform)
        answer = await self._find_streamed(row, platform)
        wait_s = self._wait_for_answer_s(row)
        if wait_s > 0 and not (answer and answer.draft.text):
            return await self._outbox.later(row, in_s=wait_s)
        if answer and (following := await self._stream(platform, row, answer)):
            return following[0]
        # The draft of an answer goes on beside parts that have changed.
        stands = answer.grown_parts() if answer and answer.beside and row.message_id else None
        shown = await self._view(row, platform, stands)
        if shown is None:
            return await self._outbox.drop(row, "what it showed is no longer kept")
        try:
            way, message_id = await self._post(platform, row, self._with_links(shown))
        except PlatformError as error:
            self._meter.count("sent", platform.name, type(error).__name__)
            return await self._handle_refusal(row, error)
        self._meter.count("sent", platform.name, way)
        pace = platform.pace(row.conversation)
        return await self._outbox.sent(row, message_id, pace=pace)

    async def _recall(self, row: OutboxRow, platform: Platform) -> OutboxRow:
        """The row with the message that an earlier try posted, if its answer was lost."""
        if row.tried is None or not isinstance(platform, SupportsRecall):
            return row
        try:
            async with asyncio.timeout(RECALL_S):
                found = await platform.recall(
                    row.conversation, row.message_id, key=row.row, since=row.tried
                )
        except (PlatformError, TimeoutError) as error:
            log.info("post_not_looked_for", row=row.row, error=str(error) or "time limit")
            return row
        if found != row.message_id:
            log.info("post_found", row=row.row, to=row.conversation, message=found)
        return replace(row, message_id=found)

    async def _find_streamed(self, row: OutboxRow, platform: Platform) -> StreamedAnswer | None:
        if self._streaming is None:
            return None
        return await self._streaming.find(row, platform, self._clock.now())

    async def _stream(
        self, platform: Platform, row: OutboxRow, answer: StreamedAnswer
    ) -> tuple[Following] | None:
        """Show an unfinished answer: what follows the row, or None where it cannot be shown so."""
        assert self._streaming is not None
        zone = self._localizer.reply_zone(answer.head)
        grown = await self._view(row, platform, answer.grown_parts())
        assert grown is not None, "a streamed row has a head"
        match await self._streaming.show(row, answer, grown, zone):
            case None:
                return None
            case CheckLater(in_s=in_s):
                return (await self._outbox.later(row, in_s=in_s),)
            case StreamedMessage(message_id=message_id):
                pace = platform.pace(row.conversation)
                return (await self._outbox.sent(row, message_id, pace=pace),)

    async def _post(
        self, platform: Platform, row: OutboxRow, shown: MessageView
    ) -> tuple[str, str]:
        """Post or edit the message: the way it was shown, and its id.

        Raises Unavailable without an answer in time. A message that is refused for its content is
        shown in plainer ways; the refusal of the last one is raised.
        """
        refused: PlatformError | None = None
        try:
            async with asyncio.timeout(self._patience_s):
                for way, view in plainer_views(shown, self._link, edits=bool(row.message_id)):
                    await self._throttle.wait_turn(platform)
                    try:
                        return way, await _send_or_edit(platform, row, view)
                    except PlatformError as error:
                        if not is_about_content(error):
                            raise
                        self._meter.count("refused", platform.name, way)
                        log.warning(
                            "message_refused",
                            row=row.row,
                            to=row.conversation,
                            way=way,
                            error=str(error),
                        )
                        refused = error
        except TimeoutError as error:
            raise Unavailable(f"no answer within {self._patience_s:g} s") from error
        assert refused is not None
        raise refused

    async def _handle_refusal(self, row: OutboxRow, error: PlatformError) -> Following:
        match error:
            case Gone() | Forbidden():
                log.warning("row_dropped", row=row.row, to=row.conversation, error=str(error))
                return await self._outbox.drop(row, str(error))
            case RateLimited(retry_after_s=wait_s):
                self._meter.count("limited", row.conversation.partition(":")[0])
                return await self._outbox.retry(row, in_s=wait_s, unsure=error.begun)
            case Unavailable():
                log.warning("row_failed", row=row.row, to=row.conversation, error=str(error))
                return await self._outbox.retry(row, in_s=backoff_s(row.attempts))
            case _:
                # The platform refuses every way to show it: the next row must not wait for it.
                log.error("row_refused", row=row.row, to=row.conversation, error=str(error))
                return await self._outbox.drop(row, str(error))

    def _wait_for_answer_s(self, row: OutboxRow) -> float:
        """For how long a new reply waits for its answer before it is posted unfinished."""
        if row.kind != "reply" or row.message_id or not row.head:
            return 0.0
        if is_settled(read_parts(row.parts)):
            return 0.0
        head = ReplyHead.model_validate_json(row.head)
        return self._reply_after_s - (self._clock.now() - head.at).total_seconds()

    async def _view(
        self, row: OutboxRow, platform: Platform, grown: tuple[Part, ...] | None = None
    ) -> MessageView | None:
        """What the row shows; of a reply with these parts, where an answer has grown."""
        if not row.kind:
            # What it showed was erased.
            return None
        match row.kind:
            case "reply" if row.head:
                head = ReplyHead.model_validate_json(row.head)
                card = row.card.read() if row.card else None
                heard = await self._text_prefix(platform, row, card)
                parts, zone = grown or read_parts(row.parts), self._localizer.reply_zone(head)
                return reply_view(head, parts, card, zone, heard=heard)
            case "card" if row.card:
                card, zone = self._localizer.localize_card(row.card.read(), row.conversation)
                origin, heard = (
                    await self._origin(row, card),
                    await self._text_prefix(platform, row, card),
                )
                shown = show(card, zone, origin=origin, heard=heard)
                return MessageView(lang=card.lang, card=shown)
            case "ping" if row.card:
                number = int(json.loads(row.body)["number"])
                card, zone = self._localizer.localize_card(row.card.read(), row.conversation)
                return reminder_message(card, number, zone, posted=bool(row.message_id))
            case "note" if row.body:
                return MessageView.model_validate_json(row.body)
            case "reply" | "card" | "ping" | "note" | "sync" | "check" | "cards" | "letter":
                return None
            case _:
                assert_never(row.kind)

    async def _origin(self, row: OutboxRow, card: Card) -> str:
        """The line that names the card's conversation, where it is shown elsewhere."""
        if self._localizer.people.is_within(row.conversation, card.conversation):
            return ""
        platform, link = self._platforms.get(card.conversation.partition(":")[0]), ""
        with suppress(TimeoutError):
            async with asyncio.timeout(LINK_S):
                link = await platform.link(card.conversation, row.answer_id) if platform else ""
                if not link and isinstance(platform, SupportsCardLinks):
                    link = await platform.opening(card.token)
        place = self._localizer.people.place_name(card.conversation, card.lang)
        return say("card.origin_link" if link else "card.origin", card.lang, place=place, url=link)

    async def _text_prefix(
        self, platform: Platform, row: OutboxRow, card: Card | None
    ) -> str | None:
        """How a text that answers the card has to begin; None where no text can answer it."""
        here, people = row.conversation, self._localizer.people
        if card is None or not card.by_text or not people.is_within(here, card.conversation):
            return None
        with suppress(TimeoutError):
            async with asyncio.timeout(LINK_S):
                return (
                    await platform.address_prefix(here)
                    if isinstance(platform, SupportsAddressing)
                    else ""
                )
        return ""


async def _send_or_edit(platform: Platform, row: OutboxRow, view: MessageView) -> str:
    if not row.message_id:
        return await platform.send(row.conversation, view, key=row.row)
    return await platform.edit(row.conversation, row.message_id, view)
