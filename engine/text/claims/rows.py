"""Rows of a list in what people write: "20 bags of cement and 5 pallets of bricks"."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cards.model import Field
from engine.text.claims.form_text import NEAR, FormText, ValueSpan
from engine.text.claims.words import option_words
from engine.text.entity_kinds import unshared
from engine.text.readers.reading import Reading
from engine.text.values import DENIED, LIMIT, cue_pattern, field_names

MAX_ROWS = 50
"""So many rows are read in one text."""
MAX_WORDS = 80
"""Characters of the words in a row: more are a sentence, and no name of a thing."""

_NUMBERS = ("integer", "number")
_PARTS = re.compile(
    r"[;、。!?\n]|,(?![0-9])|\.(?=\s|$)|(?<![A-Za-z0-9])(?:and|plus|as well as)(?![A-Za-z0-9])"
    r"|以及|还有|加上|[和跟]",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:(?:of|the|an?|x)(?![A-Za-z0-9])|[×:的个件只台把张块条本箱袋瓶包桶根支套份双]|\s)",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:(?<![A-Za-z0-9])(?:for|to|at|by|in|on|until|till|from|with|please|thanks|today|now|each)"
    r"|[给到在送请吧,.:]|\s)$",
    re.IGNORECASE,
)
_PRICED = re.compile(r"(?:(?<![A-Za-z])(?:at|for)|[@à]|单?价|每[^\s0-9]{1,2})\s?$", re.IGNORECASE)
_EACH = re.compile(r"\s?(?:each|apiece|a piece)(?![A-Za-z])", re.IGNORECASE)
_ASKS = re.compile(r"(?<![A-Za-z])(?:how (?:many|much)|which|what)(?![A-Za-z])|几|多少|哪|吗")
_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(slots=True)
class _Row:
    """A row as it is read: its cells by column, and the stretches of the text that gave them."""

    cells: dict[str, str] = field(default_factory=dict)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def add(self, column: Field, value: str, start: int, end: int) -> None:
        """One cell, and where it stands."""
        self.cells[column.name] = value
        self.spans.append((start, end))

    @property
    def start(self) -> int:
        """Where it begins."""
        return min(start for start, _ in self.spans)

    @property
    def end(self) -> int:
        """Where it ends."""
        return max(end for _, end in self.spans)


def find_rows(said: FormText, listed: Field, taken: Sequence[ValueSpan]) -> Iterator[ValueSpan]:
    """The rows of a list with a column of numbers, each of which has a number and what it is of.

    `taken` are stretches that other fields have. Every claim has the text of all rows as a form
    takes it, a line each.
    """
    numbers = [column for column in listed.columns if column.type in _NUMBERS]
    if not numbers or _ASKS.search(said.text):
        return
    rows: list[_Row] = []
    for start, end in _parts(said.text, taken):
        found = _numbers_in(said, start, end)
        row = _read(said, listed, found, (start, end)) if found else None
        rows += [row] if row and len(rows) < MAX_ROWS else []
    text = "\n".join(_line(listed, row.cells) for row in rows)
    for row in rows:
        yield ValueSpan(row.start, row.end, {listed.name: text})


def _parts(text: str, taken: Sequence[ValueSpan]) -> Iterator[tuple[int, int]]:
    """The stretches between what lists, and what other fields have."""
    stops = [match.span() for match in _PARTS.finditer(text)]
    stops += [(claim.start, claim.end) for claim in taken]
    at = 0
    for start, end in (*sorted(stops), (len(text), len(text))):
        if start > at and text[at:start].strip():
            yield at, start
        at = max(at, end)


def _numbers_in(said: FormText, start: int, end: int) -> list[Reading]:
    return [
        reading
        for reading in said.of_kind("number", "duration")
        if start <= reading.start and reading.end <= end
    ]


def _read(
    said: FormText, listed: Field, numbers: Sequence[Reading], part: tuple[int, int]
) -> _Row | None:
    """The row that a part of the text is; None where it says something else as well."""
    row, first = _Row(), numbers[0]
    before = said.text[max(0, first.start - NEAR) : first.start]
    counted = _counted(said, listed, numbers)
    if counted is None or DENIED.search(before) or LIMIT.search(before):
        return None
    for column, reading, value in counted:
        behind = _EACH.match(said.text, reading.end) or _name_behind(said, column, reading)
        row.add(column, value, reading.start, behind.end() if behind else reading.end)
    _add_named(row, said, listed, part)
    _add_options(row, said, listed, part)
    words = [c for c in listed.columns if c.type == "text" and not c.entity and not c.pattern]
    if len(words) == 1:
        _add_words(row, said, listed, words[0], part)
    named = [c for c in listed.columns if c in words or c.entity]
    named = named or [c for c in listed.columns if c.type == "choice"]
    return row if any(c.name in row.cells for c in named) else None


def _counted(
    said: FormText, listed: Field, numbers: Sequence[Reading]
) -> list[tuple[Field, Reading, str]] | None:
    """The number of each column: the first one is the first column's, a price the next one's."""
    columns = [column for column in listed.columns if column.type in _NUMBERS]
    if len(numbers) > len(columns):
        return None
    told: list[tuple[Field, Reading, str]] = []
    for at, reading in enumerate(numbers):
        named = [c for c in columns if _is_named(said, c, reading)]
        column = named[0] if len(named) == 1 else columns[at]
        value = _number(said, column, reading)
        is_sure = at == 0 or bool(named) or _is_price(said.text, reading)
        if not value or not is_sure or column in [each for each, _, _ in told]:
            return None
        told.append((column, reading, value))
    return told


def _is_price(text: str, reading: Reading) -> bool:
    before = text[max(0, reading.start - NEAR) : reading.start]
    return bool(_PRICED.search(before) or _EACH.match(text, reading.end))


def _is_named(said: FormText, column: Field, reading: Reading) -> bool:
    """Whether the column's name stands behind the number, or is the unit of a duration."""
    if reading.kind == "duration":
        return _name_of(column).search(said.text, reading.start, reading.end) is not None
    return _name_behind(said, column, reading) is not None


