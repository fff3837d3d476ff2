"""What hard rules cost: beside json-logic-qubit by itself, and over a study inside the service."""

import json
import sys
import time
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

from engine.rules.hard import HardRule, HardRuleEngine
from tests.bench.figures import Figures, medians, ratio, table
from tests.bench.plan import Plan, Result
from tests.bench.sweeps import sweeps
from tests.chaos.processes import ROOT

MANY = 10_000
GOAL_MS, GOAL_RATIO = 100.0, 0.9
TURNS = 10
RECORD: dict[str, Any] = {
    "age": 40,
    "weight_kg": 61.5,
    "ecog": 1,
    "consented_on": "2026-01-05",
    "enrolled_on": "2026-01-31",
    "history": "轻度肺炎 / mild pneumonia",
}
_ROWS = ("json-logic-qubit", "ours", "ours / library", "all violated")
# What spec 001 §2.3 asks for, and a range; on all of it the library agrees with us.
FORMS = (
    '{"and": [{">=": [{"var": "age"}, 18]}, {"<=": [{"var": "age"}, 75]}]}',
    '{"!!": {"var": "consented_on"}}',
    '{"<=": [{"var": "consented_on"}, {"var": "enrolled_on"}]}',
    '{"in": [{"var": "ecog"}, [0, 1, 2]]}',
    '{"in": ["肺炎", {"var": "history"}]}',
    '{"<=": [30, {"var": "weight_kg"}, 200]}',
)


async def rules(plan: Plan, folder: Path) -> Result:
    """The same rules over the same record in turns; then a sweep of a study beside look-ups."""
    faults: list[str] = []
    beside = await _beside(plan, folder, faults)
    over = await sweeps(plan, folder, faults)
    title = f"{MANY:,} rules on one record (goals: {GOAL_MS:g} ms; {GOAL_RATIO:g} x the library)"
    text = f"{table(title, beside)}\n\n{over.text}"
    return Result("rules", {"on one record": beside, **over.figures}, text, faults)


async def _beside(plan: Plan, folder: Path, faults: list[str]) -> dict[str, Figures]:
    texts = [FORMS[number % len(FORMS)] for number in range(MANY)]
    told = {"rules": [json.loads(text) for text in texts], "record": RECORD}
    path = folder / "rules.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    # Neither shares a part with another, as rules of files do not.
    held = [HardRule(field="age", logic=json.loads(text), message="no") for text in texts]
    broken = [
        HardRule(field="age", logic={"!": json.loads(text)}, message="{value}") for text in texts
    ]
    alone = await _started(path)
    try:
        rounds: dict[str, list[Figures]] = {name: [] for name in _ROWS}
        for _ in range(plan.rounds * TURNS):
            library = await _library(alone, faults)
            mine = _ours(held, 0, faults)
            # A noisy machine changes from turn to turn; what stands side by side is compared.
            beside = {name: ratio(mine[name], library[name]) for name in library}
            turn = (library, mine, beside, _ours(broken, MANY, faults))
            for name, figures in zip(_ROWS, turn, strict=True):
                rounds[name].append(figures)
    finally:
        assert alone.stdin is not None
        alone.stdin.close()
        await alone.wait()
    return {name: medians(each) for name, each in rounds.items()}


async def _started(path: Path) -> Process:
    words = ("-m", "tests.bench.peers.json_logic_alone", str(path))
    return await create_subprocess_exec(sys.executable, *words, cwd=ROOT, stdin=PIPE, stdout=PIPE)


async def _library(alone: Process, faults: list[str]) -> Figures:
    assert alone.stdin is not None
    assert alone.stdout is not None
    alone.stdin.write(b"again\n")
    took_s, cpu_s, held = json.loads(await alone.stdout.readline())
    if held != MANY:
        faults.append(f"the library finds that {held} of {MANY} rules hold")
    return _figures(took_s, cpu_s)


def _ours(rules: list[HardRule], wanted: int, faults: list[str]) -> Figures:
    began, spent = time.perf_counter(), time.process_time()
    found = HardRuleEngine().run(rules, RECORD, "en")
    figures = _figures(time.perf_counter() - began, time.process_time() - spent)
    if len(found) != wanted:
        faults.append(f"{len(found)} violations, not {wanted}")
    return figures


def _figures(took_s: float, cpu_s: float) -> Figures:
    # A busy machine stretches the time by the clock, and not that of the processor.
    return {"ms": took_s * 1000, "cpu ms": cpu_s * 1000, "rules / s": MANY / cpu_s}
