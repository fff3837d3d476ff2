"""Files that people share with a message: fetched from their platform, and taken in."""

from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from cards.frozen import Frozen
from cards.values import BadValue
from engine.events import SharedFile
from engine.ports.library import Problem

FILE_KINDS = ("pdf", "docx", "xlsx", "csv", "json", "md", "txt", "png", "jpg", "gif", "webp")
"""What can be read, by content."""

_ALIASES = {"jpeg": "jpg", "tsv": "csv", "markdown": "md"}

Refusal = Literal["too_large", "too_many", "away", "denied"]


def kind_of_name(name: str) -> str:
    """Return the kind that a name's ending claims, "" without one."""
    _, dot, ending = name.rpartition(".")
    return _ALIASES.get(ending.lower(), ending.lower()) if dot else ""


def check_upload(file: SharedFile, kinds: Collection[str], largest_mb: int) -> None:
    """Raise BadValue for a file that is surely too large, or surely of none of these kinds.

    What it is, its content says once it is fetched. `largest_mb` is 0 for any size.
    """
    if largest_mb and file.size_bytes > largest_mb * 1024**2:
        raise BadValue("form.file_large", limit=largest_mb)
    kind = kind_of_name(file.name)
    surely = kind in FILE_KINDS or file.media_type.startswith(("audio/", "video/"))
    if surely and kind not in kinds:
        raise BadValue("form.file_kind", kinds=", ".join(kinds))


class FileReceipt(Frozen):
    """What became of a shared file: kept under `name`, or not, with the `problem`.

    `shown` is what its sender calls it. `limit_mb` is what it is larger than; of `parts` (pages,
    sheets) `parts_read` can be read; `cut` when only the beginning can be.
    """

    shown: str
    name: str = ""
    problem: Problem | Refusal = ""
    kind: str = ""
    size_bytes: int = 0
    parts: int = 0
    parts_read: int = 0
    cut: bool = False
    limit_mb: int = 0


@runtime_checkable
class FileSource(Protocol):
    """A platform that files can be fetched from."""

    def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """The file's content, in pieces. Raises PlatformError; TooLarge for what it never gives.

        Only the platform's own hosts are asked, and only they get the token.
        """
        ...


class InboxFiles(Protocol):
    """Takes shared files in."""

    async def take(
        self, project: str, conversation: str, files: Sequence[SharedFile], *, by: str = ""
    ) -> tuple[FileReceipt, ...]:
        """What became of each, in order; the same files again are kept once, `by` all who sent
        them. Never raises for what a file or a platform can cause."""
        ...


class NoFiles:
    """Takes in no files, where there is no folder for them."""

    async def take(
        self, project: str, conversation: str, files: Sequence[SharedFile], *, by: str = ""
    ) -> tuple[FileReceipt, ...]:
        """Each as out of reach."""
        return tuple(FileReceipt(shown=file.name, problem="away") for file in files)


NO_FILES = NoFiles()


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file that somebody shared, as it is kept under `path`, since a moment."""

    project: str
    name: str
    path: str
    at: datetime


class KeptFiles(Protocol):
    """Files that were shared, by whose they are and how old. Raises OSError."""

    async def find(
        self, conversations: Collection[str], senders: Collection[str]
    ) -> tuple[KeptFile, ...]:
        """Those of these conversations, and those that one of these people sent."""
        ...

    async def find_named(self, conversation: str, names: Collection[str]) -> tuple[KeptFile, ...]:
        """Those of a conversation by the names under which they are kept."""
        ...

    async def remove(self, file: KeptFile, *, senders: Collection[str] | None = None) -> bool:
        """Take it away; with `senders`, only if nobody else sent it too."""
        ...

    async def remove_older(self, project: str, than: datetime) -> int:
        """Take away what was shared in that project before that moment; how many that was."""
        ...

    async def projects(self) -> tuple[str, ...]:
        """The projects in which something was shared."""
        ...
