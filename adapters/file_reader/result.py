"""What readers return, and the limits that they share."""

import time
from typing import Any

TEXT_CHARS = 200_000
COLUMNS = 50
SAMPLE_ROWS = 3
VALUE_CHARS = 80

ReaderResult = dict[str, Any]
"""A JSON object with the fields of `Extract` in engine/ports/library.py."""


class Unreadable(Exception):
    """The file cannot be read; `problem` is one of those that `Extract` names."""

    def __init__(self, problem: str, kind: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.kind = kind


class Deadline:
    """A moment before the process is killed, at which readers return what they have read."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() >= self._end


class TextCollector:
    """Collects text up to the limit; `cut` once there was more."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = TEXT_CHARS
        self.chars = 0
        self.cut = False

    def add(self, text: str) -> None:
        """Add as much of the text as there is room for."""
        self.chars += len(text)
        if len(text) > self._room:
            self.cut = True
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(self._parts[-1])

    def fields(self) -> ReaderResult:
        """Return the text as fields of the result; half a character becomes a question mark."""
        text = "".join(self._parts).encode("utf-8", "replace").decode()
        return {"text": text, "chars": self.chars, "cut": self.cut}


def cell_text(value: object) -> str:
    """Return a value of a table on one line, shortened."""
    line = " ".join(str("" if value is None else value).split())
    line = line if len(line) <= VALUE_CHARS else line[: VALUE_CHARS - 1] + "…"
    return line.encode("utf-8", "replace").decode()
