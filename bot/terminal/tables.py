"""Tables for terminals."""

import unicodedata
from collections.abc import Sequence

from bot.terminal.colours import paint


def headed(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its heads, in bold where there may be colours."""
    heads, *lines = table(rows).split("\n")
    return "\n".join([paint(heads, "bold"), *lines])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines with columns of one width."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(_filled(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _filled(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))


def _width(text: str) -> int:
    # A Chinese character is as wide as two others in a terminal.
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)
