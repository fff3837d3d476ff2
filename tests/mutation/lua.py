"""Finds in a Lua script every guard, flag, boundary and effect that a change could lose."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

LUA = Path(__file__).parents[2] / "adapters" / "redis" / "lua"
_TOKEN = re.compile(r"--[^\n]*|'[^']*'|[A-Za-z_]\w*|\d+|[<>=~]=|\.\.|[^\s\w]")
_FLIPS = {">=": ">", ">": ">=", "<=": "<", "<": "<="}
_FLAGS = ("'NX'", "'XX'", "'LT'", "'PX'")
_DEFAULT = re.compile(r" or ('[^']*'|now)(?=[\s,)])")
_BEFORE_STATEMENT = ("then", "else", "do")
_NO_CALL = ("if", "elseif", "for", "while", "return", "local", "function", "end", "not")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one script; `name` stays the same when lines move."""

    file: str
    line: int
    name: str
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """The script with the change."""
        return source[: self.start] + self.text + source[self.end :]


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


def all_mutants(folder: Path = LUA) -> tuple[Mutant, ...]:
    """Every mutant of every script, in order; each has a name of its own."""
    return tuple(
        mutant
        for path in sorted(folder.glob("*.lua"))
        for mutant in mutants_of(path.name, path.read_text())
    )


def mutants_of(file: str, source: str) -> tuple[Mutant, ...]:
    """The mutants of one script."""
    tokens = [
        _Token(found.group(), found.start(), found.end())
        for found in _TOKEN.finditer(source)
        if not found.group().startswith("--")
    ]
    found = sorted(
        {
            *_conditions(source, tokens),
            *_comparisons(source, tokens),
            *_flags(tokens),
            *_defaults(source),
            *_bounds(source, tokens),
            *_statements(source, tokens),
            *_fields(source, tokens),
        }
    )
    named = (_named(file, source, *change) for change in found)
    return tuple(_numbered(named))


_Change = tuple[int, int, str, str]


def _named(file: str, source: str, start: int, end: int, text: str, what: str) -> Mutant:
    line = source.count("\n", 0, start)
    shown = source.splitlines()[line].strip()
    functions = re.findall(r"^local function (\w+)", source[:start], re.MULTILINE)
    inside = f"{functions[-1]}: " if functions else ""
    name = f"{file}: {inside}`{shown}`, {what}"
    return Mutant(file, line + 1, name, start, end, text)


def _numbered(mutants: Iterator[Mutant]) -> Iterator[Mutant]:
    seen: Counter[str] = Counter()
    for mutant in mutants:
        seen[mutant.name] += 1
        count = seen[mutant.name]
        yield mutant if count == 1 else replace(mutant, name=f"{mutant.name} ({count})")


def _conditions(source: str, tokens: Sequence[_Token]) -> Iterator[_Change]:
    """Each `if` never and always holds; each part of its condition is left out."""
    for at, token in enumerate(tokens):
        if token.text not in ("if", "elseif"):
            continue
        then = next(i for i in range(at, len(tokens)) if tokens[i].text == "then")
        inside = tokens[at + 1 : then]
        start, end = inside[0].start, inside[-1].end
        yield start, end, "false", "never"
        # A refusal that always refuses says nothing about its condition.
        if tokens[then + 1].text != "return":
            yield start, end, "true", "always"
        yield from _parts(source, inside)


def _parts(source: str, tokens: Sequence[_Token]) -> Iterator[_Change]:
    for word in ("or", "and"):
        parts = _split(tokens, word)
        if len(parts) == 1:
            continue
        for i, part in enumerate(parts):
            start = part[0].start if i == 0 else parts[i - 1][-1].end
            end = parts[1][0].start if i == 0 else part[-1].end
            yield start, end, "", f"without `{source[part[0].start : part[-1].end]}`"
            yield from _parts(source, part)
        return
    if tokens and tokens[0].text == "not":
        yield from _parts(source, tokens[1:])
    elif tokens and tokens[0].text == "(" and _closing(tokens, 0) == len(tokens) - 1:
        yield from _parts(source, tokens[1:-1])


def _split(tokens: Sequence[_Token], word: str) -> list[Sequence[_Token]]:
    parts, depth, first = [], 0, 0
    for at, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.text == word:
            parts.append(tokens[first:at])
            first = at + 1
    return [*parts, tokens[first:]]


