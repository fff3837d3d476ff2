"""Takes in the files that came with a message: fetched, examined, then kept."""

import asyncio
import hashlib
import os
import re
import tempfile
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import structlog

from adapters.files import SHARED, folder_of, is_project
from adapters.filesystem import make_private_folder
from adapters.reader_process import FileReader
from engine.errors import Forbidden, Gone, PlatformError, TooLarge
from engine.events import SharedFile
from engine.ports.clock import Clock
from engine.ports.inbox_files import FILE_KINDS, FileReceipt, FileSource
from engine.ports.library import Extract

MAX_FILES = 10
"""The most files that are taken of one message."""

_ENDINGS = {"csv": ("csv", "tsv"), "jpg": ("jpg", "jpeg")}
_TRIES = 2
_AT_ONCE = 4
_INCOMING = ".incoming-"
_LEFTOVER_S = 86_400.0
_NAME_BYTES = 120
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FileLimits:
    """The largest file, the kinds that are taken, and the time to fetch one."""

    most_mb: int = 20
    kinds: Collection[str] = FILE_KINDS
    seconds: float = 20.0

    @property
    def most_bytes(self) -> int:
        """The same in bytes."""
        return self.most_mb * 1024**2


class _FileTooLarge(Exception):
    """The content is larger than is taken."""


class SharedFiles:
    """The InboxFiles port: under `<root>/<project>/.shared/<conversation>/`, by a safe name."""

    def __init__(
        self,
        root: Path,
        sources: Mapping[str, FileSource],
        reader: FileReader,
        limits: FileLimits,
        clock: Clock,
    ) -> None:
        self._root = root
        self._sources = sources
        self._reader = reader
        self._limits = limits
        self._clock = clock
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def take(
        self, project: str, conversation: str, files: Sequence[SharedFile], *, by: str = ""
    ) -> tuple[FileReceipt, ...]:
        """Return a receipt for each file, in order; a file that comes again is kept once."""
        folder = self._root / project / SHARED / folder_of(conversation)
        try:
            if not is_project(project):
                raise OSError(f"{project!r} is no project that can have a folder")
            await asyncio.to_thread(_prepare, folder, self._clock.now().timestamp())
        except OSError as error:
            _log.error("files_not_kept", folder=str(folder), error=str(error))
            return tuple(FileReceipt(shown=shown_name(f), problem="away") for f in files)
        first, others = files[:MAX_FILES], files[MAX_FILES:]
        taken = await asyncio.gather(*(self._take(folder, file) for file in first))
        for name in {receipt.name for receipt in taken if by and receipt.name}:
            await asyncio.to_thread(_note_sender, folder / name, by)
        late = [FileReceipt(shown=shown_name(file), problem="too_many") for file in others]
        return (*taken, *late)

    async def _take(self, folder: Path, file: SharedFile) -> FileReceipt:
        shown, most = shown_name(file), self._limits.most_mb
        if file.size_bytes > self._limits.most_bytes:
            return FileReceipt(shown=shown, problem="too_large", limit_mb=most)
        async with self._places:
            for attempt in range(1, _TRIES + 1):
                try:
                    return await self._take_once(folder, file, shown)
                except _FileTooLarge:
                    return FileReceipt(shown=shown, problem="too_large", limit_mb=most)
                except TooLarge as error:
                    return FileReceipt(shown=shown, problem="too_large", limit_mb=error.limit_mb)
                except (PlatformError, TimeoutError, OSError) as error:
                    again = attempt < _TRIES and getattr(error, "retryable", False)
                    reason = f"{type(error).__name__}: {error}"
                    _log.warning(
                        "file_not_taken", platform=file.platform, error=reason, again=again
                    )
                    if not again:
                        denied = isinstance(error, Forbidden | Gone)
                        return FileReceipt(shown=shown, problem="denied" if denied else "away")
        raise AssertionError("the last try always ends")

    async def _take_once(self, folder: Path, file: SharedFile, shown: str) -> FileReceipt:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=_INCOMING) as incoming:
            async with asyncio.timeout(self._limits.seconds):
                digest = await self._fetch(file, incoming.file)
            size = incoming.file.seek(0, os.SEEK_END)
            incoming.file.seek(0)
            extract = await self._reader.read(incoming.file, _ending(shown))
            taken = _receipt(shown, size, extract, self._limits.kinds)
            if taken.problem:
                return taken
            wanted = safe_name(shown, extract.kind)
            name = await asyncio.to_thread(_name_file, incoming.name, folder, wanted, digest)
        return taken.model_copy(update={"name": name})

    async def _fetch(self, file: SharedFile, into: IO[bytes]) -> str:
        """Write the content, up to the limit; returns its digest."""
        source = self._sources.get(file.platform)
        if source is None:
            raise Gone(f"{file.platform}: hands out no files")
        digest, size = hashlib.sha256(), 0
        async with aclosing(source.fetch(file)) as pieces:
            async for piece in pieces:
                size += len(piece)
                if size > self._limits.most_bytes:
                    raise _FileTooLarge
                digest.update(piece)
                await asyncio.to_thread(into.write, piece)
        await asyncio.to_thread(into.flush)
        return digest.hexdigest()


