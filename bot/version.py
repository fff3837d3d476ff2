"""The version of this package: here, and in CHANGELOG.md what it brought."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

VERSION: Final = "0.2.0"
_ROOMS: Final = ("bot", "adapters", "engine", "cards")
_CODE: Final = (".py", ".lua")


@cache
def build() -> str:
    """The beginning of a digest of the code as it is installed: equal code has the same.

    It is read from the files, once in a process.
    """
    root, digest = Path(__file__).parents[1], sha256()
    for room in _ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in _CODE:
                digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
