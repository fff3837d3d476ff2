"""What may be offered of a tool, and how its arguments are checked."""

from typing import Any

import pytest
from mcp import types

from adapters.connections.json_schema import BadSchema, argument_check
from adapters.connections.mcp.offers import (
    MAX_TOOLS,
    UnusableTool,
    clean_schema,
    is_readonly,
    public_name,
    select_tools,
)
from engine.ports.systems.remote_tools import Server, Stdio
from tests.fakes.tables import table

SERVER = Server("s", Stdio("x"), frozenset({"vouched"}))
READ = types.ToolAnnotations(read_only_hint=True)


def tool(name: str, annotations: types.ToolAnnotations | None = READ) -> types.Tool:
    return types.Tool(name=name, input_schema={"type": "object"}, annotations=annotations)


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ("read_file", "s__read_file"),
        ("x" * 61, "s__" + "x" * 61),
        ("x" * 62, "s__" + "x" * 52),
        ("a.b/c", "s__a_b_c_"),
        ("查", "s____"),
    ],
)
def test_a_name_is_one_that_chat_completions_take(given: str, offered: str) -> None:
    name = public_name("s", given)

    assert name.startswith(offered)
    assert len(name) <= 64
    assert name == public_name("s", given)


def test_names_that_look_alike_stay_apart() -> None:
    alike = ["a.b", "a/b", "a b", "a_b", "x" * 70, "x" * 71]
    assert len({public_name("s", name) for name in alike}) == len(alike)


@table(
    ("found", "holds"),
    [
        (tool("a"), True),
        (tool("a", types.ToolAnnotations(read_only_hint=False)), False),
        (tool("a", types.ToolAnnotations(idempotent_hint=True, destructive_hint=False)), False),
        (tool("a", None), False),
        (tool("vouched", None), True),
        (tool("vouched "), True),
        (tool("Vouched", None), False),
    ],
)
def test_read_only_is_what_is_declared_or_vouched_for(found: types.Tool, holds: bool) -> None:
    assert is_readonly(SERVER, found) is holds


def test_the_settings_may_leave_tools_out() -> None:
    picky = Server("s", Stdio("x"), only=frozenset({"a", "c"}))
    tools = [tool("a"), tool("b"), tool("c", None)]
    found, left = select_tools(picky, tools, ())

    assert list(found) == ["s__a"]
    assert left == {"b": "the settings leave it out", "c": "it is not declared read-only"}


def test_one_name_is_offered_once_and_too_many_tools_are_left_out() -> None:
    tools = [tool("a"), tool("a"), *(tool(f"t{n}") for n in range(MAX_TOOLS))]
    found, left = select_tools(SERVER, tools, {"s__t0"})

    assert len(found) == MAX_TOOLS
    assert left == {"a": "its name is taken: s__a", "t0": "its name is taken: s__t0"}
    found, left = select_tools(SERVER, [*tools, tool("more")], ())
    assert left["more"] == f"its server has more than {MAX_TOOLS}"
    assert "s__more" not in found


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string"}, "plain object"),
        ({}, "plain object"),
        ({"type": "object", "anyOf": [{}]}, "plain object"),
        ({"type": "object", "properties": {"a": {"description": 1, "enum": ["x" * 9000]}}}, "long"),
        ({"type": "object", "properties": {"a": {"$ref": "file:///etc/x"}}}, "outside of itself"),
    ],
)
def test_a_schema_that_would_spoil_every_offer_is_unfit(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(UnusableTool, match=why):
        clean_schema(schema)


def test_a_schema_without_end_is_unfit() -> None:
    nested: dict[str, Any] = {}
    for _ in range(5000):
        nested = {"items": nested}
    with pytest.raises(UnusableTool, match="too deep"):
        clean_schema({"type": "object", "properties": {"a": nested}})


def test_a_schema_that_is_none_is_unfit() -> None:
    with pytest.raises(BadSchema, match="no valid JSON schema"):
        argument_check({"type": "object", "properties": {"a": {"type": "no such type"}}})


def test_prose_is_cut_and_what_counts_stays() -> None:
    examples = {"type": "string", "description": "Keep me."}
    schema = {
        "type": "object",
        "title": "T\u200b\n" + "t" * 500,
        "$comment": "note",
        "examples": [{"a": 1}],
        "properties": {"examples": examples, "description": {"type": "string"}},
    }
    kept = clean_schema(schema)

    assert kept["title"] == "T " + "t" * 297 + "…"
    assert kept["properties"] == schema["properties"]
    assert set(kept) == {"type", "title", "properties"}
    assert clean_schema({"type": "object"}) == {"type": "object", "properties": {}}


SCHEMA = {
    "type": "object",
    "properties": {
        "day": {"$ref": "#/$defs/day"},
        "count": {"type": "integer", "minimum": 1},
        "slow": {"type": "string", "pattern": "^(a+)+$"},
    },
    "patternProperties": {"^(x+)+$": {"type": "string"}},
    "required": ["day"],
    "additionalProperties": False,
    "$defs": {"day": {"enum": ["mon", "tue"]}},
}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"day": "mon"}, None),
        ({"day": "mon", "count": 3}, None),
        ({}, "Wrong arguments : 'day' is a required property"),
        ({"day": "sun"}, "Wrong arguments day: 'sun' is not one of ['mon', 'tue']"),
        ({"day": "mon", "count": 0}, "Wrong arguments count: 0 is less than the minimum of 1"),
    ],
)
def test_arguments_are_checked_against_the_servers_schema(
    arguments: dict[str, Any], hint: str | None
) -> None:
    assert argument_check(SCHEMA)(arguments) == hint


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", b"x"])
def test_what_cannot_be_sent_is_told(value: object) -> None:
    hint = argument_check({"type": "object"})({"a": [value]})

    assert hint == "Wrong arguments: they cannot be written as JSON."


def test_unknown_arguments_are_told_and_hints_are_short() -> None:
    check = argument_check({"type": "object", "properties": {}, "additionalProperties": False})

    hint = check({"x" * 500: 1})
    assert hint is not None
    assert len(hint) == 200
    assert "Additional properties are not allowed" in hint


def test_a_servers_regular_expressions_are_never_run() -> None:
    evil = "a" * 5000 + "!"
    assert argument_check(SCHEMA)({"day": "mon", "slow": evil, "x" * 5000 + "!": "?"}) is None


def test_a_schema_that_points_to_nothing_leaves_the_check_to_the_server() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}}
    assert argument_check(schema)({"a": 1}) is None
