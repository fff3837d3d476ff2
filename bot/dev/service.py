"""`signoff dev`: the whole service in one process; what is saved is in use within a second."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.dev.feed import MOST_MESSAGES, MessageFeed
from bot.dev.gathering import Gatherer
from bot.dev.mending import load_when_mended
from bot.dev.printing import AccountPrinter
from bot.masking import compile_key_mask, compile_mask
from bot.operate.start_check import check_definitions
from bot.processes.supervisor import address_of
from bot.processes.web import open_site, receive
from bot.processes.worker import run_worker
from bot.project import PROJECT_FILE
from bot.settings import Settings
from bot.terminal.html_text import show_times_in
from bot.waits import pause, run_unless_stopped
from bot.wiring.clock import open_clock
from bot.wiring.platforms import load_settings
from bot.wiring.service import Parts, open_parts
from bot.wiring.store import open_own_server
from cards.model import Lang
from engine.errors import DefinitionError, StoreError
from engine.ports.platform import SupportsPanel

LOOK_EVERY_S: Final = 0.3
SHOWS_ITSELF: Final = frozenset({"playbooks_refused", "playbooks_changed"})
"""Events of the log that the terminal has in words of its own."""

FileStamps = frozenset[tuple[str, int, int]]


@dataclass(slots=True)
class Developing:
    """A project folder that is served while somebody writes it; `feed` is what they are shown."""

    settings: Settings
    printer: AccountPrinter
    feed: MessageFeed = field(init=False)
    changed: Settings | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Print what the feed hears of."""
        self.feed = MessageFeed(self.printer.tell)

    async def run(self, stop: asyncio.Event) -> None:
        """Serve until `stop`; with people, connections or settings that change, start again.

        Raises DefinitionError, OSError or StoreUnavailable when it cannot begin.
        """
        async with AsyncExitStack() as stack:
            url = self.settings.redis_url
            if url is None:
                server = await run_unless_stopped(stop, open_own_server(self.settings))
                stack.callback(server.close)
                url = server.url
                care = asyncio.create_task(server.keep_supervised())
                stack.callback(care.cancel)
            while not stop.is_set():
                self.settings = self.settings.model_copy(update={"redis_url": url})
                await self._serve(stop)
                if self.changed is not None:
                    self.settings, self.changed = self.changed, None

    async def _serve(self, stop: asyncio.Event) -> None:
        """Serve with these settings, until `stop` or until others are there."""
        ended = asyncio.Event()
        async with open_parts(self.settings, stop, observe=self.feed.observe) as parts:
            offer_panel(parts, self.feed)
            async with open_site(parts), asyncio.TaskGroup() as group:
                group.create_task(run_worker(parts, ended))
                group.create_task(receive(parts, ended))
                group.create_task(self.feed.follow(gatherer_of(parts), ended))
                group.create_task(self._watch_files(parts, ended))
                await recall(parts, self.feed)
                self._announce()
                await _first_of(stop, ended)
                ended.set()

    def _announce(self) -> None:
        settings = self.settings
        what = "Signoff web chat:" if settings.has_page else "Signoff listens on"
        print(f"{what} {address_of(settings)}", flush=True)
        self.printer.note("dev.serving", folder=str(Path.cwd()))

    async def _watch_files(self, parts: Parts, ended: asyncio.Event) -> None:
        """Take over what is saved; say at once what is wrong with it."""
        current, settings = parts.reloader.current, _Settled(_stamps(self._fixed_files()))
        snapshot, shown = current.snapshot, current.problems
        while not ended.is_set():
            await pause(ended, LOOK_EVERY_S)
            await parts.reloader.check()
            if settings.has_new(_stamps(self._fixed_files())):
                await self._read_settings(ended)
            elif current.problems != shown or current.snapshot is not snapshot:
                snapshot, shown = current.snapshot, current.problems
                self._show_problems(shown)

    def _show_problems(self, problems: tuple[str, ...]) -> None:
        self.feed.set_problems(problems)
        self.printer.problems(problems)

    async def _read_settings(self, ended: asyncio.Event) -> None:
        """End this round for the files as they are now, unless something in them is wrong."""
        try:
            found = await asyncio.to_thread(load_settings)
            await asyncio.to_thread(check_definitions, found)
        except DefinitionError as error:
            self._show_problems(error.problems)
            return
        self.feed.set_problems(())
        self.printer.note("dev.restarted")
        self.changed = found
        ended.set()

    def _fixed_files(self) -> Iterable[Path]:
        """The files that are read only at the start."""
        settings = self.settings
        named = (settings.people, settings.connections, settings.mcp)
        return [Path(PROJECT_FILE), Path(".env"), *filter(None, named)]


@dataclass(slots=True)
class _Settled:
    """Stamps of files; new ones count once two looks find them the same."""

    used: FileStamps
    last: FileStamps = frozenset()

    def has_new(self, found: FileStamps) -> bool:
        """Whether the files are others than those in use, and nobody is writing them."""
        is_steady, self.last = found == self.last, found
        if found == self.used or not is_steady:
            return False
        self.used = found
        return True


def _stamps(files: Iterable[Path]) -> FileStamps:
    found = set()
    for path in files:
        try:
            stat = path.stat()
        except OSError:
            continue
        found.add((str(path), stat.st_size, stat.st_mtime_ns))
    return frozenset(found)


async def _first_of(stop: asyncio.Event, ended: asyncio.Event) -> None:
    while not (stop.is_set() or ended.is_set()):
        await pause(stop, LOOK_EVERY_S)


def offer_panel(parts: Parts, feed: MessageFeed) -> None:
    """Have pages show the feed, where everybody who reads them may see everything."""
    for platform in parts.resources.platforms.values():
        if isinstance(platform, SupportsPanel) and parts.settings.is_local_only:
            platform.show_panel(feed)


def gatherer_of(parts: Parts) -> Gatherer:
    """What reads accounts from the store of these parts, masked as traces are, keys too."""
    settings = parts.settings
    personal = compile_mask(settings.trace_mask)
    keys = compile_key_mask((*settings.secrets(), *parts.secrets), settings.key_patterns)
    return Gatherer(
        archive=parts.store.archive,
        decisions=parts.store.decisions,
        playbook=parts.reloader.current.playbook,
        people=parts.resources.people,
        today=open_clock(settings).today,
        mask=lambda text: keys(personal(text)),
    )


async def recall(parts: Parts, feed: MessageFeed) -> None:
    """Have the feed show messages of before, as far as their traces are kept."""
    try:
        found = await parts.store.archive.traces(MOST_MESSAGES)
    except StoreError:
        return
    feed.recall(name for name, _ in reversed(found) if "/" not in name)


async def serve(load: Callable[[], Settings], stop: asyncio.Event, *, lang: Lang) -> None:
    """Serve the current folder until `stop`, and print how each message is read.

    One with faults is served once they are mended. Raises as `Developing.run`.
    """
    settings = await load_when_mended(load, stop, AccountPrinter(lang, "UTC", _print))
    if settings is None:
        return
    printer = AccountPrinter(lang, settings.timezone, _print)
    with show_times_in(settings.timezone):
        await Developing(settings, printer).run(stop)


def _print(text: str) -> None:
    print(text, flush=True)
