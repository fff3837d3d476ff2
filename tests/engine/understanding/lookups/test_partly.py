"""What a look-up answers of a question that names a weekday, or hours of a day, beside a thing."""

from dataclasses import replace
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from engine.frames.intents import Lookup
from engine.understanding.lookups.find import find, name_left_out, unexplained_words
from engine.understanding.lookups.near import suggestions
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
        ("is W-0815 packed on Monday?", "2026-11-23", ""),  # asked on a Monday
        ("W-0815周一装箱吗", "2026-11-23", ""),
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
        "is W-0815 packed every Friday?",
        "is W-0815 packed from 2 to 4?",
    ],
)
def test_a_day_that_may_be_several_or_is_none_is_not_looked_up(text: str) -> None:
    assert _partly(text) is None


ROTA = replace(
    PLACE,
    name="order_on_day",
    cues={"packed": {}, "who packs": {}, "谁装": {}},
    examples=("who packs W-0815 on Thursday", "W-0815周四谁装"),
)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("who packs W-0815 on Friday?", "2026-11-27"),
        ("who packs W-0815 on Monday?", "2026-11-23"),
        ("who packs W-0815 on Monday", "2026-11-23"),
        ("W-0815周五谁装", "2026-11-27"),
        ("W-0815星期一谁装？", "2026-11-23"),
    ],
)
def test_a_weekday_that_is_looked_up_is_not_named_as_left_out(text: str, day: str) -> None:
    found = find(text, (ROTA,), today=TODAY, entities=WAREHOUSE)
    assert found
    assert found[0].arguments == {"order": "W0815", "day": day}
    for left in (unexplained_words, name_left_out):
        assert left(text, found[0], (ROTA,), today=TODAY, entities=WAREHOUSE) == ""


def test_a_weekday_that_is_not_looked_up_is_named_as_left_out() -> None:
    lookup = Lookup(tool="order_on_day", arguments={"order": "W0815", "day": "2026-11-23"})
    text = "who packs W-0815 on Friday?"
    left = name_left_out(text, lookup, (ROTA,), today=TODAY, entities=WAREHOUSE)
    assert left == "Friday"


@pytest.mark.parametrize(
    "text",
    ["who packs W-0815 on Thursday", "who packs W-0816 on Monday?", "Who packs W-0815 on 3 May"],
)
def test_what_was_asked_is_not_suggested_back(text: str) -> None:
    near = suggestions(text, (ROTA, *TOOLS), "en", entities=WAREHOUSE)
    assert len(near) == 3
    assert "who packs W-0815 on Thursday" not in near
    assert "who packs W-0815 on Thursday" in suggestions(
        "who unpacks W-0815 on Thursday", (ROTA, *TOOLS), "en", entities=WAREHOUSE
    )
