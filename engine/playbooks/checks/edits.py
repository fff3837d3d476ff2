"""What keeps reviewers from changing the leaves that a review's `may_edit` names (1.8)."""

from engine.playbooks.checks.names import Names
from engine.playbooks.skill import SopNode
from engine.yaml.faults import Fault, suggestion


def edit_faults(node: SopNode, names: Names) -> list[Fault]:
    """Each path that the node's card does not show or a form cannot change, and why."""
    if node.review is None:
        return []
    shown = _shown(node, names)
    found: list[Fault] = []
    for index, path in enumerate(node.review.may_edit):
        at = (index,)
        if path.startswith("decisions."):
            found.append((at, "decisions are made, not edited"))
        elif fault := names.path_fault(path):
            found.append((at, fault))
        elif shown is not None and path not in shown:
            near = suggestion(path, shown)
            found.append((at, f"the card does not show {path!r}; {near}".rstrip("; ")))
        elif _is_list(path, names):
            found.append((at, f"{path!r} is a list, which no card's form can change"))
    return found


def _shown(node: SopNode, names: Names) -> tuple[str, ...] | None:
    """The leaves on the node's card; None when its plan is not known."""
    if not node.shows:
        return node.presents
    skill = names.skills.get(node.shows)
    if skill is None or skill.plan is None:
        return None
    values = [value for call in skill.plan.calls for value in call.arguments.values()]
    shown = tuple(v[1:] for v in values if isinstance(v, str) and v.startswith("$"))
    # A name that is no leaf is told where it stands; what was meant is not known here.
    return None if any(names.path_fault(path) for path in shown) else shown


def _is_list(path: str, names: Names) -> bool:
    leaf = names.definition.leaf(path) if names.definition else None
    return leaf is not None and leaf.type == "list"
