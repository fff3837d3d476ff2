"""Traces: of messages, listed and printed; of runs, replayed against the playbooks as they are now.

Replaying a folder of them is a regression suite (spec 000 §5).
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bot.definitions.loader import try_load_people, try_load_playbooks
from bot.people.directory import Directory
from bot.settings import Settings
from bot.terminal.output import show_progress
from bot.wiring.connections import load_connections
from bot.wiring.store import open_store_ports
from engine.errors import DefinitionError
from engine.playbooks.model import Playbook
from engine.rules.soft import SoftLimits
from engine.runs.replay import ReplayResult, RunTrace, replay
from engine.services import ServiceLimits, Services
from engine.yaml.source import Problems

_SHOWN_CHARS = 60
_NEWEST = 50


async def list_traces(settings: Settings, *, as_json: bool = False) -> int:
    """Print the newest traces, a line each: how messages were understood and answered."""
    async with open_store_ports(settings) as store:
        found = await store.archive.traces(_NEWEST)
    if as_json:
        every = [{"trace": name, **json.loads(body)} for name, body in found]
        print(json.dumps(every, ensure_ascii=False))
        return 0
    for name, body in found:
        trace = json.loads(body)
        told = trace.get("outcome") or ", ".join(i["kind"] for i in trace.get("intents", ()))
        text = " ".join(str(trace.get("text", "")).split())[:_SHOWN_CHARS]
        print(f"{name}  {trace.get('at', '')[:19]}  {trace.get('kind', '')}  {told}: {text}")
    if not found:
        print("no trace is kept")
    return 0


async def show_trace(settings: Settings, name: str) -> int:
    """Print a trace as JSON; 1 when there is none of that name."""
    async with open_store_ports(settings) as store:
        body = await store.archive.trace(name)
    if body is None:
        print(f"{name}: no trace is kept under this name; see signoff traces", file=sys.stderr)
        return 1
    print(json.dumps(json.loads(body), ensure_ascii=False, indent=2))
    return 0


async def replay_traces(
    settings: Settings, path: Path, playbooks: Path | None, *, as_json: bool
) -> int:
    """Print for each trace (a file, or the *.json of a folder) where it decides otherwise now.

    1 when there is a difference, 2 when a trace or playbook cannot be read.
    """
    problems = Problems()
    people = try_load_people(settings, problems)
    toolbox = load_connections(settings).toolbox
    folder = playbooks or settings.playbooks
    found = try_load_playbooks(
        folder,
        people,
        problems,
        prefix="",
        toolbox=toolbox,
        languages=settings.languages,
        skills=settings.skills,
    )
    problems.raise_if_any()
    assert people is not None
    services = _services(settings, people)
    worst, told = 0, []
    files = _read_files(path)
    for file, text in show_progress(files, "traces", len(files)):
        status, line = await _replay_file(file, text, found, services)
        worst = max(worst, status)
        told.append(line)
    if not told:
        print(f"{path}: there is no trace (*.json) in it", file=sys.stderr)
        return 2
    print(json.dumps(told, ensure_ascii=False) if as_json else "\n".join(map(_line, told)))
    return worst


def _read_files(path: Path) -> Sequence[tuple[Path, str]]:
    """The trace files with their texts. Raises DefinitionError for one that cannot be read."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    try:
        return [(file, file.read_text(encoding="utf-8")) for file in files]
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path}: cannot be read: {error}") from error


async def _replay_file(
    file: Path, text: str, playbooks: Mapping[str, Playbook], services: Services
) -> tuple[int, dict[str, object]]:
    try:
        trace = RunTrace.model_validate_json(text)
    except ValidationError as error:
        return 2, {"trace": str(file), "fault": f"is no trace: {error.errors()[0]['msg']}"}
    playbook = playbooks.get(trace.run.playbook)
    if playbook is None:
        return 2, {"trace": str(file), "fault": f"there is no playbook {trace.run.playbook!r}"}
    return _result(file, await replay(trace, playbook, services))


def _result(file: Path, replayed: ReplayResult) -> tuple[int, dict[str, object]]:
    told: dict[str, object] = {"trace": str(file), "steps": replayed.steps}
    if replayed.difference is None:
        return 0, told
    found = replayed.difference
    step = {"step": found.step, "what": found.what, "recorded": found.recorded, "now": found.now}
    return 1, {**told, "difference": step}


def _line(told: dict[str, object]) -> str:
    match told:
        case {"fault": fault}:
            return f"{told['trace']}: {fault}"
        case {"difference": {"step": step, "what": what, "recorded": then, "now": now}}:
            return f"{told['trace']}: step {step}, {what}\n  recorded: {then}\n  now:      {now}"
    return f"{told['trace']}: the same in {told['steps']} steps"


def _services(settings: Settings, people: Directory) -> Services:
    # Each step has its own moment, and the trace answers for tools: nobody looks at the rest.
    nothing: Any = None
    soft = SoftLimits(settings.soft_rounds, settings.soft_confidence)
    return Services(
        clock=nothing,
        zone=settings.timezone,
        people=people,
        model=None,
        decisions=nothing,
        findings=nothing,
        inbox=nothing,
        playbook=nothing,
        new_id=nothing,
        derived_id=nothing,
        project=lambda conversation: "",
        tracing=nothing,
        limits=ServiceLimits(soft=soft, graph=settings.graph_budget),
    )
