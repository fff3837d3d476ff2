"""Boxes with text in them, and arrows: placed, but in no format; how wide text is."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

TextRole = Literal["name", "kind", "detail", "label"]

SIZES: dict[TextRole, float] = {"name": 14, "kind": 11, "detail": 12, "label": 11}
"""Font sizes in pixels."""

_LEADING = 1.4
_BOLD = 1.06

_NARROW = frozenset("ijlI.,:;'|!()[]{}ftr /\\-`\"")
_BROAD = frozenset("mwMWQOGD@%&#+=<>~_")


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `x` is its left end, `y` its baseline."""

    x: float
    y: float
    text: str
    role: TextRole


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with its texts; `node` is the id of what it shows, or "" for an aside."""

    x: float
    y: float
    width: float
    height: float
    node: str
    role: str
    title: str
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line from corner to corner; its head is at the last one."""

    points: tuple[tuple[float, float], ...]
    role: str


@dataclass(frozen=True, slots=True)
class Block:
    """Some boxes (each after the one around it), arrows and labels within a width and height."""

    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    labels: tuple[Text, ...] = ()

    def move_by(self, dx: float, dy: float) -> "Block":
        """The same, further to the right and down."""
        boxes = (
            replace(b, x=b.x + dx, y=b.y + dy, texts=_move_texts(b.texts, dx, dy))
            for b in self.boxes
        )
        arrows = (
            replace(a, points=tuple((x + dx, y + dy) for x, y in a.points)) for a in self.arrows
        )
        return Block(
            self.width, self.height, tuple(boxes), tuple(arrows), _move_texts(self.labels, dx, dy)
        )


def text_block(lines: Iterable[tuple[TextRole, str]], width: float) -> Block:
    """These lines under each other, broken to be no wider than that."""
    texts: list[Text] = []
    y = widest = 0.0
    for role, text in lines:
        size = SIZES[role] * (_BOLD if role == "name" else 1)
        for line in wrap_text(text, width, size):
            texts.append(Text(0, y + SIZES[role], line, role))
            y += SIZES[role] * _LEADING
            widest = max(widest, text_width(line, size))
    return Block(widest, y, labels=tuple(texts))


def combine(blocks: Sequence[Block], width: float, height: float) -> Block:
    """All of them where they are, in a block of that size."""
    return Block(
        width,
        height,
        tuple(box for block in blocks for box in block.boxes),
        tuple(arrow for block in blocks for arrow in block.arrows),
        tuple(label for block in blocks for label in block.labels),
    )


def _move_texts(texts: tuple[Text, ...], dx: float, dy: float) -> tuple[Text, ...]:
    return tuple(replace(text, x=text.x + dx, y=text.y + dy) for text in texts)


def text_width(text: str, size: float) -> float:
    """An upper guess of the width at this font size in pixels; wide signs count as two letters."""
    return sum(map(_char_width, text)) * size


def wrap_text(text: str, width: float, size: float) -> list[str]:
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


def _char_width(char: str) -> float:
    """Its part of the font size."""
    if char.isascii():
        return 0.42 if char in _NARROW else 0.88 if char in _BROAD else 0.66
    return 0.0 if unicodedata.combining(char) else 1.1
