"""Documents as they are written: Markdown files with a title and sections, and Word templates."""

import base64
import re
from collections import Counter
from pathlib import Path

from adapters.filesystem import read_bytes, read_text
from engine.errors import DefinitionError
from engine.ports.library import Document, Section
from engine.text.word_template import MAX_TEMPLATE_BYTES

MAX_SECTIONS = 5000
"""So many sections the documents of a project may have."""

MAX_CHARS = 1_000_000
"""A document of more characters is refused."""

_HEADING = re.compile(r"##\s+(\S(?:.*[^\s#])?)[\s#]*")
_TITLE = re.compile(r"#\s+(\S(?:.*[^\s#])?)[\s#]*")


def load_documents(playbooks: Path, projects: dict[str, str]) -> tuple[Document, ...]:
    """The documents in `<playbooks>/<playbook>/documents/*.md`; `projects` is by playbook.

    Raises DefinitionError with every problem as `file:line: message`.
    """
    documents: list[Document] = []
    problems: list[str] = []
    for playbook, project in sorted(projects.items()):
        for path in sorted((playbooks / playbook / "documents").glob("*.md")):
            try:
                title, sections = _parse(_read_file(path), path)
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
    counts = Counter(d.project for d in documents for _ in d.sections)
    for project, count in counts.items():
        if count > MAX_SECTIONS:
            most = f"at most {MAX_SECTIONS} are searched"
            problems.append(f"{playbooks}: documents of {project} have {count} sections; {most}")
    if problems:
        raise DefinitionError(*problems)
    return tuple(documents)


def read_headings(playbook: Path) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
    """The documents of a playbook's folder by file, each with the headings of its sections.

    "" stands for what comes before the first heading. A faulty document, which `load_documents`
    tells of, has None.
    """
    found: list[tuple[str, tuple[str, ...] | None]] = []
    for path in sorted((playbook / "documents").glob("*.md")):
        try:
            _, sections = _parse(_read_file(path), path)
        except DefinitionError:
            found.append((path.name, None))
        else:
            found.append((path.name, tuple(section.heading for section in sections)))
    return tuple(found)


def _read_file(path: Path) -> str:
    try:
        text = read_text(path, "utf-8-sig")
    except OSError as error:
        raise DefinitionError(f"{path}:1: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path}:1: is not UTF-8 text") from error
    if len(text) > MAX_CHARS:
        raise DefinitionError(f"{path}:1: is longer than {MAX_CHARS} characters")
    return text


def _parse(text: str, path: Path) -> tuple[str, tuple[Section, ...]]:
    """The title and the sections; the text before the first heading is one without a name."""
    first, _, rest = text.lstrip().partition("\n")
    title = _TITLE.fullmatch(first.strip())
    if title is None:
        raise DefinitionError(f"{path}:1: should begin with a line '# TITLE'")
    parts: list[tuple[str, list[str]]] = [("", [""])]
    for line in map(str.strip, rest.splitlines()):
        if heading := _HEADING.fullmatch(line):
            parts.append((heading[1], [""]))
        elif line:
            paragraphs = parts[-1][1]
            paragraphs[-1] = f"{paragraphs[-1]} {line}".strip()
        else:
            parts[-1][1].append("")
    sections = (
        Section(heading=heading, paragraphs=tuple(filter(None, lines))) for heading, lines in parts
    )
    return title[1], tuple(section for section in sections if section.paragraphs)


def read_templates(playbook: Path) -> tuple[tuple[str, str], ...]:
    """The Word documents of a playbook's folder by name, in base64.

    One that cannot be read is as good as none; of one that is too large enough is read to say so.
    """
    found = []
    for path in sorted((playbook / "documents").glob("*.docx")):
        try:
            content = read_bytes(path, MAX_TEMPLATE_BYTES + 1)
        except OSError:
            continue
        found.append((path.name, base64.b64encode(content).decode()))
    return tuple(found)
