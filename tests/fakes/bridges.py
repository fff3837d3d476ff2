"""The project folder of an office that inspects bridges, each of which is a project of its own."""

from pathlib import Path

SIGNOFF = """\
timezone: Europe/Berlin
languages: [en, zh]
project: office
projects:
  - {id: office, name: {en: The office, zh: 办公室}, playbooks: [opening, survey]}
  - {id: north-1, name: {en: Mill bridge, zh: 磨坊桥}, playbooks: [survey], of: {river: Isar}}
  - {id: south-1, name: {en: Ferry bridge, zh: 渡口桥}, playbooks: [survey]}
"""
PEOPLE = """\
roles:
  - {id: north, zh: 北区, en: north team}
  - {id: south, zh: 南区, en: south team}
  - {id: engineer, zh: 工程师, en: engineer}
  - {id: admin, zh: 管理员, en: administrator}
people:
  - {id: ana, name: Ana, web: ana, roles: [north]}
  - {id: bo, name: Bo, web: bo, roles: [south]}
  - {id: eva, name: Eva, web: eva, roles: [engineer, north]}
  - {id: edo, name: Edo, web: edo, roles: [engineer, south]}
  - {id: ada, name: Ada, web: ada, roles: [admin, engineer]}
projects:
  - {project: office, everybody: true}
  - {project: "north-*", roles: [north, admin]}
  - {project: "south-*", roles: [south, admin]}
  - {project: north-secret, people: [eva, ada]}
"""
SURVEY = """\
id: survey
name: {zh: 桥梁检查, en: Bridge survey}
cues: [crack, report]
requests:
  - id: crack
    name: {zh: 报告裂缝, en: Report a crack}
    examples:
      - report a crack
      - please report a crack for me
      - I have to report a crack
      - could you report a crack
      - I want to report a crack in a pier
      - 报告一条裂缝
      - 帮我报告裂缝
      - 我要报告裂缝
decision_fields: [crack]
profile_fields:
  noted: {label: {zh: 已记录, en: Noted}}
data_fields:
  pier: {label: {zh: 桥墩, en: Pier}, cues: [pier], identity: true}
  width: {label: {zh: 宽度, en: Width}, type: number, unit: mm, cues: [width]}
  note: {label: {zh: 备注, en: Note}, cues: [note]}
phases:
  - id: intake
    name: {zh: 信息, en: Details}
    goal: {zh: 知道裂缝, en: The crack is known}
    allowed_skills: [ask-crack]
    checkpoints: [pier, width, note]
  - id: review
    name: {zh: 批准, en: Approval}
    goal: {zh: 工程师已决定, en: An engineer has decided}
    allowed_skills: [approve-crack]
    gate_field: decisions.crack
    gate_check: not_empty
  - id: writing
    name: {zh: 记录, en: Writing}
    goal: {zh: 已记录, en: It is noted}
    allowed_skills: [note-crack]
    gate_field: profile.noted
    gate_check: not_empty
"""
ASK = """\
id: ask-crack
name: {zh: 裂缝信息, en: Crack}
description: {zh: 询问裂缝, en: Asks for the crack}
category: intake
kind: prompt
provides: [pier, width, note]
ask:
  title: {zh: 裂缝, en: Crack}
  text: {zh: 哪个桥墩？, en: "Which pier?"}
  fields: [pier, width, note]
"""
APPROVE = """\
id: approve-crack
name: {zh: 批准, en: Approve}
description: {zh: 工程师批准, en: An engineer approves}
category: review
kind: sop
provides: [decisions.crack]
sop:
  start_node: width
  nodes:
    width:
      type: hard_rule
      rules:
        - field: width
          logic: {"<=": [{var: width}, 5]}
          message: {zh: 宽度超过 5 毫米, en: It is wider than 5 mm}
      on_pass: approve
      on_fail: approve
    approve:
      type: human_review
      review: {roles: [engineer]}
      shows: note-crack
      decision: crack
      on_approve: end_approved
      on_reject: end_rejected
  outcomes:
    end_approved: {decisions.crack: approved}
    end_rejected: {decisions.crack: rejected}
"""
NOTE = """\
id: note-crack
name: {zh: 记录, en: Note}
description: {zh: 记录裂缝, en: Notes the crack}
category: record
kind: tool_plan
requires:
  - {field: decisions.crack, check: "equals:approved"}
provides: [profile.noted]
sets: {profile.noted: "yes"}
plan:
  guard: {decision: crack}
  calls:
    - {tool: memory__remember, arguments: {text: $note}}
"""
GUIDE = """\
# Guide to surveys

## Measuring a crack

A crack is measured with the brass gauge, at its widest place.
"""
OPENING = """\
id: opening
name: {zh: 立项, en: Opening}
cues: [open]
requests:
  - id: open
    name: {zh: 新建桥梁项目, en: Open a bridge}
    examples:
      - open a bridge
      - please open a new bridge
      - I want to open a bridge
      - could you open a bridge for us
      - open a dossier for a bridge
      - 新建一座桥梁
      - 帮我新建桥梁项目
      - 我要新建一个桥梁
decision_fields: [opening]
profile_fields:
  opened: {label: {zh: 已新建, en: Opened}}
data_fields:
  number: {label: {zh: 编号, en: Number}, cues: [number], identity: true}
  title: {label: {zh: 名称, en: Title}, cues: [title]}
phases:
  - id: intake
    name: {zh: 信息, en: Details}
    goal: {zh: 知道编号, en: The number is known}
    allowed_skills: [ask-bridge]
    checkpoints: [number, title]
  - id: review
    name: {zh: 批准, en: Approval}
    goal: {zh: 工程师已决定, en: An engineer has decided}
    allowed_skills: [approve-bridge]
    gate_field: decisions.opening
    gate_check: not_empty
  - id: writing
    name: {zh: 新建, en: Adding}
    goal: {zh: 已新建, en: It is there}
    allowed_skills: [add-bridge]
    gate_field: profile.opened
    gate_check: not_empty
"""
ASK_BRIDGE = """\
id: ask-bridge
name: {zh: 桥梁信息, en: Bridge}
description: {zh: 询问桥梁, en: Asks for the bridge}
category: intake
kind: prompt
provides: [number, title]
ask:
  title: {zh: 桥梁, en: Bridge}
  text: {zh: 哪座桥？, en: "Which bridge?"}
  fields: [number, title]
"""
APPROVE_BRIDGE = """\
id: approve-bridge
name: {zh: 批准, en: Approve}
description: {zh: 工程师批准, en: An engineer approves}
category: review
kind: sop
provides: [decisions.opening]
sop:
  start_node: approve
  nodes:
    approve:
      type: human_review
      review: {roles: [engineer]}
      shows: add-bridge
      decision: opening
      on_approve: end_approved
      on_reject: end_rejected
  outcomes:
    end_approved: {decisions.opening: approved}
    end_rejected: {decisions.opening: rejected}
"""
ADD_BRIDGE = """\
id: add-bridge
name: {zh: 新建, en: Add}
description: {zh: 新建项目, en: Adds the project}
category: record
kind: tool_plan
requires:
  - {field: decisions.opening, check: "equals:approved"}
provides: [profile.opened]
sets: {profile.opened: "yes"}
plan:
  guard: {decision: opening}
  calls:
    - tool: project__add
      arguments: {id: $number, name: $title, playbooks: [survey], bind: true}
"""
FILES = {
    "signoff.yaml": SIGNOFF,
    "people.yaml": PEOPLE,
    "survey/playbook.yaml": SURVEY,
    "survey/skills/ask-crack.yaml": ASK,
    "survey/skills/approve-crack.yaml": APPROVE,
    "survey/skills/note-crack.yaml": NOTE,
    "survey/documents/guide.md": GUIDE,
    "opening/playbook.yaml": OPENING,
    "opening/skills/ask-bridge.yaml": ASK_BRIDGE,
    "opening/skills/approve-bridge.yaml": APPROVE_BRIDGE,
    "opening/skills/add-bridge.yaml": ADD_BRIDGE,
}


def write_bridges(folder: Path, **changed: str) -> Path:
    """Write the folder, with files changed by their names."""
    for name, text in {**FILES, **changed}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
