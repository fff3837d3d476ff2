"""The sweep over what waits for whom: lists what an earlier build left unlisted (design §3)."""

import asyncio

import structlog

from bot.stopping import pause
from engine.errors import StoreError
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.model_numbers import ModelNumbers

log = structlog.get_logger()
EVERY_S = 3600.0
_AGAIN_S = 30.0


async def mend(inbox: Inbox, numbers: ModelNumbers, stop: asyncio.Event) -> None:
    """Repair at the start, then once an hour over all workers, until `stop`."""
    due = True
    while not stop.is_set():
        try:
            if due and (mended := await inbox.repair()):
                log.warning("inbox_mended", cards=mended)
            await pause(stop, EVERY_S)
            due = await numbers.first("inbox_mended", within_s=int(EVERY_S / 2))
        except StoreError as error:
            log.warning("inbox_not_mended", error=str(error))
            due = True
            await pause(stop, _AGAIN_S)
