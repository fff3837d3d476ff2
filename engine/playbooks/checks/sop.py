"""What models cannot check of an SOP: targets, rules, reviewers, what they may edit (001 §4)."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from engine.playbooks.checks.list_tools import TODAY, ListToolCheck
from engine.playbooks.checks.names import FileCheck, KnownNames
from engine.playbooks.checks.review import ReviewCheck
from engine.playbooks.model import Playbook
from engine.playbooks.skill import (
    END,
    SAYS,
    SOP_ENDS,
    SOP_NODE_KINDS,
    Setting,
    Sop,
    SopNode,
)
from engine.rules.check import check_logic
from engine.rules.operand_checks import operand_faults
from engine.text.language import LocalizedText
from engine.text.template import PLAN_NAMES, names_in
from engine.yaml.faults import Fault, Path, suggestion
from engine.yaml.source import Source


class SopCheck(FileCheck):
    """One pass over an SOP; adds each problem where it stands."""

    def run(self, sop: Sop) -> None:
        """Check every node."""
        if sop.batch:
            ListToolCheck(self.names, self.source, self.problems).check_batch(sop.batch)
        at: Path = ("sop", "nodes")
        self.require_known(sop.start_node, sop.nodes, ("sop", "start_node"), "node")
        for name, node in sop.nodes.items():
            if name.startswith("end"):
                self.add((*at, name), "names that begin with 'end' are ends, not nodes")
            self._targets(sop, node, (*at, name))
            self.check_text(node.title, (*at, name, "title"))
            self.check_text(node.description, (*at, name, "description"))
            self._node(node, (*at, name))
        for name in sorted(set(sop.nodes) - _reachable_nodes(sop, sop.start_node)):
            self.add((*at, name), "cannot be reached from start_node")
        for name in sorted(set(sop.nodes) - _nodes_with_end(sop)):
            self.add((*at, name), "no end can be reached from it")
        self._tables(sop)
        self._edited_keys(sop)
        self._outcomes(sop)

    def _edited_keys(self, sop: Sop) -> None:
        """No reviewer may change what something was looked up by: the rest is of another thing."""
        looking = {name: node.reads for name, node in sop.nodes.items() if node.reads}
        for name, node in sop.nodes.items():
            for index, path in enumerate(node.review.may_edit if node.review else ()):
                for first, reads in looking.items():
                    if f"${path}" in reads.arguments.values() or path in reads.fills:
                        fault = (
                            f"{first!r} looks up by {path!r}, or fills it; it is not edited then"
                        )
                        self.add(("sop", "nodes", name, "review", "may_edit", index), fault)

    def _tables(self, sop: Sop) -> None:
        """No node may replace what another one before it found: where that failed, it found."""
        judging = {name: node.over for name, node in sop.nodes.items() if node.over}
        for first, before in judging.items():
            later = _reachable_nodes(sop, sop.nodes[first].on_fail)
            for name, over in judging.items():
                if name == first or name not in later:
                    continue
                for key in ("findings", "summary"):
                    if (table := getattr(over, key)) == getattr(before, key):
                        fault = f"{table!r} holds those of {first!r} by then; name another list"
                        self.add(("sop", "nodes", name, "over", key), fault)

    def _outcomes(self, sop: Sop) -> None:
        reviewed = any(node.kind.judge == "people" for node in sop.nodes.values())
        by_model = {
            target
            for node in sop.nodes.values()
            if node.kind.judge == "model"
            for target in (node.pass_target, node.fail_target)
        }
        for end, outcome in sop.outcomes.items():
            by_review, at = reviewed and end not in by_model, ("sop", "outcomes", end)
            self.check_settings(sop.sets(end), at, by_review=by_review)
            self._ending(outcome, at)

    def _ending(self, outcome: Mapping[str, Setting | LocalizedText], at: Path) -> None:
        """What an outcome says besides what it sets."""
        if END in outcome:
            given = outcome[END]
            known = isinstance(given, str) and given in SOP_ENDS
            self.add((*at, END), "" if known else f"should be one of {', '.join(SOP_ENDS)}")
        for key, value in outcome.items():
            if isinstance(value, LocalizedText):
                wrong = f"is a text by language; only {SAYS} is one"
                self.add((*at, key), "" if key == SAYS else wrong)
                self.check_text(value, (*at, key))
        if SAYS in outcome and not isinstance(outcome[SAYS], LocalizedText):
            self.add((*at, SAYS), "should be a text, or a text for each language")

    def _targets(self, sop: Sop, node: SopNode, at: Path) -> None:
        for key, target in {**node.targets, "on_error": node.on_error}.items():
            where = (*at, *_path_of(key))
            if not target and key != "on_expire":
                self.add(where, "is required")
            elif target and not target.startswith("end"):
                self.require_known(target, sop.nodes, where, "node")

    def _node(self, node: SopNode, at: Path) -> None:
        self._foreign(node, at)
        for path, fault in edit_faults(node, self.names):
            self.add((*at, "review", "may_edit", *path), fault)
        match node.type:
            case "hard_rule":
                self._hard_rule(node, at)
            case "soft_instruction":
                self._soft_instruction(node, at)
            case "human_review":
                self._human_review(node, at)
            case "branch":
                self._branch(node, at)
            case "look_up":
                self._look_up(node, at)
            case _:
                assert_never(node.type)

    def _foreign(self, node: SopNode, at: Path) -> None:
        """Parts that only nodes of another type have, or that do not go together."""
        parts = {name: {*kind.parts, *kind.target_keys} for name, kind in SOP_NODE_KINDS.items()}
        for part in sorted(node.model_fields_set - parts[node.type]):
            named = " or ".join(name for name, own in parts.items() if part in own)
            if named:
                self.add((*at, part), f"belongs to type {named}, this node is of type {node.type}")
        if node.over and "fail_on" in node.model_fields_set:
            self.add((*at, "fail_on"), "does not go with over: every finding fails the node")
        if node.over and node.only_branches:
            self.add((*at, "only_branches"), "does not go with over, which lists what it finds")

    def _branch(self, node: SopNode, at: Path) -> None:
        if not node.ways:
            self.add((*at, "ways"), "is required: conditions, and where each leads")
        for number, way in enumerate(node.ways):
            self.check_condition(way.when, (*at, "ways", number, "when"))

    def _look_up(self, node: SopNode, at: Path) -> None:
        if node.reads is None:
            self.add((*at, "reads"), "is required: a tool, and the fields that it fills")
        else:
            check = ListToolCheck(self.names, self.source, self.problems)
            check.check_reading(node.reads, (*at, "reads"))

    def _soft_instruction(self, node: SopNode, at: Path) -> None:
        if not node.instruction.strip():
            self.add((*at, "instruction"), "is required: what the model is to judge")
        for name in names_in(node.instruction):
            # What people wrote is data to a model, and no part of what it is told to do.
            fault = f"nothing fills {{{name}}}: the model is shown all of it beside the instruction"
            known = not self.names.text_fault(name)
            self.add((*at, "instruction"), fault if known else "")
        self.check_read_tools(node.tools, (*at, "tools"))
        if node.review is None:
            self.add((*at, "review"), "is required: who decides when the model cannot")
        else:
            self._reviewed(node, (*at, "review"))
        self._presented(node, at)

    def _presented(self, node: SopNode, at: Path) -> None:
        for index, path in enumerate(node.presents):
            self.check_path(path, (*at, "presents", index))

    def _hard_rule(self, node: SopNode, at: Path) -> None:
        names = self.names.rule_names(**{TODAY: "date"})
        if node.over:
            check = ListToolCheck(self.names, self.source, self.problems)
            names = check.check_over(node.over, (*at, "over"), names)
        if not node.rules:
            self.add((*at, "rules"), "should have at least one rule")
        for index, rule in enumerate(node.rules):
            where = (*at, "rules", index)
            if names.fault(rule.field, "field"):
                what = "column" if node.over else "data field"
                self.require_known(rule.field, names.types, (*where, "field"), what)
            faults = check_logic(rule.logic, names) + operand_faults(rule.logic, names)
            for path, message in faults:
                self.add((*where, "logic", *path), message)

    def _reviewed(self, node: SopNode, at: Path) -> None:
        if node.review:
            ReviewCheck(self.names, self.source, self.problems).run(node, node.review, at)

    def _human_review(self, node: SopNode, at: Path) -> None:
        if node.review is None:
            self.add((*at, "review"), "is required: who decides")
            return
        self._reviewed(node, (*at, "review"))
        if not node.decision:
            self.add((*at, "decision"), "is required: the name under which it is remembered")
        self._presented(node, at)
        if not node.shows and not node.presents:
            fault = "or shows is required: a review that shows nothing approves nothing"
            self.add((*at, "presents"), fault)
        if node.shows:
            self.require_known(node.shows, self.names.skills, (*at, "shows"), "skill")
            shown = self.names.skills.get(node.shows)
            if shown and (shown.plan is None or not shown.plan.calls):
                self.add((*at, "shows"), f"{node.shows!r} has no plan to show")


def _path_of(key: str) -> Path:
    """Where a target stands in its node: `ways.0.to` is no one key."""
    return tuple(int(step) if step.isdigit() else step for step in key.split("."))


def _reachable_nodes(sop: Sop, start: str) -> set[str]:
    """The node, and those that can be reached from it."""
    reached: set[str] = set()
    open_nodes = [start]
    while open_nodes:
        name = open_nodes.pop()
        if name in reached or name not in sop.nodes:
            continue
        reached.add(name)
        node = sop.nodes[name]
        open_nodes += [*_targets_of(node), node.on_error]
    return reached


def _nodes_with_end(sop: Sop) -> set[str]:
    """The nodes from which an end can be reached without an error."""
    ending: set[str] = set()
    while True:
        more = {
            name
            for name, node in sop.nodes.items()
            if name not in ending
            # A target that is missing or is not there is told already.
            and any(t in ending or t not in sop.nodes for t in _targets_of(node))
        }
        if not more:
            return ending
        ending |= more


def _targets_of(node: SopNode) -> list[str]:
    return [target for key, target in node.targets.items() if target or key != "on_expire"]


def end_warnings(playbook: Playbook, sources: Mapping[str, Source]) -> list[str]:
    """Each place that leads to an end of which `outcomes` says nothing; `sources` by skill id."""
    return [
        sources[skill.id].problem(
            ("sop", "nodes", node, *_path_of(key)),
            f"{end!r} sets nothing, so the run ends there if the gate of its phase is still open; "
            "say under outcomes what it sets, or name it there",
        )
        for skill in playbook.skills.values()
        if skill.sop and skill.id in sources
        for node, key, end in _unset_ends(skill.sop)
    ]


def _unset_ends(sop: Sop) -> Iterator[tuple[str, str, str]]:
    """Node, key and end. What rules find in records is data, and a batch sums its ends up."""
    if sop.batch or any(node.over for node in sop.nodes.values()):
        return
    for name, node in sop.nodes.items():
        for key, target in node.targets.items():
            if target.startswith("end") and target not in sop.outcomes:
                yield name, key, target


def edit_faults(node: SopNode, names: KnownNames) -> list[Fault]:
    """Each path that the node's card does not show or a form cannot change, and why."""
    if node.review is None:
        return []
    shown = _editable_paths(node, names)
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


def _editable_paths(node: SopNode, names: KnownNames) -> tuple[str, ...] | None:
    """The leaves on the node's card; None when its plan is not known."""
    if not node.shows:
        return node.presents
    skill = names.skills.get(node.shows)
    if skill is None or skill.plan is None:
        return None
    calls = skill.plan.calls
    values = [v for call in calls for v in call.arguments.values() if not call.row_column(v)]
    named = [v[1:] for v in values if isinstance(v, str) and v.startswith("$")]
    shown = tuple(path for path in named if path not in PLAN_NAMES)
    # A name that is no leaf is told where it stands; what was meant is not known here.
    return None if any(names.path_fault(path) for path in shown) else shown


def _is_list(path: str, names: KnownNames) -> bool:
    leaf = names.definition.leaf(path) if names.definition else None
    return leaf is not None and leaf.type == "list"
