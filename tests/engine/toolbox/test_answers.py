"""Answers of a playbook as tools: who gets which, and how a model finds them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.connections.sql.model import SqlSettings
from adapters.connections.sql.sqlite import SqliteConnection
from adapters.knowledge.search import DocumentSearch
from bot.definitions.documents import load_documents
from cards.model import Principal
from engine.errors import ToolFailed
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import NO_LIBRARY, Library
from engine.ports.model import ToolCall
from engine.text.entity_kinds import Entities
from engine.text.language import detect_language
from engine.toolbox.toolbox import Toolbox
from engine.tools.model import Tool, ToolContext
from engine.tools.read_only import ReadOnlyTools
from engine.tools.registry import call
from engine.understanding.lookups.find import find
from tests.engine.understanding.lookups.warehouse import TODAY
from tests.fakes.garage import FILES, write_garage
from tests.fakes.garage_answers import ANSWERS, TWO_LANGUAGES

BAYS = """\
entities:
  bay: {name: {zh: 工位, en: Bay}, pattern: "[A-Z][0-9]"}
phases:
"""
LIFTS = """\
lifts:
  examples: {en: [how much can A1 lift], zh: [A1 能举多重]}
  tool: find_hoist
  tell: {en: "{bay} lifts {lifts_kg} kg.", zh: "{bay} 可举 {lifts_kg} 千克。"}
