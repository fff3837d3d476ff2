"""What people ask of house rules in their own words, the right section answers, or none."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.ports.library import Document, Section
from engine.text.entity_kinds import NO_ENTITIES
from engine.understanding.context import RouteContext
from engine.understanding.lookups.find import find
from engine.understanding.lookups.partly import find_nearest
from engine.understanding.lookups.sections import SectionIndex
from engine.understanding.lookups.text import look_at
from engine.understanding.own_work.bearing import asks_for_rule
from tests.engine.understanding.frames.projects import read_context
from tests.engine.understanding.lookups.allotment import ALLOTMENT
from tests.engine.understanding.lookups.warehouse import TODAY, TOOLS
from tests.fakes.entities import WAREHOUSE

HERE = Path(__file__).parent
LEAST = {"library": 17, "allotment": 13}
"""So many of 19 and of 13 that a section answers; it was 8 of each while words alone counted that a
document has."""

QUOTED = {
    "answer:desk:quiet": {"Quiet hours", "安静时段"},
    "answer:desk:own_food": {"Food and drink", "饮食"},
}


@pytest.fixture(scope="module")
def library() -> RouteContext:
    return read_context(HERE / "library")


def _asked(name: str) -> list[dict[str, Any]]:
    text = (HERE / "rules_asked.yaml").read_text("utf-8")
    asked: list[dict[str, Any]] = yaml.safe_load(text)[name]
    return asked


def _headings(text: str, context: RouteContext | None) -> set[str]:
    entities = context.entities if context else NO_ENTITIES
    tools = context.tools if context else ()
    index = context.sections if context else SectionIndex(ALLOTMENT)
    found = find(text, tools, today=TODAY, entities=entities) or index.find(
        look_at(text, entities, TODAY)
    )
    if found is None:
        return set()
    return QUOTED.get(found[0].tool) or {str(found[0].arguments.get("section", found[0].tool))}


@pytest.mark.parametrize("name", ["library", "allotment"])
def test_the_right_section_answers_or_none(name: str, library: RouteContext) -> None:
    context = library if name == "library" else None
    found = {each["ask"]: _headings(each["ask"], context) for each in _asked(name)}
    wanted = {each["ask"]: each["heading"] for each in _asked(name)}
    assert [ask for ask, had in found.items() if had and wanted[ask] not in had] == []
    assert sum(bool(had) for had in found.values()) >= LEAST[name]


def test_of_two_sections_that_are_asked_alike_the_one_that_is_headed_so_answers() -> None:
    guide = Document(
        project="GARDEN",
        playbook="garden",
        file="waiting.md",
        title="Waiting for a plot",
        sections=(
            Section(heading="Asking", paragraphs=("A plot is asked for often in spring.",)),
            Section(heading="How often a plot is asked for", paragraphs=("Once a year.",)),
        ),
    )
    quoting = replace(
        TOOLS[0],
        is_answer=True,
        quotes=(("garden/waiting.md", "Asking"),),
        examples=("how do I ask for a plot",),
    )
    found = SectionIndex((guide,), (quoting,)).find(
        look_at("how often is a plot asked for?", NO_ENTITIES, TODAY)
    )
    assert found is not None
    assert found[0].arguments["section"] == "How often a plot is asked for"


def test_an_answer_that_is_a_text_answers_by_its_own_words(library: RouteContext) -> None:
    asked = look_at("what happens when the desk blocks a lost card?", library.entities, TODAY)
    found = library.sections.find(asked)
    assert found is not None
    assert found[0].tool == "answer:desk:second_card"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("how loud may the choir be after ten?", "quiet"),
        ("may clubs bring their own soup?", "own_food"),
        ("are open flames allowed?", ""),
    ],
)
def test_what_no_section_answers_is_near_one_that_has_words_of_it(
    library: RouteContext, text: str, first: str
) -> None:
    near = library.sections.near(look_at(text, library.entities, TODAY), "en")
    assert near
    assert near[0].answer == (f"answer:desk:{first}" if first else "")


@pytest.mark.parametrize(
    ("text", "headings"),
    [("楼上邻居在修什么", []), ("几点可以装修呢", ["装修时间"]), ("W0815 谁在修", [])],
)
def test_a_character_of_a_heading_makes_no_section_near(text: str, headings: list[str]) -> None:
    house = Document(
        project="HOUSE",
        playbook="house",
        file="house.md",
        title="须知",
        sections=(
            Section(heading="装修时间", paragraphs=("周日不许有噪音。",)),
            Section(heading="宠物", paragraphs=("狗要办证。",)),
        ),
    )
    near = SectionIndex((house,)).near(look_at(text, WAREHOUSE, TODAY), "zh")
    assert [each.lookup.arguments["section"] for each in near] == headings


@pytest.mark.parametrize(
    ("text", "told", "tool"),
    [
        ("are open windows allowed?", 0.0, None),
        ("are the new carpets expensive?", 0.0, None),
        ("which loans went to schools abroad?", 0.4, None),
        ("which loans went to schools?", 0.0, "open_loans"),
        ("which open loans went to schools?", 0.6, "open_loans"),
    ],
)
def test_one_word_of_many_is_no_look_up_where_a_text_has_as_much(
    library: RouteContext, text: str, told: float, tool: str | None
) -> None:
    found = find_nearest(text, library.tools, today=TODAY, entities=library.entities, told=told)
    assert (found[0].tool if found else None) == tool


@pytest.mark.parametrize(
    ("text", "is_rule"),
    [
        ("may guests bring wine?", True),
        ("how long do we keep laptops?", True),
        ("how long do we have to wait for it?", False),
        ("can a client bring a cake?", True),
        ("are open flames allowed?", True),
        ("can the kids launch their rockets in the yard?", False),
        ("may I take my dog?", False),
        ("is the crane allowed by now?", False),
        ("where can the buses park?", False),
        ("can this be moved?", False),
        ("who do I call when the lift is stuck?", True),
        ("what's the emergency phone number?", True),
        ("whom did you call about my claim?", False),
        ("周末能装修吗", True),
        ("访客车可以过夜吗？", True),
        ("晚上被困电梯打什么电话", True),
        ("值班电话是多少", True),
        ("我周末能装修吗", False),
        ("手套能批吗", False),
        ("这个能改吗", False),
        ("7-1501 能装修吗", False),
    ],
)
def test_what_anybody_may_do_is_asked_in_general(text: str, is_rule: bool) -> None:
    assert asks_for_rule(text) == is_rule
