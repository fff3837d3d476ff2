"""Word templates of documents: what they ask for, found when they are loaded."""

import base64
import binascii
import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from xml.etree import ElementTree

from engine.text.template import CONTEXT_NAMES

MAX_TEMPLATE_BYTES = 1024**2
CONTENT = "content"
"""Where the text of the document goes: a paragraph of its own."""
BUILT_IN = frozenset((CONTENT, "name", "version", "digest", *CONTEXT_NAMES))
"""What every template may ask for besides the fields of its playbook."""

HOLE = re.compile(r"\{\{([^{}]{0,120})\}\}")
_UNPACKED_BYTES = 32 * 1024**2
_WORDS = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PART = re.compile(r"word/(?:document|header[0-9]{0,3}|footer[0-9]{0,3})\.xml")


class BadWordTemplate(ValueError):
    """The file is no template; the message says why."""


def template_holes(encoded: str) -> tuple[str, ...]:
    """What the template (base64) asks for, as in `{{amount}}`, in order. Raises BadWordTemplate."""
    try:
        content = base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise BadWordTemplate("is no Word document (.docx)") from error
    if len(content) > MAX_TEMPLATE_BYTES:
        raise BadWordTemplate(f"should have at most {MAX_TEMPLATE_BYTES // 1024} KiB")
    found: dict[str, None] = {}
    for text in _paragraphs(content):
        for match in HOLE.finditer(text):
            name = match[1].strip()
            if name == CONTENT and text.strip() != match[0]:
                raise BadWordTemplate("{{content}} should stand in a paragraph of its own")
            found[name] = None
    return tuple(found)


def _paragraphs(content: bytes) -> Iterator[str]:
    """The text of every paragraph of the body, the headers and the footers."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as packed:
            entries = packed.infolist()
            if sum(entry.file_size for entry in entries) > _UNPACKED_BYTES:
                raise BadWordTemplate("unpacks to more than a document has")
            names = [entry.filename for entry in entries]
            if "word/document.xml" not in names:
                raise BadWordTemplate("is no Word document (.docx)")
            if "word/vbaProject.bin" in names:
                raise BadWordTemplate("has macros; save it as a document without them")
            for name in filter(_PART.fullmatch, names):
                yield from _texts(packed.read(name))
    except (zipfile.BadZipFile, ElementTree.ParseError, ValueError, OSError) as error:
        if isinstance(error, BadWordTemplate):
            raise
        raise BadWordTemplate("is no Word document (.docx)") from error


def _texts(part: bytes) -> Iterator[str]:
    if b"<!DOCTYPE" in part or b"<!ENTITY" in part:
        raise BadWordTemplate("declares what no office program does")
    for paragraph in ElementTree.fromstring(part).iter(f"{_WORDS}p"):  # noqa: S314
        yield "".join(node.text or "" for node in paragraph.iter(f"{_WORDS}t"))
