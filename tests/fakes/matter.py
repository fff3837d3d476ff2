"""A small playbook that has every kind of skill, card and leaf, as files."""

from engine.playbooks.load import load
from engine.playbooks.model import Playbook

MAIN = """\
id: matter
name: {zh: 案件, en: Matter}
project: MATTER-1
cues: [matter]
requests:
  - id: file-claim
    name: {zh: 起诉, en: File a claim}
    examples: [file a claim]
profile_fields:
  summary: {label: {zh: 摘要, en: Summary}, required: false}
  intake_status: {label: {zh: 收案, en: Intake}}
  stage: {label: {zh: 阶段, en: Stage}}
decision_fields: [cause_confirmed, plan_confirmed]
data_fields:
  amount: {label: {zh: 金额, en: Amount}, type: number, unit: CNY, required: false}
  people: {label: {zh: 人数, en: People}, type: integer, required: false}
  filed_on: {label: {zh: 日期, en: Filed on}, type: date, required: false}
  urgent: {label: {zh: 紧急, en: Urgent}, type: boolean, required: false}
  side:
    label: {zh: 地位, en: Side}
    type: choice
    options: [plaintiff, defendant]
    required: false
  evidence:
    label: {zh: 证据, en: Evidence}
    type: list
    required: false
    columns:
      name: {label: {zh: 名称, en: Name}}
      pages: {label: {zh: 页数, en: Pages}, type: integer}
      kind: {label: {zh: 类型, en: Kind}, type: choice, options: [paper, sound]}
  causes:
    label: {zh: 案由, en: Causes}
    type: list
    required: false
    columns:
      cause: {label: {zh: 案由, en: Cause}}
      basis: {label: {zh: 依据, en: Basis}}
  cause: {label: {zh: 选定案由, en: Chosen cause}}
  plan: {label: {zh: 计划, en: Plan}, required: false}
  law: {label: {zh: 法条, en: Law}, required: false}
allowed_skills: [find-law]
phases:
  - id: intake
    name: {zh: 收案, en: Intake}
    goal: {zh: 收集信息, en: Know the facts}
    allowed_skills: [matter-intake, file-classify]
    checkpoints: [profile.summary, amount]
    gate_field: profile.intake_status
    gate_value: completed
  - id: path
    name: {zh: 案由, en: Cause}
    goal: {zh: 确认案由, en: A cause is chosen}
    allowed_skills: [cause-recommendation]
    gate_field: decisions.cause_confirmed
    gate_check: "equals:true"
  - id: plan
    name: {zh: 计划, en: Plan}
    goal: {zh: 计划确认, en: A plan is confirmed}
    allowed_skills: [work-plan]
    gate_field: profile.stage
    gate_value: planned
sync:
  to: sample
  fields: [profile.summary, amount, cause, decisions.cause_confirmed]
"""

SKILLS = {
    "matter-intake": """\
id: matter-intake
name: {zh: 收案, en: Intake}
description: {zh: 收集信息, en: Gathers the facts}
category: intake
kind: prompt
system_prompt: Gather the facts of the matter.
tools: [file__list, knowledge__search]
output_schema:
  profile: [summary]
  data: [amount, people, filed_on, urgent, side, evidence]
provides: [profile.intake_status]
sets: {profile.intake_status: completed}
""",
    "file-classify": """\
id: file-classify
name: {zh: 读文件, en: Read files}
description: {zh: 读文件, en: Sorts the files}
category: files
kind: prompt
system_prompt: Sort the files.
output_schema: {data: [evidence]}
""",
    "cause-recommendation": """\
id: cause-recommendation
name: {zh: 案由推荐, en: Cause}
description: {zh: 推荐案由, en: Recommends causes}
category: claim_path
kind: prompt
system_prompt: Recommend causes.
output_schema: {data: [causes]}
card:
  kind: select
  title: {zh: 选择案由, en: Choose the cause}
  text: {zh: 请选择, en: "Which one is it?"}
  shows: [causes]
  field: cause
  options_from: causes.cause
  decision: cause_confirmed
""",
    "work-plan": """\
id: work-plan
name: {zh: 计划, en: Plan}
description: {zh: 工作计划, en: Plans the work}
category: strategy
kind: prompt
system_prompt: Plan the work.
output_schema: {data: [plan]}
provides: [profile.stage]
sets: {profile.stage: planned}
card:
  kind: confirm
  title: {zh: 确认计划, en: Confirm the plan}
  text: {zh: 请确认, en: "Is it right?"}
  shows: [plan]
  decision: plan_confirmed
  deadline_s: 3600
""",
    "find-law": """\
id: find-law
name: {zh: 查法条, en: Find the law}
description: {zh: 查法条, en: Finds the law}
category: retrieval
kind: prompt
system_prompt: Find the law.
""",
}


_LAW = "law: {label: {zh: 法条, en: Law}"
BOUNDS = (
    ("playbook.yaml", "type: integer, required", "type: integer, minimum: 1, required"),
    ("playbook.yaml", "unit: CNY, required", "unit: CNY, maximum: 2000000.5, required"),
    ("playbook.yaml", _LAW, _LAW + ', pattern: "Art\\\\.[0-9]+"'),
    ("playbook.yaml", "en: Pages}, type: integer", "en: Pages}, type: integer, maximum: 9"),
    ("playbook.yaml", "{zh: 名称, en: Name}", '{zh: 名称, en: Name}, pattern: "[a-z]+"'),
)
"""Changes of the files below: leaves and columns that take not every value of their type."""


def files(*changes: tuple[str, str, str], **more: str) -> dict[str, str]:
    """The playbook's files; a change is (name, old, new), `more` are further skills by name."""
    texts = {"playbook.yaml": MAIN} | {f"skills/{name}.yaml": text for name, text in SKILLS.items()}
    texts |= {f"skills/{name.replace('_', '-')}.yaml": text for name, text in more.items()}
    for name, old, new in changes:
        full = name if name in texts else f"skills/{name}.yaml"
        assert old in texts[full], f"{old!r} does not stand in {full}"
        texts[full] = texts[full].replace(old, new, 1)
    return texts


def playbook(*changes: tuple[str, str, str], **more: str) -> Playbook:
    """The playbook, checked as any other."""
    return load(files(*changes, **more), roles=("reviewer",), held=("reviewer",))
