"""How wide text gets, estimated without a font, and its lines within a width."""

import unicodedata
from collections.abc import Iterator

_NARROW = frozenset("ijlI.,:;'|!()[]{}ftr /\\-`\"")
_BROAD = frozenset("mwMWQOGD@%&#+=<>~_")


def text_width(text: str, size: float) -> float:
    """An upper guess of the width at this font size in pixels; wide signs count as two letters."""
    return sum(map(_share, text)) * size


def wrapped(text: str, width: float, size: float) -> list[str]:
    """The text in lines no wider than that; only a single character may be wider."""
    lines = [""]
    for piece in _pieces(text):
        if text_width((lines[-1] + piece).rstrip(), size) <= width:
            lines[-1] += piece
        elif text_width(piece.rstrip(), size) <= width:
            lines.append(piece)
        else:
            _split(lines, piece, width, size)
    return [line.strip() for line in lines if line.strip()]


def _split(lines: list[str], word: str, width: float, size: float) -> None:
    for char in word:
        if lines[-1] and text_width(lines[-1] + char, size) > width:
            lines.append("")
        lines[-1] += char


def _pieces(text: str) -> Iterator[str]:
    """Where a line may end: after a space, and around signs that are written without spaces."""
    word = ""
    for char in text:
        if _is_wide(char):
            yield from (word, char) if word else (char,)
            word = ""
        elif char == " ":
            yield word + char
            word = ""
        else:
            word += char
    if word:
        yield word


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def _share(char: str) -> float:
    """Its part of the font size."""
    if char.isascii():
        return 0.42 if char in _NARROW else 0.88 if char in _BROAD else 0.66
    return 0.0 if unicodedata.combining(char) else 1.1
