"""The worker process: lanes and delivery, woken by the doorbell (design §3)."""

import asyncio
import secrets
from contextlib import suppress

import structlog

from bot.people.leavers import LeaverReports
from bot.processes.sd_notify import Notifier
from bot.serve.delivery.carriers import ChangeCarrier, FindingsCarrier, RepostCarrier
from bot.serve.delivery.delivery import Delivery
from bot.serve.delivery.localizer import Localizer
from bot.serve.delivery.streaming import StreamingDelivery
from bot.serve.work.lanes import NEWER_BUILD_WAIT_S, POLL_S, LaneLoop, NewerBuildPatience
from bot.serve.work.model_queue import ModelLimits, ModelQueue
from bot.serve.work.pulse import Pulse
from bot.settings import Settings
from bot.telemetry.metrics import SHARE_EVERY_S
from bot.waits import cancel_tasks, pause
from bot.wiring.contexts import Adapter
from bot.wiring.service import Parts, open_parts
from engine.errors import StoreError
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.model_numbers import ModelNumbers
from engine.ports.storage.store import Effects

log = structlog.get_logger()
# The end of the process may wait for so long.
BELL_S = 1.0
# Beats within the watchdog's time limit.
BEATS = 15
LONGEST_BEAT_S = 1.0
# For how long a worker counts after it reported, and how often it does.
ATTENDS_S, ATTENDS_EVERY_S = 10.0, 3.0
SWEEP_EVERY_S = 3600.0
_SWEEP_RETRY_S = 30.0


async def serve(settings: Settings, stop: asyncio.Event, pulse: Pulse | None = None) -> None:
    """Run until `stop`, then finish the lanes that are held and return.

    With a `pulse`, a watchdog in another process is shown that this one lives, and what it is at.
    """
    if pulse is not None:
        pulse.attach(asyncio.get_running_loop())
    async with open_parts(settings, stop) as parts:
        await run_worker(parts, stop, pulse)


async def run_worker(parts: Parts, stop: asyncio.Event, pulse: Pulse | None = None) -> None:
    """Handle mail and show rows over these parts until `stop`."""
    pulse = pulse or Pulse()
    delivery = _delivery(parts)
    model_queue = _model_queue(parts)
    lanes = _lanes(parts, delivery, model_queue, pulse)
    # Once for all messages, before the first of them.
    await parts.reloader.learn()
    log.info("worker_started", lanes=parts.settings.worker_lanes)
    drained = asyncio.Event()
    every_s = beat_interval_s(parts.settings.watchdog_s)
    async with asyncio.TaskGroup() as group:
        listening = group.create_task(_wake_by_doorbell(parts, lanes, delivery, drained))
        remote = group.create_task(parts.remote.run())
        drafting = group.create_task(parts.drafting.run())
        group.create_task(pulse.run(parts.store.mailbox.holder, every_s, drained))
        group.create_task(_report_attendance(parts, drained))
        group.create_task(Notifier().run(stop))
        group.create_task(delivery.run(drained))
        group.create_task(parts.telemetry.watch.run(drained))
        group.create_task(parts.telemetry.meter.run(drained))
        if parts.services.model:
            group.create_task(report_model_queue(parts.store.numbers, model_queue, drained))
        group.create_task(parts.reloader.run(stop))
        group.create_task(parts.entity_lists.run(stop))
        group.create_task(parts.resources.groups.run(drained))
        group.create_task(parts.resources.admitted_accounts.run(drained))
        group.create_task(sweep_inbox(parts.store.inbox, parts.store.numbers, stop))
        group.create_task(_leavers(parts).run(stop))
        group.create_task(_wake_at_stop(stop, lanes))
        await lanes.run(stop)
        # What is being sent is finished; the rest is durable and waits for the next worker.
        drained.set()
        delivery.wake()
        await cancel_tasks([listening, remote, drafting])
    log.info("worker_stopped")


def _leavers(parts: Parts) -> LeaverReports:
    store = parts.store
    return LeaverReports(store.inbox, store.numbers, store.mailbox, parts.resources.people)


def beat_interval_s(watchdog_s: float) -> float:
    """Seconds between two beats of the pulse; `watchdog_s` is 0 while the watchdog is off."""
    return min(watchdog_s / BEATS or LONGEST_BEAT_S, LONGEST_BEAT_S)


