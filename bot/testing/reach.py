"""Which phases, branches, rules, ends, answers and tools of a folder its tests have reached."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.filesystem import read_text
from bot.testing.happenings import Happenings
from bot.testing.harness.folder import PlayedFolder
from bot.testing.harness.service import ServiceUnderTest
from engine.errors import DefinitionError
from engine.playbooks.answer import ANSWERS_FILE
from engine.playbooks.load import MAIN
from engine.playbooks.model import Playbook
from engine.playbooks.skill import SopNode
from engine.playbooks.tool import TOOLS_FILE
from engine.runs.audit_state import position_in
from engine.sop.batch import END as BATCH_END
from engine.yaml.faults import Path as YamlPath
from engine.yaml.source import Source, read_yaml

ReachKey = tuple[str, ...]
"""A kind (phase, rule, ...), a playbook, and the names that lead there."""

_BY_RESULT = {
    "passed": "on_pass",
    "failed": "on_fail",
    "approved": "on_approve",
    "rejected": "on_reject",
    "expired": "on_expire",
    "error": "on_error",
}
_MOST_TRACES = 1000


@dataclass(frozen=True, slots=True)
class ReachPoint:
    """Something that a test can reach, and where it stands."""

    key: ReachKey
    file: str
    line: int

    @property
    def text(self) -> str:
        """What it is, on one line."""
        return f"{self.file}:{self.line}: {self.key[0]} {' '.join(self.key[2:])}"


def points_of(folder: PlayedFolder) -> list[ReachPoint]:
    """Everything in the folder that a test can reach, by file and line."""
    found: list[ReachPoint] = []
    shared = _skill_sources(folder.settings.skills) if folder.settings.skills else {}
    for name, playbook in folder.definitions.playbooks.items():
        home = _home_of(folder, name)
        sources = {**shared, **_skill_sources(home / "skills")}
        found += _points(home / MAIN, _main_points(playbook))
        found += _points(home / TOOLS_FILE, ((("tool", name, t), (t,)) for t in playbook.tools))
        answers = ((("answer", name, a), (a,)) for a in playbook.answers)
        found += _points(home / ANSWERS_FILE, answers)
        for skill, source in sources.items():
            if skill in playbook.skills:
                places = _sop_points(playbook, skill, source)
                found += [ReachPoint(k, source.file, source.line(at)) for k, at in places]
    return sorted(dict.fromkeys(found), key=lambda point: (point.file, point.line))


def _home_of(folder: PlayedFolder, playbook: str) -> Path:
    """Where the playbook lies, which need not be called as it is."""
    root = folder.settings.playbooks
    for main in sorted(root.glob(f"*/{MAIN}")):
        source = _source(main)
        if source is not None and source.data.get("id") == playbook:
            return main.parent
    return root / playbook


def _source(path: Path) -> Source | None:
    try:
        return read_yaml(read_text(path), file=str(path))
    except (OSError, UnicodeDecodeError, DefinitionError):
        return None


def _points(path: Path, places: Iterable[tuple[ReachKey, YamlPath]]) -> Iterator[ReachPoint]:
    source = _source(path)
    if source is not None:
        yield from (ReachPoint(key, source.file, source.line(at)) for key, at in places)


def _main_points(playbook: Playbook) -> Iterator[tuple[ReachKey, YamlPath]]:
    for number, request in enumerate(playbook.definition.requests):
        if not request.not_yet:
            yield ("request", playbook.id, request.id), ("requests", number)
    for number, phase in enumerate(playbook.definition.phases):
        yield ("phase", playbook.id, phase.id), ("phases", number)


def _skill_sources(folder: Path) -> dict[str, Source]:
    sources = map(_source, sorted(folder.glob("*.yaml")))
    return {str(each.data.get("id")): each for each in sources if each is not None}


def _sop_points(
    playbook: Playbook, skill: str, source: Source
) -> Iterator[tuple[ReachKey, YamlPath]]:
    yield ("skill", playbook.id, skill), ()
    sop = playbook.skills[skill].sop
    if sop is None:
        return
    ends: dict[str, YamlPath] = {}
    for name, node in sop.nodes.items():
        at: YamlPath = ("sop", "nodes", name)
        for number in range(len(node.rules)):
            yield ("rule", playbook.id, skill, name, str(number + 1)), (*at, "rules", number)
        for key, target in _branches(node).items():
            place = (*at, *_as_path(key))
            if place not in source.lines:
                continue
            yield ("branch", playbook.id, skill, name, key), place
            if target.startswith("end"):
                ends.setdefault(target, place)
    for end in sop.outcomes:
        ends[end] = ("sop", "outcomes", end)
    yield from ((("end", playbook.id, skill, end), place) for end, place in ends.items())


def _branches(node: SopNode) -> dict[str, str]:
    """Each key of the node that names a target."""
    others = {key: str(getattr(node, key)) for key in ("on_error", "on_expire", "on_reject")}
    return {key: target for key, target in {**others, **node.targets}.items() if target}


def _as_path(key: str) -> YamlPath:
    return tuple(int(step) if step.isdigit() else step for step in key.split("."))


async def reached_by(service: ServiceUnderTest, seen: Sequence[Happenings]) -> frozenset[ReachKey]:
    """What a test has reached by now."""
    found: set[ReachKey] = set()
    playbooks = service.folder.definitions.playbooks
    positions: dict[str, str] = {}
    for happened in seen:
        for name, entry in happened.entries:
            playbook = playbooks.get(happened.runs[name].playbook)
            if playbook is not None:
                found |= set(_entry_keys(playbook, entry, positions.get(name, "")))
            positions[name] = position_in(entry) or positions.get(name, "")
        called = {call.tool for call in happened.calls}
        found |= {("tool", p.id, tool) for p in playbooks.values() for tool in called & {*p.tools}}
    for _, body in await service.parts.store.archive.traces(_MOST_TRACES):
        trace = json.loads(body)
        found |= {("answer", *name.split(":")[1:]) for name in _answers_in(trace)}
        if trace["kind"] == "skill":
            found |= set(_skill_keys(playbooks[trace["playbook"]], trace))
    return frozenset(found)


def _skill_keys(playbook: Playbook, trace: Any) -> Iterator[ReachKey]:
    """What a program's call reached, by its trace."""
    yield "skill", playbook.id, trace["skill"]
    before = ""
    for entry in trace["steps"]:
        yield from _entry_keys(playbook, entry, before)
        before = position_in(entry) or before


