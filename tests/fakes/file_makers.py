"""Files as people send them, and as nobody should: made in memory, each in a few lines."""

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence

from docx import Document
from openpyxl import Workbook


def pdf(pages: Sequence[str] = ("Paid 2026-03-05",), *, kids: str = "", count: int = 0) -> bytes:
    """A PDF with a line of text on each page; `kids` and `count` may lie about the pages."""
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>"]
    first = 4
    own = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    bodies.append(f"<< /Type /Pages /Kids [{kids or own}] /Count {count or len(pages)} >>")
    bodies.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET"
        bodies.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {first + 2 * number + 1} 0 R >>"
        )
        bodies.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return _pdf_of(bodies)


def doubling_pdf(levels: int = 40) -> bytes:
    """A PDF whose tree of pages doubles at every level: more pages than anybody can count."""
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>"]
    for level in range(levels):
        child = 3 + level
        bodies.append(f"<< /Type /Pages /Kids [{child} 0 R {child} 0 R] /Count 2 >>")
    bodies.append("<< /Type /Page /MediaBox [0 0 10 10] >>")
    return _pdf_of(bodies)


def circular_pdf() -> bytes:
    """A PDF whose tree of pages holds itself."""
    return pdf(kids="2 0 R", count=1)


def _pdf_of(bodies: Sequence[str]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    out += f"trailer << /Size {len(bodies) + 1} /Root 1 0 R >>\n".encode()
    return bytes(out + f"startxref\n{start}\n%%EOF\n".encode())


def docx(lines: Sequence[str] = ("Paid 2026-03-05",), rows: Sequence[Sequence[str]] = ()) -> bytes:
    """A Word document with paragraphs, then a table."""
    document = Document()
    for line in lines:
        document.add_paragraph(line)
    if rows:
        table = document.add_table(len(rows), len(rows[0]))
        for r, row in enumerate(rows):
            for c, value in enumerate(row):
                table.cell(r, c).text = value
    return _saved(document)


def xlsx(rows: Sequence[Sequence[object]], *, sheets: int = 1) -> bytes:
    """A workbook whose sheets all hold these rows."""
    book = Workbook(write_only=True)
    for number in range(sheets):
        sheet = book.create_sheet(f"S{number + 1}")
        for row in rows:
            sheet.append(list(row))
    return _saved(book)


def _saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def zipped(entries: dict[str, bytes]) -> bytes:
    """A zip file with these entries, packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name, content)
    return out.getvalue()


def zip_bomb(unpacked_mb: int = 300) -> bytes:
    """What seems to be a Word document, and would unpack to so much."""
    return zipped({"word/document.xml": b" " * (unpacked_mb * 1024**2)})


def rewritten(office: bytes, part: str, old: bytes, new: bytes) -> bytes:
    """An office file with something replaced in one of its parts."""
    with zipfile.ZipFile(io.BytesIO(office)) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    assert old in entries[part]
    return zipped(entries | {part: entries[part].replace(old, new, 1)})


def docx_with_entity(address: str) -> bytes:
    """A Word document that wants something from that address shown in its text."""
    declared = f'<!DOCTYPE x [<!ENTITY leak SYSTEM "{address}">]>\n<w:document '.encode()
    office = rewritten(docx(["before"]), "word/document.xml", b"<w:document ", declared)
    return rewritten(office, "word/document.xml", b"before", b"&leak;")


def png(width: int = 8, height: int = 4) -> bytes:
    """A black picture; one of a great size still takes little room."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    row = b"\x00" * (width + 1)
    pixels = zlib.compress(row * min(height, 64))
    chunks = [(b"IHDR", head), (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
