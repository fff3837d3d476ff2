"""Rules over a whole study inside the service, beside look-ups that go on meanwhile."""

import asyncio
import itertools
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from engine.rules.hard import HardRule, HardRuleEngine
from tests.bench import processes
from tests.bench.acks import probed
from tests.bench.contestants import Contestant, ours
from tests.bench.figures import Figures, medians, ms, ratio, table
from tests.bench.load import Load, Seen
from tests.bench.messages import SLACK
from tests.bench.plan import Plan, Result
from tests.chaos.processes import ROOT
from tests.fakes.web_room import Message, WebRoom

RULES, RECORDS = 100, 1_000
MOST_ROUNDS = 3
# A value that one rule finds fault with; few records have it, as in a study.
ODD_EVERY, ODD_ECOG = 20, 4
REQUEST = "sweep all visits of the study"
_FORMS = (
    ("ecog", '{{"<=": [0, {{"var": "ecog"}}, 5.{n}]}}'),
    ("weight_kg", '{{"<=": [30.{n}, {{"var": "weight_kg"}}, 200]}}'),
    ("visit_date", '{{"!": [{{"date_after": [{{"var": "visit_date"}}, {{"var": "today"}}]}}]}}'),
    (
        "diastolic",
        '{{"and": [{{"<=": [40.{n}, {{"var": "diastolic"}}, 130]}},'
        ' {{"<": [{{"var": "diastolic"}}, {{"var": "systolic"}}]}}]}}',
    ),
    (
        "systolic",
        '{{"if": [{{"missing": ["systolic"]}}, true, {{"<=": [70.{n}, {{"var": "systolic"}}]}}]}}',
    ),
)
_PLAYBOOK = f"""\
id: sweep
name: {{zh: 全面检查, en: Sweep}}
project: SIGNOFF-101
cues: [sweep]
requests:
  - id: sweep
    name: {{zh: 全面检查, en: Sweep all visits}}
    examples: [{REQUEST}, 全面检查所有访视]
profile_fields:
  swept: {{label: {{zh: 检查结果, en: Result}}}}
data_fields:
  findings:
    label: {{zh: 发现, en: Findings}}
    type: list
    required: false
    columns:
      subject_id: {{label: {{zh: 受试者, en: Subject}}}}
      visit_date: {{label: {{zh: 日期, en: Date}}}}
      field: {{label: {{zh: 字段, en: Field}}}}
      value: {{label: {{zh: 值, en: Value}}}}
      message: {{label: {{zh: 问题, en: Problem}}}}
  summary:
    label: {{zh: 汇总, en: Summary}}
    type: list
    required: false
    columns:
      subject_id: {{label: {{zh: 受试者, en: Subject}}}}
      visits: {{label: {{zh: 访视数, en: Visits}}, type: number}}
      findings: {{label: {{zh: 发现数, en: Findings}}, type: number}}
phases:
  - id: sweep
    name: {{zh: 检查, en: Sweep}}
    goal: {{zh: 检查所有访视, en: All visits are checked}}
    allowed_skills: [sweep]
    gate_field: profile.swept
    gate_check: not_empty
"""
_SKILL = """\
id: sweep
name: {zh: 检查, en: Sweep}
description: {zh: 检查所有访视, en: Checks every visit by a hundred rules}
category: check
kind: sop
provides: [findings, summary, profile.swept]
sop:
  start_node: all
  nodes:
    all:
      type: hard_rule
      over:
        tool: list_visits
        with: {subject_id: $subject_id}
        for_each: {tool: list_subjects, as: subject_id}
        entry: visit_date
        count: visits
        findings: findings
        summary: summary
      rules: RULES
      on_pass: end_clean
      on_fail: end_findings
  outcomes:
    end_clean: {profile.swept: clean}
    end_findings: {profile.swept: findings}
"""


async def sweeps(plan: Plan, folder: Path, faults: list[str]) -> Result:
    """The same probes in turns: nothing else happens; a study is swept again and again; and as
    much processor time as that took is used by a process that does nothing else."""
    rounds: dict[str, list[Figures]] = {"quiet": [], "sweep": [], "hog": []}
    settings = {"SIGNOFF_PLAYBOOKS": str(_playbooks(folder)), "SIGNOFF_WEBCHAT": "on"}
    async with AsyncExitStack() as stack:
        contestant = await ours(stack, folder / "signoff", SLACK, **settings)
        load = contestant.load(SLACK, plan.conversations, itertools.count(1))
        stack.callback(load.close)
        await load.window(plan.at_once * 4, plan.at_once)
        rooms = itertools.count(1)
        for number in range(min(plan.rounds, MOST_ROUNDS)):
            with _spent(contestant) as idle:
                quiet = await load.steady(int(plan.rate * plan.hold_s), plan.rate)
            with _spent(contestant) as busy:
                held, swept = await _while_sweeping(contestant, load, plan, rooms)
            used = {"cores used": (busy[0] - idle[0]) / plan.hold_s}
            hogged = await _beside_a_hog(contestant, load, plan, used["cores used"])
            rounds["quiet"].append(probed(quiet))
            rounds["sweep"].append(probed(held) | swept | used)
            rounds["hog"].append(probed(hogged) | used)
            faults += [*quiet.faults, *held.faults, *hogged.faults]
            plan.say(f"rules: round {number + 1}")
    rows = {name: medians(each) for name, each in rounds.items()}
    for name in ("sweep", "hog"):
        rows[f"{name} / quiet"] = {n: ratio(rows[name][n], q) for n, q in rows["quiet"].items()}
    title = f"{RULES} rules over {RECORDS:,} records in the service, at {plan.rate:.0f} messages/s"
    text = f"{table(title, rows)}\n  judging one record: {_one_record_ms():.2f} ms in one go"
    return Result("sweeps", {"over records": rows}, text)


