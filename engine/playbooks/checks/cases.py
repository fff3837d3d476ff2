"""What a playbook says of its case, against its own fields and phases (design §12)."""

from collections.abc import Iterator

from engine.playbooks.entity import BY_PLACE
from engine.playbooks.model import PlaybookFile
from engine.yaml.faults import Path

CaseFault = tuple[Path, str]


def case_faults(playbook: PlaybookFile) -> Iterator[CaseFault]:
    """Each fault with where it stands; paths of `own` are checked by whoever knows all names."""
    case, fields = playbook.case, playbook.data_fields
    if case.is_shared and case.of not in BY_PLACE:
        asked = any(leaf.entity == case.of for leaf in fields.values())
        if case.of not in playbook.entities:
            known = ", ".join(("request", *BY_PLACE, *playbook.entities))
            yield ("case",), f"{case.of!r} is none of {known}"
        elif not asked:
            yield ("case",), f"needs a field of type entity and kind {case.of!r}, which asks for it"
    for path, column in case.rows.items():
        leaf = fields.get(path)
        if leaf is None or leaf.type != "list":
            yield ("case", "rows", path), "is no list among data_fields"
        elif column not in leaf.columns:
            yield ("case", "rows", path), f"has no column {column!r}: {', '.join(leaf.columns)}"
    names = [phase.id for phase in playbook.phases]
    for index, phase in enumerate(playbook.phases):
        for number, other in enumerate(phase.depends_on):
            if other not in names[:index]:
                at: Path = ("phases", index, "depends_on", number)
                yield at, f"{other!r} is no phase before {phase.id!r}"
