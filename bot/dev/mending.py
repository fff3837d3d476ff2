"""Waits until somebody has mended a folder that cannot be served as it is."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bot.definitions.watching import watched_files
from bot.dev.printing import AccountPrinter
from bot.operate.start_check import check_definitions
from bot.settings import Settings
from bot.waits import pause
from engine.errors import DefinitionError

_LOOK_EVERY_S: Final = 0.3
_PLAYBOOKS: Final = Path("playbooks")
_IN_A_FILE: Final = re.compile(r"\.(?:yaml|md):[0-9]{1,9}: ")


async def load_when_mended(
    load: Callable[[], Settings], stop: asyncio.Event, printer: AccountPrinter
) -> Settings | None:
    """The settings of the folder once nothing is wrong with its files; None after `stop`.

    Raises DefinitionError for what stands in no file.
    """
    playbooks, was_faulty = _PLAYBOOKS, False
    while not stop.is_set():
        seen = await asyncio.to_thread(watched_files, playbooks)
        try:
            settings = await asyncio.to_thread(load)
            if settings.playbooks != playbooks:
                playbooks = settings.playbooks
                seen = await asyncio.to_thread(watched_files, playbooks)
            await asyncio.to_thread(check_definitions, settings)
        except DefinitionError as error:
            if not any(map(_IN_A_FILE.search, error.problems)):
                raise
            printer.problems(error.problems, "dev.faulty")
            was_faulty = True
            await _change(playbooks, seen, stop)
            continue
        if was_faulty:
            printer.problems(())
        return settings
    return None


async def _change(
    playbooks: Path, seen: frozenset[tuple[str, int, int]], stop: asyncio.Event
) -> None:
    """Return once the files are others than those that were seen, and nobody is writing them."""
    found = seen
    while not stop.is_set():
        await pause(stop, _LOOK_EVERY_S)
        before, found = found, await asyncio.to_thread(watched_files, playbooks)
        if found == before != seen:
            return
