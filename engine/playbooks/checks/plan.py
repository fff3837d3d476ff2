"""What models cannot check of a tool plan: its calls, and who approves (004, design §7)."""

from engine.playbooks.checks.names import Checking, Names
from engine.playbooks.skill import Skill, ToolPlan
from engine.tools.registry import TOOLS
from engine.yaml.faults import Path
from engine.yaml.source import Problems, Source


class PlanCheck(Checking):
    """One pass over a skill's plan; adds each problem where it stands."""

    def __init__(self, names: Names, skill: Skill, source: Source, problems: Problems) -> None:
        super().__init__(names, source, problems)
        self._skill = skill

    def run(self, plan: ToolPlan) -> None:
        """Check calls, guard and what an error leaves."""
        tools = {tool.name: tool for tool in TOOLS}
        for index, call in enumerate(plan.calls):
            at: Path = ("plan", "calls", index)
            self.known(call.tool, tools, (*at, "tool"), "tool")
            for name, value in call.arguments.items():
                if isinstance(value, str) and value.startswith("$"):
                    known = self.names.data_fields
                    self.known(value[1:], known, (*at, "arguments", name), "data field")
            if call.tool in tools:
                arguments = tools[call.tool].arguments.model_fields
                for name in call.arguments:
                    self.known(name, arguments, (*at, "arguments", name), "argument")
        writes = [c.tool for c in plan.calls if c.tool in tools and not tools[c.tool].readonly]
        if writes and plan.guard is None:
            self.add(("plan", "guard"), f"is required: {', '.join(writes)} writes")
        if plan.guard:
            self._guard(plan.guard.decision)
        self.sets(plan.on_error, ("plan", "on_error"))
        if bool(plan.calls) == bool(plan.rehearses):
            self.add(("plan", "calls"), "either these or rehearses should be given")
        if plan.rehearses:
            self._rehearses(plan.rehearses)

    def _rehearses(self, name: str) -> None:
        self.known(name, self.names.skills, ("plan", "rehearses"), "skill")
        for skill in self.names.built or ():
            if skill.id == name and (skill.plan is None or not skill.plan.calls):
                self.add(("plan", "rehearses"), f"{name!r} has no calls to rehearse")

    def _guard(self, decision: str) -> None:
        """The guard must be a decision that some review asks for about this very plan."""
        skills = self.names.built
        if skills is None:
            return
        nodes = [node for skill in skills if skill.sop for node in skill.sop.nodes.values()]
        if not any(n.decision == decision and n.shows == self._skill.id for n in nodes):
            message = f"no human_review decides {decision!r} and shows {self._skill.id!r}"
            self.add(("plan", "guard", "decision"), message)
