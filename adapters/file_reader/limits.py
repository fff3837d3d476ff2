"""What the reading process may not do: much memory, much time, writing, connecting, other files."""

import os
import resource
import sys
from pathlib import Path

_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system",
              "ctypes.", "shutil.", "os.remove", "os.rename", "os.link", "os.symlink")  # fmt: skip


def confine(memory_mb: int, seconds: int) -> None:
    """Limits of the kernel, before anything of the file is looked at."""
    for what, most in (
        (resource.RLIMIT_AS, memory_mb * 1024**2),
        (resource.RLIMIT_CPU, seconds + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (limit, limit))


def seal() -> None:
    """From here on Python code connects to nothing, starts nothing, and opens only Python's own."""
    roots = tuple(
        os.path.join(os.path.realpath(each), "")
        for each in (sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]))
    )

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(event)
        if event == "open" and not _may_open(arguments, roots):
            raise PermissionError(f"open {arguments[0]!r}")

    sys.addaudithook(hook)


def _may_open(arguments: tuple[object, ...], roots: tuple[str, ...]) -> bool:
    path, mode = arguments[0], arguments[1]
    if isinstance(path, int):
        return True
    writes = isinstance(mode, str) and not set(mode).isdisjoint("wax+")
    # Not resolved any further: this runs inside of every open.
    return not writes and os.path.realpath(os.fsdecode(str(path))).startswith(roots)
