"""Somebody writes while a run of theirs waits for an operator: that is what they are told."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.serve.work.results import HandlerResult
from cards.texts import say
from engine.events import MessageReceived
from engine.frames.replies import Part
from engine.frames.state import Run
from engine.runs.run import block_effects
from tests.fakes.crank import Crank, at, cranked
from tests.scenarios.conftest import settings_over

ASK = {"zh": "录入 P003 今天的访视", "en": "record a visit for P003"}
IDLE = {"zh": "嗯那个呢不知道怎么样了吧", "en": "hmm so what about that thing then"}
GUESSED = {"zh": "访视", "en": "visit"}
ABOUT = {"zh": "还缺什么？", "en": "what is still missing?"}


@pytest.fixture
async def crank(redis: Redis, redis_server: EmbeddedServer, tmp_path: Path) -> AsyncIterator[Crank]:
    async with cranked(settings_over(redis_server, tmp_path)) as crank:
        yield crank


async def stands_still(crank: Crank, room: str, lang: str) -> Run:
    """A run of the room that is blocked before its first step."""
    await crank.say("lin", ASK[lang], room)
    await crank.turn()
    claim = await crank.take()
    assert claim is not None
    run = Run.model_validate_json(claim.state)
    reason = say("run.attempts", run.lang)
    effects = block_effects(run, reason, crank.parts.services.clock.now())
    await crank.commit(claim, HandlerResult(effects, park=True))
    return run


async def answered(crank: Crank, room: str, text: str) -> Part:
    """The first part of the reply to the text."""
    id = f"crank-{uuid4().hex}"
    await crank.give(MessageReceived, room, "lin", id=id, text=text)
    await crank.still()
    services = crank.parts.services
    stored = await services.decisions.reply(services.derived_id(at(room), "reply", id))
    assert stored is not None
    return Part.model_validate_json(stored[1][0])


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_text_that_means_nothing_is_answered_with_the_run_that_stands_still(
    crank: Crank, lang: str
) -> None:
    room = f"room-{uuid4().hex[:8]}"
    plain = await answered(crank, room, IDLE[lang])
    run = await stands_still(crank, room, lang)
    told = await answered(crank, room, IDLE[lang])
    assert told.text != plain.text
    for part in (run.name, say("run.attempts", run.lang), "/cancel", "/runs"):
        assert part in told.text
    assert say("answer.unclear", run.lang, why="") not in told.text


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_guess_at_what_was_meant_comes_below_it(crank: Crank, lang: str) -> None:
    room = f"room-{uuid4().hex[:8]}"
    run = await stands_still(crank, room, lang)
    told = await answered(crank, room, GUESSED[lang])
    assert told.state == "needs_you"
    assert say("run.attempts", run.lang) in told.answer


async def test_a_question_about_the_run_says_that_it_stands_still(crank: Crank) -> None:
    room = f"room-{uuid4().hex[:8]}"
    run = await stands_still(crank, room, "en")
    assert say("run.attempts", run.lang) in (await answered(crank, room, ABOUT["en"])).text


async def test_another_rooms_run_is_not_told_of(crank: Crank) -> None:
    await stands_still(crank, f"room-{uuid4().hex[:8]}", "en")
    told = await answered(crank, f"room-{uuid4().hex[:8]}", IDLE["en"])
    assert "operator" not in told.text
