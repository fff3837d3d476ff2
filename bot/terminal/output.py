"""What commands print: colours on a terminal, tables, and a bar for work on many things."""

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO, TypeVar

T = TypeVar("T")


def has_colours(stream: TextIO | None = None) -> bool:
    """Whether output to the stream (the standard output) may be coloured."""
    out = sys.stdout if stream is None else stream
    # https://no-color.org: set and not empty, whatever its value.
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """The text in a style of rich, as in "bold red", where colours may be used."""
    if not text or not has_colours(stream):
        return text
    # Only a terminal needs it, and it takes a while to load.
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def table_with_header(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is the header, in bold where colours may be used."""
    heads, *lines = table(rows).split("\n")
    return "\n".join([paint(heads, "bold"), *lines])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines with columns of one width."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def pad(cell: str, width: int) -> str:
    """The text with spaces behind it, as wide as `width` letters of a terminal."""
    return cell + " " * (width - _width(cell))


def _width(text: str) -> int:
    # A Chinese character is as wide as two others in a terminal.
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def show_progress(things: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Iterate over the things; a terminal shows how many of `total` are done."""
    if total < 2 or not sys.stderr.isatty():
        yield from things
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True, no_color=not has_colours(sys.stderr), highlight=False)
    # The bar is removed at the end.
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        for thing in things:
            yield thing
            progress.advance(task)
