"""The worked example in CONTRIBUTING.md is held to what the code of the service is held to."""

import ast
from collections.abc import Iterator

import pytest

from tests.fakes.lines import written

(PLATFORM,) = (code for path, code in written().items() if path.startswith("adapters/"))
TREE = ast.parse(PLATFORM)
FUNCTIONS = [n for n in ast.walk(TREE) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
VOCABULARY = ("engine.events", "engine.ports", "engine.errors", "cards.")


def test_the_example_is_one_room_and_three_entries() -> None:
    assert [*written()] == [
        "adapters/lines/platform.py",
        "bot/wiring/platforms.py",
        "cards/texts/zh/card.py",
        "cards/texts/en/card.py",
    ]
    assert len(PLATFORM.splitlines()) < 200


def test_it_sees_of_us_only_what_adapters_may_see() -> None:
    ours = {
        node.module or ""
        for node in ast.walk(TREE)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] in ("bot", "adapters", "engine", "cards", "tests")
    }
    assert ours
    assert [name for name in ours if not name.startswith(VOCABULARY)] == []


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_its_functions_are_short_and_the_public_ones_say_what_they_do(
    function: ast.FunctionDef,
) -> None:
    assert function.end_lineno is not None
    assert function.end_lineno - function.lineno < 30
    assert ast.get_docstring(function) or function.name.startswith("_")


def _classes() -> Iterator[ast.ClassDef]:
    yield from (node for node in TREE.body if isinstance(node, ast.ClassDef))


def test_it_is_a_platform_and_an_adapter() -> None:
    from bot.wiring.platforms import Adapter

    platform = next(_classes())
    methods = {node.name for node in platform.body if node in FUNCTIONS}
    wanted = {name for name in dir(Adapter) if not name.startswith("_")} - {"name", "overall"}
    assert wanted <= methods
