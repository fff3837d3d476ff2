"""Text out of regular files alone: a pipe is never waited for, a device never read."""

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
NO_FILE = "is a device, a pipe or a socket; only regular files are read"


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """The file's whole text. Raises OSError, whose `strerror` says why, or UnicodeDecodeError."""
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, NO_FILE, str(path))
        # As a file opened as text: every line ends in \n.
        return file.read().decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
