"""Questions about a run that goes on: answered from the run, which stays as it is (design §6)."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_text_answers import opened, told

ASKED = {"zh": "还缺什么？", "en": "what is still missing?"}
MISSING = {"zh": "还缺：ECOG 评分、体重、收缩压、舒张压", "en": "Still missing: ECOG score, Weight"}
WAITS = {"zh": "正在等：林悦", "en": "Waiting for: 林悦"}


@pytest.fixture
async def service(start: Start) -> Service:
    return await start()


@pytest.fixture
async def room(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url) as room:
        yield room


async def _steps(service: Service) -> list[str]:
    return [
        body for _, body in await service.parts.services.decisions.active_runs("web:local:main")
    ]


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_run_says_what_it_misses_and_stays_as_it_is(
    room: WebRoom, service: Service, lang: str
) -> None:
    await opened(room, lang)
    before = await _steps(service)
    await told(room, ASKED[lang], said=MISSING[lang])
    await told(room, ASKED[lang], said=WAITS[lang])
    assert await _steps(service) == before
    assert len(before) == 1


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_every_run_of_the_conversation_is_told_of(room: WebRoom, lang: str) -> None:
    await opened(room, lang, "P004")
    await opened(room, lang, "P005")
    message = await told(room, ASKED[lang], said="P004")
    assert "P005" in message["parts"][0]["html"]


async def test_without_a_run_it_is_a_question_like_any_other(room: WebRoom) -> None:
    await told(room, ASKED["zh"], said="这里能查到的内容里没有这个答案")
    card = await room.card("select")
    assert "还缺什么" in card["html"]


async def test_a_question_about_the_study_is_not_about_the_run(room: WebRoom) -> None:
    await opened(room, "zh")
    await told(room, "研究进展怎么样", said="受试者")
