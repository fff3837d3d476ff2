"""The lane loop: lease, handle, commit, next; many lanes at once, each in order (design §3)."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import structlog
from pydantic import ValidationError

from bot.serve.work.capacity import LanePlace, LanePlaces
from bot.serve.work.handler import HandlerResult, MailHandler, Progress, set_aside
from bot.serve.work.model_queue import ModelQueue
from bot.serve.work.pulse import Pulse
from bot.telemetry.metrics import count_ended_runs
from bot.waits import pause
from engine.errors import (
    LeaseLost,
    ModelQueueFull,
    NewerState,
    StaleWrite,
    StoreError,
    StoreUnavailable,
)
from engine.mail import MessageArrived, parse_mail
from engine.ports.meter import Meter
from engine.ports.platform import Platform
from engine.ports.storage.store import AfterCommit, Claim, Effects, LaneRoom, Mailbox

log = structlog.get_logger()
# How often a mail is tried before its lane goes on without it, or its run is blocked.
ATTEMPTS = 3
# The doorbell is only a hint: what is due is looked for this often without it.
POLL_S = 1.0
LONGEST_BACKOFF_S = 60.0
TYPING_AFTER_S = 0.2
TYPING_EVERY_S = 4.0
WAIT_S = 300.0
"""For so long; then it is told as what nobody here can read."""
AGAIN_S = 2.0
"""So often a worker that cannot read it looks whether another one has taken it."""
_MOST = 10_000


class NewerBuildPatience:
    """For how long lanes have stood at something that this process cannot read."""

    def __init__(self, wait_s: float, clock: Callable[[], float]) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._since: dict[str, float] = {}

    def waits(self, lane: str) -> bool:
        """Whether the lane may stand still some more, from the first time on that this is asked."""
        now_s = self._clock()
        if len(self._since) >= _MOST:
            self._since.clear()
        if now_s - self._since.setdefault(lane, now_s) < self._wait_s:
            return True
        del self._since[lane]
        return False


class LaneLoop:
    """Handles up to `limit` lanes at once until told to stop, then finishes what it holds.

    Besides, up to `kept` runs and as many commands.
    A lane that asks a model or waits for one (`asking`) holds its lease, and no place; when told to
    stop, one that still waits is given back.
    With `patience`, what a newer build wrote is left to it for so long.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        handling: MailHandler,
        *,
        limit: int,
        lease_s: float,
        typing: Callable[[str], Platform | None],
        committed: Callable[[Effects], None],
        meter: Meter,
        kept: int = 0,
        asking: ModelQueue | None = None,
        pulse: Pulse | None = None,
        patience: NewerBuildPatience | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._handling = handling
        self._asking = asking or ModelQueue()
        self._renew_s = lease_s / 3
        self._typing = typing
        self._committed = committed
        self._meter = meter
        self._pulse = pulse or Pulse()
        self._patience = patience
        self._wake = asyncio.Event()
        room = LaneRoom(limit, run=kept, control=kept)
        self._places = LanePlaces(room, self._wake.set)

    def wake(self) -> None:
        """Look for due lanes now."""
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Take and handle lanes until `stop`; returns when none is held any more."""
        async with asyncio.TaskGroup() as lanes:
            while not stop.is_set():
                self._wake.clear()
                next_s = await self._take(lanes, stop)
                if next_s > 0 or not self._places.room().total:
                    await pause(self._wake, min(max(next_s, 0.01), POLL_S))
            # What waits for a model would outlast the end of the process.
            self._asking.drain()

    async def _take(self, lanes: asyncio.TaskGroup, stop: asyncio.Event) -> float:
        room = self._places.room()
        if not room.total:
            return POLL_S
        try:
            taken = await self._mailbox.take(room.shared, run=room.run, control=room.control)
        except StoreError as error:
            log.warning("store_away", error=str(error))
            return POLL_S
        for claim in taken.claims:
            held = self._lane(claim, stop, self._places.take(claim.kind))
            lanes.create_task(self._pulse.working(claim.lane, held))
        # Fewer than there was room for are all that were due.
        return taken.next_s if len(taken.claims) < room.total else 0.0

    async def _lane(self, claim: Claim, stop: asyncio.Event, place: LanePlace) -> None:
        """Hold one lane: renew its lease beside the work; give up when another has it."""
        # Told by an event, since a client library may swallow one cancellation.
        done = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as both:
                try:
                    with _after(self._renew_s, lambda: both.create_task(self._renew(claim, done))):
                        await self._work(claim, stop, place)
                finally:
                    done.set()
        except* LeaseLost:
            self._meter.count("lease_lost", claim.kind)
            log.warning("lease_lost", lane=claim.lane)
        except* StoreError as errors:
            log.warning("store_away", lane=claim.lane, error=str(errors.exceptions[0]))
        finally:
            place.end()

    async def _renew(self, claim: Claim, done: asyncio.Event) -> None:
        while not done.is_set():
            with suppress(StoreUnavailable):
                await self._mailbox.renew(claim)
            await pause(done, self._renew_s)

    async def _work(
        self, claim: Claim, stop: asyncio.Event, place: LanePlace | None = None
    ) -> None:
        place = place or LanePlace(self._places, claim.kind)
        following: Claim | None = claim
        while following is not None:
            current = following
            try:
                following = await self._one(current, stop, place)
            except LeaseLost:
                # Late is not failed: said late, a renewal takes the attempt back.
                with suppress(StoreError):
                    await self._mailbox.renew(current)
                raise
            except StaleWrite:
                # A card or run changed under it: take the lane again with what holds now.
                await self._mailbox.release(current, retry_in_s=0, counts=False)
                self._wake.set()
                return
            except NewerState as error:
                log.warning("left_to_a_newer_build", lane=current.lane, error=str(error))
                await self._mailbox.release(current, retry_in_s=AGAIN_S, counts=False)
                return
            except StoreUnavailable as error:
                log.warning("store_away", lane=current.lane, error=str(error))
                await self._give_back(current)
                return
            except Exception as error:
                # The turn boundary: whatever failed, the mail stays and is tried again.
                self._meter.count("failed", current.kind)
                log.error("handling_failed", lane=current.lane, exc_info=error)
                delay_s = min(2.0**current.attempts, LONGEST_BACKOFF_S)
                await self._mailbox.release(current, retry_in_s=delay_s, counts=True)
                return

    async def _give_back(self, claim: Claim) -> None:
        """Wait for the store, at most as long as the lease lasts; the attempt does not count."""
        for _ in range(3):
            await pause(asyncio.Event(), self._renew_s)
            with suppress(StoreUnavailable):
                await self._mailbox.release(claim, retry_in_s=0, counts=False)
                return

    async def _one(self, claim: Claim, stop: asyncio.Event, place: LanePlace) -> Claim | None:
        """Handle and commit the claim's mail; returns the next."""
        held = [claim]

        async def progress(effects: Effects) -> None:
            after = await self._mailbox.commit(held[0], effects, pop=False)
            count_ended_runs(effects, self._meter)
            self._committed(effects)
            if after is None:
                raise LeaseLost(claim.lane)
            held[0] = after

        try:
            async with self._asking.handling(claim, place):
                handled = await self._handled(claim, progress)
        except ModelQueueFull as full:
            # As one more attempt, the next goes on from what this one has committed.
            went_on = held[0] is not claim
            await self._mailbox.release(held[0], retry_in_s=full.retry_in_s, counts=went_on)
            return None
        after: AfterCommit = "release" if stop.is_set() else "keep"
        following = await self._mailbox.commit(
            held[0],
            handled.effects,
            pop=not handled.park,
            front=handled.front,
            after="park" if handled.park else after,
        )
        count_ended_runs(handled.effects, self._meter)
        self._committed(handled.effects)
        return following

    async def _handled(self, claim: Claim, progress: Progress) -> HandlerResult:
        """What handling comes to; raises NewerState while a newer process may still come."""
        if claim.attempts > 2 * ATTEMPTS:
            # So did giving it up.
            return set_aside(claim)
        if claim.attempts > ATTEMPTS:
            # It failed, or took its worker with it, too often.
            return await self._handling.give_up(claim)
        try:
            return await self._typing_meanwhile(claim, progress)
        except NewerState:
            if self._patience and self._patience.waits(claim.lane):
                raise
            return await self._handling.give_up(claim)

    async def _typing_meanwhile(self, claim: Claim, progress: Progress) -> HandlerResult:
        """Handle the mail, and show that work goes on when it takes longer than a moment."""
        conversation = claim.lane.removeprefix("talk:")
        platform = self._typing(conversation)
        if platform is None or conversation == claim.lane:
            return await self._handling.handle(claim, progress)
        done, typing = asyncio.Event(), list[asyncio.Task[None]]()

        def begin() -> None:
            typing.append(asyncio.create_task(_type(platform, _place(claim, conversation), done)))

        try:
            with _after(TYPING_AFTER_S, begin):
                return await self._handling.handle(claim, progress)
        finally:
            done.set()
            for task in typing:
                await task


def _place(claim: Claim, conversation: str) -> str:
    """Where the mail of a talk lane is answered."""
    with suppress(ValidationError):
        mail = parse_mail(claim.mail)
        return (mail.update.thread if isinstance(mail, MessageArrived) else "") or conversation
    return conversation


async def _type(platform: Platform, conversation: str, done: asyncio.Event) -> None:
    while not done.is_set():
        await platform.typing(conversation)
        await pause(done, TYPING_EVERY_S)


@contextmanager
def _after(seconds: float, begin: Callable[[], object]) -> Iterator[None]:
    """Calls `begin` once the block has taken so long; most blocks never do."""
    timer = asyncio.get_running_loop().call_later(seconds, begin)
    try:
        yield
    finally:
        timer.cancel()
