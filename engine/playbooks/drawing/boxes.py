"""What a drawing consists of: boxes with text in them, and arrows; placed, but in no format."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.playbooks.drawing.text_width import text_width, wrapped

TextRole = Literal["name", "kind", "detail", "label"]

SIZES: dict[TextRole, float] = {"name": 14, "kind": 11, "detail": 12, "label": 11}
"""Font sizes in pixels."""

_LEADING = 1.4
_BOLD = 1.06


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

    def moved(self, dx: float, dy: float) -> "Block":
        """The same, further to the right and down."""
        boxes = (
            replace(b, x=b.x + dx, y=b.y + dy, texts=_moved(b.texts, dx, dy)) for b in self.boxes
        )
        arrows = (
            replace(a, points=tuple((x + dx, y + dy) for x, y in a.points)) for a in self.arrows
        )
        return Block(
            self.width, self.height, tuple(boxes), tuple(arrows), _moved(self.labels, dx, dy)
        )


def lettered(lines: Iterable[tuple[TextRole, str]], width: float) -> Block:
    """These lines under each other, broken to be no wider than that."""
    texts: list[Text] = []
    y = widest = 0.0
    for role, text in lines:
        size = SIZES[role] * (_BOLD if role == "name" else 1)
        for line in wrapped(text, width, size):
            texts.append(Text(0, y + SIZES[role], line, role))
            y += SIZES[role] * _LEADING
            widest = max(widest, text_width(line, size))
    return Block(widest, y, labels=tuple(texts))


def together(blocks: Sequence[Block], width: float, height: float) -> Block:
    """All of them where they are, in a block of that size."""
    return Block(
        width,
        height,
        tuple(box for block in blocks for box in block.boxes),
        tuple(arrow for block in blocks for arrow in block.arrows),
        tuple(label for block in blocks for label in block.labels),
    )


def _moved(texts: tuple[Text, ...], dx: float, dy: float) -> tuple[Text, ...]:
    return tuple(replace(text, x=text.x + dx, y=text.y + dy) for text in texts)
