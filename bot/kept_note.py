"""Short texts that an installation keeps in its data folder, to know itself again after a start."""

import os
from hashlib import sha256
from pathlib import Path

import structlog

from adapters.filesystem import make_private_folder

log = structlog.get_logger()


class KeptNote:
    """One text in a file of its own; where it cannot be kept, the process alone knows it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unkept = ""

    @property
    def name(self) -> str:
        """The name of its file in the data folder."""
        return self._path.name

    def read(self) -> str:
        """The text; "" where none is kept, also since somebody has removed the file."""
        try:
            return self._path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return self._unkept

    def write(self, text: str) -> None:
        """Keep the text in place of the one before."""
        beside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            make_private_folder(self._path.parent)
            beside.write_text(f"{text}\n", "utf-8")
            beside.replace(self._path)
        except OSError as error:
            self._unkept = text
            log.warning("note_not_kept", file=self._path.name, error=error.strerror)


def folder_note(data_dir: Path, playbooks: Path) -> KeptNote:
    """What this machine published last of that folder of playbooks."""
    folder = sha256(str(playbooks.absolute()).encode()).hexdigest()[:8]
    return KeptNote(data_dir / f"published-{folder}")
