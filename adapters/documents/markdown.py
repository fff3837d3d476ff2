"""Markdown as paragraphs of a Word document, in the styles that its template has."""

from collections.abc import Iterator, Sequence
from typing import Any

from docx.document import Document
from docx.table import Table
from docx.text.paragraph import Paragraph
from markdown_it import MarkdownIt
from markdown_it.token import Token

from adapters.markdown_reader import extend_parser

_DEEPEST = 9
_parser = extend_parser(MarkdownIt("commonmark", {"html": False})).enable(["table"])


def write_markdown(text: str, document: Document, before: Paragraph | None = None) -> None:
    """Add the text to the document: in front of a paragraph, or at its end.

    A style that the template does not have is the normal one. Links show where they lead; pictures
    and HTML are text.
    """
    _Writer(document, before).write(_parser.parse(text))


class _Writer:
    def __init__(self, document: Document, before: Paragraph | None) -> None:
        self._document = document
        self._before = before
        self._styles = {style.name for style in document.styles}
        self._lists: list[str] = []
        self._quoted = 0
        self._item_begun = False

    def write(self, tokens: Sequence[Token]) -> None:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    ordered = token.type.startswith("ordered")
                    self._lists.append("List Number" if ordered else "List Bullet")
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    self._item_begun = False
                case "blockquote_open":
                    self._quoted += 1
                case "blockquote_close":
                    self._quoted -= 1
                case "inline":
                    self._inline(tokens[at - 1], token)
                case "fence" | "code_block":
                    self._lines(token.content.rstrip("\n"))
                case "hr":
                    self._paragraph("", "")
                case "table_open":
                    end = next(n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
                    self._table(tokens[at:end])
                    at = end
            at += 1

    def _inline(self, opening: Token, token: Token) -> None:
        style = ""
        if opening.type == "heading_open":
            style = f"Heading {min(int(opening.tag[1:]), _DEEPEST)}"
        elif self._lists:
            deep = len(self._lists)
            style = "List Continue" if self._item_begun else self._lists[-1]
            style = f"{style} {deep}" if deep > 1 and f"{style} {deep}" in self._styles else style
            self._item_begun = True
        elif self._quoted:
            style = "Quote"
        add_runs(self._paragraph("", style), token)

    def _lines(self, text: str) -> None:
        for line in text.split("\n"):
            self._paragraph(line, "")

    def _paragraph(self, text: str, style: str) -> Paragraph:
        known = style if style in self._styles else None
        if self._before is not None:
            return self._before.insert_paragraph_before(text, known)
        return self._document.add_paragraph(text, known)

    def _table(self, tokens: Sequence[Token]) -> None:
        rows = list(_rows(tokens))
        width = max(map(len, rows))
        table = self._document.add_table(len(rows), width)
        if "Table Grid" in self._styles:
            table.style = "Table Grid"
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, token in zip(row.cells, cells, strict=False):
                add_runs(cell.paragraphs[0], token)
        self._place(table)

    def _place(self, table: Table) -> None:
        if self._before is not None:
            self._before._p.addprevious(table._tbl)


def _rows(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    cells: list[Token] = []
    for token in tokens:
        if token.type == "inline":
            cells.append(token)
        elif token.type == "tr_close":
            yield cells
            cells = []


def add_runs(paragraph: Paragraph, token: Token) -> None:
    """Add the inline text to the paragraph, with what is bold and italic in it."""
    marks: dict[str, int] = {"strong": 0, "em": 0}
    targets: list[str] = []
    for part in token.children or ():
        kind, _, ending = part.type.rpartition("_")
        if kind in marks:
            marks[kind] += 1 if ending == "open" else -1
        elif part.type == "link_open":
            targets.append(str(part.attrs.get("href", "")))
        elif part.type == "link_close":
            target = targets.pop()
            shown = paragraph.text.endswith(target)
            _run(paragraph, "" if shown else f" ({target})", marks)
        elif part.type == "hardbreak":
            paragraph.add_run().add_break()
        else:
            text = " " if part.type == "softbreak" else part.content
            _run(paragraph, text, marks)


def _run(paragraph: Paragraph, text: str, marks: dict[str, int]) -> Any:
    if not text:
        return
    run = paragraph.add_run(plain(text))
    run.bold = True if marks["strong"] else None
    run.italic = True if marks["em"] else None


def plain(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(c for c in text if c in "\t\n" or (c >= " " and not _is_odd(c)))


def _is_odd(letter: str) -> bool:
    return "\ud800" <= letter <= "\udfff" or letter in "\ufffe\uffff"
