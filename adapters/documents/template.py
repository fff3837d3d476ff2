"""A Word document of a template: its holes filled with values, its text in its styles."""

import base64
import copy
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO

import docx
from docx.document import Document
from docx.oxml.ns import qn
from docx.table import Table, _Row
from docx.text.paragraph import Paragraph

from adapters.documents.markdown import plain, write_markdown

HOLE = re.compile(r"\{\{([^{}]{0,120})\}\}")
_EARLIEST = (1980, 1, 1, 0, 0, 0)
Rows = Sequence[Mapping[str, str]]


def make_docx(
    template: str, markdown: str, values: Mapping[str, str], rows: Mapping[str, Rows]
) -> bytes:
    """The document as a .docx: the same bytes for the same template (base64, "" for none) and data.

    What stands in a value is text: it is no hole, no field and no mark-up. A row of a table with
    holes like `{{list.column}}` comes once for each row of the list. Without a paragraph
    `{{content}}` the text stands at the end.
    """
    document = docx.Document(BytesIO(base64.b64decode(template)) if template else None)
    # What is filled is text from then on, whatever it looks like.
    filled = [each for table in _tables(document) for each in _repeat_rows(table, values, rows)]
    place: Paragraph | None = None
    for paragraph in _paragraphs(document):
        if paragraph.text.strip() in ("{{content}}", "{{ content }}"):
            place = paragraph
        elif paragraph._p not in filled:
            _fill(paragraph, values)
    write_markdown(markdown, document, place)
    if place is not None:
        place._p.getparent().remove(place._p)
    packed = BytesIO()
    document.save(packed)
    return _without_times(packed.getvalue())


def _paragraphs(document: Document) -> Iterator[Paragraph]:
    """Every paragraph of the body, of its tables, of headers and footers."""
    for part in _parts(document):
        # Whatever holds them: a table, a text box, a content control.
        for element in list(part._element.iter(qn("w:p"))):  # type: ignore[attr-defined]
            yield Paragraph(element, part)  # type: ignore[arg-type]


def _parts(document: Document) -> Iterator[object]:
    yield document._body
    for section in document.sections:
        for each in (
            *(section.header, section.first_page_header, section.even_page_header),
            *(section.footer, section.first_page_footer, section.even_page_footer),
        ):
            if not each.is_linked_to_previous:
                yield each


def _tables(document: Document) -> Iterator[Table]:
    for element in list(document.element.body.iter(qn("w:tbl"))):
        yield Table(element, document)


def _repeat_rows(
    table: Table, values: Mapping[str, str], rows: Mapping[str, Rows]
) -> Iterator[object]:
    """Repeat each row that asks for columns of a list, once for each row of that list.

    Yields the elements of the paragraphs that are filled then.
    """
    for row in list(table.rows):
        names = [name.strip() for cell in row.cells for name in HOLE.findall(cell.text)]
        listed = next((n.rpartition(".")[0] for n in names if n.rpartition(".")[0] in rows), None)
        if listed is None:
            continue
        for cells in rows[listed]:
            own = {f"{listed}.{column}": text for column, text in cells.items()}
            element = copy.deepcopy(row._tr)
            row._tr.addprevious(element)
            for cell in _Row(element, table).cells:
                for paragraph in cell.paragraphs:
                    _fill(paragraph, {**values, **own})
                    yield paragraph._p
        row._tr.getparent().remove(row._tr)


def _fill(paragraph: Paragraph, values: Mapping[str, str]) -> None:
    """Put values into the holes of a paragraph; a hole may be spread over several runs."""
    nodes = list(paragraph._p.iter(qn("w:t")))
    text = "".join(node.text or "" for node in nodes)
    for match in reversed(list(HOLE.finditer(text))):
        filled = " ".join(values.get(match[1].strip(), "").split())
        # The value stands where the hole begins; its rest is taken out of the runs behind.
        at = 0
        for node in nodes:
            own = node.text or ""
            start, end = max(match.start() - at, 0), min(match.end() - at, len(own))
            at += len(own)
            if start < end:
                begins = at - len(own) <= match.start()
                put = plain(filled) if begins else ""
                node.text = own[:start] + put + own[end:]
                node.set(qn("xml:space"), "preserve")


def _without_times(packed: bytes) -> bytes:
    """The same archive, in which nothing says when it was made."""
    into = BytesIO()
    with zipfile.ZipFile(BytesIO(packed)) as old, zipfile.ZipFile(into, "w") as new:
        for entry in sorted(old.infolist(), key=lambda each: each.filename):
            info = zipfile.ZipInfo(entry.filename, _EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            new.writestr(info, old.read(entry.filename))
    return into.getvalue()
