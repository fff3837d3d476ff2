"""That the proof finds what is more than linear, and lets pass what is not."""

import re
from random import Random

import pytest

from tests.fakes.tables import table
from tests.patterns.automaton import Unprovable, automaton
from tests.patterns.growth import Graph, Method, more_than_linear, pumps, steps, strolls
from tests.patterns.test_patterns_are_linear import DEAREST

EXPONENTIAL = (
    r"(?:(?:辛苦了|辛苦)(?![a-z])[\s,了]*)+",
    r"(a+)+b",
    r"(?:a|a)*b",
    r"(?:a|aa)+\Z",
    r"(?:a*)*b",
    r"((?:\\.|[^|])*?)(?:\||$)",
)
QUADRATIC = (
    r"(?:[,\s]*(?:谢谢|啊|呀))+\s*[?.!。]*$",
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    r"<(think|thinking)>.*?</\1>",
    r"“[^”]*”",
    r"\s+$",
    r"[!-~]+\Z",
    r"a*b*c",
    r"a++b",
    r"x{2,400}y",
    r"(?i:K)+b",
    r"a(?:.*b)?",
    r"(?:\s*(?:ab|c),)*",
    r"(?=.*x)y",
    r"\d+(?!\d)",
)
ONLY_WHOLE = (r"(.*?),(.*)", r"/a(?:\s+(.*))?", r"\s*x?\s*")
LINEAR = (
    r"[a-z]+",
    r"(?<![a-z])[a-z]+@",
    r"(?<!\s)\s+$",
    r"\bx+\b",
    r"\Aa+b",
    r"^\s*x?",
    r"(?m)^#+ ",
    r"a{1,60}b",
    r"(?:ab|c)+",
    r"“[^“”]*”",
    r"(.)[不没]\1",
)


def why(pattern: str, method: Method) -> str | None:
    return more_than_linear(Graph(automaton(re.compile(pattern)), method))


@table("pattern", EXPONENTIAL)
def test_what_doubles_with_every_character_is_found(pattern: str) -> None:
    assert (why(pattern, "fullmatch") or "").startswith("exponential")


@table("pattern", QUADRATIC)
def test_a_search_that_begins_anew_in_what_it_has_read_is_found(pattern: str) -> None:
    assert (why(pattern, "search") or "").startswith("more than linear")


@pytest.mark.parametrize("pattern", ONLY_WHOLE)
def test_two_repeats_that_may_share_a_text_are_found_where_all_of_it_has_to_match(
    pattern: str,
) -> None:
    assert (why(pattern, "fullmatch") or "").startswith("more than linear")
    assert why(pattern, "match") is None


@table("pattern", LINEAR)
def test_what_is_linear_is_proved(pattern: str) -> None:
    assert why(pattern, "search") is None
    assert why(pattern, "fullmatch") is None


def test_a_group_without_end_that_is_asked_for_again_is_not_taken_for_proved() -> None:
    with pytest.raises(Unprovable):
        why(r"(a+)b\1", "search")


@pytest.mark.parametrize(
    "pattern", [r"(?:(?:谢谢|谢)(?![a-z])[谢,]*)+", r"(a+)+b", r"\s+$", r"a*b*c"]
)
def test_the_texts_made_for_a_pattern_show_its_growth(pattern: str) -> None:
    method: Method = "fullmatch" if pattern.endswith("+") else "search"
    graph = Graph(automaton(re.compile(pattern)), method)
    texts = [pump * 60 for pump in pumps(graph)]
    assert any((counts := steps(graph, text))[-1] > 3 * counts[len(text) // 2] for text in texts)


def test_repeats_that_are_bounded_but_stand_in_each_other_are_counted() -> None:
    graph = Graph(automaton(re.compile(r"(?:(?:a{1,9}){1,9}){1,9}b")), "match")
    assert more_than_linear(graph) is None
    assert steps(graph, strolls(graph, Random(17), 40)[:40])[-1] > DEAREST * 40
