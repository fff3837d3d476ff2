"""Where a request goes on, a rule that is asked for is answered from no fact of it (docs/cases)."""

import shutil
from pathlib import Path

from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import ROOT, Service, Start
from tests.scenarios.test_case_questions import ask

LIBRARY = ROOT / "tests/engine/understanding/lookups/library"

OFFERED = {
    "may readers bring wine?": "may readers bring their own coffee",
    "may readers bring their own soup?": "may readers bring their own coffee",
    "how loud may the choir be after ten?": "how loud may groups be",
    "do we have enough atlases?": "how many atlases are left",
    "could L-302 be extended to next Monday?": "Renew a loan",
}
"""Questions about no request, and what is offered first for each."""


async def _library(start: Start, folder: Path) -> Service:
    shutil.copytree(LIBRARY, folder)
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
        project="LIBRARY",
        languages=("en", "zh"),
        timezone="Europe/Berlin",
    )


async def _offer(room: WebRoom, question: str) -> Message:
    """The message with the card that offers what the question may mean."""
    await room.say("ida", question)
    return await room.wait_for(lambda m: bool(m["card"]) and question in text_of(m["card"]))


async def test_what_is_asked_of_anybody_is_answered_from_no_request(
    start: Start, tmp_path: Path
) -> None:
    service = await _library(start, tmp_path / "library")
    async with WebRoom(service.url) as room:
        await room.say("ida", "please renew L-301")
        await room.card("clarify")
        for question, first in OFFERED.items():
            told = text_of(await _offer(room, question))
            assert first in told
            assert "Nearest:" not in told
        flames = text_of(await _offer(room, "are open flames allowed?"))
        assert "Fire" in flames
        assert "L-302" not in flames
        assert "L-301" in await ask(room, "ida", "which loan is being renewed?")
        free = await ask(room, "ida", "is the Tower room free on 4 December from 2 to 4?")
        assert "from 2 to 4" in free
        assert "10-12" in free


async def test_a_question_that_nothing_answers_is_told_so_in_both_languages(
    start: Start, tmp_path: Path
) -> None:
    service = await _library(start, tmp_path / "library")
    async with WebRoom(service.url) as room:
        offered = text_of(await _offer(room, "what is the wifi password?"))
        assert "Nothing that I can look up here tells of that" in offered
        await room.say("wei", "无线网密码是什么")
        await room.wait_for(lambda m: "这里查不到这方面的内容" in text_of(m))
