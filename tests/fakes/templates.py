"""Word templates as people make them: a letterhead, holes, a table with a row of a list."""

import base64
from collections.abc import Sequence
from io import BytesIO

import docx


def template(
    lines: Sequence[str] = ("To {{tenant}}", "{{content}}", "Signed: {{profile.master}}"),
    *,
    row: Sequence[str] = (),
    header: str = "Harbour office · {{name}} v{{version}}",
) -> bytes:
    """A template; the last hole of each line is spread over two runs, as Word leaves them."""
    made = docx.Document()
    made.sections[0].header.paragraphs[0].text = header
    for line in lines:
        before, mark, after = line.rpartition("{{")
        paragraph = made.add_paragraph()
        paragraph.add_run(f"{before}{mark[:1]}")
        paragraph.add_run(f"{mark[1:]}{after}").bold = True
    if row:
        cells = made.add_table(1, len(row)).rows[0].cells
        for cell, text in zip(cells, row, strict=True):
            cell.text = text
    saved = BytesIO()
    made.save(saved)
    return saved.getvalue()


def encoded(content: bytes) -> str:
    """The template as a playbook keeps it."""
    return base64.b64encode(content).decode()


def words_of(content: bytes) -> str:
    """Every text of a document, headers too, a paragraph a line."""
    made = docx.Document(BytesIO(content))
    lines = [p.text for p in made.sections[0].header.paragraphs]
    for block in made.iter_inner_content():
        if isinstance(block, docx.text.paragraph.Paragraph):
            lines.append(block.text)
        else:
            lines += [" | ".join(cell.text for cell in row.cells) for row in block.rows]
    return "\n".join(lines)


def styles_of(content: bytes) -> list[tuple[str, str]]:
    """The style and text of each paragraph of the body."""
    made = docx.Document(BytesIO(content))
    return [(p.style.name, p.text) for p in made.paragraphs]
