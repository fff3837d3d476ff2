"""The way that a run took through its playbook, read from its audit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.frames.state import ENDED, Run, position
from engine.playbooks.drawing.model import Graph, node_id
from engine.runs.audit_state import position_in


@dataclass(frozen=True, slots=True)
class Path:
    """Ids of the graph's nodes: those it went through, in order; where it is, while it lives."""

    visited: tuple[str, ...]
    waiting: tuple[str, ...]


def taken(run: Run, entries: Sequence[Mapping[str, Any]]) -> Path:
    """The path of a run with this audit; what the audit does not know is left out."""
    found = [node_id("playbook", run.playbook)]
    before = ""
    for entry in entries:
        after = position_in(entry) or before
        found += _judged(entry.get("judged"), before, after)
        found += nodes_of(after)
        before = after
    here = nodes_of(position(run.frames[-1]))
    living = run.status not in ENDED
    visited = dict.fromkeys([*found, *here])
    return Path(tuple(visited), here[-1:] if living else ())


def nodes_of(place: str) -> tuple[str, ...]:
    """The nodes of a place as `position` writes it, the outer one first."""
    kind, _, name = place.partition(":")
    skill, _, node = name.partition("/")
    if not skill:
        return ()
    if kind == "planner":
        return (node_id("phase", name),)
    whole = node_id("skill", skill)
    # Steps of a model's plan and jobs are no nodes of the playbook.
    return (whole, node_id("sop", skill, node)) if kind == "sop" and node else (whole,)


def _judged(judged: Any, before: str, after: str) -> tuple[str, ...]:
    """An SOP's node that was judged, and the end that this led to."""
    if not isinstance(judged, Mapping):
        return ()
    place = before if before.startswith("sop:") else after
    if not place.startswith("sop:"):
        return ()
    skill = place.partition(":")[2].partition("/")[0]
    nodes = (str(judged.get("node", "")), str(judged.get("next", "")))
    # What follows is entered by a later step; an end is not.
    reached = [nodes[0], *(n for n in nodes[1:] if n.startswith("end"))]
    return tuple(node_id("sop", skill, node) for node in reached if node)


def named(path: Path, graph: Graph) -> Sequence[tuple[str, bool]]:
    """The path in words, for who cannot see the picture: names, and whether the run is there."""
    names = {node.id: node.name for node in graph.nodes}
    return [(names[node], node in path.waiting) for node in path.visited if node in names]
