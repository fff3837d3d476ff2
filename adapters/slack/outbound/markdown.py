"""Markdown to Slack's mrkdwn: everything that is not our own mark-up is escaped (design §8).

Slack reads `<…>` as mentions and links, so `& < >` of a text are always written as entities; the
only `<` that leaves this module opens a link to an http(s) address.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from markdown_it.token import Token

from adapters.markdown_reader import is_misleading, make_parser
from adapters.slack.outbound.rich_text import Style, StyledText

MAX_SOURCE = 48_000
MAX_LABEL = 200
MAX_URL = 1_500

_PARSER = make_parser("table", "strikethrough")
_LOOKALIKES = {"*": "∗", "_": "ˍ", "~": "∼"}
_OPENERS = {c: re.compile(rf"(?<!\w)\{c}(?=\S)") for c in _LOOKALIKES}
_CLOSERS = {c: re.compile(rf"(?<=\S)\{c}(?!\w)") for c in _LOOKALIKES}
_BREAKS = ("softbreak", "hardbreak")
_MARKS = {"strong": "*", "em": "_", "s": "~"}
_STYLES: dict[str, Style] = {"strong": "bold", "em": "italic", "s": "strike"}
_EMOJI = re.compile(r":[a-z0-9_+'-]{1,60}:")
# Slack sees a mark only at a word's edge; Chinese has none, so an empty space makes one.
_EDGE = "\u200b"
_EDGE_BEHIND = re.compile(rf"(^|[\s(\[\"']){_EDGE}")
_EDGE_BEFORE = re.compile(rf"{_EDGE}(?=[\s)\]\"'.,;:!?]|$)")
# Marks that turn the order of what is read, so that it shows as what it is not.
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A paragraph, a list item (`tight`: no empty line before it) or, with `code`, a code block.

    `cut` when it says that something is left out. `styled` is the same for a rich text; a `lossy`
    one has stand-ins in its mrkdwn, which cannot say it as it is. `quote` when it is quoted.
    """

    text: str
    code: bool = False
    tight: bool = False
    cut: bool = False
    styled: tuple[StyledText, ...] = ()
    lossy: bool = False
    quote: bool = False


