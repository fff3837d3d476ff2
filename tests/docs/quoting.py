"""Pages that quote files of project folders: which block is of which file."""

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests.docs.reading import ROOT, Page, pages

_QUOTING = re.compile(r"docs/(cookbook|concepts/.*)\.md")
_FOLDER = re.compile(r"\]\((?:\.\./)+(examples/[\w./-]+)\)")
_NAMED = re.compile(r"```\w+\n# (\S+\.\w+)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quote:
    """Some lines of a file, as a page has them."""

    page: str
    file: Path
    text: str

    def is_true(self) -> bool:
        """The file has these lines in a row, further in or not."""
        wanted = self.text.strip("\n").splitlines()
        lines = self.file.read_text("utf-8").splitlines() if self.file.is_file() else []
        rows = range(len(lines) - len(wanted) + 1)
        return any(_plain(lines[row : row + len(wanted)]) == _plain(wanted) for row in rows)


def is_quoting(page: Page) -> bool:
    """Its blocks with a path in their first line are of the folder that was linked last."""
    return bool(_QUOTING.fullmatch(page.name))


def quotes() -> list[Quote]:
    """Every block that quotes a file."""
    return [quote for page in pages() if is_quoting(page) for quote in _quotes_of(page)]


def folders_of(page: Page) -> list[Path]:
    """The project folders that a page links to."""
    return [ROOT / found for found in _FOLDER.findall(page.text)]


def _quotes_of(page: Page) -> list[Quote]:
    found = []
    for block in _NAMED.finditer(page.text):
        folders = _FOLDER.findall(page.text[: block.start()])
        file = ROOT / (folders[-1] if folders else "") / block[1]
        found.append(Quote(page.name, file, block[2]))
    return found


def _plain(lines: list[str]) -> str:
    return dedent("\n".join(lines))
