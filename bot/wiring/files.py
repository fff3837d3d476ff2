"""Settings become what the service needs of files: a project's own, and those that people share."""

from collections.abc import Mapping

from adapters.clock import SystemClock
from adapters.files import ProjectFiles
from adapters.inbox_files import FileLimits, SharedFiles
from adapters.reading import FileReader
from bot.settings import Settings
from engine.ports.inbox_files import FileSource, InboxFiles
from engine.ports.library import Files


def open_files(settings: Settings, platforms: Mapping[str, object]) -> tuple[Files, InboxFiles]:
    """Both, over one folder and one reader; platforms that hand out no files are left out."""
    folder = settings.data_dir / "files"
    reader = FileReader(seconds=settings.file_seconds, memory_mb=settings.file_memory_mb)
    sources = {name: p for name, p in platforms.items() if isinstance(p, FileSource)}
    limits = FileLimits(settings.file_max_mb, settings.file_types, settings.file_seconds)
    return ProjectFiles(folder, reader), SharedFiles(
        folder, sources, reader, limits, SystemClock(settings.timezone)
    )
