"""Look-ups of a warehouse: arguments by what they are, and no answer to what nothing explains."""

from dataclasses import replace
from typing import Any

import pytest

from engine.understanding.lookups.find import find
from tests.engine.understanding.lookups.warehouse import TODAY, TOOLS
from tests.fakes.entities import WAREHOUSE
from tests.fakes.tables import table


def looked_up(text: str, *recent: str) -> tuple[str, dict[str, Any]] | None:
    found = find(text, TOOLS, today=TODAY, entities=WAREHOUSE, recent=recent)
    return (found[0].tool, found[0].arguments) if found else None


@table(
    ("text", "tool", "arguments"),
    [
        ("What's the status of w0815?", "read_order", {"order": "W0815", "part": "status"}),
        ("status W-0815", "read_order", {"order": "W0815", "part": "status"}),
        ("请查一下Ｗ－０８１５的状态", "read_order", {"order": "W0815", "part": "status"}),
        ("how much does W-0815 weigh", "read_order", {"order": "W0815", "part": "weight"}),
        ("Tell me how heavy W-0815 is", "read_order", {"order": "W0815"}),
        ("orders of Müller & Söhne", "list_orders", {"customer": "C1"}),
        ("Could you please show me Acme's orders? Thanks!", "list_orders", {"customer": "C2"}),
        ("能不能告诉我Acme都有哪些工单", "list_orders", {"customer": "C2"}),
        ("ORDERS OF MÜLLER  &  SÖHNE?", "list_orders", {"customer": "C1"}),
        ("Which orders does Will and Sons have?", "list_orders", {"customer": "C4"}),
        ("华东电力设备的工单有哪些", "list_orders", {"customer": "C3"}),
        ("威尔父子的未完成工单", "list_orders", {"customer": "C4", "status": "open"}),
        (
            "Show me the orders of Acme that are on hold",
            "list_orders",
            {"customer": "C2", "status": "on_hold"},
        ),
        (
            "Acme orders since 2026-11-03?",
            "list_orders",
            {"customer": "C2", "since": "2026-11-03"},
        ),
        (
            "Acme 11月3日至11月9日的工单",
            "list_orders",
            {"customer": "C2", "since": "2026-11-03", "until": "2026-11-09"},
        ),
        (
            "which orders of Acme were sent before yesterday",
            "list_orders",
            {"customer": "C2", "status": "sent", "until": "2026-11-22"},
        ),
        ("What lies on shelf 12?", "stock", {"shelf": 12}),
        ("12 号货架上有什么", "stock", {"shelf": 12}),
        ("so what lies on shelf 12 now?", "stock", {"shelf": 12}),
        ("12 号货架上都有什么呀", "stock", {"shelf": 12}),
        ("What lies on shelf 12 today?", "stock", {"shelf": 12, "on": "2026-11-23"}),
        (
            "Put W-0817, W-0818 and W-0819 side by side",
            "compare_orders",
            {"orders": ["W0817", "W0818", "W0819"]},
        ),
        ("how cold is the store today", "temperature", {}),
    ],
)
def test_arguments_are_found_by_what_they_are(
    text: str, tool: str, arguments: dict[str, Any]
) -> None:
    assert looked_up(text) == (tool, arguments)


@table(
    "text",
    [
        "What is the status?",  # of which?
        "What is the status of order 815?",
        "What is the status of W-0815 and W-0816?",
        "What is the status of W-0815's invoice?",
        "Who changed the status of W-0815?",
        "Is the status of W-0815 wrong?",
        "The status of W-0815 is open",
        "Set the status of W-0815",
        "why is the status of W-0815 open?",
        "W-0815 的状态为什么变了",
        "W-0815 的状态报告发给谁了",
        "Which orders of Acme contain screws?",
        "Acme 的工单发票",
        "Which orders does Acme have in Berlin?",
        "Which orders of Acme weigh more than 70 kg?",
        "Which orders of Acme were sent on 2026-11-01, 2026-11-02 and 2026-11-03?",
        "How many orders were late?",
        "What lies on shelf 7 and shelf 8?",
        "Who put it on shelf 7?",
        "When did it lie on shelf 7?",
        "7 号货架上有谁",
        "7 号货架上还有多少",
        "It lies on shelf 7",
        "on 7?",
        "What lies on shelf 7.5?",
        "What lies on shelf 7 of Acme?",
        "How cold was the store on 2026-11-01?",
        "How cold is the store of Acme?",
        "Don't show the orders of Acme",
        "Acme",
    ],
)
def test_what_is_not_explained_whole_is_no_look_up(text: str) -> None:
    assert looked_up(text) is None


