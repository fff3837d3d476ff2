"""Work asked for by an example word for word, or by "the same for ..." behind a message."""

from dataclasses import replace

import pytest

from engine.playbooks.model import PlaybookFile
from engine.understanding.context import Piece
from engine.understanding.learned.table import RouteTable
from engine.understanding.pieces.message import read_message
from engine.yaml.source import read_yaml
from tests.engine.understanding.lookups.warehouse import TODAY, TOOLS
from tests.engine.understanding.routes import CONTEXT, TABLE
from tests.fakes.building import build
from tests.fakes.entities import WAREHOUSE
from tests.fakes.tables import table

PACKING = """\
id: packing
name: {zh: 打包, en: Packing}
project: STORE
cues: [crate, uncrate, 装箱, 拆箱]
entities:
  order: {name: {zh: 工单, en: Work order}, pattern: "W-?[0-9]{4}", case: upper}
requests:
  - id: pack
    name: {zh: 装箱, en: Crate}
    examples: [crate, please crate W-0001, crate order W-0002, can you crate W-0003 today,
      crate up W-0004, I want to crate W-0005, 装箱,
      请装箱 W-0004, 装箱工单 W-0005, 帮我装箱 W-0006]
  - id: unpack
    name: {zh: 拆箱, en: Uncrate}
    examples: [uncrate order W-0001, please uncrate W-0002, 拆箱 W-0003, 请拆箱 W-0004]
phases:
  - {id: p, name: {zh: 打包, en: Pack}, goal: {zh: 完成, en: Done}, allowed_skills: [s]}
"""
STORE = replace(
    CONTEXT,
    table=RouteTable(
        {"packing": build(PlaybookFile, read_yaml(PACKING, file="playbook.yaml"))},
        TOOLS,
        TABLE.talk,
    ),
    entities=WAREHOUSE,
    tools=TOOLS,
    today=TODAY,
)
EARLIER = "please crate W-0815"


def read(text: str, *recent: str) -> Piece:
    (piece,) = read_message(text, replace(STORE, recent=recent))
    return piece


@pytest.mark.parametrize("text", ["装箱", "crate", "Crate!", "请装箱 W-0815", "装箱。"])
def test_an_example_word_for_word_is_its_request(text: str) -> None:
    piece = read(text)
    assert (piece.kind, piece.request) == ("workflow", "pack")


@table("text", ["crate?", "箱", "crates", "don't crate", "别装箱", "装箱吗"])
def test_a_single_word_that_is_no_example_is_asked_back(text: str) -> None:
    assert read(text).kind != "workflow"


@table(
    "text",
    [
        "the same for W-0816",
        "and W-0816?",
        "W-0816 呢?",
        "同样给 W-0816",
        "W-0816 也要",
        "W-0816 too",
    ],
)
def test_the_same_for_something_else_is_the_same_request_with_nothing_else_taken(
    text: str,
) -> None:
    piece = read(text, "how cold is the store", EARLIER)
    assert (piece.kind, piece.request, piece.text) == ("workflow", "pack", text)


def test_behind_another_message_people_are_asked_whether_it_is_meant() -> None:
    piece = read("the same for W-0816", EARLIER, "hello")
    assert piece.kind == "unclear"
    assert [each.request for each in piece.candidates] == ["pack"]


@table(
    ("text", "recent"),
    [
        ("the same for W-0816", ()),
        ("the same for W-0816", ("don't crate W-0815",)),
        ("the same for W-0816", ("if W-0815 is picked, crate it",)),
        ("the same for Acme", (EARLIER,)),
        ("the same for W-0816 and W-0817", (EARLIER,)),
        ("not W-0816", (EARLIER,)),
        ("W-0816 is open", (EARLIER,)),
    ],
)
def test_where_that_is_not_sure_nothing_starts(text: str, recent: tuple[str, ...]) -> None:
    pieces = read_message(text, replace(STORE, recent=recent))
    assert all(piece.kind != "workflow" for piece in pieces)


def test_a_question_before_is_what_is_asked_again() -> None:
    piece = read("and W-0816?", EARLIER, "status of W-0815")
    assert piece.lookup is not None
    assert piece.lookup.arguments["order"] == "W0816"
