"""What a hard rule answers, case by case: a rule, a record, and what comes of it."""

import copy
import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.rules.check import OPERATORS
from engine.rules.hard import HardRule, HardRuleEngine

Case = tuple[dict[str, Any], dict[str, Any], str]

A, B, C = {"var": "a"}, {"var": "b"}, {"var": "c"}
PASSES, NOT = "passes", "not passed"
NUMBER_TEXT = "cannot compare a number with text"
TEXT_NUMBER = "cannot compare text with a number"
NEEDS_DATE = "needs a date like 2026-01-31"
RANGE = "a number is out of range"
ZERO = "division by zero"
NO_NUMBER = "needs a number, not text"
SHAPE = "the data does not have the shape it expects"
INF = float("inf")
NAN = float("nan")
LOW, WAIVED = {"<=": [A, 2]}, {"==": [B, "yes"]}
DAY = date(2026, 1, 31)
MOMENT = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)

TABLE: dict[str, list[Case]] = {
    "numbers": [
        ({"==": [A, 40]}, {"a": 40.0}, PASSES),
        ({"===": [A, 1.0]}, {"a": 1}, PASSES),
        ({"==": [A, 41]}, {"a": 40}, NOT),
        ({"!=": [A, 2]}, {"a": 1}, PASSES),
        ({"!==": [A, 2]}, {"a": 2.0}, NOT),
        ({"<": [A, 3]}, {"a": 2.9}, PASSES),
        ({"<": [A, 3]}, {"a": 3}, NOT),
        ({"<=": [A, 3]}, {"a": 3.0}, PASSES),
        ({"<=": [A, 3]}, {"a": 3.1}, NOT),
        ({">": [A, 3]}, {"a": 4}, PASSES),
        ({">": [A, 3]}, {"a": 3}, NOT),
        ({">=": [A, 3]}, {"a": 3}, PASSES),
        ({">=": [A, 3]}, {"a": -3}, NOT),
        ({"<=": [0, A, 4]}, {"a": 0}, PASSES),
        ({"<=": [0, A, 4]}, {"a": 5}, NOT),
        ({"<": [0, A, 4]}, {"a": 4}, NOT),
        ({"<": [0, A, 4]}, {"a": -1}, NOT),
        ({"<": [0, A, 4]}, {"a": 1}, PASSES),
        ({"==": [A, 0]}, {"a": -0.0}, PASSES),
        ({">": [A, 5]}, {"a": 10**400}, PASSES),
        ({"<": [A, 1]}, {"a": INF}, RANGE),
        ({">": [A, 1]}, {"a": NAN}, RANGE),
        ({"<": [1, A]}, {"a": INF}, RANGE),
        ({">=": [1.5, A]}, {"a": NAN}, RANGE),
        ({"==": [A, B]}, {"a": NAN, "b": NAN}, RANGE),
        ({"!=": [A, 1]}, {"a": -INF}, RANGE),
    ],
    "missing": [
        ({"<": [A, 3]}, {}, NOT),
        ({">=": [A, 3]}, {"b": 4}, NOT),
        ({"!": {"<": [A, 3]}}, {}, NOT),
        ({"!=": [A, 3]}, {}, NOT),
        ({"==": [A, B]}, {}, NOT),
        ({"<=": [0, A, 4]}, {}, NOT),
        ({"<": [5, 1, A]}, {}, NOT),
        ({"in": [A, [1, 2]]}, {}, NOT),
        ({"in": [1, A]}, {}, NOT),
        ({"!!": A}, {}, NOT),
        ({"!": A}, {}, PASSES),
        (A, {}, NOT),
        ({"or": [{"<": [A, 3]}, True]}, {}, PASSES),
        ({"or": [True, {"<": [A, 3]}]}, {}, PASSES),
        ({"and": [False, {"<": [A, 3]}]}, {}, NOT),
        ({"==": [{"var": ["a", 5]}, 5]}, {}, PASSES),
        ({"==": [{"var": ["a", 5]}, 5]}, {"a": 6}, NOT),
        ({"==": [{"var": ["a", B]}, 7]}, {"b": 7}, PASSES),
        ({"==": [{"var": ["a", {"+": [B, 1]}]}, 2]}, {"a": 2}, NOT),
        ({">": [{"+": [1, A]}, 0]}, {}, NOT),
        ({"!!": {"cat": ["a", A]}}, {}, NOT),
        ({"!!": {"min": [A, 1]}}, {}, NOT),
        ({"!!": {"max": [1, A]}}, {}, NOT),
        ({"!!": {"substr": [A, 1]}}, {}, NOT),
        ({"!!": {"-": A}}, {}, NOT),
        ({"date_before": [A, B]}, {"b": "2026-01-31"}, NOT),
        ({"date_after": [A, B]}, {"a": "2026-01-31"}, NOT),
        ({"<": [{"days_between": [A, B]}, 28]}, {"a": "2026-01-31"}, NOT),
        ({"if": [{"missing": ["a"]}, True, {"<": [A, 3]}]}, {}, PASSES),
        ({"if": [{"missing": ["a"]}, True, {"<": [A, 3]}]}, {"a": 4}, NOT),
        ({"!": {"missing": ["a", "b"]}}, {"a": 0, "b": False}, PASSES),
        ({"!": {"missing": ["a", "b"]}}, {"a": 0}, NOT),
        ({"==": [{"missing": ["a", "b", "c"]}, ["b", "c"]]}, {"a": 1, "b": ""}, PASSES),
        ({"!": {"missing": [["a"]]}}, {"a": 1}, PASSES),
        ({"missing": "a"}, {}, PASSES),
        ({"!": {"missing_some": [1, ["a", "b"]]}}, {"b": 1}, PASSES),
        ({"!": {"missing_some": [2, ["a", "b"]]}}, {"b": 1}, NOT),
        ({"==": [{"missing_some": [2, ["a", "b"]]}, ["a"]]}, {"b": 1}, PASSES),
    ],
    "branches": [
        ({"or": [LOW, WAIVED]}, {"b": "yes"}, PASSES),
        ({"or": [WAIVED, LOW]}, {"b": "yes"}, PASSES),
        ({"or": [LOW, WAIVED]}, {"b": "no"}, NOT),
        ({"or": [LOW, WAIVED]}, {"a": "1", "b": "yes"}, PASSES),
        ({"or": [LOW, WAIVED]}, {"a": "1", "b": "no"}, TEXT_NUMBER),
        ({"or": [WAIVED, LOW]}, {"a": "1"}, TEXT_NUMBER),
        ({"or": [LOW, WAIVED]}, {"a": "1"}, TEXT_NUMBER),
        ({"!": {"or": [LOW, WAIVED]}}, {"b": "no"}, NOT),
        ({"!": {"or": [WAIVED, LOW]}}, {"b": "yes"}, NOT),
        ({"!": {"and": [LOW, WAIVED]}}, {"b": "no"}, PASSES),
        ({"!": {"and": [WAIVED, LOW]}}, {"b": "no"}, PASSES),
        ({"!": {"and": [LOW, WAIVED]}}, {"b": "yes"}, NOT),
        ({"!": {"and": [LOW, WAIVED]}}, {"a": "1", "b": "no"}, PASSES),
        ({"!": {"and": [LOW, WAIVED]}}, {"a": "1", "b": "yes"}, TEXT_NUMBER),
        ({"!": {"!": {"or": [LOW, WAIVED]}}}, {"b": "no"}, NOT),
        ({"!!": {"or": [LOW, WAIVED]}}, {"b": "yes"}, PASSES),
        ({"if": [{"or": [LOW, WAIVED]}, True, False]}, {"b": "yes"}, PASSES),
        ({"if": [LOW, True, True]}, {}, NOT),
        ({"if": [LOW, True, True]}, {"a": "1"}, TEXT_NUMBER),
        ({"if": [WAIVED, True, LOW]}, {"b": "yes"}, PASSES),
        ({"or": [{"if": [LOW, True, True]}, WAIVED]}, {"b": "yes"}, PASSES),
        ({"or": [{"!": LOW}, {"and": [LOW, WAIVED]}]}, {"b": "yes"}, NOT),
        ({"or": [{"<=": [0, A, 3]}, WAIVED]}, {"b": "yes"}, PASSES),
        ({"or": [{"!!": {"var": "c.9"}}, WAIVED]}, {"b": "yes", "c": [1]}, PASSES),
        ({"==": [{"or": [0, A, 5]}, 5]}, {}, PASSES),
        ({"==": [{"and": [7, 0, 5]}, 0]}, {}, PASSES),
        ({"==": [LOW, {"+": [B, 1]}]}, {"b": "x"}, NO_NUMBER),
        ({"==": [{"+": [B, 1]}, LOW]}, {"b": "x"}, NO_NUMBER),
        ({"<": [A, 2, B]}, {"a": "x"}, NOT),
        ({"<": [B, 2, A]}, {"a": "x"}, NOT),
    ],
    "null": [
        ({"<": [A, 3]}, {"a": None}, NOT),
        ({"!": {"<": [A, 3]}}, {"a": None}, NOT),
        ({"==": [A, B]}, {"a": None, "b": None}, NOT),
        ({"!=": [A, 3]}, {"a": None}, NOT),
        ({"!": A}, {"a": None}, PASSES),
        ({"!!": A}, {"a": None}, NOT),
        ({"==": [{"var": ["a", 5]}, 5]}, {"a": None}, NOT),
        ({"!": {"missing": ["a"]}}, {"a": None}, NOT),
        ({"in": [A, B]}, {"a": None, "b": [None]}, NOT),
        ({"in": ["x", B]}, {"b": [None, "x"]}, PASSES),
        ({"==": [A, B]}, {"a": [None], "b": [None]}, PASSES),
        ({"==": [{"merge": [A, None]}, [1, None]]}, {"a": [1]}, PASSES),
        ({"or": [{"!": A}, {"<": [A, 3]}]}, {"a": None}, PASSES),
        ({"if": [A, False, True]}, {"a": None}, PASSES),
        ({"if": [False, True]}, {}, NOT),
    ],
    "empty": [
        ({"!": A}, {"a": ""}, PASSES),
        ({"!": A}, {"a": []}, PASSES),
        ({"!": A}, {"a": {}}, PASSES),
        ({"!": A}, {"a": 0}, PASSES),
        ({"!": A}, {"a": False}, PASSES),
        ({"!!": A}, {"a": " "}, PASSES),
        ({"!!": A}, {"a": "0"}, PASSES),
        ({"!!": A}, {"a": [0]}, PASSES),
        ({"==": [A, ""]}, {"a": ""}, PASSES),
        ({"==": [A, 0]}, {"a": ""}, TEXT_NUMBER),
        ({"==": [A, []]}, {"a": []}, PASSES),
        ({"==": [A, B]}, {"a": {}, "b": {}}, PASSES),
        ({"in": ["", A]}, {"a": "abc"}, PASSES),
        ({"in": [5, A]}, {"a": []}, NOT),
        ({"!": {"in": [5, A]}}, {"a": []}, PASSES),
        ({"==": [{"merge": [A, B]}, []]}, {"a": [], "b": []}, PASSES),
        ({"==": [{"substr": [A, 0, 3]}, ""]}, {"a": ""}, PASSES),
        ({"date_before": [A, "2026-01-31"]}, {"a": ""}, NEEDS_DATE),
    ],
    "wrong type": [
        ({"<": [A, 6]}, {"a": "5"}, TEXT_NUMBER),
        ({"<=": [A, 6]}, {"a": "5"}, TEXT_NUMBER),
        ({">": [6, A]}, {"a": "5"}, NUMBER_TEXT),
        ({">=": [A, 6]}, {"a": "5"}, TEXT_NUMBER),
        ({"==": [A, 5]}, {"a": "5"}, TEXT_NUMBER),
        ({"===": [A, 5]}, {"a": "5"}, TEXT_NUMBER),
        ({"!=": [A, 5]}, {"a": "5"}, TEXT_NUMBER),
        ({"!==": [A, 5]}, {"a": "5"}, TEXT_NUMBER),
        ({"!": {"==": [A, 5]}}, {"a": "5"}, TEXT_NUMBER),
        ({"<": [1, 2, A]}, {"a": "5"}, NUMBER_TEXT),
        ({"<": [2, 1, A]}, {"a": "5"}, NUMBER_TEXT),
        ({"<=": [2, 1, A]}, {"a": "5"}, NUMBER_TEXT),
        ({"==": [A, 1]}, {"a": True}, "cannot compare yes/no with a number"),
        ({"==": [A, 0]}, {"a": False}, "cannot compare yes/no with a number"),
        ({"==": [A, "true"]}, {"a": True}, "cannot compare yes/no with text"),
        ({"==": [A, True]}, {"a": True}, PASSES),
        ({"==": [A, False]}, {"a": True}, NOT),
        ({"!=": [A, B]}, {"a": False, "b": True}, PASSES),
        ({"<": [A, B]}, {"a": False, "b": True}, "needs a number, not yes/no"),
        ({"<": [A, B]}, {"a": [], "b": [1]}, "needs a number, not a list"),
        ({">=": [A, B]}, {"a": {}, "b": {}}, "needs a number, not a mapping"),
        ({"<": [A, B]}, {"a": MOMENT, "b": MOMENT}, "needs a number, not something else"),
        ({"==": [A, B]}, {"a": MOMENT, "b": DAY}, "cannot compare something else with a date"),
        ({"==": [A, 1]}, {"a": [1]}, "cannot compare a list with a number"),
        ({"==": [A, B]}, {"a": {"x": 1}, "b": [1]}, "cannot compare a mapping with a list"),
        ({"==": [A, "b'x'"]}, {"a": b"x"}, "cannot compare something else with text"),
        ({"in": [A, [5, 6]]}, {"a": "5"}, TEXT_NUMBER),
        ({"in": [A, [0, 1]]}, {"a": True}, "cannot compare yes/no with a number"),
        ({"in": [5, A]}, {"a": "15"}, "needs text, not a number"),
        ({"in": [5, A]}, {"a": {"5": 5}}, "needs a list or text, not a mapping"),
        ({"in": [5, A]}, {"a": 15}, "needs a list or text, not a number"),
        ({">": [{"+": [A, 1]}, 0]}, {"a": "5"}, "needs a number, not text"),
        ({">": [{"+": [A, 1]}, 0]}, {"a": True}, "needs a number, not yes/no"),
        ({">": [{"-": A}, 0]}, {"a": "5"}, "needs a number, not text"),
        ({">": [{"-": [9, A]}, 0]}, {"a": "5"}, "needs a number, not text"),
        ({">": [{"*": [A, 2]}, 0]}, {"a": [1]}, "needs a number, not a list"),
        ({">": [{"/": [A, 2]}, 0]}, {"a": {}}, "needs a number, not a mapping"),
        ({">": [{"%": [A, 2]}, 0]}, {"a": "%d"}, "needs a number, not text"),
        ({">": [{"min": [A, 2]}, 0]}, {"a": DAY}, "needs a number, not a date"),
        ({">": [{"max": [2, A]}, 0]}, {"a": "9"}, "needs a number, not text"),
        ({"!!": {"cat": ["a", A]}}, {"a": True}, "needs text, not yes/no"),
        ({"!!": {"cat": ["a", A]}}, {"a": [1]}, "needs text, not a list"),
        ({"!!": {"substr": [A, 1]}}, {"a": 123}, "needs text, not a number"),
        ({"!!": {"substr": ["abc", A]}}, {"a": "1"}, "needs a number, not text"),
        ({"!!": {"substr": ["abc", 1.5]}}, {}, SHAPE),
    ],
    "arithmetic": [
        ({"==": [{"+": [1, 2, A]}, 64.5]}, {"a": 61.5}, PASSES),
        ({"==": [{"-": [A]}, -1]}, {"a": 1}, PASSES),
        ({"==": [{"-": [5, A]}, 4]}, {"a": 1}, PASSES),
        ({"==": [{"*": [2, 3, A]}, 24]}, {"a": 4}, PASSES),
        ({"==": [{"/": [A, 2]}, 0.5]}, {"a": 1}, PASSES),
        ({"==": [{"%": [A, 4]}, 3]}, {"a": 7}, PASSES),
        ({"==": [{"min": [3, A, 2.5]}, 1]}, {"a": 1}, PASSES),
        ({"==": [{"max": [3, A, 3.5]}, 3.5]}, {"a": 1}, PASSES),
        ({"==": [{"max": 7}, 7]}, {}, PASSES),
        ({"<": [{"/": [A, {"*": [B, B]}]}, 30]}, {"a": 80, "b": 1.8}, PASSES),
        ({"<": [{"/": [A, {"*": [B, B]}]}, 30]}, {"a": 80, "b": 1.6}, NOT),
        ({">": [{"/": [1, A]}, 0]}, {"a": 0}, ZERO),
        ({">": [{"/": [1, A]}, 0]}, {"a": 0.0}, ZERO),
        ({">": [{"%": [1, A]}, 0]}, {"a": 0}, ZERO),
        ({"or": [{">": [{"/": [1, A]}, 0]}, True]}, {"a": 0}, PASSES),
        ({"or": [{">": [{"/": [1, A]}, 0]}, False]}, {"a": 0}, ZERO),
        ({">": [{"*": [A, 1.5]}, 0]}, {"a": 10**400}, RANGE),
        ({">": [{"*": [A, A]}, 0]}, {"a": 1e300}, RANGE),
        ({">": [{"+": [A, A]}, 0]}, {"a": 1.7e308}, RANGE),
        ({">": [{"max": [A, 1]}, 0]}, {"a": INF}, RANGE),
    ],
    "text and unicode": [
        ({"==": [A, "abc"]}, {"a": "abc"}, PASSES),
        ({"==": [A, "abc"]}, {"a": "ABC"}, NOT),
        ({"<": [A, "b"]}, {"a": "a"}, PASSES),
        ({"<": [A, "9"]}, {"a": "10"}, PASSES),
        ({"<": ["a", A, "c"]}, {"a": "b"}, PASSES),
        ({"in": ["肺炎", A]}, {"a": "轻度肺炎 🫁"}, PASSES),
        ({"in": ["🫁", A]}, {"a": "轻度肺炎 🫁"}, PASSES),
        ({"in": ["肺癌", A]}, {"a": "轻度肺炎"}, NOT),
        ({"in": ["肺炎", A]}, {"a": None}, NOT),
        ({"in": [A, ["男", "女"]]}, {"a": "女"}, PASSES),
        ({"in": [A, ["男", "女"]]}, {"a": "女 "}, NOT),
        ({"==": [A, "é"]}, {"a": "e\u0301"}, NOT),
        ({"==": [A, "ＡＢ"]}, {"a": "AB"}, NOT),
        ({"==": [A, "👩🏽‍🔬"]}, {"a": "👩🏽‍🔬"}, PASSES),
        ({"==": [A, 5]}, {"a": "５"}, TEXT_NUMBER),
        ({"==": [{"cat": ["P", 3, A]}, "P3号"]}, {"a": "号"}, PASSES),
        ({"==": [{"substr": [A, 2, 2]}, "肺炎"]}, {"a": "轻度肺炎 🫁"}, PASSES),
        ({"==": [{"substr": [A, -1]}, "🫁"]}, {"a": "轻度肺炎 🫁"}, PASSES),
        ({"==": [{"substr": [A, 0, -2]}, "P0"]}, {"a": "P003"}, PASSES),
        ({"==": [{"var": "访视"}, 3]}, {"访视": 3}, PASSES),
        ({"!": {"missing": ["访视", "体重"]}}, {"访视": 3, "体重": 60}, PASSES),
        ({"==": [A, "{value}"]}, {"a": "{value}"}, PASSES),
        ({"==": [A, "\x00"]}, {"a": "\x00"}, PASSES),
    ],
    "dates": [
        ({"<=": [A, B]}, {"a": "2026-01-05", "b": "2026-01-31"}, PASSES),
        ({"<=": [A, B]}, {"a": date(2026, 1, 5), "b": DAY}, PASSES),
        ({"<": [A, B]}, {"a": DAY, "b": DAY}, NOT),
        ({"==": [A, B]}, {"a": "2026-01-31", "b": DAY}, "cannot compare text with a date"),
        ({"<=": [A, "2026-02-30"]}, {"a": "2026-01-05"}, NEEDS_DATE),
        ({"<": [A, B]}, {"a": "5.1.2026", "b": "2026-01-31"}, NEEDS_DATE),
        ({">": [A, B]}, {"a": "2026-01-31", "b": "5.1.2026"}, NEEDS_DATE),
        ({">=": [A, "2026-01"]}, {"a": "2026-01-31"}, NEEDS_DATE),
        ({"<=": ["2026-01-01", A, "2026-13-01"]}, {"a": "2026-01-05"}, NEEDS_DATE),
        ({"==": [A, "5.1.2026"]}, {"a": "2026-01-05"}, NOT),
        ({"date_before": [A, B]}, {"a": "2026-01-05", "b": "2026-01-31"}, PASSES),
        ({"date_before": [A, B]}, {"a": "2026-01-31", "b": DAY}, NOT),
        ({"date_after": [A, B]}, {"a": DAY, "b": "2026-01-05"}, PASSES),
        ({"date_after": [A, B]}, {"a": "2026-01-05", "b": DAY}, NOT),
        ({"!": {"date_after": [A, B]}}, {"a": DAY, "b": DAY}, PASSES),
        ({"date_before": [A, "2024-03-01"]}, {"a": "2024-02-29"}, PASSES),
        ({"date_before": [A, "2026-03-01"]}, {"a": "2026-02-29"}, NEEDS_DATE),
        ({"date_before": [A, "2026-03-01"]}, {"a": "20260101"}, NEEDS_DATE),
        ({"date_before": [A, "2026-03-01"]}, {"a": "2026-1-1"}, NEEDS_DATE),
        ({"date_before": [A, "2026-03-01"]}, {"a": "2026-01-31 "}, NEEDS_DATE),
        ({"date_before": [A, "2026-03-01"]}, {"a": "2026-01-31\n"}, NEEDS_DATE),
        ({"date_before": [A, "2026-03-01"]}, {"a": "2026-01-31T09:00:00"}, NEEDS_DATE),
        ({"date_before": [A, "2026-03-01"]}, {"a": "２０２６-01-31"}, NEEDS_DATE),
        ({"date_before": [A, "2026-03-01"]}, {"a": "0000-01-01"}, NEEDS_DATE),
        ({"date_before": [A, "9999-12-31"]}, {"a": "0001-01-01"}, PASSES),
        ({"date_after": [A, "2026-03-01"]}, {"a": MOMENT}, NEEDS_DATE),
        ({"date_after": [A, "2026-03-01"]}, {"a": 20260131}, NEEDS_DATE),
        ({"date_after": ["2026-03-01", A]}, {"a": True}, NEEDS_DATE),
        ({"==": [{"days_between": [A, B]}, 26]}, {"a": "2026-01-05", "b": DAY}, PASSES),
        ({"==": [{"days_between": [A, B]}, -26]}, {"a": DAY, "b": "2026-01-05"}, PASSES),
        ({"==": [{"days_between": [A, B]}, 0]}, {"a": DAY, "b": DAY}, PASSES),
        ({"<=": [0, {"days_between": [A, B]}, 28]}, {"a": DAY, "b": "2026-03-01"}, NOT),
        ({">": [{"days_between": [A, B]}, 1]}, {"a": 5, "b": DAY}, NEEDS_DATE),
    ],
    "lists": [
        ({"in": [A, [0, 1, 2]]}, {"a": 1.0}, PASSES),
        ({"in": [A, [0, 1, 2]]}, {"a": 3}, NOT),
        ({"in": ["a", A]}, {"a": [1, "a", None]}, PASSES),
        ({"in": ["a", A]}, {"a": (1, "a")}, PASSES),
        ({"in": [[1], A]}, {"a": [[1], [2]]}, PASSES),
        ({"in": [True, A]}, {"a": [1, True]}, PASSES),
        ({"in": [1, A]}, {"a": [True, 2]}, NOT),
        ({"in": [1, A]}, {"a": [True]}, "cannot compare a number with yes/no"),
        ({"in": [True, A]}, {"a": [1, False]}, NOT),
        ({"==": [A, [1, "a", None]]}, {"a": [1, "a", None]}, PASSES),
        ({"==": [A, [1, 2]]}, {"a": [1, 2, 3]}, NOT),
        ({"==": [A, [1]]}, {"a": [True]}, NOT),
        ({"==": [A, [1]]}, {"a": ["1"]}, NOT),
        ({"==": [A, [1, 2]]}, {"a": (1, 2)}, PASSES),
        ({"==": [{"merge": [[1], A, B]}, [1, 2, 3]]}, {"a": 2, "b": [3]}, PASSES),
        ({"in": [2, {"merge": [A, B]}]}, {"a": [1], "b": [2]}, PASSES),
        ({"in": [A, [B, 7]]}, {"a": 3, "b": 3}, PASSES),
        ({"!!": {"var": "a.9"}}, {"a": [1]}, SHAPE),
        ({"==": [{"var": "a.1"}, "x"]}, {"a": [1, "x"]}, PASSES),
        ({"==": [{"var": "a.-1"}, "x"]}, {"a": [1, "x"]}, PASSES),
    ],
    "nesting": [
        ({"==": [{"var": "a.b.c"}, 7]}, {"a": {"b": {"c": 7}}}, PASSES),
        ({"==": [{"var": "a.b.x"}, 7]}, {"a": {"b": {"c": 7}}}, NOT),
        ({"==": [{"var": "a.b.c"}, 7]}, {"a": None}, NOT),
        ({"==": [{"var": "a.b.c"}, 7]}, {"a": "text"}, NOT),
        ({"==": [{"var": "a.b"}, 7]}, {"a.b": 7}, NOT),
        ({"==": [{"var": ["a.b.x", 7]}, 7]}, {"a": {"b": {}}}, PASSES),
        ({"==": [{"var": "a.0.b"}, 7]}, {"a": [{"b": 7}]}, PASSES),
        ({"!": {"missing": ["a.b"]}}, {"a": {"b": 1}}, PASSES),
        ({"==": [A, B]}, {"a": {"x": [1, {"y": 2}]}, "b": {"x": [1.0, {"y": 2}]}}, PASSES),
        ({"==": [A, B]}, {"a": {"x": 1}, "b": {"x": "1"}}, NOT),
        ({"==": [A, B]}, {"a": {"x": 1}, "b": {"x": 1, "y": 2}}, NOT),
        ({"==": [A, B]}, {"a": {"var": "b"}, "b": 1}, "cannot compare a mapping with a number"),
        ({"and": [{">=": [A, 18]}, {"<=": [A, 75]}]}, {"a": 40}, PASSES),
        ({"and": [{">=": [A, 18]}, {"<=": [A, 75]}]}, {"a": 76}, NOT),
        ({"and": [{">=": [A, 18]}, {"<=": [A, 75]}]}, {"a": "40"}, TEXT_NUMBER),
        ({"or": [{"<": [A, 18]}, {">": [A, 75]}]}, {"a": 80}, PASSES),
        ({"or": [{"<": [A, 18]}, {">": [A, 75]}]}, {"a": 40}, NOT),
        ({"and": [A, {"or": [B, C]}]}, {"a": 1, "c": "x"}, PASSES),
        ({"and": [A, {"or": [B, C]}]}, {"a": 1, "b": 0}, NOT),
        ({"if": [{"==": [A, "f"]}, {"<": [B, 50]}, {"<": [B, 60]}]}, {"a": "m", "b": 55}, PASSES),
        ({"if": [{"==": [A, "f"]}, {"<": [B, 50]}, {"<": [B, 60]}]}, {"a": "f", "b": 55}, NOT),
        ({"if": [{"<": [A, 0]}, 1, {"<": [A, 9]}, 2, 0]}, {"a": 5}, PASSES),
        ({"if": [{"<": [A, 0]}, 1, {"<": [A, 9]}, 2, 0]}, {"a": 10}, NOT),
        ({"if": [False, {"/": [1, 0]}, True]}, {}, PASSES),
        ({"!": {"!": {"!!": {"!": A}}}}, {}, PASSES),
    ],
}
CASES = [case for group in TABLE.values() for case in group]
FAILED = [case for case in CASES if case[2] not in (PASSES, NOT)]
IN_CHINESE = {
    NEEDS_DATE: "需要 2026-01-31 这样的日期",
    RANGE: "数字超出范围",
    ZERO: "除数为零",
    SHAPE: "数据的结构与规则不符",
    NUMBER_TEXT: "数字与文本不能比较",
    TEXT_NUMBER: "文本与数字不能比较",
    "cannot compare a list with a number": "列表与数字不能比较",
    "cannot compare a mapping with a number": "一组字段与数字不能比较",
    "cannot compare a mapping with a list": "一组字段与列表不能比较",
    "cannot compare something else with a date": "其他类型与日期不能比较",
    "cannot compare something else with text": "其他类型与文本不能比较",
    "cannot compare text with a date": "文本与日期不能比较",
    "cannot compare yes/no with a number": "是/否与数字不能比较",
    "cannot compare yes/no with text": "是/否与文本不能比较",
    "cannot compare a number with yes/no": "数字与是/否不能比较",
    "needs a number, not a date": "需要数字，实际是日期",
    "needs a number, not a list": "需要数字，实际是列表",
    "needs a number, not a mapping": "需要数字，实际是一组字段",
    "needs a number, not something else": "需要数字，实际是其他类型",
    "needs a number, not text": "需要数字，实际是文本",
    "needs a number, not yes/no": "需要数字，实际是是/否",
    "needs a list or text, not a mapping": "需要列表或文本，实际是一组字段",
    "needs a list or text, not a number": "需要列表或文本，实际是数字",
    "needs text, not a list": "需要文本，实际是列表",
    "needs text, not a number": "需要文本，实际是数字",
    "needs text, not yes/no": "需要文本，实际是是/否",
}


