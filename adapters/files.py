"""The files of projects, each project in a folder of its own."""

import asyncio
import errno
import hashlib
import mimetypes
import os
import re
import stat
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import IO

import structlog

from adapters.reader_process import FileReader
from cards.markdown import literal
from engine.errors import ToolFailed
from engine.ports.library import Extract, FileInfo, FileScope

MAX_BYTES = 5 * 1024 * 1024
KEPT_EXTRACTS = 64
"""So many of the last files that were read are known without reading them again."""
MAX_FILES = 1000
"""The most files of a folder, the first by name."""

_DIGEST_CHARS = 64
_log = structlog.get_logger(__name__)
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
# Follow no link and wait for no pipe, even one that was just put there.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNREGISTERED = {".md": "text/markdown", ".csv": "text/csv", ".json": "application/json"}


SHARED = ".shared"
"""The subfolder of a project for files of messages, with a folder for each conversation."""


def is_project(project: str) -> bool:
    """Whether a project of that id can have a folder."""
    return _PROJECT.fullmatch(project) is not None


def folder_of(conversation: str) -> str:
    """The name of the folder of a conversation's shared files, in a project's `SHARED`."""
    return hashlib.sha256(conversation.encode()).hexdigest()[:32]


class ProjectFiles:
    """The files port over `<root>/<project>/`: its regular files, without links and subfolders.

    Files that were shared in a conversation belong to it, for that conversation alone.
    """

    def __init__(self, root: Path, reader: FileReader | None = None) -> None:
        self._root = root
        self._reader = reader or FileReader()
        # Each step of a run may ask again what the same file holds.
        self._extracts: OrderedDict[tuple[int | str, ...], Extract] = OrderedDict()

    async def infos(self, scope: FileScope) -> Sequence[FileInfo]:
        """Every file, by name; none when the project has no folder. Raises ToolFailed."""
        return await asyncio.to_thread(self._infos, scope)

    async def read(self, scope: FileScope, name: str) -> bytes | None:
        """The content of the file of exactly that name, or None when there is none.

        Raises ToolFailed for a file of more than 5 MiB, or a folder that cannot be read.
        """
        return await asyncio.to_thread(self._read, scope, name)

    async def open(self, scope: FileScope, name: str) -> IO[bytes] | None:
        """The file of exactly that name, open for reading. Raises ToolFailed."""
        return await asyncio.to_thread(self._open, scope, name)

    async def extract(self, scope: FileScope, name: str) -> Extract | None:
        """What the file holds, or None when there is none. Raises ToolFailed."""
        file = await self.open(scope, name)
        if file is None:
            return None
        ending = Path(name).suffix[1:].lower()
        with file:
            status = os.fstat(file.fileno())
            same = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, ending)
            known = self._extracts.get(same)
            extract = known or await self._reader.read(file, ending)
        if extract.problem != "heavy":
            self._extracts[same] = extract
            self._extracts.move_to_end(same)
        while len(self._extracts) > KEPT_EXTRACTS:
            self._extracts.popitem(last=False)
        return extract

    def _infos(self, scope: FileScope) -> list[FileInfo]:
        found: dict[str, FileInfo] = {}
        for path, only in _paths(scope):
            with self._folder(path) as folder:
                if folder is None:
                    continue
                for name in _names(folder):
                    is_new = name not in found and only in ("", name)
                    if is_new and (status := _status(folder, name)):
                        found[name] = _info(name, status)
        return [found[name] for name in sorted(found)][:MAX_FILES]

    def _open(self, scope: FileScope, name: str) -> IO[bytes] | None:
        for path, only in _paths(scope):
            if only not in ("", name):
                continue
            with self._folder(path) as folder:
                # Only names that the folder lists, never a path.
                if folder is not None and name in _names(folder) and _status(folder, name):
                    file = os.fdopen(os.open(name, _FLAGS, dir_fd=folder), "rb")
                    return _checked(file, name, folder)
        return None

    def _read(self, scope: FileScope, name: str) -> bytes | None:
        file = self._open(scope, name)
        if file is None:
            return None
        try:
            with file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise ToolFailed("files.away") from error
        if len(content) > MAX_BYTES:
            raise ToolFailed("files.too_large", limit=f"{MAX_BYTES // 1024**2} MiB")
        return content

    @contextmanager
    def _folder(self, path: Sequence[str]) -> Iterator[int | None]:
        """The folder at the end of the path, or None when there is none; a link is no folder."""
        folder: int | None = None
        try:
            folder = _open_folder(self._root, path)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise ToolFailed("files.away") from error
        if folder is None:
            yield None
            return
        try:
            yield folder
        except OSError as error:
            raise ToolFailed("files.away") from error
        finally:
            os.close(folder)


def digest_name(name: str) -> str:
    """What the file is called that has the sha256 of a document's version, beside it."""
    return f".sha256-{name}"


def _checked(file: BufferedReader, name: str, folder: int) -> BufferedReader:
    """The file, at its beginning, if it is what was kept. Raises ToolFailed for a changed version.

    People's files and documents of earlier builds have no digest beside them.
    """
    try:
        kept = os.fdopen(os.open(digest_name(name), _FLAGS, dir_fd=folder), "rb")
    except FileNotFoundError:
        return file
    with kept:
        wanted = kept.read(2 * _DIGEST_CHARS).decode("ascii", "replace").strip()
    found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted:
        file.close()
        _log.error("document_altered", name=name, kept=wanted, found=found)
        raise ToolFailed("files.altered", name=literal(name))
    file.seek(0)
    return file


def _paths(scope: FileScope) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the folders of a scope's files, each with the only name that counts there, or "".

    The project's comes first, then the conversation's own.
    """
    if is_project(scope.project):
        yield (scope.project,), ""
    for project in filter(is_project, dict.fromkeys((scope.project, scope.shared_in))):
        if scope.conversation:
            yield (project, SHARED, folder_of(scope.conversation)), ""
        for name, conversation in scope.elsewhere:
            yield (project, SHARED, folder_of(conversation)), name


def _open_folder(root: Path, path: Sequence[str]) -> int:
    folder = os.open(root / path[0], _FLAGS | os.O_DIRECTORY)
    for name in path[1:]:
        outer = folder
        try:
            folder = os.open(name, _FLAGS | os.O_DIRECTORY, dir_fd=outer)
        finally:
            os.close(outer)
    return folder


def _names(folder: int) -> list[str]:
    """Names in the folder, sorted; hidden ones and those that are no text are left out."""
    return sorted(n for n in os.listdir(folder) if not n.startswith(".") and n.isprintable())


def _status(folder: int, name: str) -> os.stat_result | None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _info(name: str, status: os.stat_result) -> FileInfo:
    ending = Path(name).suffix.lower()
    kind = _UNREGISTERED.get(ending) or mimetypes.guess_type(name)[0]
    return FileInfo(
        name=name,
        size_bytes=status.st_size,
        media_type=kind or "application/octet-stream",
        changed_at=datetime.fromtimestamp(status.st_mtime, UTC),
    )
