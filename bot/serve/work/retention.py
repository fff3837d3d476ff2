"""Shared files go when they are as old as the project's retention says."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

import structlog

from bot.waits import pause
from engine.errors import StoreError
from engine.ports.clock import Clock
from engine.ports.inbox_files import KeptFiles
from engine.ports.storage.model_numbers import ModelNumbers

log = structlog.get_logger()
EVERY_S: Final = 3600.0
NO_DAYS: Final[Mapping[str, float]] = {}


async def remove_old_files(
    files: KeptFiles, clock: Clock, *, days: float, days_of: Mapping[str, float] = NO_DAYS
) -> int:
    """Take away what was shared longer ago than that; how many files. Raises OSError.

    Projects in `days_of` have days of their own; with 0 days nothing goes.
    """
    removed = 0
    for project in await files.projects():
        if kept := days_of.get(project, days):
            removed += await files.remove_older(project, clock.now() - timedelta(days=kept))
    return removed


async def sweep_files(
    files: KeptFiles,
    numbers: ModelNumbers,
    clock: Clock,
    stop: asyncio.Event,
    *,
    days: float,
    days_of: Mapping[str, float],
) -> None:
    """Do so once an hour by one of all workers, until `stop`; never where all is kept for good."""
    while (days or days_of) and not stop.is_set():
        try:
            is_due = await numbers.first("files_swept", within_s=int(EVERY_S / 2))
            if is_due and (
                removed := await remove_old_files(files, clock, days=days, days_of=days_of)
            ):
                log.info("old_files_removed", files=removed)
        except (StoreError, OSError) as error:
            log.warning("old_files_not_removed", error=str(error))
        await pause(stop, EVERY_S)
