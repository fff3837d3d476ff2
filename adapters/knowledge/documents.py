"""Documents as they are written: Markdown files with a title and sections."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from adapters.text_files import read_text
from cards.frozen import Frozen
from engine.errors import DefinitionError

LONGEST = 1_000_000
"""A document of more characters is refused."""

PASSAGE_CHARS = 800
"""Paragraphs of a section are put together up to this length; a longer one stands alone."""

_HEADING = re.compile(r"##\s+(\S(?:.*[^\s#])?)[\s#]*")
_TITLE = re.compile(r"#\s+(\S(?:.*[^\s#])?)[\s#]*")


class Section(Frozen):
    """A heading and the paragraphs under it; `anchor` is its name in a link."""

    heading: str
    paragraphs: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """The heading as an id of HTML: without spaces."""
        return "-".join(self.heading.split())

    def passages(self) -> Iterator[str]:
        """The section's text in pieces that can be quoted."""
        piece = ""
        for paragraph in self.paragraphs:
            if piece and len(piece) + len(paragraph) > PASSAGE_CHARS:
                yield piece
                piece = ""
            piece = f"{piece}\n{paragraph}" if piece else paragraph
        if piece:
            yield piece


class Document(Frozen):
    """A file of a playbook's `documents` folder, which belongs to the playbook's project."""

    project: str
    playbook: str
    file: str
    title: str
    sections: tuple[Section, ...]

    def link(self, section: Section) -> str:
        """The section's place below the service's own address."""
        place = f"documents/{quote(self.playbook)}/{quote(self.file)}"
        return f"{place}#{quote(section.anchor)}" if section.heading else place


def load_documents(playbooks: Path, projects: dict[str, str]) -> tuple[Document, ...]:
    """The documents in `<playbooks>/<playbook>/documents/*.md`; `projects` is by playbook.

    Raises DefinitionError with every problem as `file:line: message`.
    """
    documents: list[Document] = []
    problems: list[str] = []
    for playbook, project in sorted(projects.items()):
        for path in sorted((playbooks / playbook / "documents").glob("*.md")):
            try:
                title, sections = _parsed(_text(path), path)
            except DefinitionError as error:
                problems += error.problems
                continue
            documents.append(
                Document(
                    project=project,
                    playbook=playbook,
                    file=path.name,
                    title=title,
                    sections=sections,
                )
            )
    if problems:
        raise DefinitionError(*problems)
    return tuple(documents)


def _text(path: Path) -> str:
    try:
        text = read_text(path, "utf-8-sig")
    except OSError as error:
        raise DefinitionError(f"{path}:1: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path}:1: is not UTF-8 text") from error
    if len(text) > LONGEST:
        raise DefinitionError(f"{path}:1: is longer than {LONGEST} characters")
    return text


def _parsed(text: str, path: Path) -> tuple[str, tuple[Section, ...]]:
    """The title and the sections; the text before the first heading is one without a name."""
    first, _, rest = text.lstrip().partition("\n")
    title = _TITLE.fullmatch(first.strip())
    if title is None:
        raise DefinitionError(f"{path}:1: should begin with a line '# TITLE'")
    found: list[tuple[str, list[str]]] = [("", [""])]
    for line in map(str.strip, rest.splitlines()):
        if heading := _HEADING.fullmatch(line):
            found.append((heading[1], [""]))
        elif line:
            paragraphs = found[-1][1]
            paragraphs[-1] = f"{paragraphs[-1]} {line}".strip()
        else:
            found[-1][1].append("")
    sections = (
        Section(heading=heading, paragraphs=tuple(filter(None, lines))) for heading, lines in found
    )
    return title[1], tuple(section for section in sections if section.paragraphs)
