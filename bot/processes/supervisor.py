"""`signoff run`: the embedded server, a web process and a worker, as one command."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog

from bot.operate.validation import check_definitions
from bot.processes.sd_notify import Notifier
from bot.settings import Settings
from bot.waits import run_unless_stopped
from bot.wiring.store import check_store, open_own_server
from engine.errors import DefinitionError

_log = structlog.get_logger()

_PROCESSES = ("web", "worker")
_WRONG_SETTINGS = 2
_STOP_S = 20.0
_LONGEST_PAUSE_S = 5.0
_STEADY_S = 30.0
_POLL_S = 0.1


@dataclass(slots=True)
class _End:
    """The end of the service: `reached` is set by a signal or by a child that cannot start."""

    reached: asyncio.Event
    status: int = 0

    async def within(self, seconds: float) -> bool:
        """Whether the end came before `seconds` were over."""
        try:
            async with asyncio.timeout(seconds):
                await self.reached.wait()
        except TimeoutError:
            return False
        return True


async def serve(settings: Settings, stop: asyncio.Event) -> int:
    """Run everything until `stop` is set; returns the exit status.

    0 after `stop`; 2 when a process finds its settings wrong. What both processes would find wrong
    is found here first, so that it is reported once: raises DefinitionError for a taken port,
    files or a store that cannot be used, StoreUnavailable for a store that stays away, Stopped once
    `stop` is set before the service is up.
    """
    await _check_port(settings)
    await asyncio.to_thread(check_definitions, settings)
    end = _End(stop)
    async with _store(settings, stop), asyncio.TaskGroup() as tasks:
        for name in _PROCESSES:
            tasks.create_task(_keep_running(name, end))
        tasks.create_task(_announce(settings, end))
        tasks.create_task(Notifier().run(stop))
    return end.status


async def _check_port(settings: Settings) -> None:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except OSError:
        found = []
    wrong = [_bind_error(family, address) for family, _, _, _, address in found]
    if not found or all(number == errno.EADDRNOTAVAIL for number in wrong):
        raise DefinitionError(
            f"SIGNOFF_HOST: should be an address of this machine, not {settings.host!r}"
        )
    for number in wrong:
        if number not in (0, errno.EADDRNOTAVAIL):
            raise DefinitionError(
                f"PORT: should be a free port; {settings.port} cannot be listened on at"
                f" {settings.host}: {os.strerror(number)}"
            )


def _bind_error(family: int, address: Any) -> int:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            return error.errno or errno.EADDRNOTAVAIL
    return 0


@asynccontextmanager
async def _store(settings: Settings, stop: asyncio.Event) -> AsyncIterator[None]:
    if settings.redis_url is not None:
        await run_unless_stopped(stop, check_store(settings.redis_url, settings))
        yield
        return
    # Opened here, so that the server stays up while web and worker are restarted.
    server = await run_unless_stopped(stop, open_own_server(settings))
    try:
        await run_unless_stopped(stop, check_store(server.url, settings))
        async with asyncio.TaskGroup() as tasks:
            care = tasks.create_task(server.keep_supervised())
            yield
            care.cancel()
    finally:
        server.close()


async def _keep_running(name: str, end: _End) -> None:
    """Restart the process, after a growing pause, until the end is reached."""
    loop = asyncio.get_running_loop()
    pause_s = 0.0
    while not end.reached.is_set():
        started = loop.time()
        status = await _run_once(name, end)
        if end.reached.is_set():
            return
        if status == _WRONG_SETTINGS:
            end.status = status
            end.reached.set()
            return
        steady = loop.time() - started > _STEADY_S
        pause_s = 0.0 if steady else min(_LONGEST_PAUSE_S, pause_s * 2 + 0.2)
        _log.error("process ended, starting it again", name=name, status=status, pause_s=pause_s)
        await end.within(pause_s)


async def _run_once(name: str, end: _End) -> int:
    # Our end of the pipe closes with this process; Ctrl-C reaches this process alone.
    child = await asyncio.create_subprocess_exec(
        # Nothing is imported from the folder that is served.
        *(sys.executable, "-P", "-m", "bot", name, "--stop-at-eof"),
        stdin=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.TaskGroup() as tasks:
            stopping = tasks.create_task(_stop_at_end(child, end))
            status = await child.wait()
            stopping.cancel()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return status


async def _stop_at_end(child: asyncio.subprocess.Process, end: _End) -> None:
    await end.reached.wait()
    with contextlib.suppress(ProcessLookupError):
        child.send_signal(signal.SIGTERM)
    await asyncio.sleep(_STOP_S)
    with contextlib.suppress(ProcessLookupError):
        child.kill()


async def _announce(settings: Settings, end: _End) -> None:
    address = address_of(settings)
    timeout = aiohttp.ClientTimeout(total=2)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=False) as client:
        while not end.reached.is_set():
            if await _is_healthy(client, address):
                what = "Signoff web chat:" if settings.has_page else "Signoff listens on"
                print(f"{what} {address}", flush=True)
                return
            await end.within(_POLL_S)


async def _is_healthy(client: aiohttp.ClientSession, address: str) -> bool:
    try:
        async with client.get(address + "healthz") as answer:
            return answer.status == 200
    except (aiohttp.ClientError, TimeoutError):
        return False


def address_of(settings: Settings) -> str:
    """Where this machine reaches the service by HTTP, as a URL that ends with a slash."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/"
