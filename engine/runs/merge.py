"""Changes of a run's state, checked against its playbook before they become state (spec 000 §1)."""

from engine.frames.state import AgentState, Patch
from engine.playbooks.leaf_faults import checked
from engine.playbooks.model import Playbook
from engine.yaml.faults import key_text


class BadState(Exception):
    """A change does not fit the playbook's fields; the message lists every fault."""


def merge_patch(state: AgentState, patch: Patch, playbook: Playbook) -> AgentState:
    """The state after the change; raises BadState, so that what does not fit is never kept."""
    if faults := state_faults(patch.paths, playbook):
        raise BadState("; ".join(faults))
    return patch.apply(state)


def state_faults(paths: dict[str, object], playbook: Playbook) -> list[str]:
    """What keeps values from standing at these paths; what is cleared always may be."""
    return [
        f"{'.'.join((path, *map(key_text, inside)))}: {told}"
        for path, value in paths.items()
        if value is not None
        for inside, told in checked(path, value, playbook.definition)
    ]
