"""A language beside those of the catalogue: files of a folder, and nothing else."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cards import texts
from cards import translation as reader
from tests.fakes.folders import write_files

FRENCH = {
    "fr.py": """
TEXTS = {
    "language.name": "French",
    "pages.language.own": "Français",
    "card.reason": "Raison : {reason}",
    "choice.submit": "Envoyer",
    "pending.none": "Rien ne vous attend.",
}
"""
}


@contextmanager
def spoken(folder: Path, files: Mapping[str, str] = FRENCH) -> Iterator[None]:
    """Until the block ends, languages are looked for in the folder too."""
    write_files(folder, files)
    before = set(sys.modules)
    texts.__path__.append(str(folder))
    _forget()
    try:
        yield
    finally:
        texts.__path__.remove(str(folder))
        _forget()
        for name in set(sys.modules) - before:
            if name.startswith("cards.texts."):
                del sys.modules[name]


def _forget() -> None:
    importlib.invalidate_caches()
    for known in (texts.languages, texts.texts_of, reader._translations):
        known.cache_clear()
