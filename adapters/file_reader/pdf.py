"""The text of a PDF, page by page."""

from typing import BinaryIO

from pypdf import PdfReader
from pypdf.errors import FileNotDecryptedError, PyPdfError

from adapters.file_reader.result import Deadline, ReaderResult, TextCollector, Unreadable

PAGES = 200


def read(stream: BinaryIO, deadline: Deadline) -> ReaderResult:
    """The text of the first pages; `parts` counts all pages, `parts_read` those that were read."""
    reader = PdfReader(stream, strict=False)
    # Many that nobody needs a password to open are encrypted with the empty one.
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("locked", "pdf")
    text, read_pages, faulty = TextCollector(), 0, 0
    starts: list[int] = []
    try:
        total = len(reader.pages)
    except FileNotDecryptedError as error:
        raise Unreadable("locked", "pdf") from error
    for page in reader.pages:
        if read_pages >= PAGES or deadline.is_over or text.cut:
            break
        read_pages += 1
        starts.append(text.chars)
        try:
            text.add(f"{page.extract_text().strip()}\n\n")
        except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            faulty += 1
    if read_pages == faulty:
        raise Unreadable("broken", "pdf")
    total = max(total, read_pages)
    parts = {"parts": total, "parts_read": read_pages - faulty, "starts": starts}
    return {**text.fields(), **parts}
