"""Periods by what day it is, in both languages; what is no certain period is none."""

from datetime import date

from engine.text.readers.periods import find_periods
from tests.fakes.tables import table

TODAY = date(2026, 11, 23)  # a Monday


@table(
    ("text", "first", "last"),
    [
        ("which orders came last month?", "2026-10-01", "2026-10-31"),
        ("orders of last week", "2026-11-16", "2026-11-22"),
        ("next week's lessons", "2026-11-30", "2026-12-06"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("the previous quarter", "2026-07-01", "2026-09-30"),
        ("in the last 3 days", "2026-11-21", "2026-11-23"),
        ("over the past two weeks", "2026-11-10", "2026-11-23"),
        ("in the next 7 days", "2026-11-23", "2026-11-29"),
        ("the last twelve months", "2025-11-24", "2026-11-23"),
        ("上周的工单", "2026-11-16", "2026-11-22"),
        ("上个月有哪些工单", "2026-10-01", "2026-10-31"),
        ("本季度", "2026-10-01", "2026-12-31"),
        ("这个星期谁休假", "2026-11-23", "2026-11-29"),
        ("去年的工单", "2025-01-01", "2025-12-31"),
        ("最近三天的工单", "2026-11-21", "2026-11-23"),
        ("过去两个月内", "2026-09-24", "2026-11-23"),
        ("未来10天", "2026-11-23", "2026-12-02"),
        ("orders in november", "2026-11-01", "2026-11-30"),
        ("orders in october", "2026-10-01", "2026-10-31"),
        ("orders of march", "2026-03-01", "2026-03-31"),
        ("orders due in january", "2027-01-01", "2027-01-31"),
        ("which orders were sent in january", "2026-01-01", "2026-01-31"),
        ("orders in feb 2025", "2025-02-01", "2025-02-28"),
        ("orders since october", "2026-10-01", "2026-10-31"),
        ("11月份的工单", "2026-11-01", "2026-11-30"),
        ("十月的工单", "2026-10-01", "2026-10-31"),
        ("2025年2月的工单", "2025-02-01", "2025-02-28"),
        ("1月发了哪些工单", "2026-01-01", "2026-01-31"),
    ],
)
def test_a_period_is_its_first_and_last_day(text: str, first: str, last: str) -> None:
    (found,) = find_periods(text, TODAY)
    assert (found.first.isoformat(), found.last.isoformat()) == (first, last)


@table(
    "text",
    [
        "in the last few days",
        "over the last month",
        "last friday",
        "next week monday"[:9] + " fri",
        "上周五",
        "上上周",
        "月底",
        "最近几天",
        "下个月初",
        "the last 5000 days",
        "the next lesson",
        "in march 3 orders",
        "may I see the orders",
        "the march of W-0815",
        "3个月",
        "11月23日的工单",
        "11月底",
        "每月的工单",
    ],
)
def test_what_may_mean_two_things_is_no_period(text: str) -> None:
    assert find_periods(text, TODAY) == ()
