"""Changed playbooks without a restart: from the folder, or from the pointer (design §5)."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from bot.definitions.current import Current, Snapshot, snapshot_of
from bot.definitions.definitions import READ, Definitions, load_definitions
from bot.definitions.publishing import fetch, learn, publish
from bot.people.directory import Directory
from bot.settings import Settings
from bot.waits import pause, retry_until_available
from engine.errors import DefinitionError, StoreError
from engine.ports.library import Document
from engine.ports.storage.published import Published

log = structlog.get_logger()
EVERY_S: Final = 2.0

Fingerprint = frozenset[tuple[str, int, int, int]]
"""Path, inode, size and time of change of every file that is read."""


def fingerprint(folder: Path) -> Fingerprint:
    """What changes whenever a file of the playbooks folder is written, added or taken away."""
    found = set()
    for pattern in READ:
        for path in folder.glob(pattern):
            try:
                stat = path.stat()
            except OSError:
                # Taken away meanwhile, or a link to nowhere.
                continue
            found.add((str(path), stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return frozenset(found)


class Reloading:
    """Keeps what is current up to date; `seen` is the folder as it was just before it was loaded.

    A process moves the pointer only at its start and when its own folder has changed after that,
    so that processes over different folders do not take turns. `current` is what it switches.
    """

    def __init__(
        self,
        settings: Settings,
        people: Directory,
        *,
        current: Current,
        published: Published,
        search: Callable[[Sequence[Document]], None],
        seen: Fingerprint,
    ) -> None:
        self._settings = settings
        self._people = people
        self.current = current
        self._published = published
        self._search = search
        self._own = current.now.pointer
        self._done = self._last = seen
        self._told: dict[str, str] = {}
        self._looking = asyncio.Lock()

    async def run(self, stop: asyncio.Event) -> None:
        """Look every two seconds until `stop`."""
        while not stop.is_set():
            await self.look()
            await pause(stop, EVERY_S)

    async def look(self) -> None:
        """Take over what is new. A change of the folder is taken when two looks find it the same.

        What the store keeps from happening is tried again at the next look.
        """
        async with self._looking:
            try:
                await self._look_at_folder()
                await self._follow()
            except StoreError as error:
                self._warn("playbooks_wait", str(error), [str(error)])
            else:
                self._told.pop("playbooks_wait", None)

    async def _look_at_folder(self) -> None:
        seen = await self._fingerprint()
        steady, self._last = seen == self._last, seen
        if seen == self._done or not steady:
            return
        problems: Sequence[str] = ()
        try:
            found = await asyncio.to_thread(self._load)
        except DefinitionError as error:
            problems = error.problems
        except OSError as error:
            problems = [f"{self._settings.playbooks}: cannot be read: {error}"]
        if await self._fingerprint() != seen:
            # Written while it was read: the next look finds that.
            return
        if problems:
            self._refuse(problems)
        elif found.pointer != self._own:
            await publish(found, self._published)
            self._own = found.pointer
            if found.pointer != self.current.now.pointer:
                await self._switch(found)
        self._done = seen
        self.current.problems = tuple(problems)

    async def _fingerprint(self) -> Fingerprint:
        return await asyncio.to_thread(fingerprint, self._settings.playbooks)

    def _load(self) -> Snapshot:
        return snapshot_of(load_definitions(self._settings, self._people))

    async def learn(self) -> None:
        """Have the router learn now what it otherwise learns for the first message."""
        await learn(self.current.now.table, self._published)

    async def _follow(self) -> None:
        text = await self._published.pointer()
        if text is None:
            # Somebody emptied the store: what runs begin with from now on has to be there again.
            await publish(self.current.now, self._published)
            if self.current.now.table.learned:
                await self.learn()
            log.warning("playbooks_published_anew")
            return
        if text == self._told.get("playbooks_unusable"):
            return
        try:
            found = await fetch(text, self._published, have=self.current.now, people=self._people)
        except DefinitionError as error:
            self._warn("playbooks_unusable", text, error.problems)
            return
        if found is not None:
            await self._switch(found)

    async def _switch(self, found: Snapshot) -> None:
        # A process that routes nothing has learned nothing, and need not.
        if self.current.now.table.learned:
            await learn(found.table, self._published)
        await asyncio.to_thread(self._search, found.documents)
        self.current.switch(found)
        log.info("playbooks_changed", playbooks=found.pointer.playbooks)

    def _refuse(self, problems: Sequence[str]) -> None:
        for problem in problems:
            log.warning("playbooks_refused", problem=problem)

    def _warn(self, event: str, about: str, problems: Sequence[str]) -> None:
        """Log each problem, unless that was done for the same thing before."""
        if self._told.get(event) != about:
            self._told[event] = about
            for problem in problems:
                log.warning(event, problem=problem)


async def open_reloading(
    settings: Settings,
    found: Definitions,
    *,
    published: Published,
    search: Callable[[Sequence[Document]], None],
    seen: Fingerprint,
) -> Reloading:
    """What a process that starts with these definitions works by; all others follow it.

    Raises StoreUnavailable.
    """
    current = Current(snapshot_of(found), published)
    await retry_until_available(partial(publish, current.now, published))
    return Reloading(
        settings, found.people, current=current, published=published, search=search, seen=seen
    )
