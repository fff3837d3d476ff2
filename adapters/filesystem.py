"""Folders for this user alone, and text out of regular files alone."""

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
NO_FILE = "is a device, a pipe or a socket; only regular files are read"


def make_private_folder(folder: Path) -> None:
    """Make the folder and its missing parents, for this user alone. Raises OSError.

    Existing folders stay as they are.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        # `mkdir(parents=True)` gives its mode to the last one only.
        each.mkdir(mode=0o700, exist_ok=True)


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return a regular file's text. Raises OSError with a `strerror`, or UnicodeDecodeError."""
    # As a file opened as text: every line ends in \n.
    return read_bytes(path).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, most: int = -1) -> bytes:
    """Return a regular file's first bytes, all of them without `most`. Raises OSError."""
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, NO_FILE, str(path))
        return file.read(most)
