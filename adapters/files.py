"""The files of projects, each project in a folder of its own."""

import asyncio
import errno
import mimetypes
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import ToolFailed
from engine.ports.library import FileInfo

LARGEST_BYTES = 5 * 1024 * 1024
MOST = 1000
"""Of more files in a folder only the first, by name, are there."""

_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
# No link is followed and no pipe waited for, also when it came there a moment ago.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNREGISTERED = {".md": "text/markdown", ".csv": "text/csv", ".json": "application/json"}


class ProjectFiles:
    """The files port over `<root>/<project>/`: regular files right in it, and no links."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def infos(self, project: str) -> Sequence[FileInfo]:
        """Every file, by name; none when the project has no folder. Raises ToolFailed."""
        return await asyncio.to_thread(self._infos, project)

    async def read(self, project: str, name: str) -> bytes | None:
        """The content of the file of exactly that name, or None when there is none.

        Raises ToolFailed for a file of more than 5 MiB, or a folder that cannot be read.
        """
        return await asyncio.to_thread(self._read, project, name)

    def _infos(self, project: str) -> list[FileInfo]:
        with self._opened(project) as folder:
            if folder is None:
                return []
            found = ((name, _status(folder, name)) for name in _names(folder))
            return [_info(name, status) for name, status in found if status][:MOST]

    def _read(self, project: str, name: str) -> bytes | None:
        with self._opened(project) as folder:
            # Only what the folder itself lists: no path, however it is written.
            if folder is None or name not in _names(folder) or _status(folder, name) is None:
                return None
            with os.fdopen(os.open(name, _FLAGS, dir_fd=folder), "rb") as file:
                content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise ToolFailed("files.too_large", limit=f"{LARGEST_BYTES // 1024**2} MiB")
        return content

    @contextmanager
    def _opened(self, project: str) -> Iterator[int | None]:
        """The project's folder, or None when there is none; a link is no folder."""
        if not _PROJECT.fullmatch(project):
            yield None
            return
        try:
            folder = os.open(self._root / project, _FLAGS | os.O_DIRECTORY)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise ToolFailed("files.away") from error
            yield None
            return
        try:
            yield folder
        except OSError as error:
            raise ToolFailed("files.away") from error
        finally:
            os.close(folder)


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
