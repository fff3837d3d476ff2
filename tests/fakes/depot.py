"""The project folder of a depot: goods are taken in once their delivery note names the order."""

from pathlib import Path

from tests.fakes.folders import write_files

PEOPLE = """\
roles:
  - {id: clerk, zh: 仓管员, en: clerk}
  - {id: head, zh: 主管, en: head}
people:
  - id: cleo
    name: Cleo
    web: cleo
    slack: ["TEAM:U0CLEO"]
    telegram: ["1001"]
    roles: [clerk]
    label: {zh: 仓管员, en: clerk}
  - id: hugo
    name: Hugo
    web: hugo
    slack: ["TEAM:U0HUGO"]
    telegram: ["2002"]
    roles: [head]
    label: {zh: 主管, en: head}
"""
MAIN = """\
id: goods
name: {zh: 收货, en: Goods}
project: DEPOT
cues: [take in, goods]
requests:
  - id: take
    name: {zh: 收货, en: Take goods in}
    examples:
      - take goods in
      - please take goods in
      - I want to take goods in
      - goods have arrived, take them in
      - 收货
      - 我要收货
      - 登记收货
decision_fields: [accept]
profile_fields:
  checked: {label: {zh: 已核对, en: Checked}}
data_fields:
  order: {label: {zh: 订单, en: Order}}
  note: {label: {zh: 送货单, en: Delivery note}, type: file, kinds: [pdf, txt, png]}
phases:
  - id: intake
    name: {zh: 信息, en: Details}
    goal: {zh: 有订单和送货单, en: Order and note are there}
    allowed_skills: [ask-goods]
    checkpoints: [order, note]
  - id: check
    name: {zh: 核对, en: Check}
    goal: {zh: 已核对, en: The note is checked}
    allowed_skills: [check-note]
    gate_field: profile.checked
    gate_check: not_empty
  - id: review
    name: {zh: 批准, en: Approval}
    goal: {zh: 主管已决定, en: The head has decided}
    allowed_skills: [accept-goods]
    gate_field: decisions.accept
    gate_check: not_empty
    done_card:
      title: {zh: 收货完成, en: Goods are in}
      text: {zh: 已收货, en: They are taken in.}
      shows: [order, note]
"""
ASK = """\
id: ask-goods
name: {zh: 收货信息, en: Goods}
description: {zh: 询问订单和送货单, en: Asks for order and delivery note}
category: intake
kind: prompt
provides: [order, note]
ask:
  title: {zh: 收货, en: Goods}
  text: {zh: 哪个订单？, en: "Which order, and its delivery note?"}
  fields: [order, note]
"""
CHECK = """\
id: check-note
name: {zh: 核对送货单, en: Check the note}
description: {zh: 核对送货单, en: Checks the delivery note}
category: check
kind: sop
provides: [profile.checked]
sop:
  start_node: read
  nodes:
    read:
      type: hard_rule
      rules:
        - field: note
          logic: {in: [{var: order}, {var: note.text}]}
          message: {zh: 没有这个订单号, en: does not name the order}
      on_pass: end_good
      on_fail: end_bad
  outcomes:
    end_good: {profile.checked: "yes"}
    end_bad: {profile.checked: "no"}
"""
ACCEPT = """\
id: accept-goods
name: {zh: 批准收货, en: Accept}
description: {zh: 主管批准, en: The head accepts the goods}
category: review
kind: sop
provides: [decisions.accept]
sop:
  start_node: accept
  nodes:
    accept:
      type: human_review
      title: {zh: 请批准收货, en: "Please accept the goods"}
      review: {roles: [head], four_eyes: false, may_edit: [order, note]}
      presents: [order, note, profile.checked]
      decision: accept
      on_approve: end_accepted
      on_reject: end_rejected
  outcomes:
    end_accepted: {decisions.accept: approved}
    end_rejected: {decisions.accept: rejected}
"""


def write_depot(folder: Path, team: str = "T0") -> Path:
    """Write it; `team` is the Slack workspace of its people."""
    skills = {"ask": ASK, "check": CHECK, "accept": ACCEPT}
    files = {"people.yaml": PEOPLE.replace("TEAM", team), "goods/playbook.yaml": MAIN}
    files |= {f"goods/skills/{name}.yaml": text for name, text in skills.items()}
    return write_files(folder, files)
