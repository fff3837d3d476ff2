"""The kind of a file by its content, whatever its name or its sender says."""

import codecs
import zipfile
from typing import BinaryIO

import puremagic

from adapters.file_reader.result import Unreadable

HEAD_BYTES = 64 * 1024
_ENTRIES = 10_000
_UNPACKED_BYTES = 256 * 1024**2
_RATIO = 100
_SMALL_BYTES = 10 * 1024**2
_TEXTS = {"csv": "csv", "tsv": "csv", "json": "json", "md": "md"}
_IMAGES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_CONTROLS = frozenset(map(chr, (*range(9), 11, *range(14, 27), *range(28, 32))))


def kind_of(stream: BinaryIO, ending: str) -> str:
    """Return the kind: pdf, docx, xlsx, png, jpg, gif, webp, csv, json, md or txt.

    The ending is used only to tell texts apart. Raises Unreadable.
    """
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    if not head:
        raise Unreadable("empty")
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _office(stream)
    if encoding_of(head):
        return _TEXTS.get(ending, "txt")
    media = _media(head)
    if media in _IMAGES:
        return _IMAGES[media]
    raise Unreadable("kind", media.partition("/")[2])


def encoding_of(head: bytes) -> str:
    """Return the encoding of a text that begins so, "" when it is no text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16" if _is_text(head, "utf-16") else ""
    # The second is that of Chinese spreadsheets.
    return next((e for e in ("utf-8-sig", "gb18030") if _is_text(head, e)), "")


def _is_text(head: bytes, encoding: str) -> bool:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    return _CONTROLS.isdisjoint(text)


def _media(head: bytes) -> str:
    try:
        found = puremagic.magic_string(head)
    except (puremagic.PureError, ValueError):
        return ""
    return next((each.mime_type for each in found if each.mime_type), "")


def _office(stream: BinaryIO) -> str:
    """Return which office file it is, after checking how large it gets unpacked."""
    try:
        with zipfile.ZipFile(stream) as packed:
            entries = packed.infolist()
            kind = _office_kind({entry.filename for entry in entries})
            _refuse_bomb(entries)
            if kind in ("docx", "xlsx"):
                _refuse_declarations(packed, entries)
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, OSError) as error:
        raise Unreadable("broken", "zip") from error
    finally:
        stream.seek(0)
    if kind not in ("docx", "xlsx"):
        raise Unreadable("kind", kind)
    return kind


def _office_kind(names: set[str]) -> str:
    if "word/document.xml" in names:
        return "docx"
    if "xl/workbook.xml" in names:
        return "xlsx"
    return "pptx" if "ppt/presentation.xml" in names else "zip"


def _refuse_bomb(entries: list[zipfile.ZipInfo]) -> None:
    """Raises Unreadable by the declared sizes, which zipfile never exceeds."""
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    swells = unpacked > _SMALL_BYTES and unpacked > _RATIO * max(packed, 1)
    if len(entries) > _ENTRIES or unpacked > _UNPACKED_BYTES or swells:
        raise Unreadable("bomb", "zip")


def _refuse_declarations(packed: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> None:
    """Raises Unreadable for document types and entities, which office programs never declare."""
    for entry in entries:
        if not entry.filename.lower().endswith((".xml", ".rels")):
            continue
        if entry.flag_bits & 1:
            raise Unreadable("locked", "zip")
        with packed.open(entry) as part:
            head = part.read(HEAD_BYTES).replace(b"\x00", b"").lower()
        if b"<!doctype" in head or b"<!entity" in head:
            raise Unreadable("unsafe", "zip")
