"""Every pattern of the four packages: those that modules hold, and those that functions name."""

import ast
import importlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from tests.patterns.growth import Method

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "adapters", "engine", "cards")
_CALLS = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}
METHODS: tuple[Method, ...] = ("search", "match", "fullmatch")
_WORD = re.compile(r"\w+")
_NO_RUN = {"pattern", "flags", "groups", "groupindex"}


@dataclass(frozen=True, slots=True)
class Collected:
    """A pattern, where it stands, and what is called of it."""

    where: str
    pattern: "re.Pattern[str]"
    methods: tuple[Method, ...]


@dataclass(frozen=True)
class Source:
    """A module's name and its text, whose syntax is read when it is asked for."""

    name: str
    text: str

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All of its tree."""
        return tuple(ast.walk(ast.parse(self.text)))

    @cached_property
    def words(self) -> frozenset[str]:
        """All that may be names in it."""
        return frozenset(_WORD.findall(self.text))

    @property
    def module(self) -> ModuleType:
        found = importlib.import_module(self.name)
        sys.modules["numpy"] = numpy  # the reader of sheets hides it, in a process of its own
        return found


@cache
def sources() -> tuple[Source, ...]:
    """Every module of the four packages."""
    files = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return tuple(Source(_name(path), path.read_text("utf-8")) for path in files)


def collected() -> Iterator[Collected]:
    """The patterns that modules hold by a name, and those that functions name."""
    held = [(source, name, v) for source in sources() for name, v in vars(source.module).items()]
    uses = _uses({name for _, name, value in held if isinstance(value, re.Pattern)})
    seen: dict[int, Any] = {}
    for source, name, value in held:
        plain = isinstance(value, re.Pattern)
        for pattern in _patterns(value, source.name, {} if plain else seen):
            how = uses[source.name, name] if plain else {"compile"}
            yield Collected(f"{source.name}.{name}", pattern, _methods(how))
    for source in sources():
        for call in calls(source):
            if (pattern := evaluated(source, call)) is not None:
                where = f"{source.name}:{call.lineno}"
                yield Collected(where, pattern, _methods({_method(call)}))


def calls(source: Source) -> Iterator[ast.Call]:
    """The calls of `re` inside of the module's functions."""
    if not _calls_re(source):
        return
    inside = (
        n
        for n in source.nodes
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
    for call in dict.fromkeys(n for function in inside for n in ast.walk(function)):
        if isinstance(call, ast.Call) and _of_re(call.func):
            yield call


def built(source: Source) -> Iterator[str]:
    """The functions that build a pattern from what they are given, by name."""
    for function in source.nodes if _calls_re(source) else ():
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for call in ast.walk(function):
                if not isinstance(call, ast.Call) or not _of_re(call.func):
                    continue
                if evaluated(source, call) is None:
                    yield f"{source.name}.{function.name}"


def evaluated(source: Source, call: ast.Call) -> "re.Pattern[str] | None":
    """The pattern that the call names, from constants of its module; None if it is built."""
    flags = [k.value for k in call.keywords if k.arg == "flags"]
    flags += [n for n in call.args[1:] if isinstance(n, ast.Attribute) and _is_re(n.value)]
    try:
        text, *given = (
            eval(compile(ast.Expression(node), source.name, "eval"), vars(source.module))
            for node in (call.args[0], *flags)
        )
    except NameError:
        return None
    return re.compile(text, *given)


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _is_re(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "re"


def _of_re(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and _is_re(node.value) and node.attr in _CALLS


def _calls_re(source: Source) -> bool:
    return "re" in source.words and any(
        isinstance(n, ast.Call) and _of_re(n.func) for n in source.nodes
    )


def _method(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr


def _methods(names: Iterable[str]) -> tuple[Method, ...]:
    """What is called of a pattern; `search` stands for all that begin anywhere."""
    known = set(names)
    if not known or "compile" in known:
        return METHODS
    found: set[Method] = {"search"} if known - {"match", "fullmatch"} else set()
    return tuple(method for method in METHODS if method in known | found)


def _patterns(value: Any, module: str, seen: dict[int, Any]) -> Iterator["re.Pattern[str]"]:
    """The patterns in a value: in what it holds, and in a class of the module.

    What is `seen` is passed by; a class is, in its own module.
    """
    if isinstance(value, str | int | float | None) or id(value) in seen:
        return
    if isinstance(value, type) and value.__module__ != module:
        return
    seen[id(value)] = value
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, Mapping):
        for inner in (*value.keys(), *value.values()):
            yield from _patterns(inner, module, seen)
    elif isinstance(value, Sequence | set | frozenset) and not isinstance(
        value, str | bytes | range
    ):
        for inner in value:
            yield from _patterns(inner, module, seen)
    elif isinstance(value, type):
        for inner in list(vars(value).values()):
            yield from _patterns(inner, module, seen)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _patterns(getattr(value, each.name, None), module, seen)


def _uses(names: set[str]) -> dict[tuple[str, str], set[str]]:
    """By module and name, the methods that are called; `compile` where it is given to others."""
    uses: dict[tuple[str, str], set[str]] = defaultdict(set)
    for source in sources():
        if names.isdisjoint(source.words):
            continue
        origin = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in source.nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        called: dict[int, str] = {}
        for node in source.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                called[id(node.value)] = node.attr
        several = {
            id(n.func.value)
            for n in source.nodes
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and len(n.args) != 1
        }
        for node in source.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                how = called.get(id(node), "compile")
                if how in _NO_RUN:
                    continue
                if how in METHODS and id(node) in several:
                    how = "search"  # from place to place, by hand
                uses[origin.get(node.id, (source.name, node.id))].add(how)
    return uses