"""


@pytest.fixture
def playbook() -> Playbook:
    tools = FILES["hoists/tools.yaml"].replace(
        'pattern: "[A-Z][0-9]", cues: [bay]', "type: entity, entity: bay"
    )
    files = {name: text for name, text in FILES.items() if name.startswith("hoists/")}
    files |= {
        "hoists/playbook.yaml": files["hoists/playbook.yaml"].replace("phases:\n", BAYS, 1),
        "hoists/tools.yaml": tools,
        "hoists/answers.yaml": ANSWERS + LIFTS,
    }
    return load(files, roles=None, held=None)


@pytest.fixture
def toolbox(tmp_path: Path) -> Toolbox:
    write_garage(tmp_path)
    settings = SqlSettings(file=Path("workshop.sqlite3"))
    return Toolbox({"workshop": SqliteConnection("workshop", settings, tmp_path, tmp_path)}, own=())


@pytest.fixture
def tools(toolbox: Toolbox, playbook: Playbook) -> tuple[Tool[Any], ...]:
    return toolbox.reading([playbook])


@pytest.fixture
def context(tmp_path: Path) -> Iterator[ToolContext]:
    folder = write_garage(tmp_path / "documents", **TWO_LANGUAGES)
    search = DocumentSearch(load_documents(folder, {"hoists": "GARAGE"}))
    mia = Principal(id="mia", name="Mia", roles=("mechanic",))
    yield ToolContext(TODAY, project="GARAGE", person=mia, library=Library(search))
    search.close()


FRED = Principal(id="fred", name="Fred", roles=("foreman",))


def test_each_answer_is_a_tool_that_reads_and_runs_have_none_of_them(
    tools: tuple[Tool[Any], ...], toolbox: Toolbox, playbook: Playbook
) -> None:
    names = [tool.name for tool in tools if tool.is_answer]
    assert names == [f"answer:hoists:{name}" for name in ("hours", "oil", "spare", "safe", "lifts")]
    with pytest.raises(ToolFailed):
        toolbox.find(names[0], playbook)


async def test_a_model_has_one_tool_for_all_of_them(
    tools: tuple[Tool[Any], ...], context: ToolContext
) -> None:
    offered = ReadOnlyTools(tools, context)
    assert [each.name for each in offered.offers()] == [
        "find_hoist",
        "list_hoists",
        "answers__find",
    ]
    wanted = ToolCall(id="1", name="answers__find", arguments='{"question": "used oil?"}')
    told = await offered.call(wanted)
    assert told.ok
    assert "red drum" in told.content
    for name in ("answer:hoists:safe", "answer:hoists:hours"):
        refused = await offered.call(ToolCall(id="2", name=name, arguments="{}"))
        assert not refused.ok


async def found(tools: tuple[Tool[Any], ...], question: str, context: ToolContext) -> Any:
    (tool,) = (tool for tool in tools if tool.name == "answers__find")
    return await call(tool, {"question": question}, context)


async def test_what_fits_is_given_and_what_else_has_an_answer_is_named(
    tools: tuple[Tool[Any], ...], context: ToolContext
) -> None:
    result = await found(tools, "opening hours on Sundays", context)
    assert [each["question"] for each in result["answers"]] == ["when are you open"]
    assert "We are open **from 8 to 18**" in result["answers"][0]["answer"]["en"]
    assert result["other_questions"] == ["where does used oil go"]
    in_chinese = (await found(tools, "周日几点开门", context))["answers"]
    assert all(detect_language(each["question"]) == "zh" for each in in_chinese)
    (tool,) = (tool for tool in tools if tool.name == "answers__find")
    assert "周日休息" in tool.tell(result, "zh")
    nothing = await found(tools, "brake fluid", context)
    assert nothing["answers"] == []
    assert len(nothing["other_questions"]) == 2
    assert tool.tell(nothing, "en")


async def test_an_answer_is_for_its_roles_and_its_project(
    tools: tuple[Tool[Any], ...], context: ToolContext
) -> None:
    assert "4711" not in str(await found(tools, "code of the safe", context))
    foreman = replace(context, person=FRED)
    assert "4711" in str(await found(tools, "code of the safe", foreman))
    other = await found(tools, "code of the safe", replace(foreman, project="OTHER"))
    assert other == {"answers": [], "other_questions": []}
    safe = next(tool for tool in tools if tool.name == "answer:hoists:safe")
    with pytest.raises(ToolFailed, match="only for people"):
        await call(safe, {}, context)


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("how much can B2 lift?", "answer:hoists:lifts", "B2 lifts 5000 kg."),
        ("B2 能举多重？", "answer:hoists:lifts", "B2 lifts 5000 kg."),
        ("When was the spare hoist inspected", "answer:hoists:spare", "B2 was inspected on 2026"),
        ("How do I get rid of the used oil?", "answer:hoists:oil", "Used oil goes into"),
    ],
)
async def test_arguments_are_constants_or_of_the_question(
    text: str,
    name: str,
    told: str,
    tools: tuple[Tool[Any], ...],
    context: ToolContext,
    playbook: Playbook,
) -> None:
    entities = Entities(playbook.definition.pattern_kinds)
    answer = find(text, tools, today=TODAY, entities=entities)
    assert answer is not None
    assert answer[0].tool == name
    (tool,) = (tool for tool in tools if tool.name == name)
    assert told in tool.tell(await call(tool, answer[0].arguments, context), "en")


@pytest.mark.parametrize(
    "text",
    [
        "how much can it lift?",
        "how much can A1 and B2 lift?",
        "how much can A1 lift in winter?",
        "how many hoists can A1 lift?",
        "when are you closed",
        "who gets rid of used oil",
        "don't tell me when you are open",
    ],
)
def test_what_is_asked_otherwise_is_not_answered(
    text: str, tools: tuple[Tool[Any], ...], playbook: Playbook
) -> None:
    entities = Entities(playbook.definition.pattern_kinds)
    found = find(text, tools, today=TODAY, entities=entities)
    assert found is None or not found[0].tool.startswith("answer:")


async def test_a_document_that_is_gone_is_told(
    tools: tuple[Tool[Any], ...], context: ToolContext
) -> None:
    oil = next(tool for tool in tools if tool.name == "answer:hoists:oil")
    library = Library(DocumentSearch(()))
    with pytest.raises(ToolFailed, match="is not there any more"):
        await call(oil, {}, replace(context, library=library))
    with pytest.raises(ToolFailed, match="no documents"):
        await call(oil, {}, replace(context, library=NO_LIBRARY))


def test_tools_are_made_once_a_playbook(toolbox: Toolbox, playbook: Playbook) -> None:
    assert toolbox.answers(playbook) is toolbox.answers(playbook)
