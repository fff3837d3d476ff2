"""A long answer is read while the model writes it, on each platform; the whole comes as ever."""

from pathlib import Path

import aiohttp
import pytest

from tests.fakes.long_answer import BEGUN, LONG, MORE, WHOLE, LongAnswer, only
from tests.fakes.model_server import call_tool, slow
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import REQUESTER_ID

GROUP = -1001234567890


@pytest.fixture
def answer(start: Start, people_file: Path, http: aiohttp.ClientSession) -> LongAnswer:
    return LongAnswer(start, people_file, http)


@pytest.mark.fact("slack/stream-open")
async def test_a_thread_in_slack_reads_a_stream_and_keeps_one_message(
    answer: LongAnswer, slack: SlackServer
) -> None:
    async with answer.slack(slack) as side:
        growing = await side.shown(BEGUN)
        assert growing.streams
        assert WHOLE not in growing.body
        answer.ends.set()
        assert await side.shown(WHOLE) is growing is only(slack)
    assert not slack.streams.open
    assert "<answer>" not in "".join(growing.was)
    assert [block["type"] for block in growing.blocks] == ["section"]


async def test_a_direct_message_in_slack_is_edited_as_the_answer_grows(
    answer: LongAnswer, slack: SlackServer
) -> None:
    async with answer.slack(slack, direct=True) as side:
        growing = await side.shown(BEGUN)
        answer.ends.set()
        assert await side.shown(WHOLE) is growing is only(slack)
    assert slack.calls["chat.startStream"] == slack.calls["chat.appendStream"] == 0


async def test_what_the_model_writes_can_reach_nobody_from_a_stream(
    answer: LongAnswer, slack: SlackServer
) -> None:
    """The local Slack finds fault with every mention and link."""
    bait = "<!channel> @here <@U0REVIEWER> [bank](https://evil.example) ![x](http://evil.example) "
    async with answer.slack(slack, answer.written(bait * 3 + LONG)) as side:
        assert (await side.shown("‹!channel>")).streams
        answer.ends.set()
        await side.shown(WHOLE)


async def test_a_key_is_masked_before_anybody_reads_it(
    answer: LongAnswer, slack: SlackServer
) -> None:
    key = "xoxb-9876543210-AbCdEfGh"
    async with answer.slack(slack, answer.written(f"The key is {key}.\n{LONG}")) as side:
        growing = await side.shown(BEGUN)
        assert key not in "".join(growing.was)
        assert "The key is ***" in growing.body
        answer.ends.set()
        await side.shown(WHOLE)


@pytest.mark.fact("telegram/draft")
async def test_a_private_chat_in_telegram_reads_drafts_and_then_one_message(
    answer: LongAnswer, telegram: TelegramServer
) -> None:
    async with answer.telegram(telegram) as side:
        await telegram.wait_for(lambda: any(BEGUN in d.text for d in telegram.drafts))
        assert telegram.chat(REQUESTER_ID) == []
        assert not any(WHOLE in d.text for d in telegram.drafts)
        answer.ends.set()
        whole = await side.shown(REQUESTER_ID, WHOLE)
        assert telegram.chat(REQUESTER_ID) == [whole]
    assert whole.edits == 0
    assert len({draft.draft_id for draft in telegram.drafts}) == 1


@pytest.mark.fact("telegram/draft-peer")
async def test_where_telegram_takes_no_draft_work_is_told_by_typing_and_a_message(
    answer: LongAnswer, telegram: TelegramServer
) -> None:
    telegram.undrafted.add(REQUESTER_ID)
    async with answer.telegram(telegram) as side:
        message = await side.shown(REQUESTER_ID, "Working on it")
        await telegram.wait_for(lambda: bool(telegram.actions))
        answer.ends.set()
        assert await side.shown(REQUESTER_ID, WHOLE) is message
    assert telegram.chat(REQUESTER_ID) == [message]


async def test_in_a_group_of_telegram_the_answer_grows_in_its_message(
    answer: LongAnswer, telegram: TelegramServer
) -> None:
    """A group takes no draft, and about twenty edits a minute."""
    telegram.allowances.paced = True
    async with answer.telegram(telegram, chat_id=GROUP) as side:
        message = await side.shown(GROUP, BEGUN)
        assert WHOLE not in message.text
        answer.ends.set()
        assert await side.shown(GROUP, WHOLE) is message
    assert telegram.chat(GROUP) == [message]
    assert message.edits == 2
    assert telegram.count("sendMessageDraft") == 0


async def test_typing_is_kept_alive_while_the_turn_lasts(
    answer: LongAnswer, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.serve.work.lanes.TYPING_EVERY_S", 0.05)
    async with answer.telegram(telegram, slow(answer.ends, "It is well.")) as side:
        await telegram.wait_for(lambda: len(telegram.actions) >= 4)
        assert set(telegram.actions) == {(REQUESTER_ID, "typing")}
        answer.ends.set()
        await side.shown(REQUESTER_ID, "It is well.")


async def test_the_web_chat_tells_who_looks_and_keeps_only_the_whole(answer: LongAnswer) -> None:
    async with answer.web() as room:
        draft = await room.draft(BEGUN)
        assert draft["view"]["parts"][0]["state"] == "working"
        assert BEGUN not in str(room.shown)
        answer.ends.set()
        await room.wait_for(lambda m: WHOLE in text_of(m))
        assert list(room.shown) == [draft["id"]]
        async with type(room)(room.url) as later:
            await later.wait_for(lambda m: WHOLE in text_of(m))
            assert later.drafts == []


async def test_switched_off_nothing_is_shown_before_the_whole(
    answer: LongAnswer, slack: SlackServer
) -> None:
    async with answer.slack(slack, streaming=False) as side:
        await side.shown("Working on it")
        answer.ends.set()
        whole = await side.shown(WHOLE)
        assert whole is only(slack)
    assert len(whole.was) == 2
    assert not any(request.get("stream") for request in answer.model.requests)


async def test_a_look_up_before_the_answer_changes_nothing(answer: LongAnswer) -> None:
    look = call_tool("read_clinical_data", {"subject_id": "P003", "field": "ecog"})
    async with answer.web(look, answer.written()) as room:
        await room.draft(BEGUN)
        answer.ends.set()
        await room.wait_for(lambda m: WHOLE in text_of(m))


async def test_a_terminal_reads_each_line_once_and_as_soon_as_it_is_written(
    answer: LongAnswer, tmp_path: Path
) -> None:
    async with answer.terminal(tmp_path, answer.in_steps()) as chat:
        await chat.until(BEGUN)
        assert MORE not in chat.out
        answer.more.set()
        await chat.until(MORE)
        assert WHOLE not in chat.out
        answer.ends.set()
        await chat.until(WHOLE)
        assert await chat.end() == 0
    assert [line for line in chat.out.splitlines() if "In week" in line] == LONG.splitlines()
