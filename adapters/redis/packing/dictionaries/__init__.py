"""The dictionaries of packed bodies: texts that many bodies of a kind have in common.

A file that was released never changes and never goes, for bodies that were packed with it are in
stores. A better one is a new folder for a new version; a test has the digest of each. They hold
names of fields and words of ours that bodies of any domain have, and nothing of one domain; what is
most frequent stands last, where it costs least to name it.
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
ENCODINGS: Final = {1: "utf-8", 2: "gb18030", 3: "utf-8", 4: "gb18030"}
"""How text and dictionary are written before they are packed, by version; all are unpacked.

GB18030 writes all that UTF-8 does, and Chinese in two bytes a character and not three.
"""

_FOLDER: Final = Path(__file__).parent


@cache
def read_dictionary(version: int, kind: Kind) -> bytes:
    """Return a dictionary, as a version of ENCODINGS writes it."""
    return (_FOLDER / "1" / f"{kind}.txt").read_text("utf-8").encode(ENCODINGS[version])


def read_label(label: str) -> tuple[int, Kind] | None:
    """Return the version and kind of a label such as `1c`; None for one that is not known here."""
    kind = KIND_OF_LETTER.get(label[-1:])
    known = kind and label[:-1] in map(str, ENCODINGS)
    return (int(label[:-1]), kind) if kind and known else None