def escape(text: str) -> str:
    """Return the text with `& < >` as entities and no marks of direction."""
    return without_turns(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def without_turns(text: str) -> str:
    """Return the text without marks that change its direction."""
    return text if text.isascii() else _TURNS.sub("", text)


def literal(text: str) -> str:
    """Return plain text on one line, with all mark-up escaped."""
    line = " ".join(text.split())
    return _tame(escape(line), _pairs(line))


def is_lossy(text: str) -> bool:
    """Whether `literal` changes the text, or Slack would put emoji into it."""
    return literal(text) != escape(text) or _EMOJI.search(text) is not None


def bold(text: str) -> str:
    """Return plain text on one line, bold; "" for none."""
    inner = literal(text).replace("*", _LOOKALIKES["*"])
    return f"*{inner}*" if inner else ""


def chunks(markdown: str) -> list[Chunk]:
    """Return the blocks of a Markdown text; beyond MAX_SOURCE characters it is plain text."""
    head, tail = markdown[:MAX_SOURCE], markdown[MAX_SOURCE:]
    found = [c for c in _blocks(_PARSER.parse(head)) if c.text.strip()]
    return [*found, Chunk(literal(tail))] if tail.strip() else found


def render(markdown: str) -> str:
    """Return the whole text as one mrkdwn string."""
    return join([(code_block(c.text) if c.code else c.text, c.tight) for c in chunks(markdown)])


def code_block(code: str) -> str:
    """Return escaped code as a code block."""
    return f"```\n{code}\n```"


def join(pieces: Sequence[tuple[str, bool]]) -> str:
    """Join texts by empty lines; the flag leaves out the one before a piece."""
    text = ""
    for piece, tight in pieces:
        text += ("" if not text else "\n" if tight else "\n\n") + piece
    return text


def _blocks(tokens: Sequence[Token]) -> Iterator[Chunk]:
    prefix = _Prefix()
    table: list[list[str]] = []
    for token in tokens:
        prefix.follow(token)
        match token.type:
            case "fence" | "code_block":
                code = StyledText(without_turns(token.content.rstrip("\n")), frozenset(["code"]))
                yield Chunk(
                    _code(token.content), code=True, styled=(code,), lossy="```" in token.content
                )
            case "hr":
                yield Chunk("———")
            case "table_open":
                table = []
            case "tr_open":
                table.append([])
            case "inline" if prefix.in_table:
                table[-1].append(_cell(token))
            case "table_close":
                yield Chunk(_code(_grid(table)), code=True)
            case "inline":
                yield prefix.apply(token)


class _Prefix:
    """What goes before a block's text: quote marks, indents, bullets and numbers."""

    def __init__(self) -> None:
        self.in_heading = False
        self.in_table = False
        self._quotes = 0
        self._lists: list[int | None] = []
        self._bullet = ""
        self._items = 0

    def follow(self, token: Token) -> None:
        match token.type:
            case "heading_open" | "heading_close":
                self.in_heading = token.nesting == 1
            case "table_open" | "table_close":
                self.in_table = token.nesting == 1
            case "blockquote_open" | "blockquote_close":
                self._quotes += token.nesting
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                self._items = 0 if not self._lists else self._items
            case "list_item_open":
                self._open_item()

    def _open_item(self) -> None:
        number = self._lists[-1]
        self._bullet = "• " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1
        self._items += 1

    def apply(self, token: Token) -> Chunk:
        marks = _pairs(token.content)
        text = _inline(token, marks, heading=self.in_heading)
        styled = _styled_texts(token, self.in_heading)
        depth = len(self._lists)
        indent = "    " * (depth - 1)
        first, self._bullet = indent + self._bullet, ""
        lines = text.split("\n")
        below = [indent + line for line in lines[1:]]
        quote = "> " if self._quotes else ""
        body = "\n".join(quote + line for line in [first + lines[0], *below])
        return Chunk(
            body,
            tight=depth > 0 and self._items > 1,
            styled=(StyledText(first), *(_indent(part, indent) for part in styled)),
            lossy=_is_lossy(token, marks, self.in_heading),
            quote=self._quotes > 0,
        )


def _indent(part: StyledText, indent: str) -> StyledText:
    return replace(part, text=part.text.replace("\n", f"\n{indent}")) if indent else part


def _styled_texts(token: Token, heading: bool) -> tuple[StyledText, ...]:
    """Return a paragraph as styled texts."""
    styles: list[Style] = ["bold"] if heading else []
    url, texts = "", list[StyledText]()
    for child in token.children or ():
        kind, _, edge = child.type.rpartition("_")
        if style := _STYLES.get(kind):
            styles = [*styles, style] if edge == "open" else styles[:-1]
        elif kind == "link":
            url = str(child.attrs.get("href", "")) if edge == "open" else ""
        elif child.type in _BREAKS:
            texts.append(StyledText("\n"))
        elif child.type == "image":
            texts.append(
                StyledText(without_turns(child.content), url=str(child.attrs.get("src", "")))
            )
        else:
            code: list[Style] = ["code"] if child.type == "code_inline" else []
            own = frozenset([*styles, *code])
            texts.append(StyledText(without_turns(child.content), own, url))
    return tuple(texts)


def _is_lossy(token: Token, marks: str, heading: bool) -> bool:
    """Whether a paragraph's mrkdwn needs stand-ins, or Slack would put emoji into it."""
    for child in token.children or ():
        text = escape(child.content)
        if child.type == "code_inline" and "`" in text:
            return True
        changed = _tame(text, marks) != text or (heading and "*" in text)
        if child.type == "text" and (changed or _EMOJI.search(text)):
            return True
    return False


def _inline(token: Token, marks: str, *, heading: bool) -> str:
    """Return a paragraph as mrkdwn, whose marks neither nest nor cross lines, as Slack needs."""
    out: list[str] = []
    depth = {"strong": int(heading), "em": 0, "s": 0}
    children = iter(token.children or ())
    for child in children:
        kind, _, edge = child.type.rpartition("_")
        if kind in _MARKS:
            depth[kind] += child.nesting
            if depth[kind] == (1 if edge == "open" else 0):
                mark = _MARKS[kind]
                out.append(_EDGE + mark if edge == "open" else mark + _EDGE)
        elif child.type == "link_open":
            out.append(link(str(child.attrs.get("href", "")), _label(children)))
        elif child.type in ("softbreak", "hardbreak"):
            out.append(" " if any(depth.values()) else "\n")
        else:
            out.append(_leaf(child, marks))
    text = _trim_edges("".join(out)).strip()
    return f"*{text}*" if heading and text else text


def _leaf(child: Token, marks: str) -> str:
    match child.type:
        case "code_inline":
            return "`" + escape(child.content).replace("`", "ˋ") + "`"
        case "image":
            return _picture(str(child.attrs.get("src", "")), child.content)
        case _:
            return _tame(escape(child.content), marks)


def _picture(url: str, label: str) -> str:
    """Return a link to a picture, which is not shown."""
    if is_misleading(label, url):
        return f"{literal(label)} ({link(url, url)})"
    return link(url, label)


def _label(children: Iterator[Token]) -> str:
    """Return the plain text up to the link's end."""
    parts: list[str] = []
    for child in children:
        if child.type == "link_close":
            break
        parts.append(child.content if child.content else " " if "break" in child.type else "")
    return "".join(parts)


def link(url: str, label: str) -> str:
    """Return a link, or the label where the address is none of the web."""
    label = " ".join(label.replace("|", " ").split())[:MAX_LABEL]
    target = escape(url.replace("|", "%7C").replace("<", "%3C").replace(">", "%3E"))
    is_web = re.fullmatch(r"https?://\S+", url, re.IGNORECASE) is not None
    if not is_web or len(target) > MAX_URL:
        return literal(label)
    if not label or label == url:
        return f"<{target}>"
    return f"<{target}|{literal(label)}>"


def _tame(escaped: str, marks: str) -> str:
    """Replace backticks and those marks that Slack would take for formatting."""
    escaped = escaped.replace("`", "ˋ")
    for mark in marks:
        if mark in escaped:
            escaped = _OPENERS[mark].sub(_LOOKALIKES[mark], escaped)
            escaped = _CLOSERS[mark].sub(_LOOKALIKES[mark], escaped)
    return escaped


def _pairs(paragraph: str) -> str:
    """Return the marks of which Slack might find a pair in the paragraph."""
    return "".join(m for m in _LOOKALIKES if m in paragraph and _formats(m, paragraph))


def _formats(mark: str, paragraph: str) -> bool:
    opener = _OPENERS[mark].search(paragraph)
    closers = [m.start() for m in _CLOSERS[mark].finditer(paragraph)]
    return opener is not None and bool(closers) and closers[-1] > opener.start()


def _trim_edges(text: str) -> str:
    if _EDGE not in text:
        return text
    return _EDGE_BEFORE.sub("", _EDGE_BEHIND.sub(r"\1", text))


def _code(content: str) -> str:
    return escape(content.rstrip("\n")).replace("```", "ˋˋˋ")


def _cell(token: Token) -> str:
    """Return a cell's text on one line."""
    parts = token.children or ()
    return " ".join("".join(" " if p.type in _BREAKS else p.content for p in parts).split())


def _grid(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with aligned columns; a Chinese character is two columns wide."""
    widths = [max(map(_width, column)) for column in zip_longest(*rows, fillvalue="")]
    lines = [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