async def _while_sweeping(
    contestant: Contestant, load: Load, plan: Plan, rooms: Iterator[int]
) -> tuple[Seen, Figures]:
    """Probes while one sweep follows the other; seconds of a sweep, and how often it told of it."""
    swept: list[Figures] = []
    faults: list[str] = []

    async def sweep_on() -> None:
        url = f"http://127.0.0.1:{contestant.port}"
        while not probes.done():
            async with WebRoom(url, f"sweep-{next(rooms)}") as room:
                swept.append(await _sweep(room, faults))

    async with asyncio.TaskGroup() as group:
        probes = group.create_task(load.steady(int(plan.rate * plan.hold_s), plan.rate))
        group.create_task(sweep_on())
    seen = probes.result()
    seen.faults += faults
    return seen, medians(swept)


async def _beside_a_hog(contestant: Contestant, load: Load, plan: Plan, share: float) -> Seen:
    """Probes while a process that has nothing to do with ours uses that share of a processor."""
    words = ("-m", "tests.bench.peers.hog", f"{share:.2f}")
    env = {**contestant.env, "PYTHONPATH": str(ROOT)}
    hog = await processes.start("hog", contestant.folder, *words, env=env)
    try:
        await processes.until_said(hog, "burning")
        return await load.steady(int(plan.rate * plan.hold_s), plan.rate)
    finally:
        await hog.end()


@contextmanager
def _spent(contestant: Contestant) -> Iterator[list[float]]:
    """The processor seconds of all our processes in the block, once it is over."""
    took: list[float] = []
    before = sum(contestant.cpu_s().values())
    yield took
    took.append(sum(contestant.cpu_s().values()) - before)


async def _sweep(room: WebRoom, faults: list[str]) -> Figures:
    told: set[str] = set()

    def is_over(view: Message) -> bool:
        parts = view.get("parts", ())
        told.update(part["html"] for part in parts if part["state"] == "working")
        return any(part["state"] in ("done", "failed") for part in parts)

    began = time.perf_counter()
    await room.say("lin", REQUEST)
    last = await room.wait_for(is_over)
    took = time.perf_counter() - began
    if f"Findings: {RECORDS // ODD_EVERY}." not in last["parts"][0]["html"]:
        faults.append(f"a sweep ended with {last['parts'][0]['html'][:200]}")
    return {"sweep s": took, "told of progress": len(told)}


def _rules() -> list[dict[str, Any]]:
    odd = {"field": "ecog", "logic": {"<": [{"var": "ecog"}, ODD_ECOG]}, "message": "is {value}"}
    return [odd] + [
        {"field": field, "logic": json.loads(logic.format(n=n)), "message": f"rule {n}"}
        for n, (field, logic) in zip(range(1, RULES), itertools.cycle(_FORMS), strict=False)
    ]


def _one_record_ms() -> float:
    rules = [HardRule.model_validate(rule) for rule in _rules()]
    record = {**_visit(1), "today": "2026-11-20"}
    taken = []
    for _ in range(RULES):
        began = time.perf_counter()
        HardRuleEngine().run(rules, record, "en")
        taken.append(time.perf_counter() - began)
    return ms(taken, 0.5)


def _visit(number: int) -> dict[str, Any]:
    ecog = ODD_ECOG if number % ODD_EVERY == 0 else number % 3
    day = f"2026-{number % 9 + 1:02}-{number % 28 + 1:02}"
    return {
        "visit_date": day,
        "ecog": ecog,
        "weight_kg": 50.5 + number % 40,
        "systolic": 120,
        "diastolic": 80,
    }


def _inserts(number: int) -> str:
    subject, visit = f"P{number:03}", _visit(number)
    values = ", ".join(json.dumps(each).replace('"', "'") for each in visit.values())
    return (
        f"INSERT INTO subjects VALUES ('{subject}', 'F', 1960, '2026-01-01', 'A');\n"
        f"INSERT INTO visits (key, subject_id, {', '.join(visit)}, adverse_event, approved_by,"
        f" recorded_at) VALUES ('sample:{number}', '{subject}', {values}, '', 'sample', '');\n"
    )


def _tables_of(script: Path) -> str:
    return script.read_text("utf-8").partition("INSERT INTO")[0]


def _playbooks(folder: Path) -> Path:
    """The shipped study with a thousand subjects of one visit each, and a playbook that sweeps."""
    made = folder / "playbooks"
    for name in ("clinical_qc", "connections.yaml", "people.yaml", "talk.yaml"):
        origin = ROOT / "playbooks" / name
        copy = shutil.copytree if origin.is_dir() else shutil.copy
        made.mkdir(exist_ok=True)
        copy(origin, made / name)
    script = made / "clinical_qc" / "data" / "study.sql"
    script.write_text(_tables_of(script) + "".join(map(_inserts, range(RECORDS))), encoding="utf-8")
    (made / "sweep" / "skills").mkdir(parents=True)
    shutil.copy(made / "clinical_qc" / "tools.yaml", made / "sweep")
    (made / "sweep" / "playbook.yaml").write_text(_PLAYBOOK, encoding="utf-8")
    skill = _SKILL.replace("RULES", json.dumps(_rules()))
    (made / "sweep" / "skills" / "sweep.yaml").write_text(skill, encoding="utf-8")
    return made