def _name_behind(said: FormText, column: Field, reading: Reading) -> re.Match[str] | None:
    return _behind(_name_of(column), said.text, reading.end)


def _name_of(column: Field) -> re.Pattern[str]:
    return re.compile(cue_pattern((*field_names(column), *column.names)), re.IGNORECASE)


def _number(said: FormText, column: Field, reading: Reading) -> str:
    """The number as a form takes it; "" for what may be several, or is of another unit."""
    if reading.kind == "duration":
        digits = _DIGITS.match(said.text, reading.start)
        return digits[0] if digits and _is_named(said, column, reading) else ""
    fitting = [v for v in reading.values if column.type == "number" or isinstance(v, int)]
    return str(fitting[0]) if len(fitting) == 1 else ""


def _add_named(row: _Row, said: FormText, listed: Field, part: tuple[int, int]) -> None:
    """What the part names of kinds of entities, each for the one column of its kind."""
    kinds = [column.entity for column in listed.columns if column.entity]
    matches = unshared(said.entities.find(said.written or said.text)) if kinds else ()
    for column in (c for c in listed.columns if c.entity and kinds.count(c.entity) == 1):
        own = [m for m in matches if m.kind == column.entity]
        own = [m for m in own if part[0] <= m.start and m.end <= part[1]]
        if len(own) == 1:
            row.add(column, own[0].id, own[0].start, own[0].end)


def _add_options(row: _Row, said: FormText, listed: Field, part: tuple[int, int]) -> None:
    """Options of choices: right behind a number, or longer words anywhere in the part."""
    ends = [end for _, end in row.spans]
    for column in (c for c in listed.columns if c.type == "choice"):
        for word, option in option_words(column):
            pattern = re.compile(cue_pattern((word,)), re.IGNORECASE)
            place = next((m for end in ends if (m := _behind(pattern, said.text, end))), None)
            if place is None and len(word) >= (3 if word.isascii() else 2):
                place = pattern.search(said.text, *part)
            if place and place.end() <= part[1] and column.name not in row.cells:
                row.add(column, option, *place.span())


def _behind(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """What the pattern finds there, a space between or none."""
    return pattern.match(text, end + 1 if text[end : end + 1] == " " else end)


def _add_words(
    row: _Row, said: FormText, listed: Field, column: Field, part: tuple[int, int]
) -> None:
    """The words of the row: those behind what is found of it, else those before a unit."""
    behind = _stripped(said.text, row.end, part[1])
    places = [_gap(row, said.text), behind]
    if any(c.type == "choice" and c.name in row.cells for c in listed.columns):
        # A number alone says nothing of what stands before it: "material for site 3".
        first = row.start
        places.append(_stripped(said.text, _bid_end(said, part[0], first), first))
    for start, end in places:
        words = said.text[start:end]
        if any(letter.isalpha() for letter in words) and len(words) <= MAX_WORDS:
            row.add(column, said.as_written(words, start), start, end)
            return


def _gap(row: _Row, text: str) -> tuple[int, int]:
    """The first stretch between two things that were found: "20 bags of cement at 9.50"."""
    spans = sorted(row.spans)
    for (_, end), (start, _) in pairwise(spans):
        first, last = _stripped(text, end, start)
        if any(letter.isalpha() for letter in text[first:last]):
            return first, last
    return 0, 0


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without small words at its edges."""
    while start < end and (lead := _LEADING.match(text, start, end)):
        start = lead.end()
    while start < end and (trail := _TRAILING.search(text[start:end])):
        end = start + trail.start()
    return start, end


def _bid_end(said: FormText, start: int, end: int) -> int:
    """Where the words that ask for the request end, in front of the row."""
    bids = re.compile(cue_pattern(said.request), re.IGNORECASE)
    ends = [match.end() for match in bids.finditer(said.text, start, end)]
    return ends[-1] if ends else start


def _line(listed: Field, cells: Mapping[str, str]) -> str:
    values = (cells.get(column.name, "") for column in listed.columns)
    line = " | ".join(re.sub(r"([\\|])", r"\\\1", value) for value in values)
    return line.rstrip(" |")
