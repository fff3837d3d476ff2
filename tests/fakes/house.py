"""The project folder of a housing cooperative, whose labels are questions: repairs."""

from pathlib import Path

from tests.fakes.folders import write_files

PLAYBOOK = """\
id: repairs
name: {en: Repairs, zh: 报修}
project: HOUSE
cues: [report, broken, repair, fix, 报修, 坏了, 修]
requests:
  - id: report
    name: {en: Report something broken, zh: 报修}
    examples:
      - I want to report something broken
      - the light in the stairwell is broken
      - please fix the tap in the laundry room, it is leaking
      - can somebody repair the front door, it's urgent
      - 我要报修
      - 楼道的灯坏了
      - 厨房漏水，请派人来修一下
      - 暖气不热，麻烦修一下
data_fields:
  what: {label: {en: What is broken, zh: 什么坏了}}
  place: {label: {en: Where, zh: 哪里}}
  urgency:
    label: {en: How urgent, zh: 紧急程度}
    type: choice
    cues: [urgent, 紧急]
    options: {now: {en: At once, zh: 马上}, whenever: {en: No hurry, zh: 不急}}
  visit: {label: {en: Visit on, zh: 上门日期}, type: date, required: false}
phases:
  - id: details
    name: {en: Details, zh: 填写}
    goal: {en: It is known what is broken, zh: 知道什么坏了}
    allowed_skills: [ask]
    checkpoints: [what, place, urgency]
"""
ASK = """\
id: ask
name: {en: Details, zh: 填写}
description: {en: Asks what is broken, zh: 询问什么坏了}
category: intake
kind: prompt
provides: [what, place, urgency, visit]
ask:
  title: {en: Something broken, zh: 报修}
  text: {en: "What, where, and how urgent?", zh: "什么？哪里？急不急？"}
  fields: [what, place, urgency, visit]
"""
PEOPLE = """\
roles: []
people:
  - {id: ada, name: Ada, web: ada, label: {en: flat 12, zh: 12 号}}
  - {id: li, name: Li Na, web: li, language: zh, label: {en: flat 7, zh: 7 号}}
"""


def write_house(folder: Path) -> Path:
    """Write it as a project folder."""
    return write_files(
        folder,
        {
            "signoff.yaml": "languages: [en, zh]\ntimezone: Europe/Berlin\n",
            "people.yaml": PEOPLE,
            "connections.yaml": "{}\n",
            "playbooks/repairs/playbook.yaml": PLAYBOOK,
            "playbooks/repairs/tools.yaml": "{}\n",
            "playbooks/repairs/skills/ask.yaml": ASK,
        },
    )
