"""A small playbook beside the shipped ones, with a skill of each kind that a model fills in."""

from pathlib import Path

from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from tests.fakes.folders import write_files

PROJECT = "MATTER-9"

_PLAYBOOK = """
id: letters
name: {zh: 信函, en: Letters}
project: MATTER-9
cues: [信函]
requests:
  - {id: demand, name: {zh: 催款信, en: Demand letter}, examples: [写一封催款信], phases: [draft]}
  - {id: whole, name: {zh: 全部信函, en: Whole matter}, examples: [处理全部信函]}
profile_fields:
  route: {label: {zh: 途径, en: Route}, type: choice, options: [court, talks]}
decision_fields: [letter]
data_fields:
  client: {label: {zh: 客户, en: Client}}
  amount: {label: {zh: 金额, en: Amount}, type: number, unit: EUR}
  due: {label: {zh: 到期日, en: Due}, type: date, required: false}
  urgent: {label: {zh: 是否紧急, en: Urgent}, type: boolean}
  summary: {label: {zh: 摘要, en: Summary}}
  points:
    label: {zh: 要点, en: Points}
    type: list
    columns: {claim: {label: {zh: 主张, en: Claim}}}
  chosen: {label: {zh: 选定, en: Chosen}}
allowed_skills: [outside]
phases:
  - id: draft
    name: {zh: 起草, en: Draft}
    goal: {zh: 有摘要, en: There is a summary}
    allowed_skills: [intake, summarize, letter, inner]
    checkpoints: [summary]
  - id: settle
    name: {zh: 定稿, en: Settle}
    goal: {zh: 已选定, en: A point is chosen}
    allowed_skills: [pick]
    checkpoints: [chosen]
"""

_MODEL_SKILL = """
id: {id}
name: {{zh: 技能, en: Skill {id}}}
description: {{zh: 填写, en: Fills it in}}
category: analysis
kind: prompt
system_prompt: Fill in what you are asked for ({id}).
{more}
"""

_CARD = "{title: {zh: 请确认, en: Please confirm}, text: {zh: 请看。, en: Have a look.}, "
_SKILLS = {
    "summarize": """
requires: [{field: client, check: not_empty}]
output_schema: {profile: [route], data: [summary, points, amount, urgent]}""",
    "letter": f"""
output_schema: {{data: [summary]}}
card: {_CARD} kind: confirm, decision: letter, shows: [summary]}}""",
    "pick": f"""
output_schema: {{data: [points]}}
card: {_CARD} kind: select, field: chosen, options_from: points.claim}}""",
    "inner": "internal: true\noutput_schema: {data: [summary]}",
    "outside": "api_call_only: true\noutput_schema: {data: [summary]}",
}
_INTAKE = """
id: intake
name: {zh: 收集, en: Intake}
description: {zh: 问客户, en: Asks for the client}
category: intake
kind: prompt
provides: [client, amount, urgent]
ask:
  title: {zh: 请补充, en: What is missing}
  text: {zh: 请填写。, en: Please fill it in.}
  fields: [client, amount, urgent]
"""


def files() -> dict[str, str]:
    """The playbook's files by name."""
    skills = {
        f"skills/{name}.yaml": _MODEL_SKILL.format(id=name, more=more)
        for name, more in _SKILLS.items()
    }
    return {"playbook.yaml": _PLAYBOOK, "skills/intake.yaml": _INTAKE, **skills}


def letters() -> Playbook:
    """The playbook, loaded."""
    return load(files(), roles=(), held=())


def write_letters(playbooks: Path) -> None:
    """Puts it into a folder of playbooks."""
    write_files(playbooks / "letters", files())