def _receipt(shown: str, size: int, extract: Extract, kinds: Collection[str]) -> FileReceipt:
    problem = extract.problem or ("" if extract.kind in kinds else "kind")
    return FileReceipt(
        shown=shown,
        problem=problem,
        kind=extract.kind,
        size_bytes=size,
        parts=extract.parts,
        parts_read=extract.parts_read,
        cut=extract.cut,
    )


def shown_name(file: SharedFile) -> str:
    """Return the sender's name of the file: the end of a path, on one line, all visible."""
    name = unicodedata.normalize("NFC", file.name)
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(c if c.isprintable() else " " for c in last)
    return " ".join(kept.split())[:100] or "file"


def safe_name(shown: str, kind: str) -> str:
    """Return a name to keep it under, easy to type, with the ending of its kind."""
    name = re.sub(r"[^\w.-]+", "_", shown).strip("._-") or "file"
    if _ending(name) not in _ENDINGS.get(kind, (kind,)):
        name = f"{name}.{kind}"
    stem, _, ending = name.rpartition(".")
    while len(stem.encode()) > _NAME_BYTES:
        stem = stem[:-1]
    return f"{stem}.{ending}"


def senders_file(path: Path) -> Path:
    """The file beside a shared one that names who sent it, an id a line."""
    return path.with_name(f".by-{path.name}")


def _note_sender(path: Path, by: str) -> None:
    place = senders_file(path)
    try:
        if by not in (place.read_text("utf-8").splitlines() if place.exists() else ()):
            with place.open("a", encoding="utf-8") as file:
                file.write(f"{by}\n")
    except OSError as error:
        _log.error("sender_not_noted", folder=str(path.parent), error=str(error))


def _ending(name: str) -> str:
    return Path(name).suffix[1:].lower()


def _prepare(folder: Path, now_s: float) -> None:
    """Make the folder, and remove what a worker that died left there."""
    make_private_folder(folder)
    for left in folder.glob(f"{_INCOMING}*"):
        if now_s - left.stat().st_mtime > _LEFTOVER_S:
            left.unlink(missing_ok=True)


def _name_file(incoming: str, folder: Path, wanted: str, digest: str) -> str:
    """Give the file its name, or another one where that is taken by other content."""
    stem, _, ending = wanted.rpartition(".")
    projects = folder.parents[1]
    for number in range(1, 1000):
        name = wanted if number == 1 else f"{stem}-{number}.{ending}"
        # A shared file never stands in for one of the project.
        if os.path.lexists(projects / name):
            continue
        try:
            os.link(incoming, folder / name)
        except FileExistsError:
            if not _has_digest(folder / name, digest):
                continue
        return name
    raise OSError(f"{wanted}: every name like it is taken")


def _has_digest(path: Path, digest: str) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest
