"""A platform of ours that listens while a test goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from engine.ports.platform import Intake


class Listens(Protocol):
    """What receives by itself."""

    async def listen(self, intake: Intake) -> None: ...


@asynccontextmanager
async def listening(platform: Listens, intake: Intake) -> AsyncIterator[None]:
    """It receives until the block ends; what it fails with, the block fails with."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(platform.listen(intake))
        yield
        task.cancel()
