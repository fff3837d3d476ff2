"""A pattern as an automaton whose runs are the ways that a backtracking matcher may go.

Each character that the pattern consumes is a place of its own (Glushkov's construction), and each
way from a place to the next is an edge, so that two ways of reading the same text are two runs. A
condition on the characters to both sides of a boundary (`\b`, `^`, `(?<!x)`, `(?!x)`) restricts an
edge; what cannot be said of two neighbours is left out, which only adds runs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

LONGEST = 128
"""A repeat of at most this many times counts as bounded; a longer one as one without end."""
_SAMPLE = {
    *map(chr, range(256)),
    *"ıſK\u0130\u0660\u2028\u2003\u200b\u3000\ufeff\U0001f600。、,中文５Ａπя\u0301\udcff",
}
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_SETS = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)


class Unprovable(Exception):
    """The pattern has a part of which nothing can be said."""


@dataclass(frozen=True, slots=True)
class Way:
    """To or from a place, where the characters before and after the boundary are of these sets."""

    place: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class _Part:
    """How a part of the pattern begins, ends, and the ways in which it may be empty."""

    first: tuple[Way, ...]
    last: tuple[Way, ...]
    empty: tuple[Way, ...]


@dataclass(slots=True)
class Automaton:
    """Places with the characters that each reads, the ways between them, in and out.

    Sets of characters are bits; characters that the pattern cannot tell apart share one. `symbols`
    has a character of each kind; two more bits stand for the text's begin and its end.
    """

    symbols: tuple[str, ...]
    reads: list[int] = field(default_factory=list)
    ways: list[list[Way]] = field(default_factory=list)
    first: tuple[Way, ...] = ()
    last: tuple[Way, ...] = ()

    @property
    def begin(self) -> int:
        return 1 << len(self.symbols)

    @property
    def end(self) -> int:
        return 2 << len(self.symbols)

    @property
    def any(self) -> int:
        return (4 << len(self.symbols)) - 1

    def place(self, reads: int) -> int:
        self.reads.append(reads)
        self.ways.append([])
        return len(self.reads) - 1


def automaton(pattern: "re.Pattern[str]") -> Automaton:
    """The automaton of a compiled pattern; raises Unprovable."""
    tree = _parser.parse(pattern.pattern, pattern.flags & ~_constants.SRE_FLAG_UNICODE)
    build = _Builder(tree, pattern.flags)
    whole = build.sequence(tree, pattern.flags)
    build.made.first, build.made.last = whole.first, whole.last
    return build.made


class _Builder:
    def __init__(self, tree: Any, flags: int) -> None:
        self._groups: dict[int, tuple[Any, int]] = {}
        sets = dict.fromkeys(_sets(tree, flags))
        chars = sorted(_SAMPLE.union(*(_edges(node) for node, _ in _walk(tree, flags))))
        text = "".join(chars)
        word = re.compile(r"\w", flags & re.ASCII)
        members = [self._members(known, text) for known in sets]
        words = set(word.findall(text))
        kinds: dict[tuple[bool, ...], list[str]] = {}
        for char in chars:
            kinds.setdefault(
                (char in words, char == "\n", *(char in known for known in members)), []
            ).append(char)
        self.made = Automaton(tuple(_shown(kind) for kind in kinds.values()))
        bits = [(kind, 1 << number) for number, kind in enumerate(kinds)]
        self._word = sum(bit for kind, bit in bits if kind[0])
        self._line = sum(bit for kind, bit in bits if kind[1])
        self._masks = {
            known: sum(bit for kind, bit in bits if kind[2 + number])
            for number, known in enumerate(sets)
        }

    def _members(self, known: "_Set", text: str) -> set[str]:
        alone = _parser.SubPattern(_parser.State(), [known.node])
        flags = known.flags if known.flags & re.ASCII else known.flags | re.UNICODE
        return {match[0] for match in _compiler.compile(alone, flags).finditer(text)}

    def sequence(self, nodes: Iterable[Any], flags: int) -> _Part:
        whole = self._nothing()
        for node in nodes:
            whole = self._then(whole, self._part(node, flags))
        return whole

    def _part(self, node: Any, flags: int) -> _Part:
        kind, value = node
        if kind in _SETS:
            return self._read(self._masks[_Set.of(node, flags)])
        if kind in _REPEATS:
            return self._repeat(kind, value, flags)
        if kind is _constants.BRANCH:
            return _either([self.sequence(branch, flags) for branch in value[1]])
        if kind is _constants.SUBPATTERN:
            group, added, deleted, inner = value
            inside = (flags | added) & ~deleted
            if group is not None:
                self._groups[group] = (inner, inside)
            return self.sequence(inner, inside)
        if kind is _constants.ATOMIC_GROUP:
            return self.sequence(value, flags)
        if kind is _constants.GROUPREF:
            return self._again(value)
        if kind is _constants.AT:
            return self._at(value, flags)
        if kind in (_constants.ASSERT, _constants.ASSERT_NOT):
            return self._look(value[0], value[1], kind is _constants.ASSERT, flags)
        raise Unprovable(f"nothing is known of {kind}")

    def _nothing(self, *ways: tuple[int, int]) -> _Part:
        everything = (self.made.any, self.made.any)
        return _Part((), (), tuple(Way(-1, *way) for way in ways or (everything,)))

    def _read(self, reads: int) -> _Part:
        if not reads:
            return _Part((), (), ())
        way = Way(self.made.place(reads), self.made.any, self.made.any)
        return _Part((way,), (way,), ())

    def _link(self, ends: Sequence[Way], begins: Sequence[Way]) -> None:
        for left in ends:
            for right in begins:
                if way := _both(left, right, right.place):
                    self.made.ways[left.place].append(way)

    def _then(self, left: _Part, right: _Part) -> _Part:
        self._link(left.last, right.first)
        skipped = [_both(e, f, f.place) for e in left.empty for f in right.first]
        ended = [_both(last, e, last.place) for last in left.last for e in right.empty]
        empty = [_both(e, f, -1) for e in left.empty for f in right.empty]
        return _Part(
            (*left.first, *filter(None, skipped)),
            (*right.last, *filter(None, ended)),
            _few(filter(None, empty)),
        )

    def _repeat(self, kind: Any, value: Any, flags: int) -> _Part:
        least, most, inner = value
        endless = most is _constants.MAXREPEAT or most > LONGEST
        least = min(least, LONGEST)
        whole = self._nothing()
        for _ in range(max(0, least - endless)):
            whole = self._then(whole, self.sequence(inner, flags))
        if endless:
            last = self._loop(self.sequence(inner, flags))
        else:
            last = self._nothing()
            for _ in range(most - least):
                last = self._optional(self._then(self.sequence(inner, flags), last))
        if endless and not least:
            last = self._optional(last)
        whole = self._then(whole, last)
        if kind is _constants.POSSESSIVE_REPEAT and len(inner) == 1 and inner[0][0] in _SETS:
            # It is left only where nothing more of it follows.
            rest = self.made.any & ~self._masks[_Set.of(inner[0], flags)]
            return self._then(whole, self._nothing((self.made.any, rest)))
        return whole

    def _loop(self, once: _Part) -> _Part:
        self._link(once.last, once.first)
        # A round that reads nothing may end the loop once more.
        return _Part(once.first, once.last * (2 if once.empty else 1), once.empty)

    def _optional(self, part: _Part) -> _Part:
        return _Part(part.first, part.last, _few((*self._nothing().empty, *part.empty)))

    def _again(self, group: int) -> _Part:
        inner, flags = self._groups[group]
        if inner.getwidth()[1] > LONGEST:
            raise Unprovable("a group without end is asked for again")
        return self.sequence(inner, flags)

    def _at(self, place: Any, flags: int) -> _Part:
        made, word = self.made, self._word
        none = made.any & ~word
        line = self._line if flags & re.MULTILINE else 0
        match place:
            case _constants.AT_BEGINNING:
                return self._nothing((made.begin | line, made.any))
            case _constants.AT_BEGINNING_STRING:
                return self._nothing((made.begin, made.any))
            case _constants.AT_END:
                return self._nothing((made.any, made.end | self._line))
            case _constants.AT_END_STRING:
                return self._nothing((made.any, made.end))
            case _constants.AT_BOUNDARY:
                return self._nothing((word, none), (none, word))
            case _constants.AT_NON_BOUNDARY:
                return self._nothing((word, word), (none, none))
        raise Unprovable(f"nothing is known of {place}")

    def _look(self, direction: int, inner: Any, wanted: bool, flags: int) -> _Part:
        every = self.made.any
        if _is_single(inner):
            # A look-around at one character is a condition, and costs one step.
            reads = self._single(inner, flags)
            reads = reads if wanted else every & ~reads
            return self._nothing((reads, every) if direction < 0 else (every, reads))
        if direction < 0:
            return self._nothing()
        # Whatever it reads is read beside what follows.
        ahead = self.sequence(inner, flags)
        after = every
        if wanted and not ahead.empty:
            after = 0
            for way in ahead.first:
                after |= self.made.reads[way.place] & way.after
        return _Part(ahead.first, (), self._nothing((every, after)).empty)

    def _single(self, inner: Any, flags: int) -> int:
        ((kind, value),) = inner
        if kind is _constants.SUBPATTERN:
            return self._single(value[3], (flags | value[1]) & ~value[2])
        if kind is _constants.BRANCH:
            reads = 0
            for branch in value[1]:
                reads |= self._single(branch, flags)
            return reads
        return self._masks[_Set.of((kind, value), flags)]


@dataclass(frozen=True, slots=True)
class _Set:
    """A part that reads one character, under its flags; two of the same text are one."""

    text: str
    flags: int
    node: Any = field(compare=False)

    @staticmethod
    def of(node: Any, flags: int) -> "_Set":
        kept = flags & (re.IGNORECASE | re.ASCII | re.DOTALL)
        return _Set(repr(node), kept, node)


def _walk(nodes: Any, flags: int) -> Iterator[tuple[Any, int]]:
    for node in nodes:
        kind, value = node
        yield node, flags
        if kind is _constants.SUBPATTERN:
            yield from _walk(value[3], (flags | value[1]) & ~value[2])
        elif kind is _constants.BRANCH:
            for branch in value[1]:
                yield from _walk(branch, flags)
        elif kind in _REPEATS:
            yield from _walk(value[2], flags)
        elif kind is _constants.ATOMIC_GROUP:
            yield from _walk(value, flags)
        elif kind in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from _walk(value[1], flags)


def _sets(tree: Any, flags: int) -> Iterator[_Set]:
    return (_Set.of(node, inside) for node, inside in _walk(tree, flags) if node[0] in _SETS)


def _edges(node: Any) -> Iterator[str]:
    """The characters that the part names, and their neighbours and other cases."""
    kind, value = node
    items = value if kind is _constants.IN else [node]
    for what, said in items if kind in _SETS else ():
        codes: tuple[int, ...] = ()
        if what in (_constants.LITERAL, _constants.NOT_LITERAL):
            codes = (said,)
        elif what is _constants.RANGE:
            codes = (said[0] - 1, said[0], said[1], said[1] + 1)
        for char in (chr(code) for code in codes if 0 <= code < 0x110000):
            yield from (c for c in (char, char.lower(), char.upper()) if len(c) == 1)


def _is_single(inner: Any) -> bool:
    if len(inner) != 1:
        return False
    ((kind, value),) = inner
    if kind is _constants.SUBPATTERN:
        return _is_single(value[3])
    if kind is _constants.BRANCH:
        return all(_is_single(branch) for branch in value[1])
    return kind in _SETS


def _either(parts: Sequence[_Part]) -> _Part:
    return _Part(
        tuple(way for part in parts for way in part.first),
        tuple(way for part in parts for way in part.last),
        _few(way for part in parts for way in part.empty),
    )


def _both(one: Way, other: Way, place: int) -> Way | None:
    before, after = one.before & other.before, one.after & other.after
    return Way(place, before, after) if before and after else None


def _few(ways: Iterable[Way]) -> tuple[Way, ...]:
    """Of equal ways at most two, which is enough to see that there are several."""
    kept: list[Way] = []
    for way in ways:
        if kept.count(way) < 2:
            kept.append(way)
    return tuple(kept)


def _shown(chars: Sequence[str]) -> str:
    return next((c for c in chars if c.isprintable()), chars[0])
