"""A statement of a project folder, with its arguments as bound parameters."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from engine.errors import ToolRetry
from engine.ports.systems.connections import BadCall
from engine.text.template import BadTemplate, Hole, NoValue

Dialect = Literal["sqlite", "postgresql"]
KEY = "key"
"""The parameter that holds a write's idempotency key."""

_TOKENS = re.compile(
    r"""
    (?P<kept> '(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/
            | \$(?P<tag>[A-Za-z_]*)\$.*?\$(?P=tag)\$ | ::)
    | : (?P<name> [A-Za-z_]\w*(?:\.\w+)*)
    | (?P<end> ;)
    | (?P<percent> %)
    | (?P<other> .)
    """,
    re.VERBOSE | re.DOTALL,
)
_READS = ("select", "with", "values")
_WRITES = ("insert", "update", "delete", "with", "merge", "replace")


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL as the driver takes it, and the arguments that it binds by name."""

    sql: str
    holes: Mapping[str, Hole]

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


def read_statement(
    sql: str, arguments: frozenset[str], *, writes: bool, keyed: bool, dialect: Dialect
) -> Statement:
    """The statement. Raises BadCall: several statements, another kind, unknown arguments."""
    holes: dict[str, Hole] = {}
    pieces = list(_pieces(sql, holes, dialect))
    text = "".join(pieces).strip()
    first = re.match(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(\w+)", text, re.DOTALL)
    word = first[1].lower() if first else ""
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


def _pieces(sql: str, holes: dict[str, Hole], dialect: Dialect) -> Iterator[str]:
    ended = False
    for token in _TOKENS.finditer(sql):
        text = token[0]
        if token["end"]:
            ended = True
            continue
        if ended and text.strip() and not text.startswith(("--", "/*")):
            raise BadCall("sql: should be one statement; there is more after the ;")
        if token["name"]:
            parameter = "p_" + token["name"].replace(".", "__")
            holes[parameter] = Hole(token["name"])
            yield f":{parameter}" if dialect == "sqlite" else f"%({parameter})s"
        elif dialect == "postgresql":
            # The driver reads a percent sign as a parameter wherever it stands.
            yield text.replace("%", "%%")
        else:
            yield text
