"""A message comes again, which costs nothing; or is edited, and answered so if there is time."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from bot.processes.web import application
from bot.settings import Settings
from tests.fakes.crank import Crank, cranked
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.scenarios.conftest import Service
from tests.scenarios.test_platform_walk import (
    BYSTANDER_ID,
    REQUESTER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

Json = dict[str, Any]
GROUP, TS = -1005, "1763700000.000100"
P001, P002, P003 = (f"Show me the ECOG of {name}" for name in ("P001", "P002", "P003"))
TOLD = "this edit came too late"
MOST = 3
"""So many messages of a person are taken a minute."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One way to talk with a bot whose worker is turned by hand: in private, or where others are.

    `wrote` and `edited` make the updates; `said` is all that the bot says there now.
    """

    crank: Crank
    side: SlackSide | TelegramSide
    wrote: Callable[[str], Json]
    edited: Callable[[Json, str], Json]
    said: Callable[[], list[str]]

    async def send(self, *updates: Json) -> None:
        """What Slack or Telegram brings, in order."""
        for update in updates:
            await self.side.send(update)

    async def refusals(self) -> list[str]:
        """Who was told that it is too much."""
        shown = (await self.answers()).splitlines()
        if isinstance(self.side, SlackSide):
            shown = [told.text for told in self.side.server.ephemerals]
        return [line for line in shown if "messages a minute" in line]

    async def answers(self) -> str:
        """All that stands there once everything is handled and shown."""
        await self.crank.settled()
        return "\n".join(self.said())


@asynccontextmanager
async def slack_talk(crank: Crank, side: SlackSide, channel: str) -> AsyncIterator[Talk]:
    slack = side.server
    mention = "" if channel[0] == "D" else f"<@{slack.bot_user}> "

    def said() -> list[str]:
        return [message.body for message in slack.messages.values() if message.channel == channel]

    yield Talk(
        crank,
        side,
        lambda text: slack.message_event(f"{mention}{text}", channel=channel),
        lambda event, text: slack.edit_event(event, f"{mention}{text}"),
        said,
    )
    assert slack.faults == []


@asynccontextmanager
async def telegram_talk(crank: Crank, side: TelegramSide, chat: int) -> AsyncIterator[Talk]:
    telegram = side.server
    mention = "" if chat > 0 else "@signoff_bot "

    def said() -> list[str]:
        return [message.text for message in telegram.chat(chat)]

    yield Talk(
        crank,
        side,
        lambda text: telegram.message_update(
            f"{mention}{text}", chat_id=chat, user_id=REQUESTER_ID
        ),
        lambda update, text: telegram.edit_update(update, f"{mention}{text}"),
        said,
    )
    assert telegram.faults == []


PLACES = ("slack D0REQUESTER", "slack C0TRIAL", f"telegram {REQUESTER_ID}", f"telegram {GROUP}")


@pytest.fixture(params=PLACES)
async def talk(
    request: pytest.FixtureRequest, new_settings: Callable[..., Settings], people_file: Path
) -> AsyncIterator[Talk]:
    """The talk at one of the places."""
    platform, place = request.param.split()
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        if platform == "slack":
            slack = await stack.enter_async_context(SlackServer())
            settings = slack_settings(slack)
        else:
            telegram = await stack.enter_async_context(TelegramServer())
            settings = telegram_settings(telegram)
        people = with_accounts(people_file, "T0TRIAL")
        crank = await stack.enter_async_context(
            cranked(
                new_settings(people=people, webchat=False, messages_per_min=MOST, **settings),
                delivering=True,
            )
        )
        server = TestServer(application(crank.parts), host="127.0.0.1")
        await stack.enter_async_context(server)
        service = Service(f"http://127.0.0.1:{server.port}", crank.parts)
        if platform == "slack":
            talking = slack_talk(crank, SlackSide(service, slack, http), place)
        else:
            talking = telegram_talk(crank, TelegramSide(service, telegram, http), int(place))
        yield await stack.enter_async_context(talking)


async def test_what_comes_again_does_not_count_for_its_sender(talk: Talk) -> None:
    asked = [talk.wrote(text) for text in (P001, P002, P003)]
    for update in asked:
        twins = [update]
        if isinstance(talk.side, SlackSide) and update["event"]["channel"][0] == "C":
            twins.append({**update, "event": {**update["event"], "type": "app_mention"}})
        await talk.send(*twins * 4)
    shown = await talk.answers()
    assert all(shown.count(name) == 1 for name in ("P001", "P002", "P003"))
    await talk.send(talk.wrote("Show me the ECOG of P004"))
    too_many = await talk.refusals()
    assert len(too_many) == 1
    # Who is over the limit hears nothing of what was taken before.
    await talk.send(*asked * 2)
    assert await talk.refusals() == too_many


async def test_a_question_edited_while_it_waits_is_answered_as_edited(talk: Talk) -> None:
    asked = talk.wrote(P001)
    first, second = talk.edited(asked, P002), talk.edited(asked, P003)
    # Each comes more than once, and the older edit last.
    await talk.send(asked, first, second, second, first, asked)
    shown = await talk.answers()
    assert "P003" in shown
    assert not any(other in shown for other in ("P001", "P002", TOLD))
    await talk.send(first, second, asked)
    assert await talk.answers() == shown


async def test_an_edit_after_the_answer_is_told_what_to_do_once(talk: Talk) -> None:
    asked = talk.wrote(P001)
    await talk.send(asked)
    answered = await talk.answers()
    late = talk.edited(asked, P002)
    await talk.send(late, late, talk.edited(asked, P003))
    told = (await talk.answers()).removeprefix(answered)
    assert told.count(TOLD) == 1
    assert P002 in told
    assert "send it as a new message" in told
    assert len(talk.said()) == 2


# In a channel each question has a thread of its own.
@pytest.mark.parametrize("talk", [PLACES[0], *PLACES[2:]], indirect=True)
async def test_an_edit_while_the_question_is_being_answered_is_too_late(talk: Talk) -> None:
    asked, other = talk.wrote(P001), talk.wrote("Show me the ECOG of P002")
    await talk.send(asked, other)
    claim = await talk.crank.take()
    assert claim is not None
    await talk.send(talk.edited(asked, P003), talk.edited(other, P003))
    await talk.crank.handle(claim)
    shown = await talk.answers()
    # What waits behind it is still edited.
    assert ("P001" in shown, "P002" in shown, shown.count(TOLD)) == (True, False, 1)
    assert shown.count("P003") == 2


async def test_who_is_told_reads_it_in_their_language(talk: Talk) -> None:
    asked = talk.wrote("P001 的 ECOG 是多少?")
    await talk.send(asked)
    await talk.answers()
    await talk.send(talk.edited(asked, "P002 的 ECOG 是多少?"))
    assert "请再发一条新消息" in await talk.answers()


@pytest.mark.parametrize("answered", [False, True])
async def test_what_says_the_same_is_no_edit(talk: Talk, answered: bool) -> None:
    asked = talk.wrote(P001)
    await talk.send(asked)
    if answered:
        await talk.answers()
    await talk.send(talk.edited(asked, P001))
    shown = await talk.answers()
    assert "P001" in shown
    assert len(talk.said()) == 1


async def test_a_question_that_becomes_a_command_and_a_command_that_is_edited_are_too_late(
    talk: Talk,
) -> None:
    asked, command = talk.wrote(P001), talk.wrote("/runs")
    await talk.send(asked, command, talk.edited(asked, "/runs"), talk.edited(command, P003))
    shown = await talk.answers()
    assert ("P001" in shown, shown.count(TOLD), "P003" in shown) == (True, 2, True)


@pytest.mark.parametrize("talk", PLACES[:3], indirect=True)
async def test_an_edit_of_what_was_never_heard_is_told_what_to_do(talk: Talk) -> None:
    await talk.send(talk.edited(talk.wrote(P001), P002))
    assert (await talk.answers()).count(TOLD) == 1


@pytest.mark.parametrize("talk", [f"telegram {GROUP}"], indirect=True)
async def test_what_comes_to_mention_the_bot_is_answered(talk: Talk) -> None:
    first = talk.edited(talk.wrote(P001), P001)
    await talk.send(first, first)
    shown = await talk.answers()
    assert (shown.count("P001"), TOLD in shown) == (1, False)


@pytest.mark.parametrize("talk", ["slack C0TRIAL", f"telegram {GROUP}"], indirect=True)
async def test_an_edit_of_what_others_talk_about_is_nothing(talk: Talk) -> None:
    side = talk.side
    if isinstance(side, SlackSide):
        root = side.server.message_event("hello", channel="C0TRIAL", ts=TS)
        reply = side.server.message_event("all", channel="C0TRIAL", thread_ts=TS)
        changed = [side.server.edit_event(each, "goodbye") for each in (root, reply)]
    else:
        wrote = side.server.message_update("hello", chat_id=GROUP, user_id=BYSTANDER_ID)
        changed = [side.server.edit_update(wrote, "goodbye")]
    await talk.send(*changed)
    assert await talk.answers() == ""


@pytest.mark.parametrize("talk", PLACES[2:], indirect=True)
async def test_what_telegram_changes_by_itself_is_no_edit(talk: Talk) -> None:
    assert isinstance(talk.side, TelegramSide)
    telegram, asked = talk.side.server, talk.wrote(P001)
    await talk.send(asked)
    shown = await talk.answers()
    await talk.send(telegram.edit_update(asked, f"{asked['message']['text']}!", seen=False))
    assert await talk.answers() == shown


@pytest.mark.parametrize("talk", PLACES[2:3], indirect=True)
async def test_an_answer_to_a_form_that_is_edited_stands_and_its_writer_is_told(talk: Talk) -> None:
    assert isinstance(talk.side, TelegramSide)
    telegram = talk.side.server
    await talk.send(talk.wrote("Record today's visit of P003"))
    await talk.answers()
    card = telegram.chat(REQUESTER_ID)[-1]
    await talk.send(telegram.tap_update(card, card.labels[0]))
    prompt = telegram.chat(REQUESTER_ID)[-1]
    answer = telegram.reply_update(prompt, "2")
    await talk.send(answer)
    before = await talk.answers()
    changed = telegram.edit_update(answer, "3")
    await talk.send(changed, changed)
    told = (await talk.answers()).removeprefix(before)
    assert told.count("answer that question again") == 1


@pytest.mark.parametrize("talk", PLACES[::2], indirect=True)
async def test_a_stranger_who_was_turned_away_is_not_told_so_again_for_an_edit(talk: Talk) -> None:
    side = talk.side
    if isinstance(side, SlackSide):
        wrote = side.server.message_event("hi", channel="D0STRANGER", user="U0STRANGER")
        await talk.send(wrote, side.server.edit_event(wrote, "hello"))
        turned_away = len(side.server.ephemerals)
    else:
        wrote = side.server.message_update("hi", chat_id=9009)
        await talk.send(wrote, side.server.edit_update(wrote, "hello"))
        turned_away = len(side.server.chat(9009))
    assert await talk.answers() == ""
    assert turned_away == 1
