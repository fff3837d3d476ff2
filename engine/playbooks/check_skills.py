"""What models cannot check of a skill: its kind's part, SOP targets, plans, reviewers (001 §4)."""

from collections.abc import Collection

from engine.faults import Path, suggestion
from engine.playbooks.check import Names
from engine.playbooks.model import Ask, ReviewPolicy, Skill, Sop, SopNode, ToolPlan
from engine.rules.check import check_logic
from engine.source import Problems, Source
from engine.tools.registry import TOOLS

# A skill of this kind has exactly this part.
PARTS = {"prompt": "ask", "sop": "sop", "tool_plan": "plan"}
# Rules may also read today's date.
TODAY = "today"


class SkillCheck:
    """One pass over a skill's file; adds each problem where it stands."""

    def __init__(self, names: Names, skill: Skill, source: Source, problems: Problems) -> None:
        self._names = names
        self._it = skill
        self._source = source
        self._problems = problems

    def run(self) -> None:
        """Check the skill's part, paths and references."""
        skill = self._it
        for kind, part in PARTS.items():
            given = getattr(skill, part) is not None
            if given and kind != skill.kind:
                self._add((part,), f"belongs to kind {kind}, this skill is of kind {skill.kind}")
            if not given and kind == skill.kind:
                self._add((part,), f"is required for kind {kind}")
        for index, condition in enumerate(skill.requires):
            self._path(condition.field, ("requires", index, "field"))
        for index, path in enumerate(skill.provides):
            self._path(path, ("provides", index))
        self._sets(skill.sets, ("sets",), by_review=False)
        if skill.ask:
            self._ask(skill.ask)
        if skill.sop:
            self._sop(skill.sop)
        if skill.plan:
            self._plan(skill.plan)

    def _add(self, path: Path, message: str) -> None:
        if message:
            self._problems.add(self._source.problem(path, message))

    def _path(self, path: str, at: Path) -> None:
        self._add(at, self._names.path_fault(path))

    def _known(self, name: str, known: Collection[str] | None, at: Path, what: str) -> None:
        if known is not None and name not in known:
            self._add(at, f"there is no {what} {name!r}; {suggestion(name, known)}")

    def _sets(self, sets: dict[str, str | bool | int | None], at: Path, *, by_review: bool) -> None:
        for path, value in sets.items():
            self._path(path, (*at, path))
            if not path.startswith(("profile.", "decisions.")):
                self._add((*at, path), "should be a profile or decisions field")
            if path.startswith("decisions.") and value is not None and not by_review:
                self._add((*at, path), "only a human_review can set a decision; null clears it")

    def _ask(self, ask: Ask) -> None:
        for index, name in enumerate(ask.fields):
            known = self._names.data_fields
            self._known(name, known, ("ask", "fields", index), "data field")

    def _sop(self, sop: Sop) -> None:
        at: Path = ("sop", "nodes")
        self._known(sop.start_node, sop.nodes, ("sop", "start_node"), "node")
        for name, node in sop.nodes.items():
            if name.startswith("end"):
                self._add((*at, name), "names that begin with 'end' are ends, not nodes")
            self._targets(sop, node, (*at, name))
            if node.type == "hard_rule":
                self._hard_rule(node, (*at, name))
            else:
                self._human_review(node, (*at, name))
        for name in sorted(set(sop.nodes) - _reached(sop)):
            self._add((*at, name), "cannot be reached from start_node")
        reviewed = any(node.type == "human_review" for node in sop.nodes.values())
        for end, sets in sop.outcomes.items():
            self._sets(sets, ("sop", "outcomes", end), by_review=reviewed)

    def _targets(self, sop: Sop, node: SopNode, at: Path) -> None:
        wanted = ("on_pass", "on_fail") if node.type == "hard_rule" else ("on_approve", "on_reject")
        for key in wanted:
            target = getattr(node, key)
            if not target:
                self._add((*at, key), "is required")
            elif not target.startswith("end"):
                self._known(target, sop.nodes, (*at, key), "node")

    def _hard_rule(self, node: SopNode, at: Path) -> None:
        fields = self._names.data_fields
        variables = None if fields is None else (*fields, TODAY)
        if not node.rules:
            self._add((*at, "rules"), "should have at least one rule")
        for index, rule in enumerate(node.rules):
            where = (*at, "rules", index)
            self._known(rule.field, variables, (*where, "field"), "data field")
            for path, message in check_logic(rule.logic, variables=variables):
                self._add((*where, "logic", *path), message)

    def _human_review(self, node: SopNode, at: Path) -> None:
        if node.review is None:
            self._add((*at, "review"), "is required: who decides")
            return
        self._roles(node.review, (*at, "review"))
        if not node.decision:
            self._add((*at, "decision"), "is required: the name under which it is remembered")
        if node.shows:
            self._known(node.shows, self._names.skills, (*at, "shows"), "skill")
            shown = self._names.skills.get(node.shows)
            if shown and shown.plan is None:
                self._add((*at, "shows"), f"{node.shows!r} has no plan to show")

    def _roles(self, review: ReviewPolicy, at: Path) -> None:
        if not review.roles:
            self._add((*at, "roles"), "should name at least one role")
        for index, role in enumerate(review.roles):
            self._known(role, self._names.roles, (*at, "roles", index), "role in people.yaml")
        held = self._names.held
        if review.roles and held is not None and not set(review.roles) & set(held):
            self._add((*at, "roles"), f"nobody in people.yaml holds {' or '.join(review.roles)}")

    def _plan(self, plan: ToolPlan) -> None:
        tools = {tool.name: tool for tool in TOOLS}
        for index, call in enumerate(plan.calls):
            at: Path = ("plan", "calls", index)
            self._known(call.tool, tools, (*at, "tool"), "tool")
            for name, value in call.arguments.items():
                if isinstance(value, str) and value.startswith("$"):
                    known = self._names.data_fields
                    self._known(value[1:], known, (*at, "arguments", name), "data field")
            if call.tool in tools:
                arguments = tools[call.tool].arguments.model_fields
                for name in call.arguments:
                    self._known(name, arguments, (*at, "arguments", name), "argument")
        writes = [c.tool for c in plan.calls if c.tool in tools and not tools[c.tool].readonly]
        if writes and plan.guard is None:
            self._add(("plan", "guard"), f"is required: {', '.join(writes)} writes")
        if plan.guard:
            self._guard(plan.guard.decision)
        self._sets(plan.on_error, ("plan", "on_error"), by_review=False)
        if bool(plan.calls) == bool(plan.rehearses):
            self._add(("plan", "calls"), "either these or rehearses should be given")
        if plan.rehearses:
            self._rehearses(plan.rehearses)

    def _rehearses(self, name: str) -> None:
        self._known(name, self._names.skills, ("plan", "rehearses"), "skill")
        for skill in self._names.built or ():
            if skill.id == name and (skill.plan is None or not skill.plan.calls):
                self._add(("plan", "rehearses"), f"{name!r} has no calls to rehearse")

    def _guard(self, decision: str) -> None:
        """The guard must be a decision that some review asks for about this very plan."""
        skills = self._names.built
        if skills is None:
            return
        nodes = [node for skill in skills if skill.sop for node in skill.sop.nodes.values()]
        if not any(n.decision == decision and n.shows == self._it.id for n in nodes):
            message = f"no human_review decides {decision!r} and shows {self._it.id!r}"
            self._add(("plan", "guard", "decision"), message)


def _reached(sop: Sop) -> set[str]:
    """The nodes that can be reached from the start."""
    reached: set[str] = set()
    open_nodes = [sop.start_node]
    while open_nodes:
        name = open_nodes.pop()
        if name in reached or name not in sop.nodes:
            continue
        reached.add(name)
        node = sop.nodes[name]
        open_nodes += [node.on_pass, node.on_fail, node.on_approve, node.on_reject, node.on_expire]
    return reached
