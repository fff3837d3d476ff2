"""Whether workers that are forked notice what one process does: `python -m tests.mutation.sample`.

Some 200 mutants of functions of all rooms, drawn by a seed. Each is tried twice, over the tests of
its room that import its module: by one process, as pytest runs tests, and by a worker of
`--at-once`. Both must tell the same first failure, or that there is none. Only tests without a
server or browser are taken, so that it takes minutes.
"""

import ast
import importlib
import inspect
import json
import os
import random
import signal
import sys
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.session.at_once import _capture_anew, _Crew

ROOT = Path(__file__).parents[2]
ROOMS = ("cards", "engine", "adapters", "bot")
COUNT, SEED, LONGEST_S = 200, 19, 120
_DEAR = {"redis", "redis_server", "browser", "browsers", "cluster_url", "scripts"}
_OTHER = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE}
_OTHER |= {ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot}
_OTHER |= {ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add}


@dataclass(frozen=True, slots=True)
class Place:
    """The n-th change that a function of a module allows."""

    module: str
    function: str
    number: int


def changes(function: ast.AST) -> Iterator[tuple[ast.AST, str, Any]]:
    """Every node of a function that can be another, with its field and what it would be."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHER:
            yield node, "ops", [_OTHER[type(node.ops[0])](), *node.ops[1:]]
        if isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in _OTHER:
            yield node, "op", _OTHER[type(node.op)]()
        if isinstance(node, ast.If | ast.IfExp):
            yield node, "test", ast.UnaryOp(ast.Not(), node.test)
        if isinstance(node, ast.Return) and node.value is not None:
            yield node, "value", ast.Constant(None)


def functions(module: str) -> Iterator[tuple[str, ast.AST]]:
    """The module's functions and methods, by their qualified names, and its tree in each."""
    tree = ast.parse((ROOT / (module.replace(".", "/") + ".py")).read_text("utf-8"))
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        before = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for each in inner:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                yield before + each.name, each


def drawn(modules: list[str]) -> list[Place]:
    """The sample: as many of each module as its share, in an order that the seed gives."""
    places = [
        Place(module, name, number)
        for module in modules
        for name, node in functions(module)
        for number, _ in enumerate(changes(node))
    ]
    return random.Random(SEED).sample(places, min(COUNT, len(places)))


def mutate(place: Place) -> bool:
    """Put the changed code under the living function; False where it cannot be found there."""
    module = importlib.import_module(place.module)
    source = Path(str(module.__file__)).read_text("utf-8")
    tree = ast.parse(source)
    owner, _, name = place.function.rpartition(".")
    named = {n.name: n.body for n in tree.body if isinstance(n, ast.ClassDef)}
    node = next(n for n in named.get(owner, tree.body) if getattr(n, "name", "") == name)
    changed, field, value = list(changes(node))[place.number]
    setattr(changed, field, value)
    code = compile(ast.fix_missing_locations(tree), str(module.__file__), "exec")
    holder = getattr(module, owner) if owner else module
    living = inspect.unwrap(
        getattr(inspect.getattr_static(holder, name), "__func__", None)
        or getattr(inspect.getattr_static(holder, name), "fget", None)
        or inspect.getattr_static(holder, name)
    )
    found = next((c for c in _codes(code) if c.co_qualname == place.function), None)
    if not isinstance(living, types.FunctionType) or found is None:
        return False
    if living.__code__.co_freevars != found.co_freevars:
        return False
    living.__code__ = found
    return True


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield each
            yield from _codes(each)


class Sample:
    """A plugin in whose session the mutants are tried, each in a process of its own."""

    def __init__(self) -> None:
        self.first = ""
        self._tried = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the first failure."""
        if report.failed and not self.first:
            self.first = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try them all, and print what came out."""
        by_module = {m: found for m in _modules() if (found := _tests_of(m, session.items))}
        fates: Counter[str] = Counter()
        for place in drawn(sorted(by_module)):
            items = by_module[place.module]
            one, other = (self._killer(session, place, items, forked) for forked in (False, True))
            fate = "differs" if one != other else "killed" if one else "survived"
            fate = "not made" if one == other == "not made" else fate
            room = "/".join(place.module.split(".")[:2])
            fates[fate] += 1
            said = f"{fate:9} {place.module}:{place.function}#{place.number} {one} {other}"
            os.write(2, f"{room:24} {said}\n".encode())
        os.write(2, f"{json.dumps(fates)}\n".encode())
        return True

    def _killer(
        self, session: pytest.Session, place: Place, items: list[pytest.Item], forked: bool
    ) -> str:
        self._tried += 1
        reads, writes = os.pipe()
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(LONGEST_S)
            os.setpgid(0, 0)
            status = 1
            try:
                os.write(writes, self._tried_here(session, place, items, forked).encode())
                status = 0
            finally:
                os._exit(status)
        os.close(writes)
        with open(reads, encoding="utf-8") as end:
            told = end.read()
        _, status = os.waitpid(pid, 0)
        return told if os.waitstatus_to_exitcode(status) == 0 else "(ended)"

    def _tried_here(
        self, session: pytest.Session, place: Place, items: list[pytest.Item], forked: bool
    ) -> str:
        manager = session.config.pluginmanager
        _capture_anew(manager.getplugin("capturemanager"))
        if manager.getplugin("terminalreporter") is not None:
            manager.unregister(name="terminalreporter")
        factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp = factory.getbasetemp() / f"mutant{self._tried}"
        factory._basetemp.mkdir(mode=0o700)
        if not mutate(place):
            return "not made"
        session.items, session.config.option.maxfail = items, 1
        if forked:
            _Crew(session).run(1)
            return self.first
        os.environ["PYTEST_XDIST_WORKER"] = "gw0"
        for item, after in zip(items, [*items[1:], None], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self.first:
                break
        return self.first


def _modules() -> list[str]:
    paths = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in paths if p.stem[0] != "_"]


def _tests_of(module: str, items: list[pytest.Item]) -> list[pytest.Item]:
    found = []
    for item in items:
        text = _text(item.path)
        package, _, name = module.rpartition(".")
        known = f"{module} import" in text or f"from {package} import {name}" in text
        if known and _DEAR.isdisjoint(getattr(item, "fixturenames", ())):
            found.append(item)
    return found


_texts: dict[Path, str] = {}


def _text(path: Path) -> str:
    if path not in _texts:
        _texts[path] = path.read_text("utf-8")
    return _texts[path]


if __name__ == "__main__":
    folders = [f"tests/{room}" for room in ROOMS]
    words = sys.argv[1:] or folders
    sys.exit(pytest.main(["-q", *words], plugins=[Sample()]))
