"""Of whom or what a text states its numbers: `about: {P003: [61.2]}` of an expected reply."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from bot.testing.numbers import numbers_in, numbers_in_order

_SENTENCE: Final = re.compile(r"(?<=[。；;！!？?\n])|(?<=[.:：])(?=\s)")
_TOGETHER: Final = re.compile(r"(?:,|、|/|&|and|or|和|与|及|或)?(?:\s(?:and|or))?")
_JOINS: Final = re.compile(r"\band\b|\bor\b|[&/、]|和|与|及|或")
_LETTER: Final = r"[A-Za-z0-9_]"
_RULE: Final = re.compile(r"[|\s:-]*")

_Place = tuple[int, int, str]
"""Where a name begins and ends, and the name as it was given."""
_FindNames = Callable[[str], list[_Place]]

Stated = dict[str, set[float]]
"""The numbers of each name; those that are stated of nothing by name stand under ""."""


def stated_of(text: str, names: Collection[str]) -> Stated:
    """The numbers that a text states of each of these names, and of names of their form.

    A number is of the name before it in its sentence, or of the next one where the sentence begins
    with a number; of the sentence before where it names nothing; in a table of its row or column.
    """
    found: Stated = {}
    find = _names_in(names)
    last: tuple[str, ...] = ("",)
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.lstrip().startswith("|"):
            _add_row(found, line, _header(lines, at), find)
            continue
        for sentence in filter(None, _SENTENCE.split(line)):
            last = _add_sentence(found, sentence, last, find)
    return found


def _names_in(names: Collection[str]) -> _FindNames:
    """Finds the names, and others that differ from one by its digits alone, as P004 from P003."""
    forms = []
    for name in sorted(names, key=len, reverse=True):
        written = re.sub(r"[0-9]+", "\0", name)
        form = (
            re.escape(written).replace("\0", "[0-9]+") if written.strip("\0") else re.escape(name)
        )
        begins = rf"(?<!{_LETTER})" if name[:1].isascii() else ""
        ends = rf"(?!{_LETTER})" if name[-1:].isascii() else ""
        forms.append(f"{begins}{form}{ends}")
    pattern, given = re.compile("|".join(forms), re.IGNORECASE), {n.casefold(): n for n in names}

    def find(text: str) -> list[_Place]:
        found = pattern.finditer(text)
        return [(m.start(), m.end(), given.get(m[0].casefold(), m[0])) for m in found]

    return find


def _add_sentence(
    found: Stated, sentence: str, last: tuple[str, ...], find: _FindNames
) -> tuple[str, ...]:
    """Note the numbers of a sentence; whom the next one is about, where it does not say."""
    places = find(sentence)
    if not places:
        _note(found, last, numbers_in(sentence))
        return last
    groups = _groups(sentence, places)
    before = numbers_in_order(sentence[: groups[0][0]])
    ends = [start for start, _, _ in groups[1:]] + [len(sentence)]
    if before:
        # Of "151 against 141 for P010" the first is of what was asked.
        _note(found, ("",), {*before[:-1]})
        # "61.2 kg for P003 and 67.2 kg for P004": each stands before its name.
        begins = [0, *(end for _, end, _ in groups)]
        for (start, _, group), begin in zip(groups, begins, strict=False):
            _note(found, group, numbers_in(sentence[begin:start]))
        _note(found, groups[-1][2], numbers_in(sentence[groups[-1][1] :]))
    else:
        for (_, end, group), stop in zip(groups, ends, strict=True):
            _note(found, group, numbers_in(sentence[end:stop]))
    return groups[-1][2]


def _groups(
    sentence: str, places: Sequence[tuple[int, int, str]]
) -> list[tuple[int, int, tuple[str, ...]]]:
    """Names that stand together, as "P003 and P004" do, with where they begin and end."""
    groups: list[tuple[int, int, tuple[str, ...]]] = []
    for start, end, name in places:
        gap = sentence[groups[-1][1] : start].strip() if groups else "."
        if _TOGETHER.fullmatch(gap) and _JOINS.search(gap):
            begin, _, before = groups[-1]
            groups[-1] = begin, end, (*before, name)
        else:
            groups.append((start, end, (name,)))
    return groups


def _header(lines: Sequence[str], at: int) -> str:
    """The first line of the table in which a line is."""
    while at and lines[at - 1].lstrip().startswith("|"):
        at -= 1
    return lines[at]


def _add_row(found: Stated, line: str, header: str, find: _FindNames) -> None:
    """Note the numbers of a table's row, which are of what the row names, else the column."""
    if _RULE.fullmatch(line):
        return
    own = tuple(name for _, _, name in find(line))
    heads = header.strip().strip("|").split("|")
    for place, cell in enumerate(line.strip().strip("|").split("|")):
        head = heads[place] if place < len(heads) else ""
        column = tuple(name for _, _, name in find(head))
        for start, end, _ in reversed(find(cell)):
            cell = f"{cell[:start]} {cell[end:]}"
        _note(found, own or column or ("",), numbers_in(cell))


def _note(found: Stated, names: Sequence[str], numbers: set[float]) -> None:
    for name in names:
        found.setdefault(name, set()).update(numbers)


def not_stated(
    text: str, about: Mapping[str, Collection[float]]
) -> Iterator[tuple[str, float, str]]:
    """Each number that is not stated of its name, with the name of which it is, "" for none.

    A number that is stated of nothing by name may be of any that is asked for.
    """
    found = stated_of(text, about)
    unnamed = found.get("", set())
    for name, numbers in about.items():
        own = found.get(name, set()) | unnamed
        for number in numbers:
            if number not in own:
                others = (other for other, theirs in found.items() if other and number in theirs)
                yield name, number, next(others, "")
