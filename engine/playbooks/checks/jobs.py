"""What models cannot check of a job graph: experts, their tools and skills, leaves (002)."""

import re

from engine.playbooks.checks.names import FileCheck
from engine.playbooks.job_graph import LEADER, Expert, JobsPart
from engine.playbooks.skill import RETRIEVAL, Skill
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
                self.require_known(name, self.names.data_fields, at, "data field")
        self._experts(jobs)
        self._leaves(jobs)
        self.check_settings(jobs.on_error, ("jobs", "on_error"))

    def _experts(self, jobs: JobsPart) -> None:
        if not jobs.experts:
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
            self.require_known(jobs.expert, seen, ("jobs", "expert"), "expert")

    def _expert(self, expert: Expert, at: Path) -> None:
        self.check_read_tools(expert.tools, (*at, "tools"))
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
            return f"{skill.id!r} writes ({', '.join(writes)}); experts only read"
        return ""
