"""What a look-up answers of a question that names a weekday, or hours of a day, beside a thing."""

from dataclasses import replace
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from engine.understanding.lookups.partly import find_partly
from tests.engine.understanding.lookups.warehouse import TODAY, TOOLS
from tests.fakes.entities import WAREHOUSE


class OrderOnDay(BaseModel):
    """An order, and a day."""

    order: Annotated[str, Field(json_schema_extra={"entity": "order"})]
    day: date


PLACE = replace(
    next(tool for tool in TOOLS if tool.name == "read_order"),
    name="order_place",
    arguments=OrderOnDay,
    needs=(),
    cues={"packed": {}, "装箱": {}},
    examples=("is W-0815 packed on 2026-11-03",),
)


def _partly(text: str) -> tuple[dict[str, Any], str] | None:
    found = find_partly(text, (PLACE,), today=TODAY, entities=WAREHOUSE)
    return (found[0].arguments, found[2]) if found else None


@pytest.mark.parametrize(
    ("text", "day", "left"),
    [
        ("is W-0815 packed on Friday?", "2026-11-27", ""),
        ("is W-0815 packed on Friday from 2 to 4?", "2026-11-27", "from 2 to 4"),
        ("is W-0815 packed on 2026-11-26 at 10:30?", "2026-11-26", "at 10:30"),
        ("W-0815 周五下午2点到4点装箱吗", "2026-11-27", "下午2点到4点"),
    ],
)
def test_the_day_is_read_and_hours_are_named_as_left_out(text: str, day: str, left: str) -> None:
    assert _partly(text) == ({"order": "W0815", "day": day}, left)


@pytest.mark.parametrize(
    "text",
    [
        "is W-0815 packed on Friday or Saturday?",
        "is W-0815 packed on Monday?",  # today, or in a week
        "is W-0815 packed every Friday?",
        "is W-0815 packed from 2 to 4?",
    ],
)
def test_a_day_that_may_be_several_or_is_none_is_not_looked_up(text: str) -> None:
    assert _partly(text) is None