def _delivery(parts: Parts) -> Delivery:
    settings = parts.settings
    streaming = StreamingDelivery(parts.store.drafts, parts.store.rate, lease_s=settings.lease_s)
    return Delivery(
        parts.store.outbox,
        parts.resources.platforms,
        parts.services.clock,
        carriers=(
            ChangeCarrier(
                parts.store.outbox,
                parts.store.mailbox,
                parts.resources.record,
                lease_s=settings.lease_s,
            ),
            FindingsCarrier(parts.store.outbox, parts.store.findings, parts.services.project),
            RepostCarrier(
                parts.store.outbox,
                parts.services.decisions,
                parts.store.inbox,
                parts.resources.people,
            ),
        ),
        rate=parts.store.rate,
        localizer=Localizer(parts.resources.people, settings.timezone),
        lease_s=settings.lease_s,
        reply_after_s=settings.reply_after_s,
        meter=parts.telemetry.meter,
        streaming=streaming if settings.streaming else None,
        link=(settings.public_url or "") if settings.has_page else "",
    )


def _lanes(parts: Parts, delivery: Delivery, model_queue: ModelQueue, pulse: Pulse) -> LaneLoop:
    """The lanes, which wake the delivery, and themselves, by what they commit."""

    def typing_platform(conversation: str) -> Adapter | None:
        return parts.resources.platforms.get(conversation.partition(":")[0])

    def on_commit(effects: Effects) -> None:
        if effects.shows:
            delivery.wake()
        if effects.mails:
            lanes.wake()

    lanes = LaneLoop(
        parts.store.mailbox,
        parts.handler,
        limit=parts.settings.worker_lanes,
        kept=parts.settings.kept_lanes,
        model_queue=model_queue,
        lease_s=parts.settings.lease_s,
        typing_platform=typing_platform,
        on_commit=on_commit,
        meter=parts.telemetry.meter,
        pulse=pulse,
        patience=NewerBuildPatience(NEWER_BUILD_WAIT_S, parts.services.clock.elapsed_s),
    )
    return lanes


def _model_queue(parts: Parts) -> ModelQueue:
    """Limits as they are set, else by the number of places: half of them for one person."""
    settings, places = parts.settings, parts.settings.llm_concurrency
    limits = ModelLimits(
        places=places,
        lanes=settings.llm_lanes or 8 * places,
        per_project=settings.llm_lanes_per_project or 4 * places,
        per_person=settings.llm_lanes_per_person or max(1, places // 2),
    )
    return ModelQueue(
        limits, parts.services.project, parts.services.clock.elapsed_s, parts.telemetry.meter
    )


async def _wake_at_stop(stop: asyncio.Event, lanes: LaneLoop) -> None:
    await stop.wait()
    lanes.wake()


async def _report_attendance(parts: Parts, drained: asyncio.Event) -> None:
    """Report this worker as one that takes mail, while the event loop turns."""
    while True:
        for_s = 0.0 if drained.is_set() else ATTENDS_S
        with suppress(StoreError):
            await parts.store.operations.attend(parts.store.mailbox.holder, for_s=for_s)
        if not for_s:
            return
        await pause(drained, ATTENDS_EVERY_S)


async def _wake_by_doorbell(
    parts: Parts, lanes: LaneLoop, delivery: Delivery, drained: asyncio.Event
) -> None:
    """Wake both loops at each ring of the doorbell."""
    while not drained.is_set():
        shows = True
        try:
            shows = await parts.store.mailbox.wait(BELL_S)
        except StoreError:
            await pause(drained, POLL_S)
        lanes.wake()
        if shows:
            delivery.wake()


async def sweep_inbox(inbox: Inbox, numbers: ModelNumbers, stop: asyncio.Event) -> None:
    """List the cards that an earlier build left unlisted (design §3).

    Done at the start, then once an hour by one of all workers, until `stop`.
    """
    due = True
    while not stop.is_set():
        try:
            if due and (mended := await inbox.repair()):
                log.warning("inbox_mended", cards=mended)
            await pause(stop, SWEEP_EVERY_S)
            due = await numbers.first("inbox_mended", within_s=int(SWEEP_EVERY_S / 2))
        except StoreError as error:
            log.warning("inbox_not_mended", error=str(error))
            due = True
            await pause(stop, _SWEEP_RETRY_S)


async def report_model_queue(numbers: ModelNumbers, queue: ModelQueue, stop: asyncio.Event) -> None:
    """Share every few seconds how many lanes of this worker ask a model or wait for one."""
    worker = secrets.token_hex(8)
    while not stop.is_set():
        try:
            await numbers.lanes(worker, queue.counts())
        except StoreError as error:
            log.warning("counts_wait", error=str(error))
        await pause(stop, SHARE_EVERY_S)
