"""How long 200 playbooks take to load, beside YAML alone; and what a planner's decision costs."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from bot.definitions.loader import try_load_people, try_load_playbooks
from bot.wiring.connections import load_connections
from engine.frames.state import AgentState
from engine.planner.chain import decide
from engine.planner.phases import PhaseManager
from engine.planner.situation import Situation, check_availability
from engine.playbooks.load import MAIN, load
from engine.playbooks.model import Playbook
from engine.yaml.source import Problems
from tests.bench.figures import Figures, medians, percentile, ratio, table
from tests.bench.plan import Plan, Result
from tests.bench.sample_playbooks import sample_playbook
from tests.chaos.processes import ROOT
from tests.fakes.settings import make_settings

PLAYBOOKS = 200
GOAL_S = 2.0
DECISIONS = 200


async def planner(plan: Plan, folder: Path) -> Result:
    """Loads as the service does, in turns with its peers; the medians of the rounds."""
    problems = Problems()
    rounds = []
    for number in range(plan.rounds):
        # In folders of their own: what did not change is not loaded again.
        texts = _written(folder / f"round-{number}")
        rounds.append(_round(folder / f"round-{number}", texts, problems))
    loading = medians(rounds)
    size = {
        "files": float(len(texts)),
        "lines / playbook": sum(text.count("\n") for text in texts) / PLAYBOOKS,
    }
    deciding = {"median ms": await _decision_ms()}
    text = "\n\n".join(
        [
            table(f"Loading {PLAYBOOKS} playbooks (goal: {GOAL_S:g} s)", {"": size | loading}),
            table("Planner decision, 50 skills, 20 phases", {"": deciding}),
        ]
    )
    return Result("planner", {**size, **loading, "decision": deciding}, text, list(problems))


def _written(folder: Path) -> list[str]:
    texts = []
    for number in range(PLAYBOOKS):
        for name, text in sample_playbook(number, phases=6, skills=8).items():
            path = folder / f"playbook-{number}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            texts.append(text)
    return texts


def _round(folder: Path, texts: Sequence[str], problems: Problems) -> Figures:
    settings = make_settings(
        playbooks=ROOT / "playbooks", people=ROOT / "playbooks" / "people.yaml"
    )
    people = try_load_people(settings, problems)
    toolbox = load_connections(settings).toolbox
    begun = time.process_time()
    load_s = _seconds(
        lambda: try_load_playbooks(folder, people, problems, prefix="", toolbox=toolbox)
    )
    figures = {"load s": load_s, "load cpu s": time.process_time() - begun}
    with (folder / "playbook-0" / MAIN).open("a", encoding="utf-8") as main:
        main.write("# changed\n")
    figures["one changed s"] = _seconds(
        lambda: try_load_playbooks(folder, people, problems, prefix="", toolbox=toolbox)
    )
    if yaml.__with_libyaml__:
        figures["libyaml s"] = _seconds(lambda: _parse(texts, yaml.CSafeLoader))
        figures["load / libyaml"] = ratio(load_s, figures["libyaml s"])
    figures["PyYAML s"] = _seconds(lambda: _parse(texts, yaml.SafeLoader))
    figures["load / PyYAML"] = ratio(load_s, figures["PyYAML s"])
    return figures


def _parse(texts: Sequence[str], loader: type[yaml.SafeLoader | yaml.CSafeLoader]) -> None:
    for text in texts:
        yaml.load(text, Loader=loader)


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


async def _decision_ms() -> float:
    """A decision in the last phase of a big playbook, where all of its skills are allowed."""
    files = sample_playbook(0, phases=20, skills=50)
    playbook = load(files, roles=("reviewer",), held=("reviewer",))
    state = _before_the_end(playbook)
    phase = playbook.definition.phases[-1]
    taken = [await _decided_ms(playbook, phase.id, state) for _ in range(DECISIONS)]
    return percentile(taken, 0.5)


async def _decided_ms(playbook: Playbook, phase: str, state: AgentState) -> float:
    begun = time.perf_counter()
    at = playbook.phase(phase)
    skills = check_availability(playbook, at, state)
    await decide(Situation(playbook, "", at, state, skills))
    return (time.perf_counter() - begun) * 1000


def _before_the_end(playbook: Playbook) -> AgentState:
    """A state in which every phase but the last is complete."""
    state = AgentState(
        profile=dict.fromkeys(playbook.definition.profile_fields, "complete")
        | {"check": "passed", "fits": "yes", "record": "recorded"},
        decisions={"review": "approved"},
        data={
            "subject_id": "P001",
            "visit_date": "2026-01-31",
            "ecog": 1,
            "weight_kg": 70.5,
            "systolic": 120,
            "diastolic": 80,
        },
    )
    last = playbook.definition.phases[-1]
    open_paths = {path.removeprefix("profile.") for path in last.checkpoints}
    kept = {name: value for name, value in state.profile.items() if name not in open_paths}
    state = state.model_copy(update={"profile": kept})
    first = PhaseManager(playbook).first_open(state)
    assert first is not None
    assert first.id == last.id
    return state
