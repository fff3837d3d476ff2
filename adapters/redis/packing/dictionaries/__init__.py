"""The dictionaries of packed bodies: texts that many bodies of a kind have in common.

A file that was released never changes and never goes, for bodies that were packed with it are in
stores. A better one is a new folder, the next number, and then CURRENT; a test has the digest of
each. They hold names of fields and words of ours that bodies of any domain have, and nothing of one
domain; what is most frequent stands last, where it costs least to name it.
"""

from functools import cache
from pathlib import Path
from typing import Final, Literal

Kind = Literal["run", "card", "log", "reply", "trace", "session"]
KIND_OF_LETTER: Final[dict[str, Kind]] = {
    "r": "run",
    "c": "card",
    "l": "log",
    "p": "reply",
    "t": "trace",
    "s": "session",
}
LETTER_OF_KIND: Final[dict[Kind, str]] = {kind: letter for letter, kind in KIND_OF_LETTER.items()}
VERSIONS: Final = (1,)
CURRENT: Final = VERSIONS[-1]
"""With which version bodies are packed; all of them are unpacked."""

_FOLDER: Final = Path(__file__).parent


@cache
def read_dictionary(version: int, kind: Kind) -> bytes:
    """Return a dictionary of VERSIONS."""
    return (_FOLDER / f"{version}" / f"{kind}.txt").read_bytes()


def find_dictionary(label: str) -> bytes | None:
    """Return the dictionary of a label such as `1c`; None for one that is not known here."""
    kind = KIND_OF_LETTER.get(label[-1:])
    known = kind and label[:-1] in map(str, VERSIONS)
    return read_dictionary(int(label[:-1]), kind) if kind and known else None
