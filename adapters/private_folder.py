"""Folders that only the service's own user can enter."""

from pathlib import Path


def make_private(folder: Path) -> None:
    """Make the folder, and each that is missing above it, for this user alone.

    One that is there already stays as it is. Raises OSError.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        # `mkdir(parents=True)` gives its mode to the last one only.
        each.mkdir(mode=0o700, exist_ok=True)
