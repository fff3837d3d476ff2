"""Files that people shared, as they lie on disk: whose they are, how old, and how they go."""

import asyncio
import os
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path

from adapters.files import SHARED, digest_name, folder_of
from adapters.inbox_files import senders_file
from engine.ports.inbox_files import KeptFile


class SharedFolders:
    """The KeptFiles port: every file under `<root>/<project>/.shared/`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def find(
        self, conversations: Collection[str], senders: Collection[str]
    ) -> tuple[KeptFile, ...]:
        """Files of these conversations, and those that one of these people sent."""
        folders, ids = set(map(folder_of, conversations)), set(senders)

        def is_wanted(path: Path) -> bool:
            return path.parent.name in folders or bool(ids & set(_senders(path)))

        return await asyncio.to_thread(self._find, is_wanted)

    async def find_named(self, conversation: str, names: Collection[str]) -> tuple[KeptFile, ...]:
        """Files of that conversation by the names under which they are kept."""
        folder = folder_of(conversation)

        def is_wanted(path: Path) -> bool:
            return path.parent.name == folder and path.name in names

        return await asyncio.to_thread(self._find, is_wanted)

    async def remove(self, file: KeptFile, *, senders: Collection[str] | None = None) -> bool:
        """Take the file away; with `senders`, only if nobody else sent it too."""
        return await asyncio.to_thread(_remove, Path(file.path), senders)

    async def remove_older(self, project: str, than: datetime) -> int:
        """Take away what was shared in that project before that moment; how many files it was."""

        def is_wanted(path: Path) -> bool:
            return self._project(path) == project and _shared_at(path) < than

        found = await asyncio.to_thread(self._find, is_wanted)
        return sum([await self.remove(each) for each in found])

    async def projects(self) -> tuple[str, ...]:
        """The projects in which something was shared."""
        folders = await asyncio.to_thread(lambda: sorted(self._root.glob(f"*/{SHARED}")))
        return tuple(each.parent.name for each in folders)

    def _find(self, is_wanted: Callable[[Path], bool]) -> tuple[KeptFile, ...]:
        return tuple(
            KeptFile(self._project(path), path.name, str(path), _shared_at(path))
            for path in self._paths()
            if is_wanted(path)
        )

    def _paths(self) -> Iterator[Path]:
        for path in sorted(self._root.glob(f"*/{SHARED}/*/*")):
            if not path.name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path

    def _project(self, path: Path) -> str:
        return path.parents[2].name


def _shared_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _senders(path: Path) -> list[str]:
    try:
        return senders_file(path).read_text("utf-8").splitlines()
    except OSError:
        return []


def _remove(path: Path, senders: Collection[str] | None) -> bool:
    others = [each for each in _senders(path) if senders is not None and each not in senders]
    if others:
        senders_file(path).write_text("".join(f"{each}\n" for each in others), "utf-8")
        return False
    path.unlink(missing_ok=True)
    senders_file(path).unlink(missing_ok=True)
    path.with_name(digest_name(path.name)).unlink(missing_ok=True)
    if not os.listdir(path.parent):
        path.parent.rmdir()
    return True
