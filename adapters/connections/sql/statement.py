"""A statement of a project folder, with its arguments as bound parameters."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from pydantic import JsonValue

from engine.errors import ToolRetry
from engine.ports.systems.connections import BadCall
from engine.text.template import BadTemplate, Hole, NoValue

Dialect = Literal["sqlite", "postgresql"]
KEY = "key"
"""The parameter that holds a write's idempotency key."""
MAX_KEPT = 512
"""So many statements are kept as they were read."""

_TOKEN = re.compile(
    r"""
    (?P<opens> ['"] | -- | /\* | \$(?:[A-Za-z_]\w{0,62})?\$ )
    | (?P<cast> ::)
    | (?P<name> : [A-Za-z_]\w*(?:\.\w+)*)
    | (?P<end> ;)
    | (?P<word> \w+)
    | (?P<other> .)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSED_BY = {"--": "\n", "/*": "*/"}
_READS = ("select", "with", "values")
_WRITES = ("insert", "update", "delete", "with", "merge", "replace")


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL as the driver takes it, and the arguments that it binds by name."""

    sql: str
    holes: Mapping[str, Hole]

    @property
    def nulls(self) -> dict[str, None]:
        """Nothing for each parameter."""
        return dict.fromkeys(self.holes)

    def bind(
        self, values: Mapping[str, JsonValue], key: str
    ) -> dict[str, str | int | float | None]:
        """What each parameter is bound to; an argument that is not given is NULL. ToolRetry."""
        bound: dict[str, str | int | float | None] = {}
        for parameter, hole in self.holes.items():
            try:
                value = key if hole.name == KEY else hole.value(values)
            except NoValue:
                value = None
            except BadTemplate as error:
                raise ToolRetry(f"Wrong arguments {hole.name}. {error}") from error
            if isinstance(value, dict | list):
                raise ToolRetry(f"Wrong arguments {hole.name}. {hole.name}: has several parts")
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise ToolRetry(f"Wrong arguments {hole.name}. {hole.name}: is too large")
            if isinstance(value, str) and "\0" in value:
                raise ToolRetry(f"Wrong arguments {hole.name}. {hole.name}: holds a NUL")
            bound[parameter] = value
        return bound


class SqlToken(NamedTuple):
    """A piece of a statement: a word, a quoted text, a parameter, or another character."""

    kind: str
    text: str


@lru_cache(maxsize=MAX_KEPT)
def read_statement(
    sql: str, arguments: frozenset[str], *, writes: bool, keyed: bool, dialect: Dialect
) -> Statement:
    """The statement. Raises BadCall: several statements, another kind, unknown arguments."""
    holes: dict[str, Hole] = {}
    tokens = tokens_of(sql)
    text = "".join(_pieces(tokens, holes, dialect)).strip()
    word = _first_word(tokens)
    problems = []
    if word not in (_WRITES if writes else _READS):
        wanted = "INSERT, UPDATE or DELETE" if writes else "SELECT"
        problems.append(f"sql: should begin with {wanted}, not {word.upper() or 'nothing'}")
    named = {hole.root for hole in holes.values()}
    if keyed and KEY not in named:
        problems.append("sql: does not write :key, though `key` says where it stands")
    known = arguments | ({KEY} if keyed else frozenset())
    for name in sorted(named - known):
        there = ", ".join(f":{each}" for each in sorted(known)) or "none"
        problems.append(f"sql: :{name} is no argument; there are {there}")
    if problems:
        raise BadCall(*problems)
    return Statement(text, holes)


def check_whole(statement: Statement, parts: Mapping[str, tuple[str, ...]]) -> None:
    """Raises BadCall for an argument of several `parts` that a parameter should be."""
    problems = []
    for hole in statement.holes.values():
        if hole.name not in parts:
            continue
        named = " or ".join(f":{hole.name}.{part}" for part in parts[hole.name])
        told = (
            f"has several parts; write {named}" if named else "is a list, which no parameter takes"
        )
        problems.append(f"sql: :{hole.name} {told}")
    if problems:
        raise BadCall(*problems)


def tokens_of(sql: str) -> list[SqlToken]:
    """The statement in pieces. Raises BadCall for a quote that is never closed."""
    tokens: list[SqlToken] = []
    at = 0
    while found := _TOKEN.match(sql, at):
        end, kind = found.end(), found.lastgroup or "other"
        if kind == "opens":
            closing = _CLOSED_BY.get(found[0], found[0])
            closed = sql.find(closing, end)
            if closed < 0 and found[0] != "--":
                raise BadCall(f"sql: {found[0]} is opened and never closed")
            end = len(sql) if closed < 0 else closed + len(closing)
        tokens.append(SqlToken(kind, sql[at:end]))
        at = end
    return tokens


def _first_word(tokens: Iterable[SqlToken]) -> str:
    """What the statement begins with, behind spaces, comments and opened brackets."""
    for _, text in tokens:
        if text.strip() and text != "(" and not text.startswith(("--", "/*")):
            return text.lower()
    return ""


def _pieces(tokens: Iterable[SqlToken], holes: dict[str, Hole], dialect: Dialect) -> Iterator[str]:
    ended = False
    for kind, text in tokens:
        if kind == "end":
            ended = True
            continue
        if ended and text.strip() and not text.startswith(("--", "/*")):
            raise BadCall("sql: should be one statement; there is more after the ;")
        if kind == "name":
            name = text[1:]
            parameter = "p_" + name.replace(".", "__")
            holes[parameter] = Hole(name)
            yield f":{parameter}" if dialect == "sqlite" else f"%({parameter})s"
        elif dialect == "postgresql":
            # The driver reads a percent sign as a parameter wherever it stands.
            yield text.replace("%", "%%")
        else:
            yield text
