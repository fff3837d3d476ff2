"""What models cannot check of tool plans: fixed calls with their guard, and planners (004, §7)."""

from collections.abc import Collection

from engine.playbooks.checks.names import FileCheck, KnownNames
from engine.playbooks.checks.review import ReviewCheck
from engine.playbooks.skill import PlannedCall, Skill, ToolPlan, ToolPlanner
from engine.text.template import PLAN_NAMES
from engine.yaml.faults import Path, suggestion
from engine.yaml.source import Problems, Source


class PlanCheck(FileCheck):
    """One pass over a skill's plan; adds each problem where it stands."""

    def __init__(self, names: KnownNames, skill: Skill, source: Source, problems: Problems) -> None:
        super().__init__(names, source, problems)
        self._skill = skill

    def run(self, plan: ToolPlan) -> None:
        """Check calls, guard and what an error leaves."""
        tools = self.names.tools or {}
        for index, call in enumerate(plan.calls):
            at: Path = ("plan", "calls", index)
            self.require_known(call.tool, self.names.tools, (*at, "tool"), "tool")
            self._values(call, at)
            if call.tool in tools:
                self.check_arguments(
                    call.tool, tools[call.tool], call.arguments, (*at, "arguments")
                )
        writes = [c.tool for c in plan.calls if c.tool in tools and tools[c.tool].writes]
        if writes and plan.guard is None:
            self.add(("plan", "guard"), f"is required: {', '.join(writes)} writes")
        if plan.guard:
            self._guard(plan.guard.decision)
        self.check_settings(plan.on_error, ("plan", "on_error"))
        if bool(plan.calls) == bool(plan.rehearses):
            self.add(("plan", "calls"), "either these or rehearses should be given")
        if plan.rehearses:
            self._rehearses(plan.rehearses)

    def _values(self, call: PlannedCall, at: Path) -> None:
        """Arguments are leaves, or columns of the list that there is a call for each row of."""
        columns: Collection[str] = ()
        if call.for_each and self.names.definition:
            leaf = self.names.definition.data_fields.get(call.for_each)
            if leaf is None or leaf.type != "list":
                fault = "should be a list among data_fields"
                self.add((*at, "for_each"), fault)
            else:
                columns = leaf.columns
        for name, value in call.arguments.items():
            where = (*at, "arguments", name)
            if column := call.row_column(value):
                self.require_known(column, columns or None, where, f"column of {call.for_each}")
            elif isinstance(value, str) and value.startswith("$"):
                known = self.names.data_fields
                if not self.names.is_part(value[1:]) and value[1:] not in PLAN_NAMES:
                    self.require_known(value[1:], known, where, "data field")
                self._list_argument(call, name, value[1:], where)

    def _list_argument(self, call: PlannedCall, name: str, path: str, at: Path) -> None:
        """No argument of another type takes a list."""
        facts = (self.names.tools or {}).get(call.tool)
        leaf = self.names.definition.leaf(path) if self.names.definition else None
        taken = facts.types.get(name) if facts else None
        if leaf and leaf.type == "list" and taken not in (None, "list"):
            fault = (
                f"is a list, and {name!r} is of type {taken}; for_each: {path} calls for each row"
            )
            self.add(at, fault)

    def _rehearses(self, name: str) -> None:
        self.require_known(name, self.names.skills, ("plan", "rehearses"), "skill")
        for skill in self.names.built_skills or ():
            if skill.id == name and (skill.plan is None or not skill.plan.calls):
                self.add(("plan", "rehearses"), f"{name!r} has no calls to rehearse")

    def _guard(self, decision: str) -> None:
        """The guard must be a decision that some review asks for about this very plan."""
        skills = self.names.built_skills
        if skills is None:
            return
        nodes = [node for skill in skills if skill.sop for node in skill.sop.nodes.values()]
        if not any(n.decision == decision and n.shows == self._skill.id for n in nodes):
            message = f"no human_review decides {decision!r} and shows {self._skill.id!r}"
            decided = {n.decision for n in nodes if n.shows == self._skill.id and n.decision}
            hint = suggestion(decision, decided - {decision})
            self.add(("plan", "guard", "decision"), f"{message}; {hint}".removesuffix("; "))


class PlannerCheck(FileCheck):
    """One pass over a skill's planner; adds each problem where it stands."""

    def __init__(self, names: KnownNames, source: Source, problems: Problems) -> None:
        super().__init__(names, source, problems)
        self._reviewed = ReviewCheck(names, source, problems).policy

    def run(self, planner: ToolPlanner) -> None:
        """Check profile, tools, review and what an error leaves."""
        if not planner.profile.strip():
            self.add(("planner", "profile"), "is required: what the model plans as")
        if not planner.tools:
            self.add(("planner", "tools"), "should name at least one tool")
        tools = self.names.tools or {}
        for index, name in enumerate(planner.tools):
            at: Path = ("planner", "tools", index)
            self.require_known(name, self.names.tools, at, "tool")
            if name in planner.tools[:index]:
                self.add(at, f"{name!r} stands twice")
        for index, rule in enumerate(planner.rules):
            for name in rule.tools:
                self.require_known(name, planner.tools, ("planner", "rules", index), "tool")
        writes = [n for n in dict.fromkeys(planner.tools) if n in tools and tools[n].writes]
        at = ("planner", "review")
        if planner.review:
            self._reviewed(planner.review, at)
            if planner.review.may_edit:
                fault = "does not go with a planned review: its arguments are no leaves"
                self.add((*at, "may_edit"), fault)
        if writes and planner.review is None:
            self.add(at, f"is required: {', '.join(writes)} writes, and people approve it first")
        unknown = [name for name in planner.tools if name not in tools]
        if planner.review and not writes and not unknown:
            self.add(at, "does not go with tools that only read: nothing is to approve")
        self.check_settings(planner.on_error, ("planner", "on_error"))
