"""Shared files go when they are as old as the project's retention says."""

import asyncio
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


async def remove_old_files(files: KeptFiles, clock: Clock, *, days: float) -> int:
    """Take away what was shared longer ago than that; how many files. Raises OSError."""
    than = clock.now() - timedelta(days=days)
    return sum([await files.remove_older(project, than) for project in await files.projects()])


async def sweep_files(
    files: KeptFiles, numbers: ModelNumbers, clock: Clock, stop: asyncio.Event, *, days: float
) -> None:
    """Do so once an hour by one of all workers, until `stop`; never with 0 days."""
    while days and not stop.is_set():
        try:
            is_due = await numbers.first("files_swept", within_s=int(EVERY_S / 2))
            if is_due and (removed := await remove_old_files(files, clock, days=days)):
                log.info("old_files_removed", files=removed)
        except (StoreError, OSError) as error:
            log.warning("old_files_not_removed", error=str(error))
        await pause(stop, EVERY_S)
