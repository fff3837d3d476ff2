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
LEARNED_TOGETHER = ("weighing.py", "plain.py")
"""Its numbers go with weights that are learned, and are chosen anew with them."""

FILES = tuple(
    str(path.relative_to(ROOT))
    for path in (
        *sorted((UNDERSTANDING / "pieces").rglob("*.py")),
        UNDERSTANDING / "form_answers.py",
    )
    if path.name not in LEARNED_TOGETHER
)
TESTS = tuple(
    f"tests/engine/understanding/test_{name}.py" for name in ("thresholds", "constants", "edges")
)
STEP = 0.01
"""How far a share is moved; counts are moved by one."""

_TREE = ("adapters", "bot", "cards", "engine", "playbooks", "pyproject.toml", "tests")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "payloads", "chaos", "fixtures")
_FAILED = re.compile(r"^(?:FAILED|ERROR) \S+::(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Moved:
    """A threshold with another value; `line` counts from 1."""

    file: str
    line: int
    name: str
    value: float

    def applied(self, source: str) -> str:
        """The source with that value."""
        lines = source.splitlines(keepends=True)
        lines[self.line - 1] = f"{self.name} = {self.value}\n"
        return "".join(lines)


def moved_thresholds() -> Iterator[Moved]:
    """Every number that stands at the top of the files that judge, once more and once less."""
    for file in FILES:
        for node in ast.parse((ROOT / file).read_text()).body:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Constant(value=int() | float() as value)
                ):
                    step = 1 if isinstance(value, int) else STEP
                    for one in (value - step, value + step):
                        yield Moved(file, node.lineno, name, round(one, 6))


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
