"""What a project knows besides its records: documents, what was remembered, files (spec 003)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Literal, Protocol
from urllib.parse import quote

from cards.frozen import Frozen

PASSAGE_CHARS = 800
"""Paragraphs of a section are put together up to this length; a longer one stands alone."""


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
    """A file of a playbook's `documents` folder; `project` is the one that the playbook names."""

    project: str
    playbook: str
    file: str
    title: str
    sections: tuple[Section, ...]

    def link(self, section: Section) -> str:
        """The section's place below the service's own address."""
        place = f"documents/{quote(self.playbook)}/{quote(self.file)}"
        return f"{place}#{quote(section.anchor)}" if section.heading else place


class Quote(Frozen):
    """A passage of a document that answers a query: where it stands, word for word; best is 1."""

    document: str
    title: str
    section: str
    text: str
    link: str = ""
    score: float = 0.0


class Memo(Frozen):
    """One thing that was remembered for a project; `by` is the id of the person who approved it.

    `id` names it within the project.
    """

    text: str
    by: str
    at: datetime
    id: str = ""


class FileInfo(Frozen):
    """A file of a project; `media_type` as in `text/csv`."""

    name: str
    size_bytes: int
    media_type: str
    changed_at: datetime


Problem = Literal["", "empty", "kind", "broken", "locked", "unsafe", "bomb", "heavy"]
"""Why a file cannot be read: `kind` is not one that can be; `locked` needs a password; `unsafe`
declares what no office program does; `bomb` would unpack to very much; `heavy` takes too long, or
too much memory."""


class Extract(Frozen):
    """What a file holds, or the `problem` with it; `kind` is what it is by its content, as `pdf`.

    `text` is the beginning, `chars` how much was seen; `cut` when there is more than `text`. Of
    `parts` (pages, sheets) `parts_read` were read; in `text` they begin at `starts`. A
    table has columns, rows (`rows_more`: at least so many), and a sample of these; `malformed` is
    one that is only a text. A picture has a width and a height in pixels.
    """

    kind: str = ""
    problem: Problem = ""
    text: str = ""
    chars: int = 0
    cut: bool = False
    parts: int = 0
    parts_read: int = 0
    starts: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    columns_total: int = 0
    rows: int = 0
    rows_more: bool = False
    sample: tuple[tuple[str, ...], ...] = ()
    malformed: bool = False
    width: int = 0
    height: int = 0


Serves = Callable[[str, str], bool]
"""Whether what belongs to a playbook is somebody's; it may name a project of its own, else ""."""


class Knowledge(Protocol):
    """The documents of the playbooks that serve somebody. Raises ToolFailed when out of reach."""

    async def search(self, serves: Serves, query: str, *, limit: int = 3) -> Sequence[Quote]:
        """The passages that answer the query, best first; none when nothing does."""
        ...

    async def section(self, serves: Serves, document: str, heading: str) -> Quote | None:
        """The whole section of the document (`playbook/file`); None when it is not there."""
        ...


class Memory(Protocol):
    """What a project remembered. Raises ToolFailed when out of reach.

    `remember` raises StoreUnavailable then, since it may have been kept: it is done again.
    """

    async def remember(
        self, project: str, text: str, *, key: str, by: str
    ) -> Literal["new", "repeat"]:
        """Keep the text once per idempotency `key`; a repeat of the key keeps the first."""
        ...

    async def memos(self, project: str) -> Sequence[Memo]:
        """What is kept, newest first."""
        ...

    async def forget(self, project: str, memo: str) -> bool:
        """Take away the memo of that id for good; False when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class FileScope:
    """Whose files are looked up: a project's, and those of one `conversation` of it.

    What was shared in a conversation is there for no other one, but for files `elsewhere`, which
    are known to whoever asks: by name, and the conversation in which each was shared.
    What was shared is in the project `shared_in` where that is not the one whose work it is for.
    """

    project: str
    conversation: str = ""
    elsewhere: tuple[tuple[str, str], ...] = ()
    shared_in: str = ""


class Files(Protocol):
    """The files of a scope. Raises ToolFailed when out of reach."""

    async def infos(self, scope: FileScope) -> Sequence[FileInfo]:
        """Every file, by name."""
        ...

    async def read(self, scope: FileScope, name: str) -> bytes | None:
        """The content of the file of exactly that name, or None when there is none."""
        ...

    async def open(self, scope: FileScope, name: str) -> IO[bytes] | None:
        """The file, open for reading, or None when there is none; whoever asks closes it."""
        ...

    async def extract(self, scope: FileScope, name: str) -> Extract | None:
        """What the file holds, whatever its kind and size, or None when there is none."""
        ...


class DocumentContent(Frozen):
    """What stands in a document: its text (Markdown), and values for the holes of its template.

    `name` is what people call it, `template` a Word document (base64, "" for none). `rows` are
    those of lists, by list. `values` have the holes' own names.
    """

    name: str
    markdown: str = ""
    template: str = ""
    values: dict[str, str] = {}
    rows: dict[str, tuple[dict[str, str], ...]] = {}

    def as_markdown(self) -> str:
        """The whole as one text, of which a version's digest is: the text, and the values."""
        lines = [f"- {name}: {' '.join(text.split())}" for name, text in self.values.items()]
        for listed, rows in self.rows.items():
            for number, row in enumerate(rows, 1):
                cells = "; ".join(f"{column}: {text}" for column, text in row.items())
                lines.append(f"- {listed} {number}: {' '.join(cells.split())}")
        parts = (f"# {self.name}", self.markdown.strip(), "\n".join(lines))
        return "\n\n".join(filter(None, parts)) + "\n"


class DocumentVersion(Frozen):
    """A version: the names of its .docx and .md, its number, and the sha256 of the .md."""

    name: str
    markdown: str
    number: int
    digest: str


class DocumentFiles(Protocol):
    """Keeps the versions of documents as files of a scope. Raises ToolFailed when out of reach."""

    async def publish(self, scope: FileScope, content: DocumentContent) -> DocumentVersion:
        """The next version, or the newest one when it says just that."""
        ...


@dataclass(frozen=True, slots=True)
class Library:
    """A deployment's documents, memory and files; tools say so when one of them is not there.

    `drafts` keeps the documents that come out.
    """

    knowledge: Knowledge | None = None
    memory: Memory | None = None
    files: Files | None = None
    drafts: DocumentFiles | None = None


NO_LIBRARY = Library()
