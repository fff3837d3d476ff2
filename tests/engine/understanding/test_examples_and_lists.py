"""Examples word for word, also before look-ups; and what lists name in messages and examples."""

from dataclasses import replace
from typing import Any

import pytest

from engine.playbooks.leaf import Leaf
from engine.playbooks.model import PlaybookFile
from engine.text.entity_kinds import Entities, list_of
from engine.toolbox.answers import NoArguments
from engine.tools.model import Tool, ToolContext
from engine.understanding.context import Piece
from engine.understanding.learned.table import RouteTable
from engine.understanding.pieces.message import read_message
from engine.yaml.source import read_yaml
from tests.engine.understanding.routes import CONTEXT, TABLE
from tests.fakes.building import build
from tests.fakes.tables import table

KITCHEN = """\
id: kitchen
name: {zh: 厨房, en: Kitchen}
project: STORE
cues: [reserve, 预订]
entities:
  oven: {name: {zh: 烤箱, en: Oven}, tool: list_ovens, id: no, names: [name]}
requests:
  - id: reserve
    name: {zh: 预订烤箱, en: Reserve an oven}
    examples: [reserve an oven, I'd like to reserve OV-11 for Tuesday,
      please reserve OV-11 for baking,
      reserve the Big Bertha, 预订烤箱, 我想预订 OV-11]
phases:
  - {id: p, name: {zh: 预订, en: Reserve}, goal: {zh: 完成, en: Done}, allowed_skills: [s]}
"""
PLAYBOOK = build(PlaybookFile, read_yaml(KITCHEN, file="playbook.yaml"))
LAST_DAY = Leaf(label="Last day", type="date", cues=("until", "till"))
BARE_TABLE = RouteTable(
    {"kitchen": PLAYBOOK},
    (),
    TABLE.talk,
    fields={"kitchen/reserve": (LAST_DAY,)},
)
NO_CUES = RouteTable({"kitchen": PLAYBOOK}, (), TABLE.talk)
OVENS = list_of("oven", [("OV-11", ["Big Bertha"]), ("OV-12", ["Old Faithful", "老炉子"])])


def answer_to(*examples: str) -> Tool[NoArguments]:
    return Tool(
        name="answer:kitchen:rules",
        description="",
        arguments=NoArguments,
        readonly=True,
        run=answer,
        tell=lambda result, lang: "",
        examples=examples,
        is_answer=True,
    )


async def answer(args: NoArguments, ctx: ToolContext) -> dict[str, Any]:
    return {}


def read(text: str, *answers: str, listed: bool = True) -> Piece:
    tools = (answer_to(*answers),) if answers else ()
    table = RouteTable({"kitchen": PLAYBOOK}, tools, TABLE.talk) if answers else BARE_TABLE
    entities = Entities((OVENS,), "v1") if listed else table.entities
    (piece,) = read_message(text, replace(CONTEXT, table=table, tools=tools, entities=entities))
    return piece


@table("listed", [True, False])
@table(
    "text",
    [
        "I'd like to reserve OV-11 for Tuesday",
        "Reserve the Big Bertha.",
        "我想预订 OV-11",
        "I'd like to reserve OV-12 for Sunday",
        "please reserve OV-12 for baking",
    ],
)
def test_what_a_list_names_is_understood_as_in_the_examples(text: str, listed: bool) -> None:
    piece = read(text, listed=listed)
    assert (piece.kind, piece.request) == ("workflow", "reserve")


@pytest.mark.parametrize("text", ["please reserve Old Faithful for baking", "我想预订 老炉子"])
def test_a_name_of_a_list_is_understood_as_its_id_is(text: str) -> None:
    assert read(text).kind == "workflow"


@pytest.mark.parametrize(
    "text", ["don't reserve OV-11", "OV-11 is reserved", "repair OV-11", "is OV-12 reserved?"]
)
def test_what_a_list_names_starts_nothing_by_itself(text: str) -> None:
    assert read(text).kind != "workflow"


def test_an_example_comes_before_an_answer_whose_examples_have_its_words() -> None:
    asked = ("how long may I reserve an oven",)
    assert read("reserve an oven", *asked).kind == "workflow"
    assert read(asked[0], *asked).lookup is not None


def test_an_example_of_a_request_and_of_an_answer_is_asked_about() -> None:
    piece = read("reserve an oven", "reserve an oven")
    assert piece.kind == "unclear"
    assert [each.kind for each in piece.candidates] == ["workflow", "qa_query"]


@pytest.mark.parametrize(
    "text",
    [
        "I'd like to reserve OV-12 until Monday",
        "please reserve OV-12 till 3 March, please",
        "I'd like to reserve Old Faithful until tomorrow.",
    ],
)
def test_a_day_that_the_request_asks_for_by_its_cue_is_no_condition(text: str) -> None:
    assert read(text).kind == "workflow"
    without = replace(CONTEXT, table=NO_CUES, entities=Entities((OVENS,), "v1"))
    read_so = read_message(text, without)
    assert not [p for p in read_so if p.kind == "workflow" and p.firm and not p.condition]


@table(
    "text",
    [
        "wait until Friday",
        "please wait until Friday to reserve OV-12",
        "I'd like to reserve OV-12, but not until Monday",
        "I'd like to reserve OV-12 but only until Dr Wu agrees",
        "I'd like to reserve OV-12 until Dr Wu agrees",
        "I'd like to reserve OV-12 not until Monday",
        "I'd like to reserve OV-12 until Monday is confirmed",
        "don't reserve OV-12 until Monday",
        "I'd like to reserve OV-12 until Monday if Wu agrees",
        "hold on until Monday, then reserve OV-12",
        "until Monday reserve OV-12",
        "I'd like to reserve OV-12 once it is Monday",
    ],
)
def test_any_other_condition_stays_one(text: str) -> None:
    context = replace(CONTEXT, table=BARE_TABLE, entities=Entities((OVENS,), "v1"))
    started = [p for p in read_message(text, context) if p.kind == "workflow" and not p.condition]
    assert not started


@pytest.mark.parametrize(
    "text", ["what is in again.txt?", "合同.docx里写了什么？", "see a.b.example"]
)
def test_a_full_stop_inside_of_a_name_parts_nothing(text: str) -> None:
    assert len(read_message(text, CONTEXT)) == 1


def test_what_only_names_its_topic_begins_nothing() -> None:
    (piece,) = read_message("关于P003的访视", CONTEXT)
    assert piece.kind == "unclear"
    assert "visit-entry" in {each.request for each in piece.candidates}
