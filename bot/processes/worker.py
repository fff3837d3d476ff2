"""The worker process: lanes and delivery, woken by the doorbell (design §3)."""

import asyncio
import secrets
from contextlib import suppress

import structlog

from bot.definitions.folder_projects import project_days
from bot.people.leavers import LeaverReports
from bot.processes.sd_notify import Notifier
from bot.serve.delivery.delivery import Delivery
from bot.serve.work.lanes import POLL_S, LaneLoop
from bot.serve.work.model_queue import ModelQueue
from bot.serve.work.pulse import Pulse
from bot.serve.work.retention import sweep_files
from bot.settings import Settings
from bot.telemetry.metrics import SHARE_EVERY_S
from bot.waits import cancel_tasks, pause
from bot.wiring.service import FolderContents, Parts, open_parts
from bot.wiring.work import build_delivery, build_lanes, build_model_queue
from engine.errors import StoreError
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.model_numbers import ModelNumbers
from engine.ports.storage.own_runs import OwnRuns

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


async def serve(
    settings: Settings,
    stop: asyncio.Event,
    contents: FolderContents | None = None,
    pulse: Pulse | None = None,
) -> None:
    """Run until `stop`, then finish the lanes that are held and return.

    With a `pulse`, a watchdog in another process is shown that this one lives, and what it is at.
    """
    if pulse is not None:
        pulse.attach(asyncio.get_running_loop())
    async with open_parts(settings, stop, contents=contents) as parts:
        await run_worker(parts, stop, pulse)


async def run_worker(parts: Parts, stop: asyncio.Event, pulse: Pulse | None = None) -> None:
    """Handle mail and show rows over these parts until `stop`."""
    pulse = pulse or Pulse()
    delivery = build_delivery(parts)
    model_queue = build_model_queue(parts)
    lanes = build_lanes(parts, delivery, model_queue, pulse)
    drained, learned = asyncio.Event(), asyncio.Event()
    every_s = beat_interval_s(parts.settings.watchdog_s)
    async with asyncio.TaskGroup() as group:
        listening = group.create_task(_wake_by_doorbell(parts, lanes, delivery, learned, drained))
        remote = group.create_task(parts.remote.run())
        drafting = group.create_task(parts.drafting.run())
        group.create_task(pulse.run(parts.store.mailbox.holder, every_s, drained))
        group.create_task(_begin(parts, lanes, learned, drained))
        group.create_task(Notifier().run(stop))
        group.create_task(delivery.run(drained))
        group.create_task(parts.telemetry.watch.run(drained))
        group.create_task(parts.telemetry.store.run(drained))
        group.create_task(parts.telemetry.meter.run(drained))
        if parts.services.model:
            group.create_task(report_model_queue(parts.store.numbers, model_queue, drained))
        group.create_task(parts.reloader.run(stop))
        group.create_task(parts.entity_lists.run(stop))
        group.create_task(parts.resources.groups.run(drained))
        group.create_task(parts.resources.admitted_accounts.run(drained))
        group.create_task(parts.projects.run(drained))
        store = parts.store
        group.create_task(sweep_lists(store.inbox, store.own_runs, store.numbers, stop))
        group.create_task(_leavers(parts).run(stop))
        group.create_task(_old_files(parts, stop))
        group.create_task(_wake_at_stop(stop, lanes))
        await lanes.run(stop, learned=learned)
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


async def _wake_at_stop(stop: asyncio.Event, lanes: LaneLoop) -> None:
    await stop.wait()
    lanes.wake()


async def _begin(
    parts: Parts, lanes: LaneLoop, learned: asyncio.Event, drained: asyncio.Event
) -> None:
    """Have the router learn, once for all messages, and then be there for them."""
    await parts.reloader.learn()
    learned.set()
    lanes.wake()
    log.info("worker_started", lanes=parts.settings.worker_lanes)
    await _report_attendance(parts, drained)


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
    parts: Parts,
    lanes: LaneLoop,
    delivery: Delivery,
    learned: asyncio.Event,
    drained: asyncio.Event,
) -> None:
    """Wake both loops at each ring of the doorbell, once the router has learned."""
    # A ring wakes one worker: until then it is for those that take messages.
    await learned.wait()
    while not drained.is_set():
        shows = True
        try:
            shows = await parts.store.mailbox.wait(BELL_S)
        except StoreError:
            await pause(drained, POLL_S)
        lanes.wake()
        if shows:
            delivery.wake()


async def _old_files(parts: Parts, stop: asyncio.Event) -> None:
    kept, clock, days = parts.resources.kept_files, parts.services.clock, parts.settings.file_days
    days_of = project_days(parts.settings, "files")
    await sweep_files(kept, parts.store.numbers, clock, stop, days=days, days_of=days_of)


async def sweep_lists(
    inbox: Inbox, own_runs: OwnRuns, numbers: ModelNumbers, stop: asyncio.Event
) -> None:
    """List the cards and runs that an earlier build left unlisted (design §3).

    Done at the start, then once an hour by one of all workers, until `stop`.
    """
    due = True
    while not stop.is_set():
        try:
            if due and (mended := await inbox.repair()):
                log.warning("inbox_mended", cards=mended)
            if due and (mended := await own_runs.repair()):
                log.warning("own_runs_mended", runs=mended)
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
