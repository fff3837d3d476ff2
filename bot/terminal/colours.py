"""Colours of what commands print: only on a terminal, and never with NO_COLOR."""

import os
import sys
from typing import TextIO


def coloured(stream: TextIO | None = None) -> bool:
    """Whether what is written there (the standard output) may be coloured."""
    out = sys.stdout if stream is None else stream
    # https://no-color.org: set and not empty, whatever its value.
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """The text in a style of rich, as in "bold red", if there may be colours."""
    if not text or not coloured(stream):
        return text
    # Only a terminal needs it, and it takes a while to load.
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)
