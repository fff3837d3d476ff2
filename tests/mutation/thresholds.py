"""Moves each threshold of the router a little, both ways: a test of the router must fail.

Python names are bound where they are imported, so the numbers are changed in the source of a copy.
"""

import ast
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
UNDERSTANDING = ROOT / "engine" / "understanding"
FILES = tuple(
    str(path.relative_to(ROOT))
    for path in (
        *sorted((UNDERSTANDING / "pieces").rglob("*.py")),
        UNDERSTANDING / "form_answers.py",
    )
)
TESTS = tuple(
    f"tests/engine/understanding/test_{name}.py"
    for name in ("thresholds", "constants", "edges", "weights_edges")
)
STEP = 0.01
"""How far a share is moved; counts are moved by one."""

_TREE = ("adapters", "bot", "cards", "engine", "playbooks", "pyproject.toml", "tests")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "payloads", "chaos", "fixtures")
_FAILED = re.compile(r"^(?:FAILED|ERROR) \S+::(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Moved:
    """A threshold with another value, which stands in a `line`, from 1 on, between two columns."""

    file: str
    line: int
    columns: tuple[int, int]
    name: str
    value: float

    def applied(self, source: str) -> str:
        """The source with that value."""
        lines = source.splitlines(keepends=True)
        (start, end), line = self.columns, lines[self.line - 1]
        lines[self.line - 1] = f"{line[:start]}{self.value}{line[end:]}"
        return "".join(lines)


def moved_thresholds() -> Iterator[Moved]:
    """Every number that stands at the top of the files that judge, once more and once less."""
    for file in FILES:
        for node in ast.parse((ROOT / file).read_text()).body:
            for target, given in _assigned(node):
                try:
                    value = ast.literal_eval(given)
                except ValueError:
                    continue
                if type(value) not in (int, float):
                    continue
                step = 1 if isinstance(value, int) else STEP
                columns = (given.col_offset, given.end_col_offset or 0)
                for one in (value - step, value + step):
                    yield Moved(file, given.lineno, columns, ast.unparse(target), round(one, 6))


def _assigned(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The names that an assignment gives a value, each with its own."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            yield from zip(names, values, strict=True)
        case ast.Assign(targets=[name], value=value):
            yield name, value


def survivors(chosen: Sequence[Moved]) -> Iterator[tuple[Moved, str]]:
    """Each with the test that it fails, "" where it fails none."""
    with tempfile.TemporaryDirectory(prefix="signoff-mutation-") as folder:
        copy = Path(folder)
        for name in _TREE:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name, ignore=_LEFT_OUT)
            else:
                shutil.copy(ROOT / name, copy / name)
        if failed := _killer(copy):
            raise RuntimeError(f"the thresholds as they are fail {failed}")
        for moved in chosen:
            source = (ROOT / moved.file).read_text()
            (copy / moved.file).write_text(moved.applied(source))
            yield moved, _killer(copy)
            (copy / moved.file).write_text(source)


def _killer(copy: Path) -> str:
    command = (sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider")
    run = subprocess.run([*command, *TESTS], cwd=copy, capture_output=True, text=True, check=False)
    failed = _FAILED.search(run.stdout)
    if run.returncode not in (0, 1) or (run.returncode == 1 and not failed):
        raise RuntimeError(run.stdout + run.stderr)
    return failed[1] if failed else ""


def judge_thresholds(words: Sequence[str]) -> list[str]:
    """Print what becomes of each whose name has one of the words (of all without words); those
    that survive.
    """
    found = [
        m for m in moved_thresholds() if not words or any(w in f"{m.file} {m.name}" for w in words)
    ]
    alive = []
    for moved, killer in survivors(found) if found else ():
        told = f"{moved.name} = {moved.value}"
        print(f"{moved.file}:{moved.line:<4} {killer or 'SURVIVED':<60} {told}", flush=True)
        alive += [] if killer else [f"survived: {moved.file}: {told}"]
    return alive
