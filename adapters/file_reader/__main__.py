"""The reading process: the file on its standard input, a JSON object on its standard output."""

import importlib
import json
import os
import resource
import sys
from pathlib import Path
from typing import BinaryIO

from adapters.file_reader.result import Deadline, ReaderResult, Unreadable

_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system",
              "ctypes.", "shutil.", "os.remove", "os.rename", "os.link", "os.symlink")  # fmt: skip

_READERS = {
    "pdf": ("pdf", "read"),
    "docx": ("words", "read"),
    "xlsx": ("sheets", "read"),
    "csv": ("plain", "read_table"),
    "json": ("plain", "read"),
    "md": ("plain", "read"),
    "txt": ("plain", "read"),
    **dict.fromkeys(("png", "jpg", "gif", "webp"), ("images", "read")),
}
# The rest of the time is for handing over the result.
_READING_SHARE = 0.6


def answer(stream: BinaryIO, ending: str, seconds: float) -> ReaderResult:
    """Return what the file holds, or its problem; never raises for what a file can cause."""
    kind = ""
    try:
        kinds = importlib.import_module("adapters.file_reader.kinds")
        kind = kinds.kind_of(stream, ending)
        module, name = _READERS[kind]
        read = getattr(importlib.import_module(f"adapters.file_reader.{module}"), name)
        forbid_access()
        return {"kind": kind, **read(stream, Deadline(seconds * _READING_SHARE))}
    except Unreadable as fault:
        return {"kind": fault.kind or kind, "problem": fault.problem}
    except MemoryError:
        return {"kind": kind, "problem": "heavy"}
    except Exception as error:
        # Whatever a library makes of a broken file, it is the file that is broken.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return {"kind": kind, "problem": "broken"}


def set_limits(memory_mb: int, seconds: int) -> None:
    """Set the kernel's limits of memory, time, file size and core dumps for this process."""
    for resource_id, maximum in (
        (resource.RLIMIT_AS, memory_mb * 1024**2),
        (resource.RLIMIT_CPU, seconds + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(resource_id)[1]
        limit = maximum if hard == resource.RLIM_INFINITY else min(maximum, hard)
        resource.setrlimit(resource_id, (limit, limit))


def forbid_access() -> None:
    """Forbid Python code to connect, to start processes, and to open other files than its own."""
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
    # This runs inside every open.
    return not writes and os.path.realpath(os.fsdecode(str(path))).startswith(roots)


def main() -> None:
    """Arguments: the ending of the file's name, memory in MiB, seconds."""
    ending, memory_mb, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    set_limits(memory_mb, int(seconds))
    result = answer(sys.stdin.buffer, ending, seconds)
    sys.stdout.buffer.write(json.dumps(result, ensure_ascii=False).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
