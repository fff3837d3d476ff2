"""Answers to some parts of a message grow while they are written, whatever the other parts are."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.long_answer import (
    BEGUN,
    HELD,
    HELD_AGAIN,
    LONG,
    MORE,
    QUESTION,
    WHOLE,
    LongAnswer,
    asked,
)
from tests.fakes.model_server import held, say
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import Message, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import REQUESTER_ID
from tests.scenarios.test_streaming import GROUP

LOOK_UP = asked("What is P003's ECOG?")
SECOND = asked("And what would a monitor ask first?")
VISIT = asked("Record today's visit of P003", "clinical_qc/visit-entry")
LONG_PARTS = f"[1]\nThere are two of them.\n[2]\n{LONG}"

Asking = Callable[..., LongAnswer]


@pytest.fixture
def asking(start: Start, people_file: Path, http: aiohttp.ClientSession) -> Asking:
    def make(*parts: dict[str, object]) -> LongAnswer:
        return LongAnswer(start, people_file, http, parts)

    return make


def states(message: Message) -> list[str]:
    return [part["state"] for part in message["parts"]]


async def test_each_question_of_a_message_grows_in_its_own_part(asking: Asking) -> None:
    answer = asking(asked(QUESTION), SECOND)
    async with answer.web(held(say(LONG_PARTS), (600, answer.ends))) as room:
        draft = await room.draft(BEGUN)
        first, second = draft["view"]["parts"]
        assert "There are two of them." in first["html"]
        assert BEGUN in second["html"]
        assert "[2]" not in text_of(draft)
        answer.ends.set()
        whole = await room.wait_for(lambda m: WHOLE in text_of(m))
    assert states(whole) == ["answered", "answered"]


async def test_an_answer_grows_beside_one_that_is_there_already(asking: Asking) -> None:
    answer = asking(LOOK_UP, asked(QUESTION))
    async with answer.web(answer.in_steps()) as room:
        draft = await room.draft(BEGUN)
        assert states(draft["view"]) == ["answered", "working"]
        assert BEGUN not in str(room.shown)
        answer.more.set()
        await room.draft(MORE)
        answer.ends.set()
        whole = await room.wait_for(lambda m: WHOLE in text_of(m))
        assert states(whole) == ["answered", "answered"]
        assert list(room.shown) == [draft["id"]]


async def test_a_card_comes_at_once_and_the_answer_grows_above_it(asking: Asking) -> None:
    answer = asking(asked(QUESTION), VISIT)
    begins = asyncio.Event()
    stops = ((1, begins), (HELD, answer.more), (HELD_AGAIN, answer.ends))
    async with answer.web(held(say(LONG), *stops)) as room:
        await room.card("clarify")
        begins.set()
        draft = await room.draft(BEGUN)
        assert draft["view"]["card"]["kind"] == "clarify"
        # What is decided meanwhile is shown at once, and the answer goes on.
        await room.tap("lin", draft["view"]["card"], "withdraw")
        await room.wait_for(lambda m: states(m)[1:] == ["withdrawn"])
        answer.more.set()
        draft = await room.draft(MORE)
        assert states(draft["view"]) == ["working", "withdrawn"]
        answer.ends.set()
        whole = await room.wait_for(lambda m: WHOLE in text_of(m))
    assert states(whole) == ["answered", "withdrawn"]


async def test_a_thread_in_slack_reads_two_questions_in_one_stream(
    asking: Asking, slack: SlackServer
) -> None:
    answer = asking(asked(QUESTION), SECOND)
    async with answer.slack(slack, held(say(LONG_PARTS), (600, answer.ends))) as side:
        growing = await side.shown(BEGUN)
        assert growing.streamed
        assert "There are two of them." in growing.body
        assert "[2]" not in growing.body
        answer.ends.set()
        assert await side.shown(WHOLE) is growing
    assert len(slack.messages) == 1


async def test_a_group_in_telegram_reads_two_questions_in_one_message(
    asking: Asking, telegram: TelegramServer
) -> None:
    answer = asking(LOOK_UP, asked(QUESTION))
    async with answer.telegram(telegram, chat_id=GROUP) as side:
        message = await side.shown(GROUP, BEGUN)
        assert "P003" in message.text
        answer.ends.set()
        assert await side.shown(GROUP, WHOLE) is message
    assert telegram.chat(GROUP) == [message]


async def test_a_thread_in_slack_reads_all_parts_in_a_message_that_is_edited(
    asking: Asking, slack: SlackServer
) -> None:
    answer = asking(LOOK_UP, asked(QUESTION))
    async with answer.slack(slack) as side:
        growing = await side.shown(BEGUN)
        assert not growing.streamed
        assert "P003" in growing.body
        answer.ends.set()
        assert await side.shown(WHOLE) is growing
    assert len(slack.messages) == 1


async def test_a_private_chat_in_telegram_reads_all_parts_in_drafts(
    asking: Asking, telegram: TelegramServer
) -> None:
    answer = asking(LOOK_UP, asked(QUESTION))
    async with answer.telegram(telegram) as side:
        await telegram.wait_for(lambda: any(BEGUN in d.text for d in telegram.drafts))
        assert all("P003" in draft.text for draft in telegram.drafts)
        answer.ends.set()
        whole = await side.shown(REQUESTER_ID, WHOLE)
        assert telegram.chat(REQUESTER_ID) == [whole]


async def test_beside_a_card_in_telegram_the_answer_grows_in_its_message(
    asking: Asking, telegram: TelegramServer
) -> None:
    """The card is there at once, and with it no draft."""
    answer = asking(VISIT, asked(QUESTION))
    async with answer.telegram(telegram, answer.in_steps()) as side:
        message = await side.shown(REQUESTER_ID, "Record today's visit")
        await telegram.wait_for(lambda: bool(message.keyboard))
        assert await side.shown(REQUESTER_ID, BEGUN) is message
        assert message.keyboard, "it can be tapped while the answer grows"
        answer.more.set()
        assert await side.shown(REQUESTER_ID, MORE) is message
        assert not any(BEGUN in draft.text for draft in telegram.drafts)
        answer.ends.set()
        assert await side.shown(REQUESTER_ID, WHOLE) is message
    assert telegram.chat(REQUESTER_ID) == [message]
