"""Conditions as a person writes them, for pictures and lists."""

import json
from typing import assert_never

from engine.playbooks.conditions import AllOf, AnyCondition, AnyOf, Condition, LogicCondition


def worded(condition: AnyCondition) -> str:
    """`field check`, `all of (...; ...)`, `any of (...; ...)` or `logic {...}`, on one line."""
    match condition:
        case Condition():
            return f"{condition.field} {condition.check.strip()}"
        case AllOf():
            return f"all of ({'; '.join(map(worded, condition.all))})"
        case AnyOf():
            return f"any of ({'; '.join(map(worded, condition.any))})"
        case LogicCondition():
            return f"logic {json.dumps(condition.logic, ensure_ascii=False)}"
    assert_never(condition)
