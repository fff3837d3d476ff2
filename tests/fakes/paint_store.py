"""A project folder of a paint store that nobody tuned anything to: shelves, deliveries, a price."""

from pathlib import Path

from tests.fakes.garage import write_project

PEOPLE = """\
roles:
  - {id: clerk, zh: 店员, en: clerk}
  - {id: keeper, zh: 库管, en: keeper}
people:
  - {id: mia, name: Mia, web: mia, roles: [clerk], manager: olga, label: {zh: 店员, en: clerk}}
  - id: fred
    name: Fred
    web: fred
    roles: [keeper]
    delegate: {person: gus}
    label: {zh: 库管, en: keeper}
  - {id: gus, name: Gus, web: gus, roles: [clerk], label: {zh: 店员, en: clerk}}
  - {id: olga, name: Olga, web: olga, roles: [clerk], label: {zh: 店长, en: owner}}
"""
MAIN = """\
id: deliveries
name: {zh: 送货, en: Deliveries}
project: PAINT
cues: [order, 订购]
requests:
  - id: order
    name: {zh: 订购油漆, en: Order paint}
    examples:
      - order paint
      - please order paint
      - I need to order paint
      - order paint for 120 USD
      - 订购油漆
      - 我要订购油漆
decision_fields: [order]
profile_fields:
  ordered: {label: {zh: 已订购, en: Ordered}}
data_fields:
  shelf: {label: {zh: 货架, en: Shelf}, type: integer, cues: [shelf, 货架]}
  price: {label: {zh: 价格, en: Price}, type: money, currencies: [USD], cues: [price, for]}
phases:
  - id: intake
    name: {zh: 信息, en: Details}
    goal: {zh: 知道货架和价格, en: Shelf and price are known}
    allowed_skills: [ask-order]
    checkpoints: [shelf, price]
  - id: review
    name: {zh: 批准, en: Approval}
    goal: {zh: 已决定, en: Somebody has decided}
    allowed_skills: [approve-order]
    gate_field: decisions.order
    gate_check: not_empty
  - id: writing
    name: {zh: 写入, en: Writing}
    goal: {zh: 油漆已订购, en: The paint is ordered}
    allowed_skills: [write-order]
    gate_field: profile.ordered
    gate_check: not_empty
"""
ASK = """\
id: ask-order
name: {zh: 订购信息, en: Order}
description: {zh: 询问货架和价格, en: Asks for shelf and price}
category: intake
kind: prompt
provides: [shelf, price]
ask:
  title: {zh: 订购, en: Order}
  text: {zh: 哪个货架，多少钱？, en: "Which shelf, and at what price?"}
  fields: [shelf, price]
"""
APPROVE = """\
id: approve-order
name: {zh: 批准订购, en: Approve}
description: {zh: 库管和店长批准, en: The keeper and the owner approve}
category: review
kind: sop
provides: [decisions.order]
sop:
  start_node: fits
  nodes:
    fits:
      type: hard_rule
      rules:
        - field: shelf
          logic: {"<=": [{var: shelf}, 90]}
          message: {zh: 没有这个货架, en: there is no such shelf}
      on_pass: approve
      on_fail: end_rejected
    approve:
      type: human_review
      review:
        roles: [keeper]
        also:
          - {person: $requester.manager, above: {price: 100 USD}}
      shows: write-order
      decision: order
      on_approve: end_approved
      on_reject: end_rejected
  outcomes:
    end_approved: {decisions.order: approved}
    end_rejected: {decisions.order: rejected}
"""
WRITE = """\
id: write-order
name: {zh: 写入订购, en: Write}
description: {zh: 写入订购, en: Writes the order}
category: record
kind: tool_plan
requires:
  - {field: decisions.order, check: "equals:approved"}
provides: [profile.ordered]
sets: {profile.ordered: "yes"}
plan:
  guard: {decision: order}
  calls:
    - {tool: order_paint, arguments: {shelf: $shelf}}
"""
TOOLS = """\
list_paints:
  description: Every paint of the store.
  reads: {connection: workshop, sql: "SELECT name FROM paints ORDER BY name"}
  result: many
  columns:
    name: {label: {zh: 名称, en: Name}}
  examples: [which paints are there, list all paints, what paints do we have, 有哪些油漆]
  cues: [paints, 油漆]
order_paint:
  description: Orders paint for a shelf.
  writes:
    connection: workshop
    sql: "INSERT INTO bookings (bay, day, who, key) VALUES (:shelf, 'soon', :requester, :key)"
    key: {table: bookings, column: key}
  arguments:
    shelf: {label: {zh: 货架, en: Shelf}, type: integer}
"""
PLAYBOOK = "playbooks/deliveries/playbook.yaml"
MESSAGE = "Which paints are there? Then order paint for 120 USD on shelf 7"
MESSAGE_ZH = "有哪些油漆？然后我要订购油漆，货架 7，价格 120 USD"


def write_paint_store(folder: Path) -> Path:
    """Write the folder; the table of its paints is missing, so that a look-up has a fault."""
    skills = "playbooks/deliveries/skills/"
    write_project(
        folder,
        **{
            "people.yaml": PEOPLE,
            PLAYBOOK: MAIN,
            "playbooks/deliveries/tools.yaml": TOOLS,
            f"{skills}ask-order.yaml": ASK,
            f"{skills}approve-order.yaml": APPROVE,
            f"{skills}write-order.yaml": WRITE,
        },
    )
    for path in (folder / "playbooks" / "hoists").rglob("*.yaml"):
        path.unlink()
    return folder
