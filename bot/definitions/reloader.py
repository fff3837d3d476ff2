"""Definitions that change without a restart: in the folder, or by the pointer (design §5)."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from glob import glob
from pathlib import Path
from typing import Final

import structlog

from bot.definitions.loader import READ_PATTERNS, Definitions, load_definitions
from bot.definitions.snapshot import (
    LiveDefinitions,
    Snapshot,
    fetch_snapshot,
    learn_routes,
    make_snapshot,
    publish,
    refused_text,
    replaced_pointer,
)
from bot.kept_note import KeptNote
from bot.people.directory import Directory
from bot.people.file import read_people
from bot.people.roster import PeopleSource
from bot.settings import Settings
from bot.waits import pause, retry_until_available
from engine.errors import DefinitionError, StoreError
from engine.ports.library import Document
from engine.ports.storage.published import Published
from engine.toolbox.toolbox import Toolbox

log = structlog.get_logger()
INTERVAL_S: Final = 2.0
NOT_READ: Final = (
    "written since this process read it: what it was goes on until all web and worker processes are"
    " started again"
)

Fingerprint = frozenset[tuple[str, int, int, int]]
"""Path, inode, size and time of change of every file that is read."""


def fingerprint_folder(folder: Path, skills: Path | None = None) -> Fingerprint:
    """A value that changes whenever a file of the playbooks folder is written, added or removed.

    So for that of the skills that playbooks share.
    """
    found = [folder / name for pattern in READ_PATTERNS for name in _matches(folder, pattern)]
    found += [skills / name for name in _matches(skills, "*.yaml")] if skills else ()
    return fingerprint_files(found)


def fingerprint_files(paths: Iterable[Path]) -> Fingerprint:
    """A value that changes whenever one of these files is written or removed."""
    files = set()
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            # Removed meanwhile, or a link to nowhere.
            continue
        files.add((str(path), stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return frozenset(files)


def _matches(folder: Path, pattern: str) -> list[str]:
    """What fits; unlike `Path.glob`, a folder that is removed meanwhile is no error."""
    return glob(pattern, root_dir=folder, include_hidden=True)


@dataclass(frozen=True, slots=True)
class FixedFiles:
    """Files that a process reads once; the fingerprint is from just before it did."""

    paths: tuple[Path, ...] = ()
    fingerprint: Fingerprint = frozenset()

    def changed(self) -> list[str]:
        """The names of those that were written, made or removed since."""
        return [
            path.name
            for path in self.paths
            if fingerprint_files([path]) != {f for f in self.fingerprint if f[0] == str(path)}
        ]


NO_FILES: Final = FixedFiles()


class PeopleWatch:
    """Keeps the people of this process as `people.yaml` says.

    Its fingerprint just before it was read is among `known`. A file that is wrong or away changes
    nothing: the last good one holds, and `problems` say why.
    """

    def __init__(self, settings: Settings, known: Fingerprint) -> None:
        self._settings = settings
        path = str(settings.people)
        self._loaded = self._previous = frozenset(each for each in known if each[0] == path)
        self.problems: tuple[str, ...] = ()

    @property
    def health(self) -> str:
        """`ok`, or how many problems the refused file has."""
        return refused_text(len(self.problems)) or "ok"

    async def check(self, source: PeopleSource) -> bool:
        """Take over a changed file once two checks find it the same; whether it was taken over."""
        fingerprint = await asyncio.to_thread(fingerprint_files, [self._settings.people])
        is_steady, self._previous = fingerprint == self._previous, fingerprint
        if fingerprint == self._loaded or not is_steady:
            return False
        try:
            path, accounts = self._settings.people, self._settings.accounts
            file = await asyncio.to_thread(read_people, path, accounts)
        except DefinitionError as error:
            self.problems = tuple(error.problems)
            for problem in self.problems:
                log.error("people_refused", problem=problem)
            self._loaded = fingerprint
            return False
        self._loaded, self.problems = fingerprint, ()
        gone = {person.id for person in source.file.people} - {person.id for person in file.people}
        source.file = file
        log.info("people_changed", people=len(file.people), gone=sorted(gone))
        return True


class Reloader:
    """Keeps `current` up to date; `fingerprint` is that of the folder just before it was loaded.

    `fixed` are files that only a start reads: that they were written since is told. With a `watch`
    the people are read again as well; without, they stay.

    A process moves the pointer only at its start and when its own folder has changed after that,
    so that processes over different folders do not take turns.
    """

    def __init__(
        self,
        settings: Settings,
        people: Directory,
        toolbox: Toolbox,
        *,
        current: LiveDefinitions,
        published: Published,
        index_documents: Callable[[Sequence[Document]], None],
        fingerprint: Fingerprint,
        note: KeptNote,
        fixed: FixedFiles = NO_FILES,
        watch: PeopleWatch | None = None,
    ) -> None:
        self._watch = watch
        self._note = note
        self._settings = settings
        self._fixed = fixed
        self._people = people
        self._toolbox = toolbox
        self.current = current
        self._published = published
        self._index_documents = index_documents
        self._own_pointer = current.snapshot.pointer
        self._loaded = self._previous = fingerprint
        self._logged: dict[str, str] = {}
        self._lock = asyncio.Lock()

    async def run(self, stop: asyncio.Event) -> None:
        """Check every two seconds until `stop`."""
        while not stop.is_set():
            await self.check()
            await pause(stop, INTERVAL_S)

    async def check(self) -> None:
        """Take over what is new. A changed folder is loaded once two checks find it the same.

        What an outage of the store prevents is tried again at the next check.
        """
        async with self._lock:
            try:
                await self._check_fixed_files()
                await self._check_people()
                await self._check_folder()
                await self._follow_pointer()
            except StoreError as error:
                self._warn_once("playbooks_wait", str(error), [str(error)])
            else:
                self._logged.pop("playbooks_wait", None)

    async def learn(self) -> None:
        """Learn and index now what is otherwise made ready for the first message."""
        await learn_routes(self.current.snapshot.table, self._published)
        await asyncio.to_thread(self._index_documents, self.current.snapshot.documents)

    async def _check_fixed_files(self) -> None:
        changed = tuple(await asyncio.to_thread(self._fixed.changed))
        if changed != self.current.unread_files:
            for name in changed:
                log.warning("file_not_read_yet", file=name, problem=NOT_READ)
        self.current.unread_files = changed

    async def _check_people(self) -> None:
        """Go by the people of a changed file; then the playbooks are checked by them again."""
        if self._watch is None:
            return
        if await self._watch.check(self._people.source):
            self._loaded = frozenset()
            self._logged.pop("playbooks_unusable", None)
        self.current.people_health = self._watch.health

    async def _check_folder(self) -> None:
        fingerprint = await self._fingerprint()
        is_steady, self._previous = fingerprint == self._previous, fingerprint
        if fingerprint == self._loaded or not is_steady:
            return
        problems: Sequence[str] = ()
        try:
            snapshot = await asyncio.to_thread(self._load)
        except DefinitionError as error:
            problems = error.problems
        except OSError as error:
            problems = [f"{self._settings.playbooks}: cannot be read: {error}"]
        if await self._fingerprint() != fingerprint:
            # Written while it was read: the next check finds that.
            return
        for problem in problems:
            log.warning("playbooks_refused", problem=problem)
        if not problems:
            self.current.switch_legacy(snapshot.legacy)
        if not problems and snapshot.pointer != self._own_pointer:
            await publish(snapshot, self._published)
            self._note.write(snapshot.pointer.short)
            self._own_pointer = self.current.own_pointer = snapshot.pointer
            if snapshot.pointer != self.current.snapshot.pointer:
                await self._switch(snapshot)
        self._loaded = fingerprint
        self.current.problems = tuple(problems)

    async def _fingerprint(self) -> Fingerprint:
        folder, skills = self._settings.playbooks, self._settings.skills
        return await asyncio.to_thread(fingerprint_folder, folder, skills)

    def _load(self) -> Snapshot:
        return make_snapshot(load_definitions(self._settings, self._toolbox, self._people))

    async def _follow_pointer(self) -> None:
        text = await self._published.pointer()
        if text is None:
            # Somebody emptied the store: what runs begin with from now on has to be there again.
            await publish(self.current.snapshot, self._published)
            if self.current.snapshot.routing.is_learned:
                await self.learn()
            log.warning("playbooks_published_anew")
            return
        if text == self._logged.get("playbooks_unusable"):
            return
        try:
            snapshot = await fetch_snapshot(
                text,
                self._published,
                current=self.current.snapshot,
                people=self._people,
                toolbox=self._toolbox,
            )
        except DefinitionError as error:
            self._warn_once("playbooks_unusable", text, error.problems)
            return
        if snapshot is not None:
            await self._switch(snapshot)

    async def _switch(self, snapshot: Snapshot) -> None:
        # A process that routes nothing has learned nothing, and need not.
        if self.current.snapshot.routing.is_learned:
            await learn_routes(snapshot.table, self._published)
        await asyncio.to_thread(self._index_documents, snapshot.documents)
        self.current.switch(snapshot)
        log.info("playbooks_changed", playbooks=snapshot.pointer.playbooks)
        if self.current.differs:
            log.warning("playbooks_differ", problem=self.current.differs)

    def _warn_once(self, event: str, cause: str, problems: Sequence[str]) -> None:
        """Log each problem, unless that was done for the same cause before."""
        if self._logged.get(event) != cause:
            self._logged[event] = cause
            for problem in problems:
                log.warning(event, problem=problem)


async def open_reloader(
    settings: Settings,
    definitions: Definitions,
    *,
    published: Published,
    index_documents: Callable[[Sequence[Document]], None],
    fingerprint: Fingerprint,
    note: KeptNote,
    fixed: FixedFiles = NO_FILES,
    watch: PeopleWatch | None = None,
    snapshot: Snapshot | None = None,
) -> Reloader:
    """Publish the definitions with which this process starts, and the reloader that follows them.

    A folder that this machine published before, as the `note` says, and that has not changed since,
    is not published again where another one is current: it was deployed later. A `snapshot` was
    made of them before. Raises StoreUnavailable.
    """
    current = LiveDefinitions(snapshot or make_snapshot(definitions), published)
    own = current.snapshot
    before = await retry_until_available(published.pointer)
    replaced = replaced_pointer(before, own.pointer)
    is_left = False
    if replaced:
        is_left = await retry_until_available(partial(_was_current, own, published, note))
    if is_left:
        log.warning("playbooks_left", current=replaced, folder=own.pointer.short)
    else:
        await retry_until_available(partial(publish, own, published))
        note.write(own.pointer.short)
        if replaced:
            log.warning("playbooks_replaced", was=replaced, now=own.pointer.short)
    return Reloader(
        settings,
        definitions.people,
        definitions.toolbox,
        current=current,
        published=published,
        index_documents=index_documents,
        fingerprint=fingerprint,
        note=note,
        fixed=fixed,
        watch=watch,
    )


async def _was_current(snapshot: Snapshot, published: Published, note: KeptNote) -> bool:
    """Whether this machine published exactly this, and the store has it still.

    A store that was restored from before that has not.
    """
    if note.read() != snapshot.pointer.short:
        return False
    known = [await published.load(digest) for digest in snapshot.bodies()]
    return None not in known
