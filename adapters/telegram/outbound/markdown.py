"""Markdown as styled text that Telegram can show (design §8)."""

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

from markdown_it.token import Token

from adapters.markdown_reader import make_parser
from adapters.telegram.outbound.richtext import (
    BOLD,
    CODE,
    ITALIC,
    PRE,
    STRIKE,
    Span,
    Tag,
    common_tags,
    text_of,
    tidy,
    without_mentions,
)

FORM_HOST = "signoff.invalid"
"""The host of links that carry a form; links in texts never lead there."""

_READER = make_parser("table", "strikethrough")
_INLINE = {"strong": BOLD, "em": ITALIC, "s": STRIKE}


def spans_of(text: str) -> list[Span]:
    """Return a Markdown text as styled text; what Telegram has no style for stays text."""
    writer = _SpanWriter()
    writer.blocks(_READER.parse(tidy(text)))
    return writer.spans


def allowed_link(href: str) -> bool:
    """Whether it is an http(s) link that does not lead to our form host, in any spelling."""
    if not re.match(r"https?://[!-~]+$", href):
        return False
    folded = unicodedata.normalize("NFKC", unquote(href)).casefold()
    return FORM_HOST not in re.sub(r"[^a-z0-9.]", "", folded)


class _SpanWriter:
    """Writes the parser's tokens as spans; `_gap` line ends come before the next text."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._gap = 0
        self._quotes: list[Tag] = []
        self._style: list[Tag] = []
        self._lists: list[int | None] = []
        self._marks = 0

    def blocks(self, tokens: list[Token]) -> None:
        rows: list[list[str]] = []
        for token in tokens:
            match token.type:
                case "inline" if rows:
                    rows[-1].append(text_of(_spans_inline(token)).replace("\n", " "))
                case "inline":
                    self._inline(token.children or [])
                case "tr_open":
                    rows.append([])
                case "table_close":
                    self._block(_table(rows), PRE)
                    rows = []
                case "fence" | "code_block":
                    self._block(token.content.rstrip("\n"), PRE)
                case "hr":
                    self._block("———")
                case _:
                    self._structure(token)

    def _structure(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self._style.append(BOLD)
            case "heading_close":
                self._style.pop()
                self._owe(2)
            case "blockquote_open":
                self._marks += 1
                self._quotes.append(Tag("blockquote", mark=self._marks))
            case "blockquote_close":
                self._quotes.pop()
                self._owe(2)
            case "bullet_list_open":
                self._owe(1)
                self._lists.append(None)
            case "ordered_list_open":
                self._owe(1)
                start = token.attrGet("start")
                self._lists.append(1 if start is None else int(start))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                self._owe(1 if self._lists else 2)
            case "list_item_open":
                self._item()
            case "list_item_close" | "paragraph_close":
                self._owe(1 if self._lists else 2)

    def _item(self) -> None:
        number = self._lists[-1]
        if number is not None:
            self._lists[-1] = number + 1
        bullet = "• " if number is None else f"{number}. "
        self._write("  " * (len(self._lists) - 1) + bullet)

    def _inline(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            match token.type:
                case "text":
                    self._write(token.content)
                case "code_inline":
                    self._write(token.content, only=CODE)
                case "softbreak" | "hardbreak":
                    self._write("\n")
                case "image":
                    self._write(token.content)
                case "link_open":
                    href = str(token.attrGet("href") or "")
                    self._style.append(Tag("a", href) if allowed_link(href) else Tag(""))
                case _ if token.nesting == 1:
                    self._style.append(_INLINE.get(token.tag, Tag("")))
                case _ if token.nesting == -1:
                    self._style.pop()

    def _block(self, text: str, only: Tag | None = None) -> None:
        self._owe(1)
        self._write(text, only=only)
        self._owe(1 if self._lists else 2)

    def _owe(self, lines: int) -> None:
        self._gap = max(self._gap, lines)

    def _write(self, text: str, only: Tag | None = None) -> None:
        # Telegram nests neither quotes in quotes nor anything inside code.
        inner = [only] if only else [tag for tag in dict.fromkeys(self._style) if tag.name]
        tags = (*self._quotes[:1], *inner)
        if self.spans and self._gap:
            outer = [t for t in common_tags(self.spans[-1].tags, tags) if t.name == "blockquote"]
            self.spans.append(Span("\n" * self._gap, tuple(outer)))
        self._gap = 0
        self.spans.append(Span(without_mentions(text), tags))


def _spans_inline(token: Token) -> list[Span]:
    writer = _SpanWriter()
    writer._inline(token.children or [])
    return writer.spans


def _table(rows: list[list[str]]) -> str:
    columns = max((len(row) for row in rows), default=0)
    full = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(_width(row[i]) for row in full) for i in range(columns)]
    return "\n".join(
        " | ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in full
    )


def _width(text: str) -> int:
    """Return the columns in a fixed-width font: two for East Asian wide characters."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
