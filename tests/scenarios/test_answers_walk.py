"""A folder's own answers and documents answer without a model, in one language and in two."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.bot.signoff_process import ended
from tests.fakes.garage import write_garage, write_project
from tests.fakes.garage_answers import ENGLISH, TWO_LANGUAGES
from tests.fakes.model_server import ModelServer, Reply, call_tool, say, say_json
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_model_walk import settings as model_settings
from tests.scenarios.test_project_folder import in_english


@pytest.fixture
async def room(start: Start, tmp_path: Path) -> AsyncIterator[WebRoom]:
    folder = write_garage(tmp_path / "garage", **TWO_LANGUAGES)
    service = await start(playbooks=folder, people=folder / "people.yaml")
    async with WebRoom(service.url) as room:
        yield room


async def asked(room: WebRoom, person: str, text: str) -> str:
    """What comes back to the text, once it is settled."""
    before = set(room.shown)
    await room.say(person, text)

    def is_settled() -> bool:
        new = (message for id_, message in room.shown.items() if id_ not in before)
        return any(all(p["state"] != "working" for p in m["parts"]) for m in new if m["parts"])

    await room.wait_for(lambda m: is_settled())
    return " ".join(text_of(m) for id_, m in room.shown.items() if id_ not in before)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("When are you open?", "from 8 to 18"),
        ("how do I find out when you are open please?", "from 8 to 18"),
        ("营业时间是什么？", "8 点到 18 点"),
        ("Where does the used oil go?", "Used oil goes into the red drum"),
        ("废机油倒在哪里呢", "废机油倒入 A1 工位"),
        ("When was the spare hoist inspected?", "was inspected on 2026-09-18."),
        ("备用举升机什么时候检验过？", "B2 的备用举升机检验于 2026-09-18"),
    ],
)
async def test_a_question_like_an_example_has_its_answer(
    room: WebRoom, text: str, told: str
) -> None:
    assert told in await asked(room, "mia", text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("How long may a test drive take?", "at most 20 minutes"),
        ("Are dogs allowed in the workshop?", "Dogs are not allowed"),
        ("What do guests wear in the workshop?", "yellow vest"),
        ("访客要穿什么？", "黄色背心"),
        ("试车要谁签字？", "须由工长签字"),
    ],
)
async def test_a_document_answers_by_its_own_words(room: WebRoom, text: str, told: str) -> None:
    answer = await asked(room, "mia", text)
    assert told in answer
    assert "documents/hoists/rules" in answer


async def test_a_text_answers_by_its_own_words(room: WebRoom) -> None:
    assert "not on Sundays" in await asked(room, "mia", "When are you open on Sundays?")


@pytest.mark.parametrize(
    "text",
    [
        "When are you open on holidays?",
        "Where does used brake fluid go?",
        "What is a test drive of a truck?",
        "Was my test drive signed?",
        "试车要谁付钱？",
    ],
)
async def test_what_leaves_a_word_unexplained_is_not_answered(room: WebRoom, text: str) -> None:
    answer = await asked(room, "mia", text)
    assert "documents/hoists" not in answer
    assert "from 8 to 18" not in answer


async def test_an_answer_for_a_role_is_for_nobody_else(room: WebRoom) -> None:
    assert "4711" in await asked(room, "fred", "what is the code of the safe?")
    for text in ("what is the code of the safe?", "/help"):
        answer = await asked(room, "mia", text)
        assert "4711" not in answer
        assert "- what is the code of the safe" not in answer


async def test_help_offers_what_is_answered(room: WebRoom) -> None:
    assert "when are you open" in await asked(room, "mia", "/help")


async def test_a_folder_in_one_language_answers_in_it(start: Start, tmp_path: Path) -> None:
    project = write_project(tmp_path / "garage", **ENGLISH)
    for path in project.rglob("*.yaml"):
        path.write_text(in_english(path.name, path.read_text("utf-8")), encoding="utf-8")
    service = await start(
        playbooks=project / "playbooks",
        people=project / "people.yaml",
        connections=project / "connections.yaml",
        languages=("en",),
    )
    async with WebRoom(service.url) as room:
        assert "from 8 to 18" in await asked(room, "mia", "what are your opening hours?")
        assert "red drum" in await asked(room, "mia", "where does used oil go?")
        assert "yellow vest" in await asked(room, "mia", "what do guests wear?")


async def test_a_room_of_another_project_has_none_of_them(start: Start, tmp_path: Path) -> None:
    folder = write_garage(tmp_path / "garage", **TWO_LANGUAGES)
    service = await start(
        playbooks=folder,
        people=folder / "people.yaml",
        projects=(("web:local:elsewhere", "OTHER"),),
    )
    async with WebRoom(service.url, "elsewhere") as room:
        for text in ("when are you open?", "Are dogs allowed in the workshop?"):
            answer = await asked(room, "mia", text)
            assert "from 8 to 18" not in answer
            assert "Dogs are not allowed" not in answer
        assert "when are you open" not in await asked(room, "mia", "/help")


async def test_a_model_finds_answers_and_reads_documents_itself(
    start: Start, tmp_path: Path
) -> None:
    folder = write_garage(tmp_path / "garage", **TWO_LANGUAGES)

    def scripted(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return say_json({"pieces": []})
        results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
        if not results:
            return call_tool("answers__find", {"question": "opening hours on Sundays"})
        assert "not on Sundays" in results[0]
        return say("**Not** on Sundays.")

    async with ModelServer(scripted) as model:
        service = await start(
            playbooks=folder, people=folder / "people.yaml", **model_settings(model)
        )
        async with WebRoom(service.url) as room:
            assert "from 8 to 18" in await asked(room, "mia", "When are you open?")
            assert model.requests == []
            answer = await asked(room, "mia", "Are dogs allowed in the workshop?")
            assert "<strong>Not</strong> on Sundays" in answer
        assert model.faults == []


async def test_the_command_line_shows_which_section_answers(tmp_path: Path) -> None:
    project = write_project(tmp_path / "garage", **ENGLISH)
    shown = await ended(project, "route", "What do guests wear?")
    assert "hoists/rules.md: 'Guests in the workshop' has every word" in shown.out
