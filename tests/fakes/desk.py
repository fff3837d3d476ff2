"""A small playbook whose one skill has a model plan look-ups and a write, as files."""

from engine.playbooks.load import load
from engine.playbooks.model import Playbook

MAIN = """\
id: desk
name: {zh: 查询台, en: Desk}
project: SIGNOFF-101
cues: [desk]
requests:
  - id: look-up
    name: {zh: 查资料, en: Look up}
    examples: [look it up]
profile_fields:
  asked: {label: {zh: 请求, en: Request}}
data_fields:
  subject_id: {label: {zh: 受试者, en: Subject}, required: false, cues: [subject]}
phases:
  - id: plan
    name: {zh: 计划, en: Plan}
    goal: {zh: 办完请求, en: The request is done}
    allowed_skills: [look-up]
    gate_field: profile.asked
    gate_check: not_empty
"""
SKILL = """\
id: look-up
name: {zh: 查资料, en: Look up}
description: {zh: 查资料并记住, en: Looks things up and remembers}
category: answer
kind: tool_plan
provides: [profile.asked]
sets: {profile.asked: "yes"}
planner:
  profile: You look things up in the records of a study.
  tools: [read_clinical_data, get_project_stats, memory__search, memory__remember]
  review: {roles: [reviewer]}
"""


def desk_files(*changes: tuple[str, str]) -> dict[str, str]:
    """The playbook's files, with parts of the skill's replaced."""
    skill = SKILL
    for old, new in changes:
        assert old in skill, f"{old!r} does not stand in the skill"
        skill = skill.replace(old, new, 1)
    return {"playbook.yaml": MAIN, "skills/look-up.yaml": skill}


def desk(*changes: tuple[str, str]) -> Playbook:
    """The playbook, checked as any other."""
    return load(desk_files(*changes), roles=("crc", "reviewer"), held=("crc", "reviewer"))