def _entry_keys(playbook: Playbook, entry: Any, before: str) -> Iterator[ReachKey]:
    kind, _, where = position_in(entry).partition(":")
    if entry.get("event") == "started":
        yield "request", playbook.id, str(entry.get("request", ""))
    if kind == "planner":
        yield "phase", playbook.id, where
    elif where:
        yield "skill", playbook.id, where.partition("/")[0]
    judged = entry.get("judged")
    skill = before.partition(":")[2].partition("/")[0]
    if entry.get("frame") == "batch" and entry.get("outcome") == "done":
        yield "end", playbook.id, skill, BATCH_END
    if not judged or skill not in playbook.skills:
        return
    node, following = str(judged["node"]), str(judged["next"])
    for number in judged.get("rules", ()):
        yield "rule", playbook.id, skill, node, str(int(number) + 1)
    if following.startswith("end"):
        yield "end", playbook.id, skill, following
    sop = playbook.skills[skill].sop
    keys = [k for k, t in _branches(sop.nodes[node]).items() if t == following] if sop else []
    wanted = _BY_RESULT.get(str(judged["result"]), "")
    if len(keys) > 1 and wanted in keys:
        keys = [wanted]
    yield from (("branch", playbook.id, skill, node, key) for key in keys[:1])


def _answers_in(trace: Any) -> Iterator[str]:
    """The names of answers that a trace tells of."""
    match trace:
        case {"tool": str(name), **rest}:
            if name.startswith("answer:"):
                yield name
            yield from (found for each in rest.values() for found in _answers_in(each))
        case dict():
            yield from (found for each in trace.values() for found in _answers_in(each))
        case list():
            yield from (found for each in trace for found in _answers_in(each))


def reach_line(points: Collection[ReachPoint], reached: Collection[ReachKey]) -> str:
    """How many of them were reached."""
    return f"reached {sum(point.key in reached for point in points)} of {len(points)}"


def unreached(points: Iterable[ReachPoint], reached: Collection[ReachKey]) -> list[str]:
    """A line for each that was not."""
    return [point.text for point in points if point.key not in reached]
