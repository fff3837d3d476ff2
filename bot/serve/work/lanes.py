"""The lane loop: lease, handle, commit, next; many lanes at once, each in order (design §3)."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import structlog
from pydantic import ValidationError

from bot.serve.work.capacity import LanePlace, LanePlaces
from bot.serve.work.handler import MailHandler, Progress
from bot.serve.work.model_queue import ModelQueue
from bot.serve.work.pulse import Pulse
from bot.serve.work.results import HandlerResult, set_aside
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
from engine.ports.storage.store import AfterCommit, Claim, Effects, LaneCapacity, Mailbox

log = structlog.get_logger()
# Attempts to handle a mail before its lane goes on without it, or its run is blocked.
ATTEMPTS = 3
# The doorbell is only a hint: due lanes are looked for this often without it.
POLL_S = 1.0
UNHEARD_POLL_S = 0.25
"""And this often while the doorbell is for other workers, which take messages already."""
LONGEST_BACKOFF_S = 60.0
OTHERS_FIRST_S = 5.0
"""For how long the last attempt at a mail lets others go first: it may end its worker again."""
_OTHERS_LOOK_S = 0.05
_CALM_LOOKS = 20
TYPING_AFTER_S = 0.2
TYPING_EVERY_S = 4.0
NEWER_BUILD_WAIT_S = 300.0
"""How long state of a newer build is left to a newer process; then it counts as unreadable."""
NEWER_BUILD_RETRY_S = 2.0
"""How often a worker looks whether another one has taken such a lane."""
_MOST_LANES = 10_000


class NewerBuildPatience:
    """For how long lanes have waited at mail or state that only a newer build can read."""

    def __init__(self, wait_s: float, clock: Callable[[], float]) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._since: dict[str, float] = {}

    def has_left(self, lane: str) -> bool:
        """Whether the lane may wait longer, counted from the first call for it."""
        now_s = self._clock()
        if len(self._since) >= _MOST_LANES:
            self._since.clear()
        if now_s - self._since.setdefault(lane, now_s) < self._wait_s:
            return True
        del self._since[lane]
        return False


class LaneLoop:
    """Handles up to `limit` lanes at once until stopped, then finishes those that it holds.

    `kept` places more are for runs, and as many for commands. A lane that waits in `model_queue`
    holds its lease but no place; at the stop it is released. `on_commit` is called as a commit goes
    out; `is_shown` tells whether what was committed is shown. With `patience`, mail and state of a
    newer build wait for a newer process.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        handler: MailHandler,
        *,
        limit: int,
        lease_s: float,
        typing_platform: Callable[[str], Platform | None],
        on_commit: Callable[[Effects], None],
        meter: Meter,
        is_shown: Callable[[], bool] = lambda: True,
        kept: int = 0,
        model_queue: ModelQueue | None = None,
        pulse: Pulse | None = None,
        patience: NewerBuildPatience | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._handler = handler
        self._model_queue = model_queue or ModelQueue()
        self._renew_s = lease_s / 3
        self._typing_platform = typing_platform
        self._on_commit = on_commit
        self._is_shown = is_shown
        self._meter = meter
        self._pulse = pulse or Pulse()
        self._patience = patience
        self._wake = asyncio.Event()
        self._learned: asyncio.Event | None = None
        room = LaneCapacity(limit, run=kept, control=kept)
        self._places = LanePlaces(room, self._wake.set)

    def wake(self) -> None:
        """Look for due lanes now."""
        self._wake.set()

    async def run(self, stop: asyncio.Event, *, learned: asyncio.Event | None = None) -> None:
        """Take and handle lanes until `stop`; returns once none is held.

        Until the router has `learned`, only the places that are kept are filled: what was decided
        goes on meanwhile, and messages would wait for it anyway.
        """
        self._learned = learned
        async with asyncio.TaskGroup() as lanes:
            while not stop.is_set():
                self._wake.clear()
                next_s, _ = await self._take(lanes, stop)
                if next_s > 0 or not self._room().total:
                    most_s = UNHEARD_POLL_S if self._is_unlearned() else POLL_S
                    await pause(self._wake, min(max(next_s, 0.01), most_s))
            # Lanes that wait for a model would outlast the end of the process.
            self._model_queue.drain()

    async def handle_due(self) -> tuple[float, int]:
        """Handle the mail of every lane that is due; seconds until the next is, and how many were.

        Only while `run` is not under way.
        """
        async with asyncio.TaskGroup() as lanes:
            return await self._take(lanes, asyncio.Event())

    async def _take(self, lanes: asyncio.TaskGroup, stop: asyncio.Event) -> tuple[float, int]:
        room = self._room()
        if not room.total:
            return POLL_S, 0
        try:
            taken = await self._mailbox.take(room.shared, run=room.run, control=room.control)
        except StoreError as error:
            log.warning("store_away", error=str(error))
            return POLL_S, 0
        for claim in taken.claims:
            work = self._hold_lane(claim, stop, self._places.take(claim.kind))
            lanes.create_task(self._pulse.run_named(claim.lane, work))
        # With room left, all that were due are taken.
        taken_all = len(taken.claims) < room.total
        return taken.next_s if taken_all else 0.0, len(taken.claims)

    def _room(self) -> LaneCapacity:
        room = self._places.room()
        return LaneCapacity(0, room.run, room.control) if self._is_unlearned() else room

    def _is_unlearned(self) -> bool:
        return self._learned is not None and not self._learned.is_set()

    async def _hold_lane(self, claim: Claim, stop: asyncio.Event, place: LanePlace) -> None:
        """Handle a lane's mail while its lease is renewed; stop once another worker has it."""
        # An event ends the renewal, since a client library may swallow a cancellation.
        done = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as tasks:
                try:
                    with _call_after(
                        self._renew_s, lambda: tasks.create_task(self._renew_lease(claim, done))
                    ):
                        await self._handle_in_order(claim, stop, place)
                finally:
                    done.set()
        except* LeaseLost:
            self._meter.count("lease_lost", claim.kind)
            log.warning("lease_lost", lane=claim.lane)
        except* StoreError as errors:
            log.warning("store_away", lane=claim.lane, error=str(errors.exceptions[0]))
        finally:
            place.end()

    async def _renew_lease(self, claim: Claim, done: asyncio.Event) -> None:
        while not done.is_set():
            with suppress(StoreUnavailable):
                await self._mailbox.renew(claim)
            await pause(done, self._renew_s)

    async def _handle_in_order(
        self, claim: Claim, stop: asyncio.Event, place: LanePlace | None = None
    ) -> None:
        """Handle the lane's mail, one after the other, until there is none or one fails."""
        place = place or LanePlace(self._places, claim.kind)
        if claim.attempts == ATTEMPTS:
            await self._let_others_go_first(place)
        following: Claim | None = claim
        while following is not None:
            current = following
            try:
                following = await self._handle_and_commit(current, stop, place)
            except LeaseLost:
                # Being late is no failure: the renewal takes the attempt back.
                with suppress(StoreError):
                    await self._mailbox.renew(current)
                raise
            except StaleWrite:
                # A card or run changed meanwhile: take the lane again with the current state.
                await self._mailbox.release(current, retry_in_s=0, counts=False)
                self._wake.set()
                return
            except NewerState as error:
                log.warning("left_to_a_newer_build", lane=current.lane, error=str(error))
                await self._mailbox.release(current, retry_in_s=NEWER_BUILD_RETRY_S, counts=False)
                return
            except StoreUnavailable as error:
                log.warning("store_away", lane=current.lane, error=str(error))
                await self._release_when_possible(current)
                return
            except Exception as error:
                # The turn boundary: whatever failed, the mail stays and is tried again.
                self._meter.count("failed", current.kind)
                log.error("handling_failed", lane=current.lane, exc_info=error)
                delay_s = min(2.0**current.attempts, LONGEST_BACKOFF_S)
                await self._mailbox.release(current, retry_in_s=delay_s, counts=True)
                return

    async def _let_others_go_first(self, place: LanePlace) -> None:
        """Wait until all other lanes in hand are done, and shown, for a while at most."""
        with place.vacate():
            # Counted in looks, as the others get no further while this process has no processor. An
            # edit may be held for a moment: where others were at work, it is given time to come.
            calm = _CALM_LOOKS
            for _ in range(round(OTHERS_FIRST_S / _OTHERS_LOOK_S)):
                is_calm = not self._places.are_taken() and self._is_shown()
                calm = calm + 1 if is_calm else 0
                if calm > _CALM_LOOKS:
                    return
                await asyncio.sleep(_OTHERS_LOOK_S)

    async def _release_when_possible(self, claim: Claim) -> None:
        """Release once the store is back, for as long as the lease lasts; no attempt is counted."""
        for _ in range(3):
            await pause(asyncio.Event(), self._renew_s)
            with suppress(StoreUnavailable):
                await self._mailbox.release(claim, retry_in_s=0, counts=False)
                return

    async def _handle_and_commit(
        self, claim: Claim, stop: asyncio.Event, place: LanePlace
    ) -> Claim | None:
        """Handle and commit the claim's mail; returns the claim of the next one, if any."""
        current = claim

        async def progress(effects: Effects) -> None:
            nonlocal current
            after = await self._mailbox.commit(
                current, effects, pop=False, on_sent=partial(self._on_commit, effects)
            )
            count_ended_runs(effects, self._meter)
            if after is None:
                raise LeaseLost(claim.lane)
            current = after

        try:
            async with self._model_queue.handling(claim, place):
                result = await self._handle(claim, progress)
        except ModelQueueFull as full:
            # Counted as an attempt, so that the next one goes on from what this one committed.
            has_progress = current is not claim
            await self._mailbox.release(current, retry_in_s=full.retry_in_s, counts=has_progress)
            return None
        after: AfterCommit = "release" if stop.is_set() else "keep"
        following = await self._mailbox.commit(
            current,
            result.effects,
            pop=not result.park,
            front=result.front,
            after="park" if result.park else after,
            on_sent=partial(self._on_commit, result.effects),
        )
        count_ended_runs(result.effects, self._meter)
        return following

    async def _handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        """The result of handling; raises NewerState while a newer process may still come."""
        if claim.attempts > 2 * ATTEMPTS:
            # Giving it up has failed as well.
            return set_aside(claim)
        if claim.attempts > ATTEMPTS:
            # It failed, or ended its worker, too often.
            return await self._handler.give_up(claim)
        try:
            return await self._handle_with_typing(claim, progress)
        except NewerState:
            if self._patience and self._patience.has_left(claim.lane):
                raise
            return await self._handler.give_up(claim)

    async def _handle_with_typing(self, claim: Claim, progress: Progress) -> HandlerResult:
        """Handle the mail; what takes longer than TYPING_AFTER_S shows as typing."""
        conversation = claim.lane.removeprefix("talk:")
        platform = self._typing_platform(conversation)
        if platform is None or conversation == claim.lane:
            return await self._handler.handle(claim, progress)
        done, typing = asyncio.Event(), list[asyncio.Task[None]]()

        def begin() -> None:
            place = _reply_place(claim, conversation)
            typing.append(asyncio.create_task(_show_typing(platform, place, done)))

        try:
            with _call_after(TYPING_AFTER_S, begin):
                return await self._handler.handle(claim, progress)
        finally:
            done.set()
            for task in typing:
                await task


def _reply_place(claim: Claim, conversation: str) -> str:
    """Where the mail of a talk lane is answered."""
    with suppress(ValidationError):
        mail = parse_mail(claim.mail)
        return (mail.update.thread if isinstance(mail, MessageArrived) else "") or conversation
    return conversation


async def _show_typing(platform: Platform, conversation: str, done: asyncio.Event) -> None:
    while not done.is_set():
        await platform.typing(conversation)
        await pause(done, TYPING_EVERY_S)


@contextmanager
def _call_after(seconds: float, begin: Callable[[], object]) -> Iterator[None]:
    """Call `begin` once the block has taken so long; most blocks never do."""
    timer = asyncio.get_running_loop().call_later(seconds, begin)
    try:
        yield
    finally:
        timer.cancel()
