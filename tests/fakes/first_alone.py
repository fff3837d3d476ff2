"""What one process of a session makes for all of them: the compiled tests of a fresh clone."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def is_compiled(tests: Path) -> bool:
    """Whether an earlier session has left the tests as pytest compiles them."""
    return any(tests.glob("cards/__pycache__/*-pytest-*.pyc"))


@contextmanager
def first_alone(path: Path) -> Iterator[None]:
    """The block is run by whoever comes first, alone, and then by all others at once.

    If the first one fails in it, the next is the first. The file at the path is the
    caller's to remove.
    """
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_first = not os.fstat(lock).st_size
        if not is_first:
            fcntl.flock(lock, fcntl.LOCK_UN)
        yield
        if is_first:
            os.write(lock, b".")
    finally:
        os.close(lock)
