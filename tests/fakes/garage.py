"""The project folder of a garage, which has nothing to do with the samples: hoists and bookings."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from tests.fakes.folders import write_files

CONNECTIONS = """\
workshop: {kind: sql, file: workshop.sqlite3}
"""
PEOPLE = """\
roles:
  - {id: mechanic, zh: 技师, en: mechanic}
  - {id: foreman, zh: 工长, en: foreman}
people:
  - id: mia
    name: Mia
    web: mia
    roles: [mechanic]
    label: {zh: 技师, en: mechanic}
  - id: fred
    name: Fred
    web: fred
    roles: [foreman]
    label: {zh: 工长, en: foreman}
"""
MAIN = """\
id: hoists
name: {zh: 举升机, en: Hoists}
project: GARAGE
cues: [book, reserve]
requests:
  - id: book
    name: {zh: 预订举升机, en: Book a hoist}
    examples:
      - book a hoist
      - please book a hoist for me
      - I need to book a hoist
      - could you reserve a hoist
      - reserve a hoist for tomorrow
      - 预订一台举升机
      - 帮我订一台举升机
      - 我要预订举升机
decision_fields: [booking]
profile_fields:
  booked: {label: {zh: 已预订, en: Booked}}
data_fields:
  bay: {label: {zh: 工位, en: Bay}, cues: [bay], identity: true}
  day: {label: {zh: 日期, en: Day}, type: date, cues: [day, "on"]}
phases:
  - id: intake
    name: {zh: 信息, en: Details}
    goal: {zh: 知道工位和日期, en: Bay and day are known}
    allowed_skills: [ask-booking]
    checkpoints: [bay, day]
  - id: review
    name: {zh: 批准, en: Approval}
    goal: {zh: 工长已决定, en: The foreman has decided}
    allowed_skills: [approve-booking]
    gate_field: decisions.booking
    gate_check: not_empty
  - id: writing
    name: {zh: 写入, en: Writing}
    goal: {zh: 举升机已预订, en: The hoist is booked}
    allowed_skills: [write-booking]
    gate_field: profile.booked
    gate_check: not_empty
"""
ASK = """\
id: ask-booking
name: {zh: 预订信息, en: Booking}
description: {zh: 询问工位和日期, en: Asks for bay and day}
category: intake
kind: prompt
provides: [bay, day]
ask:
  title: {zh: 预订, en: Booking}
  text: {zh: 哪个工位，哪一天？, en: "Which bay, and which day?"}
  fields: [bay, day]
"""
APPROVE = """\
id: approve-booking
name: {zh: 批准预订, en: Approve}
description: {zh: 工长批准, en: The foreman approves the booking}
category: review
kind: sop
provides: [decisions.booking]
sop:
  start_node: approve
  nodes:
    approve:
      type: human_review
      review: {roles: [foreman]}
      shows: write-booking
      decision: booking
      on_approve: end_approved
  outcomes:
    end_approved: {decisions.booking: approved}
"""
WRITE = """\
id: write-booking
name: {zh: 写入预订, en: Write}
description: {zh: 写入预订, en: Writes the booking}
category: record
kind: tool_plan
requires:
  - {field: decisions.booking, check: "equals:approved"}
provides: [profile.booked]
sets: {profile.booked: "yes"}
plan:
  guard: {decision: booking}
  calls:
    - {tool: book_hoist, arguments: {bay: $bay, day: $day}}
"""
TOOLS = """\
find_hoist:
  description: The hoist of a bay, with what it lifts and when it was last inspected.
  reads: {connection: workshop, sql: "SELECT bay, lifts_kg, inspected FROM hoists WHERE bay = :bay"}
  arguments:
    bay: {label: {zh: 工位, en: Bay}, pattern: "[A-Z][0-9]", cues: [bay]}
  columns:
    bay: {label: {zh: 工位, en: Bay}}
    lifts_kg: {label: {zh: 载重, en: Lifts}, type: number, unit: kg}
    inspected: {label: {zh: 检验日期, en: Inspected}, type: date}
list_hoists:
  description: Every hoist of the garage.
  reads: {connection: workshop, sql: "SELECT bay, lifts_kg FROM hoists ORDER BY bay"}
  result: many
  columns:
    bay: {label: {zh: 工位, en: Bay}}
    lifts_kg: {label: {zh: 载重, en: Lifts}, type: number, unit: kg}
  examples: [which hoists are there, list all hoists, what hoists do we have, 有哪些举升机]
  cues: [hoists, 举升机]
book_hoist:
  description: Books the hoist of a bay for a day.
  writes:
    connection: workshop
    sql: "INSERT INTO bookings (bay, day, who, key) VALUES (:bay, :day, :requester, :key)"
    key: {table: bookings, column: key}
  arguments:
    bay: {label: {zh: 工位, en: Bay}}
    day: {label: {zh: 日期, en: Day}, type: date}
"""
FILES = {
    "people.yaml": PEOPLE,
    "connections.yaml": CONNECTIONS,
    "hoists/playbook.yaml": MAIN,
    "hoists/tools.yaml": TOOLS,
    "hoists/skills/ask-booking.yaml": ASK,
    "hoists/skills/approve-booking.yaml": APPROVE,
    "hoists/skills/write-booking.yaml": WRITE,
}


def write_garage(folder: Path, **changed: str) -> Path:
    """Write a folder of playbooks, with files changed by their names, and its database."""
    _write(folder, {**FILES, **changed})
    return folder


def write_project(folder: Path, **changed: str) -> Path:
    """Write the same as a project folder."""
    inside = {name: f"playbooks/{name}" for name in FILES if name.startswith("hoists/")}
    files = {inside.get(name, name): text for name, text in FILES.items()}
    files |= {"signoff.yaml": "timezone: Europe/Berlin\n", **changed}
    _write(folder, files)
    return folder


def _write(folder: Path, files: Mapping[str, str]) -> None:
    write_files(folder, files)
    with sqlite3.connect(folder / "workshop.sqlite3") as db:
        db.execute("CREATE TABLE hoists (bay TEXT PRIMARY KEY, lifts_kg REAL, inspected TEXT)")
        db.execute("CREATE TABLE bookings (bay TEXT, day TEXT, who TEXT, key TEXT UNIQUE)")
        rows = [("A1", 3500, "2026-05-02"), ("B2", 5000, "2026-09-18")]
        db.executemany("INSERT INTO hoists VALUES (?, ?, ?)", rows)
    db.close()


def bookings(folder: Path) -> list[tuple[str, str, str]]:
    """What is booked: bay, day and who asked."""
    with sqlite3.connect(folder / "workshop.sqlite3") as db:
        found = db.execute("SELECT bay, day, who FROM bookings ORDER BY day").fetchall()
    db.close()
    return found
