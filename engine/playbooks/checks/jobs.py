"""What models cannot check of a job graph: experts, their tools and skills, leaves (002)."""

import re
from collections.abc import Collection, Sequence

from engine.playbooks.checks.names import FileCheck
from engine.playbooks.checks.review import ReviewCheck
from engine.playbooks.job_graph import LEADER, Expert, JobsPart
from engine.playbooks.skill import RETRIEVAL, Skill
from engine.text.template import CONTEXT_NAMES
from engine.yaml.faults import Path

RESULT_COLUMNS = ("job", "expert", "result")
"""The columns of the list leaf that takes the jobs' results."""
_NAMED = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)


class JobsCheck(FileCheck):
    """One pass over a skill's jobs; adds each problem where it stands."""

    def run(self, jobs: JobsPart) -> None:
        """Check goal, experts, and where the results go."""
        for lang, text in jobs.goal.root.items() if jobs.goal else ():
            at: Path = ("jobs", "goal", lang) if lang else ("jobs", "goal")
            for match in _NAMED.finditer(text):
                name = match[1] or match[2]
                if name not in CONTEXT_NAMES:
                    self.require_known(name, self.names.data_fields, at, "data field")
        self._experts(jobs)
        self._review(jobs)
        for index, rule in enumerate(jobs.rules):
            for name in rule.tools:
                self.require_known(name, jobs.all_tools, ("jobs", "rules", index), "tool")
        self._leaves(jobs)
        self.check_settings(jobs.on_error, ("jobs", "on_error"))

    def _review(self, jobs: JobsPart) -> None:
        """Who approves what experts write: somebody, and for nothing else."""
        at: Path = ("jobs", "review")
        if jobs.review:
            ReviewCheck(self.names, self.source, self.problems).policy(jobs.review, at)
            if jobs.review.may_edit:
                fault = "does not go with the writes of experts: their arguments are no leaves"
                self.add((*at, "may_edit"), fault)
        tools = self.names.tools
        if tools is None or any(name not in tools for name in jobs.all_tools):
            return
        writes = [name for name in jobs.all_tools if tools[name].writes]
        if writes and jobs.review is None:
            self.add(at, f"is required: {', '.join(writes)} writes, and people approve it first")
        if jobs.review and not writes:
            self.add(at, "does not go with tools that only read: nothing is to approve")

    def _tools(self, names: Sequence[str], at: Path) -> None:
        for index, name in enumerate(names):
            self.require_known(name, self.names.tools, (*at, index), "tool")

    def _preset(self, jobs: JobsPart, names: Collection[str]) -> None:
        """The expert of the whole goal, or the leaf that says who it is."""
        at: Path = ("jobs", "expert")
        path = jobs.expert.removeprefix("$")
        if path == jobs.expert:
            self.require_known(jobs.expert, names, at, "expert")
            return
        self.check_path(path, at)
        leaf = self.names.definition.leaf(path) if self.names.definition else None
        if leaf is None:
            return
        if leaf.type != "choice":
            self.add(at, f"{path} is a field of type {leaf.type}; a choice names an expert")
        elif unknown := [option for option in leaf.options if option not in names]:
            self.add(at, f"{path} offers {', '.join(unknown)}, who is none of the experts")

    def _experts(self, jobs: JobsPart) -> None:
        if not jobs.experts and jobs.made_experts is None:
            self.add(("jobs", "experts"), "should name at least one expert")
        seen: set[str] = set()
        for index, expert in enumerate(jobs.experts):
            at: Path = ("jobs", "experts", index)
            if expert.name == LEADER:
                self.add((*at, "name"), f"{LEADER!r} decomposes the goal, and is no expert")
            if expert.name in seen:
                self.add((*at, "name"), f"{expert.name!r} stands twice")
            seen.add(expert.name)
            self._expert(expert, at)
        if jobs.expert:
            self._preset(jobs, seen)
        if jobs.made_experts:
            self._tools(jobs.made_experts.tools, ("jobs", "made_experts", "tools"))

    def _expert(self, expert: Expert, at: Path) -> None:
        self._tools(expert.tools, (*at, "tools"))
        if not expert.skill:
            return
        if expert.tools:
            self.add((*at, "tools"), "either a skill or tools should be given")
        self.require_known(expert.skill, self.names.skills, (*at, "skill"), "skill")
        skill = self.names.skills.get(expert.skill)
        if skill is not None:
            self.add((*at, "skill"), self._why_not_allowed(skill))

    def _leaves(self, jobs: JobsPart) -> None:
        for key, name in (("results", jobs.results), ("summary", jobs.summary)):
            if name:
                self.require_known(name, self.names.data_fields, ("jobs", key), "data field")
        definition = self.names.definition
        if definition is None:
            return
        results = definition.data_fields.get(jobs.results)
        if results is not None and set(results.columns) != set(RESULT_COLUMNS):
            fault = f"should be a list with the columns {', '.join(RESULT_COLUMNS)}"
            self.add(("jobs", "results"), fault)
        summary = definition.data_fields.get(jobs.summary)
        if summary is not None and summary.type != "text":
            self.add(("jobs", "summary"), f"should be a text, not {summary.type}")

    def _why_not_allowed(self, skill: Skill) -> str:
        """Why no expert can have that skill, "" when one can."""
        if skill.api_call_only:
            return f"{skill.id!r} runs only over the internal API"
        if skill.category == RETRIEVAL:
            return f"{skill.id!r} only answers questions"
        if skill.jobs or (skill.sop and skill.sop.batch):
            return f"{skill.id!r} has child runs of its own; an expert is one of them"
        tools = self.names.tools or {}
        called = [call.tool for call in skill.plan.calls] if skill.plan else []
        called += skill.planner.tools if skill.planner else ()
        if writes := [name for name in called if name in tools and tools[name].writes]:
            fault = f"{skill.id!r} writes ({', '.join(writes)}); an expert's skill only reads"
            return f"{fault}: give the expert the tool itself, and jobs a review"
        return ""