def _closing(tokens: Sequence[_Token], opening: int) -> int:
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at].text in "([{") - (tokens[at].text in ")]}")
        if depth == 0:
            return at
    raise ValueError("a bracket is not closed")


def _comparisons(source: str, tokens: Sequence[_Token]) -> Iterator[_Change]:
    """Each boundary moves by one; what is compared outside of an `if` is not compared."""
    for token in tokens:
        if token.text in _FLIPS:
            flipped = _FLIPS[token.text]
            yield token.start, token.end, flipped, f"`{token.text}` is `{flipped}`"
    kept = re.compile(r"^\s*(?:local \w+ = |return )(.*(?:==|>) \S+)$", re.MULTILINE)
    for found in kept.finditer(source):
        for value in ("true", "false"):
            yield found.start(1), found.end(1), value, f"is {value}"
    for found in re.finditer(r"(\w+) and (\S+ \+ [^,\n]+) or (\w+)", source):
        yield found.start(), found.end(), found[2], f"always `{found[2]}`"
        yield found.start(), found.end(), found[3], f"always `{found[3]}`"


def _flags(tokens: Sequence[_Token]) -> Iterator[_Change]:
    for at, (before, token) in enumerate(pairwise(tokens), start=1):
        if token.text in _FLAGS and before.text == ",":
            last = _argument(tokens, at + 2) if token.text == "'PX'" else at
            yield before.start, tokens[last].end, "", f"without {token.text}"


def _fields(source: str, tokens: Sequence[_Token]) -> Iterator[_Change]:
    """Each of several fields of a hash is not written, or not taken away."""
    for at, token in enumerate(tokens):
        if token.text not in ("'HSET'", "'HDEL'"):
            continue
        size = 2 if token.text == "'HSET'" else 1
        ends = _arguments(tokens, at)[1:]
        # One alone is lost with its call.
        if len(ends) <= 1 + size:
            continue
        for before, last in zip(ends[:-size:size], ends[size::size], strict=True):
            start, end = tokens[before + 1].start, tokens[last].end
            yield start, end, "", f"without {source[tokens[before + 2].start : end]}"


def _arguments(tokens: Sequence[_Token], first: int) -> list[int]:
    """The last token of each argument of a call, from that on."""
    ends = [_argument(tokens, first)]
    while tokens[ends[-1] + 1].text == ",":
        ends.append(_argument(tokens, ends[-1] + 2))
    return ends


def _argument(tokens: Sequence[_Token], first: int) -> int:
    """The last token of the argument that begins there."""
    at, depth = first, 0
    while depth or tokens[at].text not in (",", ")"):
        depth += (tokens[at].text in "([{") - (tokens[at].text in ")]}")
        at += 1
    return at - 1


def _defaults(source: str) -> Iterator[_Change]:
    """What is not there has no default."""
    for found in _DEFAULT.finditer(source):
        yield found.start(), found.end(), "", f"no default {found[1]}"


def _bounds(source: str, tokens: Sequence[_Token]) -> Iterator[_Change]:
    """Only one of the two sides of each `math.min` and `math.max` counts."""
    for at, token in enumerate(tokens):
        if token.text not in ("min", "max") or tokens[at - 2].text != "math":
            continue
        left = _argument(tokens, at + 2)
        for first, last in ((at + 2, left), (left + 2, _closing(tokens, at + 1) - 1)):
            text = source[tokens[first].start : tokens[last].end]
            end = tokens[_closing(tokens, at + 1)].end
            yield tokens[at - 2].start, end, text, f"only `{text}` of `{token.text}`"


def _statements(source: str, tokens: Sequence[_Token]) -> Iterator[_Change]:
    """Each call that stands alone, that is an effect, is left out."""
    for at, token in enumerate(tokens):
        line_start = source.rfind("\n", 0, token.start) + 1
        first = not source[line_start : token.start].strip()
        if not (first or tokens[at - 1].text in _BEFORE_STATEMENT) or token.text in _NO_CALL:
            continue
        after = at + 1
        while tokens[after].text == ".":
            after += 2
        if not token.text[0].isalpha() or tokens[after].text != "(":
            continue
        last = _closing(tokens, after)
        # Alone under its `if`, it is left out already where that never holds.
        if tokens[at - 1].text != "then" or tokens[last + 1].text != "end":
            yield token.start, tokens[last].end, "", "left out"
