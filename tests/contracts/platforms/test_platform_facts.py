"""What is relied upon of the platforms: each fact has a test, and each test cites known facts."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.yaml.source import read_yaml
from tests.fakes.tables import table

TESTS = Path(__file__).parents[2]
DOCS = TESTS.parent / "docs"
KIT = TESTS / "fakes" / "platforms"
FACTS = read_yaml((KIT / "facts.yaml").read_text("utf-8"), file="facts.yaml").data
TAGS = ("run", "src", "doc", "2nd", "mem")


def cited_in(text: str) -> Iterator[str]:
    """The facts that tests of a file cite; a citation is `fact(...)` or `pytest.mark.fact(...)`."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("fact"):
                yield from (ast.literal_eval(argument) for argument in mark.args)


def citations() -> dict[str, list[str]]:
    """Files by the facts that they cite."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text("utf-8")
        for name in cited_in(text) if "fact(" in text else ():
            found[name].append(path.name)
    return found


CITED = citations()


@table("name", FACTS)
def test_a_fact_says_how_it_is_known_and_has_a_test_unless_it_is_only_remembered(name: str) -> None:
    fact = FACTS[name]
    assert set(fact) == {"row", "tag", "says"}
    assert fact["tag"] in TAGS
    assert fact["says"].endswith(".")
    if fact["tag"] == "mem":
        assert CITED[name] == [], "what is only remembered is not asserted"
    else:
        assert CITED[name], "no test cites it"


def test_no_test_cites_a_fact_that_is_not_known() -> None:
    assert {name: files for name, files in CITED.items() if name not in FACTS} == {}


@pytest.mark.parametrize("platform", ["slack", "telegram"])
def test_the_page_of_a_platform_says_what_is_hearsay(platform: str) -> None:
    """Word for word, so that neither list is longer than the other."""
    page = (DOCS / f"{platform}.md").read_text("utf-8")
    head = "## Never seen on the live platform\n"
    assert head in page
    told = page.partition(head)[2].partition("\n## ")[0]
    lines = {line.removeprefix("- ") for line in told.splitlines() if line.startswith("- ")}
    hearsay = {
        fact["says"]
        for name, fact in FACTS.items()
        if name.startswith(platform) and fact["tag"] in ("2nd", "mem")
    }
    assert hearsay - lines == set()
    known = {fact["says"] for fact in FACTS.values()} - hearsay
    assert known & lines == set()


def test_citations_are_found_where_they_stand() -> None:
    text = (
        '@pytest.mark.fact("a/b", "c/d")\nasync def test_x(): ...\n\n@fact("e")\ndef test_y(): 1\n'
    )
    assert [*cited_in(text)] == ["a/b", "c/d", "e"]
