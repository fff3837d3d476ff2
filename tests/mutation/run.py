"""Runs the store's contract over every mutant of the Lua scripts, and the router's tests over every
threshold that is moved (`make mutate`).

Each mutant must fail a test, or be listed in equivalent.md with the reason why nobody can tell.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.mutation.lua import LUA, Mutant, all_mutants
from tests.mutation.thresholds import judge_thresholds

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.md")
WORKERS = 2
# A mutant may make a test wait for what never comes: so many times as long as all tests take.
PATIENCE, PATIENCE_S = 10, 30
_TREE = ("adapters", "cards", "engine", "tests", "pyproject.toml")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "payloads", "scenarios", "chaos", "bench")
_FAILED = re.compile(r"^(?:FAILED|ERROR) \S+::(\w+)", re.MULTILINE)
_Judge = subprocess.Popen[str]


class BrokenRun(Exception):
    """The tests could not judge a mutant."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The test that a mutant fails; "" when it survived."""

    mutant: Mutant
    killer: str


class Copies:
    """Copies of the tree with a judge in each; the checkout itself is never changed.

    They run the contract on a single server, or only the `tests` named; a run that lasts longer
    than `longest_s` ends.
    """

    def __init__(
        self, folder: Path, judges: ExitStack, *, workers: int, tests: Sequence[str]
    ) -> None:
        self.scripts = folder / "lua"
        self.longest_s = 600
        self._only = f"single and ({' or '.join(tests)})" if tests else "single"
        shutil.copytree(LUA, self.scripts)
        self._free: SimpleQueue[tuple[Path, _Judge]] = SimpleQueue()
        for number in range(workers):
            copy = folder / str(number)
            copy.mkdir()
            for name in _TREE:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, copy / name, ignore=_LEFT_OUT)
                else:
                    shutil.copy(ROOT / name, copy / name)
            self._free.put((copy, judges.enter_context(_judge(copy))))

    def failing(self, file: str, text: str) -> str:
        """The first test that fails when a script has this text, or ""; raises BrokenRun."""
        copy, judge = self._free.get()
        script = copy / LUA.relative_to(ROOT) / file
        script.write_text(text)
        try:
            return _killer(judge, self._only, self.longest_s)
        finally:
            shutil.copy(self.scripts / file, script)
            self._free.put((copy, judge))

    def read(self, file: str) -> str:
        """A script as it stands."""
        return (self.scripts / file).read_text()


@contextmanager
def copies(*, workers: int = WORKERS, tests: Sequence[str] = ()) -> Iterator[Copies]:
    """Fresh copies, shown to be what the tests run: as they are they pass, and broken they fail."""
    with tempfile.TemporaryDirectory(prefix="signoff-mutation-") as folder, ExitStack() as judges:
        made = Copies(Path(folder), judges, workers=workers, tests=tests)
        began = time.monotonic()
        if failed := made.failing("enqueue.lua", made.read("enqueue.lua")):
            raise BrokenRun(f"the scripts as they are fail {failed}")
        made.longest_s = PATIENCE_S + PATIENCE * int(time.monotonic() - began)
        if not made.failing("enqueue.lua", "error('broken')"):
            raise BrokenRun("the contract tests do not run the copy")
        yield made


@contextmanager
def _judge(copy: Path) -> Iterator[_Judge]:
    judge = subprocess.Popen(
        [sys.executable, "-m", "tests.mutation.judge"],
        cwd=copy,
        env={**os.environ, "TEST_REDIS_FOLDER": str(copy / "redis")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield judge
    finally:
        # It ends when its input does.
        judge.communicate()


def _killer(judge: _Judge, only: str, longest_s: int) -> str:
    assert judge.stdin is not None
    assert judge.stdout is not None
    judge.stdin.write(json.dumps({"only": only, "longest_s": longest_s}) + "\n")
    judge.stdin.flush()
    answer = json.loads(judge.stdout.readline())
    if answer["code"] == -signal.SIGALRM:
        return "(a test that does not end)"
    failed = _FAILED.search(answer["output"])
    if answer["code"] == 0:
        return ""
    if answer["code"] != 1 or not failed or "rror compiling script" in answer["output"]:
        raise BrokenRun(answer["output"])
    return failed[1]


def judged(mutants: Sequence[Mutant], made: Copies) -> Iterator[Verdict]:
    """The verdicts, in the order of the mutants; raises BrokenRun."""

    def judge(mutant: Mutant) -> Verdict:
        return Verdict(mutant, made.failing(mutant.file, mutant.applied(made.read(mutant.file))))

    # As many as there are copies go on at once; the others wait for one of them.
    with ThreadPoolExecutor(WORKERS) as workers:
        yield from workers.map(judge, mutants)


def equivalents(path: Path = EQUIVALENT) -> dict[str, str]:
    """The reason for each listed mutant, by its name: `- name`, then an indented line."""
    entries = re.findall(r"^- (.+)\n  (.+)$", path.read_text(), re.MULTILINE)
    return dict(entries)


def verdict_line(verdict: Verdict, listed: bool) -> str:
    """One line of the table."""
    mutant = verdict.mutant
    fate = f"killed by {verdict.killer}" if verdict.killer else "SURVIVED"
    fate += " (equivalent)" if listed and not verdict.killer else ""
    return f"{mutant.file}:{mutant.line:<4} {fate:<60} {mutant.name.partition(': ')[2]}"


def problems(verdicts: Sequence[Verdict], listed: dict[str, str]) -> list[str]:
    """What is wrong: survivors without a reason, and reasons for what does not survive."""
    survivors = {v.mutant.name for v in verdicts if not v.killer}
    return [
        *(f"survived without a reason: {name}" for name in sorted(survivors - set(listed))),
        *(f"listed, but killed or not found: {name}" for name in sorted(set(listed) - survivors)),
    ]


def table(verdicts: Sequence[Verdict]) -> str:
    """How many mutants of each script were killed, in Markdown."""
    lines = ["| script | mutants | killed | not killed |", "|---|---|---|---|"]
    fates = Counter((v.mutant.file, bool(v.killer)) for v in verdicts)
    sums = [(f, fates[f, True], fates[f, False]) for f in sorted({f for f, _ in fates})]
    sums.append(("all", sum(s[1] for s in sums), sum(s[2] for s in sums)))
    lines += [f"| {f} | {dead + alive} | {dead} | {alive} |" for f, dead, alive in sums]
    return "\n".join(lines)


def main(words: Sequence[str]) -> int:
    """Judge every mutant, or those whose name contains one of the words; 1 when one survives."""
    wrong = [*judge_scripts(words), *judge_thresholds(words)]
    print("\n".join(wrong))
    return 1 if wrong else 0


def judge_scripts(words: Sequence[str]) -> list[str]:
    """Print the verdicts on the scripts' mutants and a table; what is wrong."""
    verdicts = []
    with copies() as made:
        found = all_mutants(made.scripts)
        chosen = [m for m in found if not words or any(word in m.name for word in words)]
        names = {m.name for m in chosen}
        listed = {k: v for k, v in equivalents().items() if not words or k in names}
        for verdict in judged(chosen, made):
            verdicts.append(verdict)
            print(verdict_line(verdict, verdict.mutant.name in listed), flush=True)
    print(f"\n{table(verdicts)}\n")
    return problems(verdicts, listed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
