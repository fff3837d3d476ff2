"""Sizes inside blocks that Slack holds apps to and slack_sdk's own validators do not look at."""

from collections.abc import Mapping, Sequence
from typing import Any

FIELD = 2_000
CHOICES = 10
INPUT = 3_000
TABLE_ROWS, TABLE_COLUMNS = 100, 20

Json = Mapping[str, Any]


def size_problems(blocks: Sequence[Any]) -> list[str]:
    """What is too much in a list of blocks; [] for none."""
    known = [block for block in blocks if isinstance(block, dict)]
    tables = [block for block in known if block.get("type") == "table"]
    problems = ["a second table"] if len(tables) > 1 else []
    for table in tables:
        problems += _table(table)
    for block in known:
        fields = [field.get("text", "") for field in block.get("fields", ())]
        problems += [f"a field of {len(text)} characters" for text in fields if len(text) > FIELD]
        for element in (*block.get("elements", ()), block.get("element")):
            problems += _element(element) if isinstance(element, dict) else []
    return problems


def _table(table: Json) -> list[str]:
    rows = table.get("rows", ())
    problems = [f"a table of {len(rows)} rows"] if len(rows) > TABLE_ROWS else []
    widest = max(map(len, rows), default=0)
    return problems + ([f"a table of {widest} columns"] if widest > TABLE_COLUMNS else [])


def _element(element: Json) -> list[str]:
    kind, count = element.get("type"), len(element.get("options", ()))
    if kind in ("radio_buttons", "checkboxes") and count > CHOICES:
        return [f"{count} {kind}"]
    if kind == "plain_text_input" and element.get("max_length", 0) > INPUT:
        return [f"max_length {element['max_length']}"]
    most, stands = element.get("max_length", INPUT), element.get("initial_value", "")
    if len(stands.encode("utf-16-le", "surrogatepass")) // 2 > most:
        return [f"an initial value of more than {most}"]
    return []
