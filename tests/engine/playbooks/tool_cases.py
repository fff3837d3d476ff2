"""Faults of a playbook's own tools: what is replaced in the file, and what is told."""

TOOLS = """\
find_hoist:
  description: One hoist by its number.
  reads: {connection: garage, path: "/hoists/{number}"}
  arguments:
    number: {label: {zh: 编号, en: Number}, type: integer, minimum: 1}
  columns:
    bay: {label: {zh: 位置, en: Bay}}
    capacity: {label: {zh: 载重, en: Capacity}, type: number, at: limits.kg, unit: kg}
  tell: {zh: "{bay}，{capacity} kg", en: "It is in {bay} and lifts {capacity} kg."}
  examples: [where is hoist 3]
  cues: [hoist]
book_hoist:
  description: Books a hoist for a day.
  writes:
    connection: garage
    method: POST
    path: /bookings
    body: {hoist: "{number}", by: "{requester}"}
  arguments:
    number: {label: {zh: 编号, en: Number}, type: integer}
"""
_LAST = "  cues: [hoist]\nbook"

CASES: tuple[tuple[str, str, str], ...] = (
    ("garage, path", "garag, path", "find_hoist.reads.connection: there is no 'garag'; did you"),
    ("find_hoist:", "file__list:", "file__list: there is a tool 'file__list' already"),
    ("reads: {connection", "raeds: {connection", "raeds: "),
    ("/hoists/{number}", "/hoists/{nummer}", "find_hoist.reads: .*nummer"),
    ("method: POST", "method: GET", "book_hoist.writes: call: a GET has no body"),
    ("at: limits.kg", 'at: "limits.[kg"', "columns.capacity.at: is no JMESPath"),
    ("lifts {capacity}", "lifts {weight}", "find_hoist.tell: names weight; there are bay, cap"),
    (
        "bay: {label: {zh: 位置, en: Bay}}\n    capacity",
        "number: {label: {zh: 位置, en: Bay}}\n    capacity",
        "find_hoist.tell: names bay; there are number, capacity$",
    ),
    ("lifts {capacity}", "lifts {capacity", "find_hoist.tell: a { stands alone"),
    ("cues: [hoist]", "cues: {hoist: {size: 3}}", "cues.hoist.size: is none of its arguments"),
    (
        "  cues: [hoist]",
        "  period: bay",
        "find_hoist: `period` belongs to a tool that reads `many`",
    ),
    (
        "  cues: [hoist]",
        "  result: many\n  period: [bay]",
        "`period`: bay is no column that is a date",
    ),
    (
        "number: {label: {zh: 编号, en: Number}, type: integer, minimum: 1}",
        "today: {label: {zh: 编号, en: Number}, type: integer}",
        "arguments.today: is a name that every call has; choose another",
    ),
    ("type: integer, minimum: 1", "type: choice", "number.options: is required for a choice"),
    (_LAST, f"  result: text\n{_LAST}", "a result that is `text` has neither"),
    (_LAST, f"  rows: items\n{_LAST}", "`rows` belongs to a result that is `many`"),
    (_LAST, f"  writes: {{connection: garage}}\n{_LAST}", "either `reads` or `writes`"),
    (
        "Books a hoist for a day.",
        "Books.\n  cues: [reserve]",
        "cues: belongs to tools that read; a write is asked for by a playbook's requests",
    ),
)
ELSEWHERE = (
    "should be a mapping from names to tools",
    "connections.yaml has none",
)
