"""The reading process: the file on its standard input, a JSON object on its standard output."""

import importlib
import json
import sys
from typing import BinaryIO

from adapters.file_reader.found import Deadline, Found, Unreadable
from adapters.file_reader.limits import confine, seal

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
# What is left after it is for handing over what was read.
_READING_SHARE = 0.6


def answer(stream: BinaryIO, ending: str, seconds: float) -> Found:
    """What the file holds, or the problem with it; never raises for what a file can cause."""
    kind = ""
    try:
        kinds = importlib.import_module("adapters.file_reader.kinds")
        kind = kinds.kind_of(stream, ending)
        module, name = _READERS[kind]
        read = getattr(importlib.import_module(f"adapters.file_reader.{module}"), name)
        seal()
        return {"kind": kind, **read(stream, Deadline(seconds * _READING_SHARE))}
    except Unreadable as fault:
        return {"kind": fault.kind or kind, "problem": fault.problem}
    except MemoryError:
        return {"kind": kind, "problem": "heavy"}
    except Exception as error:
        # Whatever a library makes of a broken file, it is the file that is broken.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return {"kind": kind, "problem": "broken"}


def main() -> None:
    """Arguments: the ending of the file's name, memory in MiB, seconds."""
    ending, memory_mb, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    confine(memory_mb, int(seconds))
    found = answer(sys.stdin.buffer, ending, seconds)
    sys.stdout.buffer.write(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
