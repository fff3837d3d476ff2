"""The web chat's HTML as text for a terminal; nothing of it can steer the terminal."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from html.parser import HTMLParser
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from bot.terminal.output import table
from cards.moments import MARKED

# Controls, and marks that turn the order of what is read; lines and tabs stay.
_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BLOCKS = {"p", "div", "pre", "blockquote", "ul", "ol", "table", *(f"h{n}" for n in range(1, 7))}


# The time zone in which moments are written; this machine's without one.
_ZONE: ContextVar[ZoneInfo | None] = ContextVar("zone", default=None)


@contextmanager
def show_times_in(zone: str) -> Iterator[None]:
    """Write moments in that time zone (IANA), in this machine's if "" is given."""
    before = _ZONE.set(ZoneInfo(zone) if zone else None)
    try:
        yield
    finally:
        _ZONE.reset(before)


def strip_controls(text: str) -> str:
    """The text without control characters; moments in the time zone of `show_times_in`."""
    text = MARKED.sub(_write_moment, text)
    return _STEERS.sub("", text.replace("\r\n", "\n").replace("\x85", "\n"))


def _write_moment(marked: re.Match[str]) -> str:
    try:
        moment = datetime.fromisoformat(marked[1])
    except ValueError:
        return marked[0]
    return f"{moment.astimezone(_ZONE.get()):%m-%d %H:%M}"


def html_to_text(html: str) -> str:
    """Paragraphs, lists, tables and links as lines."""
    reader = _HtmlReader()
    reader.feed(html)
    reader.close()
    return strip_controls(reader.text())


class _HtmlReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._lists: list[int] = []
        self._rows: list[list[str]] | None = None
        self._links: list[tuple[str, int]] = []
        self._exact = 0

    def text(self) -> str:
        """All that was read, with at most one empty line in a row."""
        lines = [line.rstrip() for line in "".join(self._out).split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        match tag:
            case "br":
                self._out.append("\n")
            case "hr":
                self._out.append("\n---\n")
            case "li":
                self._item()
            case "table":
                self._rows = []
            case "tr" if self._rows is not None:
                self._rows.append([])
            case "th" | "td" if self._rows:
                self._rows[-1].append("")
            case "a":
                self._links.append((dict(attrs).get("href") or "", len(self._out)))
            case "ul" | "ol":
                first = dict(attrs).get("start") or "1"
                self._lists.append(int(first) if tag == "ol" and first.isdecimal() else -1)
            case _:
                self._exact += tag == "pre"
                self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        match tag:
            case "table":
                self._show_table()
            case "a" if self._links:
                href, at = self._links.pop()
                shown = "".join(self._out[at:])
                # What has no host is a place in the page that this is not.
                if href and not href.startswith("/") and unquote(href) != unquote(shown):
                    self.handle_data(f" ({href})")
            case "ul" | "ol" if self._lists:
                self._lists.pop()
                self._break(tag)
            case _:
                self._exact -= tag == "pre"
                self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._rows is not None:
            if self._rows and self._rows[-1]:
                self._rows[-1][-1] += " ".join(strip_controls(data).split("\n"))
        elif self._exact or data.strip() or "\n" not in data:
            # A line's end in the HTML behind one that was told already is no other.
            again = not self._exact and bool(self._out) and self._out[-1] == "\n"
            self._out.append(data.removeprefix("\n") if again else data)

    def _item(self) -> None:
        inside = "  " * max(len(self._lists) - 1, 0)
        number = self._lists[-1] if self._lists else -1
        if number >= 0:
            self._lists[-1] += 1
        self._line()
        self._out.append(f"{inside}{f'{number}.' if number >= 0 else '-'} ")

    def _break(self, tag: str) -> None:
        if tag not in _BLOCKS or self._rows is not None:
            return
        # A paragraph of an item begins on the item's own line.
        if self._lists:
            return
        self._line()
        self._out.append("\n")

    def _line(self) -> None:
        if self._out and not self._out[-1].endswith("\n"):
            self._out.append("\n")

    def _show_table(self) -> None:
        rows, self._rows = self._rows or [], None
        width = max((len(row) for row in rows), default=0)
        if width:
            self._line()
            filled = [[cell.strip() for cell in row] + [""] * (width - len(row)) for row in rows]
            self._out.append("\n" + table(filled) + "\n\n")
