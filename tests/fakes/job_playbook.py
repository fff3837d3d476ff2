"""A playbook whose one phase is a job graph, and what its Leader and experts answer."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.model import Completion, Message, Purpose, ToolOffer

MAIN = """\
id: reports
name: {zh: 报告, en: Reports}
project: SIGNOFF-101
cues: [报告, report]
requests:
  - id: report
    name: {zh: 监查报告, en: Monitoring report}
    examples: [准备报告, prepare a report]
profile_fields:
  report_status: {label: {zh: 报告, en: Report}}
data_fields:
  subject_id: {label: {zh: 受试者, en: Subject}, required: false}
  report: {label: {zh: 报告, en: Report}, multiline: true, required: false}
  findings:
    label: {zh: 结果, en: Findings}
    type: list
    columns:
      job: {label: {zh: 任务, en: Job}}
      expert: {label: {zh: 专家, en: Expert}}
      result: {label: {zh: 结果, en: Result}}
phases:
  - id: report
    name: {zh: 报告, en: Report}
    goal: {zh: 有报告, en: There is a report}
    allowed_skills: [write-report]
    gate_field: profile.report_status
    gate_check: not_empty
"""
SKILL = """\
id: write-report
name: {zh: 写报告, en: Write the report}
description: {zh: 写报告, en: Has a team write the report}
category: report
kind: job_graph
provides: [profile.report_status]
sets: {profile.report_status: done}
jobs:
  goal: {zh: 准备 $subject_id 的报告, en: Prepare the report of $subject_id}
  experts:
    - {name: records, profile: You read records., tools: [read_clinical_data]}
    - {name: protocol, profile: You know the protocol., tools: [search_protocol]}
    - {name: statistics, profile: You count., retry_count: 1}
  life_cycle: 2
  concurrency: 3
  retry_after_s: 0.05
  results: findings
  summary: report
"""


def playbook(
    *changes: tuple[str, str], skill: str = SKILL, main: str = MAIN, **more: str
) -> Playbook:
    """The playbook with these changes of its skill's text, and more skills."""
    for old, new in changes:
        assert old in skill, old
        skill = skill.replace(old, new, 1)
    files = {"reports/playbook.yaml": main, "reports/skills/write-report.yaml": skill}
    files |= {f"reports/skills/{name}.yaml": text for name, text in more.items()}
    return load(files, roles=None, held=None)


def job(name: str, expert: str = "records", *needs: str, **changed: Any) -> dict[str, Any]:
    """A job as the Leader writes it."""
    return {
        "id": name,
        "goal": f"goal of {name}",
        "context": f"context of {name}",
        "completion_criteria": f"{name} is found",
        "dependencies": list(needs),
        "assigned_expert": expert,
        "thinking": f"I need {name}",
        **changed,
    }


def says(status: str | None, result: str = "", lesson: str = "", question: str = "") -> str:
    """An expert's answer."""
    told = {"status": status, "result": result, "lesson": lesson, "question": question}
    return json.dumps(told, ensure_ascii=False)


def plan(*jobs: Mapping[str, Any]) -> str:
    """The Leader's answer."""
    return json.dumps({"jobs": list(jobs)}, ensure_ascii=False)


Answer = str | Completion | Exception
FormText = Callable[[str], Answer] | Sequence[Answer]


@dataclass
class TeamModel:
    """Answers by whose turn it is: `leader`, or the goal of a job; each in its own order.

    A script is a list (the last line again and again), or a function of everything that was said.
    `heard` has what each was told, `asked` who was, in order.
    """

    scripts: Mapping[str, FormText]
    asked: list[str] = field(default_factory=list)
    heard: list[tuple[str, str]] = field(default_factory=list)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
        purpose: Purpose = "",
    ) -> Completion:
        """The next answer of whoever is asked."""
        assert schema is not None
        who = whose([message.content for message in messages], schema)
        told = "\n".join(message.content for message in messages)
        script = self.scripts[who]
        said = sum(name == who for name in self.asked)
        line = script(told) if callable(script) else script[min(said, len(script) - 1)]
        self.asked.append(who)
        self.heard.append((who, told))
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, Completion) else Completion(line, tokens=10)

    def told(self, who: str) -> str:
        """Everything that it was told, the last time."""
        return next(text for name, text in reversed(self.heard) if name == who)


def whose(contents: Sequence[str], schema: Mapping[str, Any]) -> str:
    """`leader`, or the name in the goal of the job that is asked about."""
    if "jobs" in schema["properties"]:
        return "leader"
    goal = contents[1].partition("Your job: <data>")[2].partition("</data>")[0]
    return goal.removeprefix("goal of ")
