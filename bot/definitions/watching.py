"""Whether anything of a project folder has changed, for commands that look again and again."""

import os
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

_WATCHED = ("*.yaml", "*.md", "*.sql", "*.csv", ".env")


def watched_files(playbooks: Path) -> frozenset[tuple[str, int, int]]:
    """The files of the folder, and what lies beside it, with their times and sizes.

    What goes away while it is looked at is left out.
    """
    beside = [playbooks.parent, playbooks.parent / "tests", playbooks.parent / "skills"]
    walked = [*os.walk(playbooks), *(next(os.walk(folder), ("", [], [])) for folder in beside)]
    found = set()
    for folder, _, names in walked:
        for path in (os.path.join(folder, name) for name in names if _is_watched(name)):
            with suppress(OSError):
                state = os.stat(path)
                found.add((path, state.st_mtime_ns, state.st_size))
    return frozenset(found)


def _is_watched(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in _WATCHED)
