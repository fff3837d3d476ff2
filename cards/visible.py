"""Text as a card shows it to whoever decides: no two different texts look the same.

`␣` is a space at an edge or beside another, `□` an ideographic one, `⇥` a tab, `↵` a line break;
`⟨U+202E⟩` is any other character that has no shape of its own: controls, direction marks,
zero-width and other spaces, private and unknown ones. A text's own `⟨` and marks are written so
too.
"""

import re

from cards.markdown import format_value, literal, quote
from cards.model import Lang
from cards.texts import say
from cards.values import Value

_MARKS = {"\n": "↵", "\t": "⇥", "\u3000": "□"}
_SPACE = "␣"
# Printable by Unicode, and yet without a shape: fillers, joiners, variation selectors.
_SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)))
)
_OURS = frozenset((*_MARKS.values(), _SPACE, "⟨"))
_ODD = _SHAPELESS | _OURS
_SPACES = re.compile(r" +")
_BREAKS = re.compile(r"(\n+)")
_MOST_BREAKS = 2
"""The most line breaks in a row that Markdown shows."""


def visible(text: str, *, lines: bool = False) -> str:
    """Return the text with all that would not be seen made visible.

    With `lines` its line breaks stay as far as Markdown shows them: not at the edges, and at most
    two in a row.
    """
    pieces = _BREAKS.split(text) if lines else [text]
    marked = [_mark_text(piece) for piece in pieces]
    for at in range(1, len(pieces), 2):
        if pieces[at - 1] and pieces[at + 1]:
            kept = pieces[at][:_MOST_BREAKS]
            marked[at] = kept + _mark_text(pieces[at][_MOST_BREAKS:])
    return _SPACES.sub(_mark_spaces, "".join(marked))


def _mark_spaces(found: re.Match[str]) -> str:
    """Mark a run of spaces; a single one inside a line stays."""
    text, begin, end = found.string, found.start(), found.end()
    before, after = text[max(0, begin - 1) : begin], text[end : end + 1]
    inside = before not in ("", "\n") and after not in ("", "\n")
    return " " if inside and len(found[0]) == 1 else _SPACE * len(found[0])


def _mark_text(text: str) -> str:
    plain = text.isprintable() and _ODD.isdisjoint(text)
    return text if plain else "".join(map(_mark_char, text))


def _mark_char(char: str) -> str:
    if char in _MARKS:
        return _MARKS[char]
    if char.isprintable() and char not in _SHAPELESS and char not in _OURS:
        return char
    return f"⟨U+{ord(char):04X}⟩"


def in_row(value: Value | None, unit: str, lang: Lang) -> str:
    """Return a value as plain text with its unit; an empty one is named so."""
    if value is None or value == "":
        return say("card.blank", lang)
    shown = visible(format_value(value))
    return f"{shown} {unit}" if unit else shown


def in_text(label: str, text: str, lang: Lang) -> str:
    """Return a text of several lines as Markdown, quoted under its label."""
    head = f"**{literal(label)}**"
    if not text:
        return f"{head}{say('list.colon', lang)}{say('card.blank', lang)}"
    return f"{head}\n\n{quote(visible(text, lines=True))}"
