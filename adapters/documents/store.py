"""The versions of documents, kept as files of the conversation in which they are made."""

import asyncio
import hashlib
import os
import re
import tempfile
from pathlib import Path

import structlog

from adapters.files import SHARED, digest_name, folder_of, is_project
from adapters.filesystem import make_private_folder
from engine.errors import ToolFailed
from engine.ports.library import DocumentContent, DocumentVersion, FileScope

_STEM_BYTES = 80
_DIGEST_CHARS = 12
_END = re.compile(r"-v([0-9]{1,6})-([0-9a-f]{12})\.docx")
_log = structlog.get_logger(__name__)


class ProjectDocuments:
    """The DocumentFiles port: each version as a .docx and a .md under `<root>/<project>/.shared/`.

    Both are called `<name>-v<number>-<digest>`, and the digest is that of the .md: a file that has
    this name has this content, and none is ever changed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def publish(self, scope: FileScope, content: DocumentContent) -> DocumentVersion:
        """Keep the next version, or find the newest one when it is just that. Raises ToolFailed."""
        if not is_project(scope.project):
            raise ToolFailed("files.away")
        try:
            return await asyncio.to_thread(self._publish, scope, content)
        except OSError as error:
            _log.error("document_not_kept", project=scope.project, error=str(error))
            raise ToolFailed("files.away") from error

    def _publish(self, scope: FileScope, content: DocumentContent) -> DocumentVersion:
        folder = self._root / scope.project / SHARED / folder_of(scope.conversation)
        make_private_folder(folder)
        text = content.as_markdown().encode("utf-8", "replace")
        digest = hashlib.sha256(text).hexdigest()
        stem = file_stem(content.name)
        newest, known, file = _newest(self._root / scope.project / SHARED, scope, stem)
        short = digest[:_DIGEST_CHARS]
        number, docx = newest, b""
        if known == short:
            # A step that is done again, and a text that nobody has changed, make no new version.
            docx = _render(content, number, short)
        if not docx or not _holds(file, docx):
            number = newest + 1
            docx = _render(content, number, short)
        name = f"{stem}-v{number}-{short}"
        _keep(folder, f"{name}.md", text)
        _keep(folder, f"{name}.docx", docx)
        return DocumentVersion(
            name=f"{name}.docx", markdown=f"{name}.md", number=number, digest=digest
        )


def _render(content: DocumentContent, number: int, digest: str) -> bytes:
    # The library of Word files is loaded by the first document.
    from adapters.documents.template import make_docx

    values = {**content.values, "version": str(number), "digest": digest}
    return make_docx(content.template, content.markdown, values, content.rows)


def _holds(path: Path, content: bytes) -> bool:
    """Whether it is a regular file with just that content."""
    return path.is_file() and not path.is_symlink() and path.read_bytes() == content


def file_stem(name: str) -> str:
    """A name that is easy to type, out of what people call the document."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._-") or "document"
    while len(stem.encode()) > _STEM_BYTES:
        stem = stem[:-1]
    return stem


def _newest(shared: Path, scope: FileScope, stem: str) -> tuple[int, str, Path]:
    """The number, digest and file of the newest version that the scope has; 0 and "" for none."""
    own = shared / folder_of(scope.conversation)
    paths = [*own.iterdir(), *(shared / folder_of(place) / name for name, place in scope.elsewhere)]
    ends = [(path, _END.fullmatch(path.name[len(stem) :])) for path in paths if _is_of(path, stem)]
    found = [(int(match[1]), match[2], path) for path, match in ends if match]
    return max(found, default=(0, "", own))


def _is_of(path: Path, stem: str) -> bool:
    return path.name.startswith(stem) and path.is_file()


def _keep(folder: Path, name: str, content: bytes) -> None:
    """Write the file whole, or leave the one that stands there; beside it its digest, by which
    a change is known. Raises OSError.
    """
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".incoming-") as incoming:
        incoming.write(content)
        incoming.flush()
        os.fsync(incoming.fileno())
        try:
            os.link(incoming.name, folder / name)
        except FileExistsError:
            if not _holds(folder / name, content):
                raise OSError(f"{name}: other content has this name") from None
    (folder / digest_name(name)).write_text(hashlib.sha256(content).hexdigest(), "ascii")
