"""The text of a Word document, tables included, in its order."""

from collections.abc import Iterator
from typing import BinaryIO

from docx import Document
from docx.table import Table
from docx.text.paragraph import Paragraph

from adapters.file_reader.result import Deadline, ReaderResult, TextCollector


def read(stream: BinaryIO, deadline: Deadline) -> ReaderResult:
    """The text of the body; `cut` when that was not all of it."""
    text = TextCollector()
    for line in _lines(Document(stream).iter_inner_content()):
        if text.cut:
            break
        if deadline.is_over:
            text.cut = True
            break
        text.add(f"{line}\n")
    return text.fields()


def _lines(blocks: Iterator[Paragraph | Table]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        else:
            for row in block.rows:
                yield "\t".join(" ".join(cell.text.split()) for cell in row.cells)
