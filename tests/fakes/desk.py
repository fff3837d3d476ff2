"""A small playbook whose one skill has a model plan look-ups and a write, as files."""

from engine.playbooks.load import load
from engine.playbooks.model import Playbook

MAIN = """\
id: desk
name: {zh: 查询台, en: Desk}
project: SIGNOFF-101
cues: [desk, post a note, note it]
requests:
  - id: look-up
    name: {zh: 查资料, en: Look up}
    examples:
      - post a note at the desk
      - please post a note at the desk
      - post the note at the desk
      - look it up and note it at the desk
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


FIXED = """\
id: look-up
name: {zh: 记下, en: Note it}
description: {zh: 记下, en: Posts a note}
category: record
kind: tool_plan
requires:
  - {field: decisions.review, check: "equals:approved"}
provides: [profile.asked]
sets: {profile.asked: "yes"}
plan:
  guard: {decision: review}
  calls:
    - {tool: post_note, arguments: {text: $subject_id}}
"""
REVIEW = """\
id: note-review
name: {zh: 审核, en: Review}
description: {zh: 审核, en: A reviewer approves the note}
category: review
kind: sop
provides: [decisions.review]
sop:
  start_node: approve
  nodes:
    approve:
      type: human_review
      review: {roles: [reviewer]}
      shows: look-up
      decision: review
      on_approve: end_approved
  outcomes:
    end_approved: {decisions.review: approved}
"""
COLLECT = """\
id: note-collect
name: {zh: 内容, en: Text}
description: {zh: 内容, en: Asks for the text}
category: intake
kind: prompt
provides: [subject_id]
ask:
  title: {zh: 内容, en: Text}
  text: {zh: 内容, en: Text}
  fields: [subject_id]
"""


PHASES = """\
phases:
  - id: review
    name: {zh: 审核, en: Review}
    goal: {zh: 批准, en: It is approved}
    allowed_skills: [note-collect, note-review]
    priority_rules:
      - {when: {field: subject_id, check: empty}, skill: note-collect}
    gate_field: decisions.review
    gate_value: approved
"""


def fixed_files(more: str = "") -> dict[str, str]:
    """The same with a fixed plan: a text is asked for, approved, and posted as a note."""
    main = MAIN.replace("profile_fields:", "decision_fields: [review]\nprofile_fields:")
    main = main.replace("required: false, ", "").replace("phases:\n", PHASES)
    return {
        "playbook.yaml": main,
        "skills/look-up.yaml": FIXED + more,
        "skills/note-review.yaml": REVIEW,
        "skills/note-collect.yaml": COLLECT,
    }