@table(
    ("recent", "text", "tool", "arguments"),
    [
        ("status of W-0815?", "and W-0816?", "read_order", {"order": "W0816", "part": "status"}),
        (
            "status of W-0815?",
            "the same for w0816 please",
            "read_order",
            {"order": "W0816", "part": "status"},
        ),
        ("W-0815 的状态", "那 W-0816 呢？", "read_order", {"order": "W0816", "part": "status"}),
        ("W-0815 的状态", "W-0816 也一样", "read_order", {"order": "W0816", "part": "status"}),
        ("W-0815 的状态", "它的重量呢", "read_order", {"order": "W0815", "part": "weight"}),
        (
            "which orders of Acme are on hold?",
            "and Will and Sons?",
            "list_orders",
            {"customer": "C4", "status": "on_hold"},
        ),
        (
            "how heavy is W-0815?",
            "and which orders does Acme have?",
            "list_orders",
            {"customer": "C2"},
        ),
        ("华东电力的工单", "Müller & Söhne 呢", "list_orders", {"customer": "C1"}),
    ],
)
def test_a_follow_up_is_about_the_same_or_about_another_of_the_kind(
    recent: str, text: str, tool: str, arguments: dict[str, Any]
) -> None:
    assert looked_up(text, recent) == (tool, arguments)


@pytest.mark.parametrize("text", ["and Acme?", "and its invoice?", "the same again", "W-0816"])
def test_what_takes_no_place_in_the_text_before_is_no_follow_up(text: str) -> None:
    assert looked_up(text, "What is the status of W-0815?") is None


@table(
    ("text", "since", "until"),
    [
        ("orders of Acme last month", "2026-10-01", "2026-10-31"),
        ("Acme orders in the last 3 days", "2026-11-21", "2026-11-23"),
        ("Which orders does Acme have this year?", "2026-01-01", "2026-12-31"),
        ("orders of Acme since last week", "2026-11-16", None),
        ("Acme 上个月的工单", "2026-10-01", "2026-10-31"),
        ("Acme 最近三天有哪些工单", "2026-11-21", "2026-11-23"),
        ("Acme 上周以来的工单", "2026-11-16", None),
        ("orders of Acme in November", "2026-11-01", "2026-11-30"),
        ("orders of Acme since October", "2026-10-01", None),
        ("Acme 11月份的工单", "2026-11-01", "2026-11-30"),
        ("Acme 十月以来的工单", "2026-10-01", None),
    ],
)
def test_a_period_is_taken_where_a_time_from_and_until_may_be_given(
    text: str, since: str, until: str | None
) -> None:
    days = {"since": since, "until": until}
    given = {name: day for name, day in days.items() if day}
    assert looked_up(text) == ("list_orders", {"customer": "C2", **given})


@table(
    "text",
    [
        "orders of Acme before last week",
        "orders of Acme after last week",
        "orders of Acme except last month",
        "orders of Acme last month and this month",
        "orders of Acme in October and in November",
        "orders of Acme before October",
        "orders of Acme last month on 2026-11-03",
        "What lies on shelf 12 last week?",
        "how cold was the store last month",
        "Acme 上个月之前的工单",
        "上个月冷库温度",
    ],
)
def test_a_period_that_no_argument_takes_whole_is_not_answered(text: str) -> None:
    assert looked_up(text) is None


def test_an_example_word_for_word_is_no_other_tools_by_a_cue_in_it() -> None:
    own = replace(
        next(tool for tool in TOOLS if tool.name == "temperature"),
        name="my_overdue",
        examples=("which of my orders are overdue",),
        cues={"my overdue": {}},
    )
    every = replace(
        own, name="overdue", examples=("which orders are overdue",), cues={"overdue": {}}
    )
    for tools in ((own, every), (every, own)):
        for text, tool in (
            ("Which of my orders are overdue?", "my_overdue"),
            ("which orders are overdue", "overdue"),
        ):
            found = find(text, tools, today=TODAY, entities=WAREHOUSE)
            assert found is not None
            assert found[0].tool == tool
