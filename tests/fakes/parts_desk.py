"""A garage's playbook for spare parts, which another company's MCP server sells."""

from pathlib import Path

from tests.fakes.forge import stand_in
from tests.fakes.garage import APPROVE, ASK, MAIN, WRITE, write_garage
from tests.fakes.mcp_running import ROOT

TOOLS = """\
find_part:
  description: A spare part by its number, with its price.
  reads: {connection: parts, tool: find_part}
  arguments:
    number: {label: {zh: 件号, en: Number}, pattern: "P-[0-9]{3}", cues: [part]}
  columns:
    name: {label: {zh: 名称, en: Name}, at: part.name}
    price: {label: {zh: 价格, en: Price}, type: money}
list_parts:
  description: Every spare part there is.
  reads: {connection: parts, tool: list_parts}
  result: many
  columns:
    number: {label: {zh: 件号, en: Number}}
    name: {label: {zh: 名称, en: Name}}
  cues: [parts, 配件]
  examples: [which parts are there, list all parts, what parts do we have, 有哪些配件]
say_hours:
  description: When the shop is open.
  reads: {connection: parts, tool: say_hours}
  result: text
order_part:
  description: Orders a part.
  writes:
    connection: parts
    tool: order_part
    arguments: {number: "{part}", amount: "{amount}", who: "{requester}"}
  arguments:
    part: {label: {zh: 件号, en: Part}}
    amount: {label: {zh: 数量, en: Amount}, type: integer, minimum: 1, maximum: 20}
"""
_NAMES = (
    ("booking: approved}", "booking: approved}\n    end_rejected: {decisions.booking: rejected}"),
    (
        "tool: book_hoist, arguments: {bay: $bay, day: $day}",
        "tool: order_part, arguments: {part: $part, amount: $amount}",
    ),
    ("id: hoists", "id: parts"),
    ("举升机, en: Hoists", "配件, en: Spare parts"),
    ("cues: [book, reserve]", "cues: [order]"),
    ("预订举升机, en: Book a hoist", "订购配件, en: Order a part"),
    ("a hoist for me", "a part for me"),
    ("book a hoist", "order a part"),
    ("reserve a hoist", "order a spare part"),
    ("举升机", "配件"),
    (
        '  day: {label: {zh: 日期, en: Day}, type: date, cues: [day, "on"]}',
        "  amount: {label: {zh: 数量, en: Amount}, type: integer}",
    ),
    ("bay, day", "part, amount"),
    (
        "  bay: {label: {zh: 工位, en: Bay}, cues: [bay]",
        "  part: {label: {zh: 件号, en: Part}, cues: [part]",
    ),
)


def write_parts_desk(folder: Path, *, tools: str = TOOLS, readonly: str = "") -> Path:
    """Write a folder of playbooks with the one for parts, over a server that this machine runs."""
    program, *words = stand_in("tests.fakes.parts_server", "stdio", str(folder))
    command = f"command: {program}, args: [{', '.join(words)}]"
    more = f", readonly: [{readonly}]" if readonly else ""
    parts = f"parts: {{kind: mcp, {command}, env: {{PYTHONPATH: {ROOT}}}, timeout_s: 20{more}}}\n"
    files = {
        "parts/playbook.yaml": _for_parts(MAIN),
        "parts/tools.yaml": tools,
        "parts/skills/ask-booking.yaml": _for_parts(ASK),
        "parts/skills/approve-booking.yaml": _for_parts(APPROVE),
        "parts/skills/write-booking.yaml": _for_parts(WRITE),
        "connections.yaml": f"workshop: {{kind: sql, file: workshop.sqlite3}}\n{parts}",
    }
    return write_garage(folder, **files)


def _for_parts(text: str) -> str:
    for old, new in _NAMES:
        text = text.replace(old, new)
    return text


def orders(folder: Path) -> list[str]:
    """What was ordered: part, amount and who asked."""
    path = folder / "orders.txt"
    return path.read_text().splitlines() if path.exists() else []
