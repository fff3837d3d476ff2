"""Tools of a project folder: every type of field is one of arguments and of columns."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from pydantic import JsonValue

from engine.errors import ToolFailed, ToolRetry
from engine.playbooks.tool import ToolDefinition
from engine.toolbox.connected import connect_tool
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call
from engine.yaml.source import read_yaml
from tests.fakes.building import build
from tests.fakes.tables import table

CONTEXT = ToolContext(today=date(2026, 11, 23))
FIELDS: Mapping[str, str] = {
    "text": "{type: text, pattern: 'S-[0-9]{2}'}",
    "integer": "{type: integer, minimum: 1, maximum: 40}",
    "number": "{type: number}",
    "money": "{type: money, currencies: [EUR, USD], maximum: 500}",
    "date": "{type: date, maximum: today}",
    "time": "{type: time, minimum: 08:00}",
    "choice": "{type: choice, options: {art: {zh: 美术, en: Art}, music: {zh: 音乐, en: Music}}}",
    "boolean": "{type: boolean}",
    "person": "{type: person}",
    "email": "{type: email}",
    "url": "{type: url}",
    "file": "{type: file}",
    "entity": "{type: entity, entity: pupil}",
    "list": "{type: list, columns: {n: {label: N, type: integer}}}",
}
"""A field of a school for each type."""


class School:
    """A system that notes what it is asked, and answers what it was told to."""

    keyed = False

    def __init__(self, answer: JsonValue = None) -> None:
        self.answer = answer
        self.asked: dict[str, JsonValue] = {}

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        self.asked = dict(values)
        return self.answer


def school_tool(school: School, arguments: str = "", columns: str = "") -> Tool[Any]:
    text = "description: Rooms of a school\nreads: {connection: school}\n"
    text += f"arguments: {{{arguments}}}\n" if arguments else ""
    text += f"columns: {{{columns}}}\n" if columns else ""
    definition = build(ToolDefinition, read_yaml(text, file="tools.yaml"))
    return connect_tool("rooms", definition, school, "SCHOOL")


LENT = "thing: {label: Thing}, lent: {label: Lent, type: date}, back: {label: Back, type: date}"


@pytest.mark.parametrize(
    ("since", "until", "things", "told"),
    [
        ("2026-11-05", None, ["b", "c"], "Since 2026-11-05:"),
        (None, "2026-11-05", ["a", "b"], "Until 2026-11-05:"),
        ("2026-11-02", "2026-11-03", ["a"], "From 2026-11-02 to 2026-11-03:"),
        ("2026-11-02", "2026-11-02", ["a"], "On 2026-11-02:"),
        (None, None, ["a", "b", "c", "d"], ""),
    ],
)
async def test_rows_are_narrowed_to_the_days_that_are_asked_about(
    since: str | None, until: str | None, things: list[str], told: str
) -> None:
    days = {"a": ("2026-11-01", "2026-11-03"), "b": ("2026-11-04", "2026-11-09")}
    days |= {"c": ("2026-11-08", "2026-11-08"), "d": ("2026-11-08", "")}
    rows = [{"thing": n, "lent": a, "back": b or None} for n, (a, b) in days.items()]
    text = "description: What is lent\nreads: {connection: school}\nresult: many\n"
    text += f"period: [lent, back]\ncolumns: {{{LENT}}}\n"
    school = School(rows)
    definition = build(ToolDefinition, read_yaml(text, file="tools.yaml"))
    tool = connect_tool("lent", definition, school, "SCHOOL")
    given = {name: day for name, day in (("since", since), ("until", until)) if day}
    result = await call(tool, given, CONTEXT)
    assert [row["thing"] for row in result["rows"]] == things
    assert tool.tell(result, "en").startswith(told)
    assert not {"since", "until"} & school.asked.keys()


def labelled(kind: str) -> str:
    return "value: {label: {zh: 值, en: Value}, " + FIELDS[kind].removeprefix("{")


GOOD: list[tuple[str, Any]] = [
    ("text", "S-12"),
    ("integer", 3),
    ("number", 2.5),
    ("money", {"value": 120.5, "currency": "EUR"}),
    ("date", "2026-11-23"),
    ("time", "09:30"),
    ("choice", "art"),
    ("boolean", True),
    ("person", "ana"),
    ("email", "ana@example.com"),
    ("url", "https://example.com/a"),
    ("file", "plan.pdf"),
    ("entity", "P-1"),
    ("list", [{"n": 1}]),
]
BAD: list[tuple[str, Any, str]] = [
    ("text", "T-12", "should be as S-"),
    ("integer", 41, "should be at most 40"),
    ("integer", 2.5, "whole number"),
    ("number", "2.5", "should be a number"),
    ("money", {"value": 120.5, "currency": "CHF"}, "in EUR or USD"),
    ("money", {"value": 501, "currency": "EUR"}, "at most 500"),
    ("date", "23.11.2026", "should be a date"),
    ("date", "2026-11-24", "should be at most 2026-11-23"),
    ("time", "07:59", "should be at least 08:00"),
    ("choice", "Art", "should be one of art, music"),
    ("boolean", 1, "true or false"),
    ("email", "ana", "e-mail"),
    ("url", "ftp://example.com", "http"),
    ("list", [{"m": 1}], "unknown column"),
]


@table(("kind", "value"), GOOD)
async def test_an_argument_of_each_type_reaches_its_system(kind: str, value: Any) -> None:
    school = School({"ok": 1})
    await call(school_tool(school, labelled(kind)), {"value": value}, CONTEXT)
    assert school.asked["value"] == value


@table(("kind", "value", "told"), BAD)
async def test_an_argument_that_does_not_fit_reaches_nobody(
    kind: str, value: Any, told: str
) -> None:
    school = School({"ok": 1})
    with pytest.raises(ToolRetry, match="Wrong arguments value") as caught:
        await call(school_tool(school, labelled(kind)), {"value": value}, CONTEXT)
    assert told in str(caught.value)
    assert school.asked == {}


async def test_an_argument_that_is_not_needed_may_be_left_out() -> None:
    school = School({"ok": 1})
    tool = school_tool(school, labelled("money").replace("type:", "required: false, type:"))
    for given in ({}, {"value": None}):
        await call(tool, given, CONTEXT)
        assert "value" not in school.asked
    assert "required" not in tool.input_schema()


def test_a_model_is_told_the_type_of_each_argument() -> None:
    schemas = {
        kind: school_tool(School(), labelled(kind)).input_schema()["properties"]["value"]
        for kind in FIELDS
    }
    assert schemas["date"]["format"] == "date"
    assert schemas["choice"]["enum"] == ["art", "music"]
    assert schemas["money"]["required"] == ["value", "currency"]
    assert schemas["list"]["items"]["properties"] == {"n": {"type": "integer"}}
    assert schemas["time"]["description"] == "Value: HH:MM, 24 h"


@table(
    ("kind", "given", "kept", "told"),
    [
        ("money", {"value": 3, "currency": "EUR"}, {"value": 3, "currency": "EUR"}, "3.00 EUR"),
        ("money", "1,234.50 USD", {"value": 1234.5, "currency": "USD"}, "1234.50 USD"),
        ("boolean", 0, False, "no"),
        ("boolean", True, True, "yes"),
        ("integer", "12", 12, "12"),
        ("number", "12.5", 12.5, "12.5"),
        ("choice", "art", "art", "art"),
        ("person", "ana", "ana", "ana"),
        ("text", 7.0, "7", "7"),
        ("text", {"a": 1}, '{"a": 1}', '{"a": 1}'),
    ],
)
async def test_a_column_of_each_type_is_kept_and_told(
    kind: str, given: JsonValue, kept: Any, told: str
) -> None:
    column = f"value: {{label: {{zh: 值, en: Value}}, type: {kind}}}"
    tool = school_tool(School({"value": given}), columns=column)
    result = await call(tool, {}, CONTEXT)
    assert result == {"found": True, "value": kept}
    assert tool.tell(result, "en") == f"- Value: {told}"


@pytest.mark.parametrize(
    ("kind", "given"), [("money", "12"), ("money", 12), ("boolean", "maybe"), ("date", "soon")]
)
async def test_a_column_that_is_otherwise_is_no_guess(kind: str, given: JsonValue) -> None:
    column = f"value: {{label: {{zh: 值, en: Value}}, type: {kind}}}"
    with pytest.raises(ToolFailed, match="value should be"):
        await call(school_tool(School({"value": given}), columns=column), {}, CONTEXT)
