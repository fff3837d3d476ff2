"""The documents as a reader meets them: blocks, words in code, links and headings, with lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
_MARKDOWN = MarkdownIt("commonmark").enable("table")
DONE_WHOLE = "docs/tutorial.md"
"""Whoever reads this page does each block in order; tests/docs/test_tutorial.py does so."""
FOLDERS = ("bot", "adapters", "engine", "cards", "playbooks", "tests", "docs")


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, a word in code, or a link, and where it stands."""

    page: str
    line: int
    text: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(slots=True)
class Page:
    """One Markdown file; `anchors` are those that GitHub gives its headings."""

    name: str
    text: str
    blocks: list[Piece] = field(default_factory=list)
    words: list[Piece] = field(default_factory=list)
    links: list[Piece] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def files(self) -> dict[str, str]:
        """The blocks that are files of one playbook, by the path in their first line."""
        named = (re.match(r"# (\S+\.yaml)\n", block.text) for block in self.blocks)
        return {
            found[1]: block.text[found.end() :]
            for block, found in zip(self.blocks, named, strict=True)
            if found and block.kind == "yaml"
        }


@cache
def pages() -> tuple[Page, ...]:
    """README.md, CONTRIBUTING.md and everything under docs/."""
    names = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return tuple(_page(path) for path in names)


@cache
def all_pages() -> tuple[Page, ...]:
    """Every Markdown file of the repository but the playbooks' documents, which people quote."""
    inside = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.md")))
    found = (*sorted(ROOT.glob("*.md")), *inside)
    return tuple(_page(path) for path in found if path.parent.name != "documents")


def blocks(kind: str) -> list[Piece]:
    """The blocks of that language in the documents that stand by themselves."""
    alone = [page for page in pages() if page.name != DONE_WHOLE]
    return [block for page in alone for block in page.blocks if block.kind == kind]


def words() -> list[Piece]:
    """Everything that stands in code within a sentence or table."""
    return [word for page in pages() for word in page.words]


@cache
def _page(path: Path) -> Page:
    page = Page(str(path.relative_to(ROOT)), path.read_text("utf-8"))
    tokens = _MARKDOWN.parse(page.text)
    line = 1
    for at, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else line
        if token.type in ("fence", "code_block"):
            page.blocks.append(Piece(page.name, line, token.content, token.info.strip()))
        if token.type == "heading_open":
            page.anchors.add(_anchor(tokens[at + 1], page.anchors))
        for child in token.children or ():
            _inside(page, child, line)
    return page


def _inside(page: Page, child: Token, line: int) -> None:
    if child.type == "code_inline":
        page.words.append(Piece(page.name, line, " ".join(child.content.split())))
    for name in ("href", "src"):
        if target := child.attrGet(name):
            page.links.append(Piece(page.name, line, str(target)))


def _anchor(heading: Token, taken: set[str]) -> str:
    said = "".join(child.content for child in heading.children or ())
    slug = re.sub(r"[^\w\- ]", "", said.lower()).replace(" ", "-")
    return next(name for name in _numbered(slug) if name not in taken)


def _numbered(slug: str) -> Iterator[str]:
    yield slug
    yield from (f"{slug}-{n}" for n in range(1, 100))