def rule(logic: dict[str, Any]) -> HardRule:
    # Rules share nothing, as those of a file do.
    return HardRule(field="a", logic=json.loads(json.dumps(logic)), message=NOT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_rule_over_a_record_has_its_one_answer(case: Case) -> None:
    logic, data, expected = case
    before = copy.deepcopy(data)
    found = HardRuleEngine().run([rule(logic)], data, "en")
    told = {PASSES: [], NOT: [NOT]}.get(expected, [f"rule failed: {expected}"])
    assert [violation.message for violation in found] == told
    assert repr(data) == repr(before)


@pytest.mark.parametrize("case", FAILED, ids=str)
def test_a_rule_that_cannot_be_answered_says_why_in_chinese_too(case: Case) -> None:
    logic, data, reason = case
    found = HardRuleEngine().run([rule(logic)], data, "zh")
    assert [violation.message for violation in found] == [f"规则无法执行：{IN_CHINESE[reason]}"]


def test_one_run_of_all_rules_answers_as_many_runs_of_one_do() -> None:
    rules = [rule(logic) for logic, _, _ in CASES]
    for _, data, _ in CASES:
        alone = [v for each in rules for v in HardRuleEngine().run([each], data, "en")]
        assert repr(HardRuleEngine().run(rules, data, "en")) == repr(tuple(alone))


def test_the_table_is_wide() -> None:
    assert len({repr(case) for case in CASES}) == len(CASES) >= 150
    assert {group for group, cases in TABLE.items() if len(cases) < 10} == set()
    text = json.dumps([logic for logic, _, _ in CASES])
    assert {name for name in OPERATORS if f'{{"{name}":' not in text} == set()
    assert {reason for _, _, reason in FAILED} == set(IN_CHINESE)
