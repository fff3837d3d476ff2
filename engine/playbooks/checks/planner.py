"""What models cannot check of a planner: its tools, and who approves its writes (004, §7)."""

from engine.playbooks.checks.names import Checking, Names
from engine.playbooks.checks.review import ReviewCheck
from engine.playbooks.skill import ToolPlanner
from engine.tools.registry import TOOLS
from engine.yaml.faults import Path
from engine.yaml.source import Problems, Source


class PlannerCheck(Checking):
    """One pass over a skill's planner; adds each problem where it stands."""

    def __init__(self, names: Names, source: Source, problems: Problems) -> None:
        super().__init__(names, source, problems)
        self._reviewed = ReviewCheck(names, source, problems).policy

    def run(self, planner: ToolPlanner) -> None:
        """Check profile, tools, review and what an error leaves."""
        if not planner.profile.strip():
            self.add(("planner", "profile"), "is required: what the model plans as")
        if not planner.tools:
            self.add(("planner", "tools"), "should name at least one tool")
        tools = {tool.name: tool for tool in TOOLS}
        for index, name in enumerate(planner.tools):
            at: Path = ("planner", "tools", index)
            self.known(name, tools, at, "tool")
            if name in planner.tools[:index]:
                self.add(at, f"{name!r} stands twice")
        writes = [n for n in dict.fromkeys(planner.tools) if n in tools and not tools[n].readonly]
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
        self.sets(planner.on_error, ("planner", "on_error"))
