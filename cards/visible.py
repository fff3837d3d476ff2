"""Text as a card shows it to whoever decides: no two different texts look the same.

`␣` is a space at an edge or beside another, `□` an ideographic one, `⇥` a tab, `↵` a line break;
`⟨U+202E⟩` is any other character that has no shape of its own: controls, direction marks,
zero-width and other spaces, private and unknown ones. A text's own `⟨` and marks are told likewise.
"""

import re

_MARKS = {"\n": "↵", "\t": "⇥", "\u3000": "□"}
_SPACE = "␣"
# Printable by Unicode, and yet without a shape: fillers, joiners, variation selectors.
_SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)))
)
_OURS = frozenset((*_MARKS.values(), _SPACE, "⟨"))
_EDGES = re.compile(r"(?m)^ +| +$| {2,}")
# Those that Markdown would drop: at the edges, and more than two.
_BREAKS = re.compile(r"(\A\n+|\n+\Z|(?<=\n\n)\n+)")


def visible(text: str, *, lines: bool = False) -> str:
    """The text with all that would not be seen made visible.

    With `lines` its line breaks stay, as far as Markdown shows them.
    """
    pieces = _BREAKS.split(text) if lines else [text]
    told = [_told(piece, lines=number % 2 == 0 and lines) for number, piece in enumerate(pieces)]
    return _EDGES.sub(lambda found: _SPACE * len(found[0]), "".join(told))


def _told(text: str, *, lines: bool) -> str:
    if lines:
        return "\n".join(_told(line, lines=False) for line in text.split("\n"))
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char in _MARKS:
        return _MARKS[char]
    if char.isprintable() and char not in _SHAPELESS and char not in _OURS:
        return char
    return f"⟨U+{ord(char):04X}⟩"
