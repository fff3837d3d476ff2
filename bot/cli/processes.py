"""Commands that start processes of the service and run until they are stopped."""

import argparse
import asyncio
import ctypes
import gc
import importlib
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from bot.cli.command import folder_argument, load_project, loop_factory, run_loop
from bot.lean_imports import import_lean
from bot.settings import Settings
from bot.telemetry.logging import configure_logging
from cards.texts import languages

if TYPE_CHECKING:
    from bot.processes.supervisor import ProcessRole, Supervisor
    from bot.processes.watchdog import Watchdog
    from bot.wiring.service import FolderContents

T = TypeVar("T")
R = TypeVar("R")
Serve = Callable[..., Awaitable[int | None]]

# How long a process whose parent was killed may take to finish.
_ORPHAN_S = 20.0
# Little of what a message leaves is garbage in circles: it is looked for a tenth as often as usual.
_GARBAGE = (7_000, 10, 10)
# mallopt(3): M_ARENA_MAX, M_MMAP_THRESHOLD.
_MOST_ARENAS, _OWN_MAPPING = -8, -3
_OWN_MAPPING_BYTES = 128 * 1024


def stop_at_eof_argument(parser: argparse.ArgumentParser) -> None:
    """The folder; and a hidden option: stop when the standard input ends, with the parent."""
    folder_argument(parser)
    parser.add_argument("--stop-at-eof", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Run everything."""
    settings = load_and_freeze(load_project)
    configure_logging(args.command)

    def load() -> "tuple[type[Supervisor], FolderContents | None]":
        from bot.operate.start_check import check_definitions
        from bot.processes.port import check_port
        from bot.processes.supervisor import Supervisor, can_fork

        # What both processes would find wrong is found here first, so that it is told once.
        check_port(settings)
        check_definitions(settings)
        if not can_fork():
            return Supervisor, None
        load_processes(settings)
        from bot.wiring.service import share_folder

        return Supervisor, share_folder(settings)

    supervisor, contents = load_and_freeze(load)
    begun = _supervise(supervisor, settings)
    if isinstance(begun, int):
        return begun
    args.command, args.stop_at_eof, args.pulse = begun.name, True, begun.pulse
    # Nothing is read or found again in a copy: what it touches is not shared any more.
    found = {"redis_url": begun.store_url} if begun.store_url else {}
    args.settings, args.contents = settings.model_copy(update=found), contents
    return web(args) if begun.name == "web" else worker(args)


def load_processes(settings: Settings) -> None:
    """Import what web and worker run by these settings, before they are forked from this one."""
    import bot.processes.watchdog
    import bot.processes.worker  # noqa: F401
    from bot.processes.web import load_rooms
    from bot.wiring.platforms import PLATFORMS

    loop_factory()
    load_rooms(settings)
    for name in settings.enabled_platforms:
        for module in PLATFORMS[name].loads:
            importlib.import_module(module)


def _supervise(supervisor: type["Supervisor"], settings: Settings) -> "ProcessRole | int":
    from bot.processes.supervisor import open_store

    # Not uvloop, whose threads would outlast it.
    with asyncio.Runner() as runner:
        server = runner.run(_until_stopped(open_store, settings, stop_at_eof=False))
    begun: ProcessRole | int = 0
    try:
        begun = supervisor(settings, server).run()
        return begun
    finally:
        # What was forked keeps its share for as long as it lives.
        if server is not None and isinstance(begun, int):
            server.close()


def dev_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, and the language of what is printed."""
    folder_argument(parser)
    parser.add_argument("--lang", choices=languages(), default="en", help="of what is printed")


def dev(args: argparse.Namespace) -> int:
    """Run everything in this process, and print how each message is read."""
    from bot.dev.service import SHOWS_ITSELF, serve

    configure_logging(args.command, least=logging.WARNING, without=SHOWS_ITSELF)
    serving = partial(serve, lang=args.lang)
    return run_loop(_until_stopped(serving, load_project, stop_at_eof=False)) or 0


def web(args: argparse.Namespace) -> int:
    """Run the web process."""
    settings = _settings_of(args)

    def load() -> Serve:
        from bot.processes.web import load_rooms, serve

        load_rooms(settings)
        return serve

    return _serve(args, settings, load)


def worker(args: argparse.Namespace) -> int:
    """Run a worker, as a child that this process watches."""

    def load() -> Serve:
        from bot.processes.worker import serve

        return serve

    settings = _settings_of(args)
    return _run_watched(args, settings) if settings.watchdog_s else _serve(args, settings, load)


def _run_watched(args: argparse.Namespace, settings: Settings) -> int:
    configure_logging(args.command)
    # Of who forked this one, where that supervises it.
    pulse = getattr(args, "pulse", None)

    def load() -> "tuple[type[Watchdog], Callable[..., Awaitable[None]], FolderContents]":
        from bot.processes.watchdog import Watchdog
        from bot.processes.worker import serve
        from bot.wiring.service import share_folder

        return Watchdog, serve, _contents_of(args) or share_folder(settings)

    watchdog, serve, contents = load_and_freeze(load)
    started = watchdog(settings, stop_at_eof=args.stop_at_eof, pulse=pulse).run()
    if isinstance(started, int):
        return started
    serving = partial(serve, contents=contents, pulse=started)
    return run_loop(_until_stopped(serving, settings, stop_at_eof=True)) or 0


def _settings_of(args: argparse.Namespace) -> Settings:
    """The settings; those of the process that this one was forked from, where it was."""
    settings: Settings | None = getattr(args, "settings", None)
    return settings or load_and_freeze(load_project)


def _contents_of(args: argparse.Namespace) -> "FolderContents | None":
    """What the process that this one was forked from has read."""
    contents: FolderContents | None = getattr(args, "contents", None)
    return contents


def _serve(args: argparse.Namespace, settings: Settings, load: Callable[[], Serve]) -> int:
    configure_logging(args.command)
    serving = partial(load_and_freeze(load), contents=_contents_of(args))
    stop_at_eof = getattr(args, "stop_at_eof", False)
    return run_loop(_until_stopped(serving, settings, stop_at_eof=stop_at_eof)) or 0


def load_and_freeze(load: Callable[[], T]) -> T:
    """Load modules that stay for good; the garbage collector never looks at them again."""
    gc.disable()
    _share_one_arena()
    try:
        # Only its own metrics, which nobody reads, would need that.
        import_lean("redis.asyncio", "opentelemetry")
        return load()
    finally:
        gc.freeze()
        gc.set_threshold(*_GARBAGE)
        gc.enable()


def _share_one_arena() -> None:
    """Have all threads take memory from one place, where the C library has one for each of them.

    The interpreter runs one thread at a time, and what they leave free would lie idle eight times.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if sys.platform == "linux" and mallopt is not None:
        mallopt(_MOST_ARENAS, 1)
        # Else it grows with what was freed, and then what is large leaves holes.
        mallopt(_OWN_MAPPING, _OWN_MAPPING_BYTES)


async def _until_stopped(
    serve: Callable[[T, asyncio.Event], Awaitable[R]], given: T, *, stop_at_eof: bool
) -> R:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if stop_at_eof:
        _stop_at_eof(loop, stop)
    return await serve(given, stop)


def _stop_at_eof(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    # The parent never writes: the pipe becomes readable only when the parent is gone.
    def parent_is_gone() -> None:
        loop.remove_reader(0)
        stop.set()
        loop.call_later(_ORPHAN_S, os._exit, 1)

    loop.add_reader(0, parent_is_gone)
