"""What is no fault of a playbook and may yet not be meant: ends of an SOP that set nothing."""

from collections.abc import Iterator, Mapping

from engine.playbooks.model import Playbook
from engine.playbooks.skill import Sop
from engine.yaml.source import Source


def end_warnings(playbook: Playbook, sources: Mapping[str, Source]) -> list[str]:
    """Each place that leads to an end of which `outcomes` says nothing; `sources` by skill id."""
    return [
        sources[skill.id].problem(
            ("sop", "nodes", node, key),
            f"{end!r} sets nothing, so the run ends there if the gate of its phase is still open; "
            "say under outcomes what it sets, or name it there",
        )
        for skill in playbook.skills.values()
        if skill.sop and skill.id in sources
        for node, key, end in _untold(skill.sop)
    ]


def _untold(sop: Sop) -> Iterator[tuple[str, str, str]]:
    """Node, key and end. What rules find in records is data, and a batch sums its ends up."""
    if sop.batch or any(node.over for node in sop.nodes.values()):
        return
    for name, node in sop.nodes.items():
        for key, target in node.ways.items():
            if target.startswith("end") and target not in sop.outcomes:
                yield name, key, target
