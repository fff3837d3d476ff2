"""第3节 and 第三节 give the number that a look-up asks for."""

from dataclasses import replace
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import Field

from engine.tools.arguments import Arguments
from engine.tools.model import Tool
from engine.understanding.lookups.find import find, name_left_out
from tests.engine.understanding.lookups.warehouse import STOCK, TODAY, TOOLS
from tests.fakes.entities import WAREHOUSE


class Tier(Arguments):
    """One tier of an order's rack, on a day or on any."""

    order: Annotated[str, Field(json_schema_extra={"entity": "order"})]
    tier: Annotated[int, Field(json_schema_extra={"said": ["Tier", "层数"]})]
    day: date | None = None


TIER = replace(
    STOCK,
    name="tier",
    arguments=Tier,
    cues={"lies on": {}, "谁放": {}, "谁的货": {}},
    examples=("what lies on tier 3 of W-0815", "周四第3层W-0815谁放"),
)


def _arguments(text: str, tools: tuple[Tool[Any], ...] = (TIER, *TOOLS)) -> dict[str, Any] | None:
    found = find(text, tools, today=TODAY, entities=WAREHOUSE)
    return found[0].arguments if found else None


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        ("W-0815第3层是谁放的", 3),
        ("W-0815第三层是谁放的？", 3),
        ("W-0815第十二层是谁放的？", 12),
        ("W-0815的第2层是谁的货", 2),
        ("W-0815 第 2 层是谁的货", 2),
        ("what lies on tier 4 of W-0815?", 4),
    ],
)
def test_an_ordinal_is_the_number_that_is_asked_for(text: str, tier: int) -> None:
    assert _arguments(text) == {"order": "W0815", "tier": tier}
    found = find(text, (TIER, *TOOLS), today=TODAY, entities=WAREHOUSE)
    assert found
    left = name_left_out(text, found[0], (TIER, *TOOLS), today=TODAY, entities=WAREHOUSE)
    assert left == ""


def test_an_example_is_told_with_another_day_and_number() -> None:
    asked = {"order": "W0816", "tier": 5, "day": "2026-11-27"}
    assert _arguments("周五第五层W-0816谁放") == asked
    assert _arguments("周五第5层W-0816谁放？") == asked


@pytest.mark.parametrize(
    "text", ["W-0815第一次是谁放的", "W-0815第3层和第4层是谁放的", "W-0815是谁放的"]
)
def test_what_gives_no_one_number_is_not_looked_up(text: str) -> None:
    assert _arguments(text) is None
