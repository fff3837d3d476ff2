"""Runs adapters.file_reader for a file, in a process that is killed when it takes too much."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import IO

import structlog
from pydantic import ValidationError

from engine.ports.library import Extract

_ROOT = str(Path(__file__).parents[1])
_ANSWER_BYTES = 2 * 1024**2
_AT_ONCE = 2
_log = structlog.get_logger(__name__)


class FileReader:
    """Reads at most two files at once, each within so many seconds and so much memory."""

    def __init__(self, *, seconds: float = 20.0, memory_mb: int = 512) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def read(self, file: IO[bytes], ending: str) -> Extract:
        """Return what the open file holds; never raises for what a file can cause.

        `ending` of its name, without a dot, is used only to tell texts apart.
        """
        async with self._places:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "adapters.file_reader"),
                *(ending[:8] or "-", str(self._memory_mb), f"{self._seconds:g}"),
                stdin=file,
                stdout=PIPE,
                stderr=DEVNULL,
                # Without the service's environment, which holds tokens.
                env={"PYTHONPATH": _ROOT, "PYTHONDONTWRITEBYTECODE": "1"},
                cwd="/",
                start_new_session=True,
            )
            try:
                return await self._answer(process)
            finally:
                await _kill(process)

    async def _answer(self, process: Process) -> Extract:
        assert process.stdout is not None
        try:
            async with asyncio.timeout(self._seconds):
                output = await _read_answer(process.stdout)
                status = await process.wait()
        except TimeoutError:
            return Extract(problem="heavy")
        # The kernel kills a process that takes too much; a library may also give up.
        if status != 0 or len(output) > _ANSWER_BYTES:
            _log.info("file_reader_ended", status=status)
            return Extract(problem="heavy")
        try:
            return Extract.model_validate_json(output)
        except ValidationError as error:
            _log.warning("file_reader_answer", faults=error.error_count())
            return Extract(problem="broken")


async def _read_answer(stream: asyncio.StreamReader) -> bytes:
    """Return what the process writes, read only a little beyond the limit."""
    output = bytearray()
    while len(output) <= _ANSWER_BYTES and (chunk := await stream.read(64 * 1024)):
        output += chunk
    return bytes(output)


async def _kill(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
