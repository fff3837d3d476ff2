"""A long answer is read while the model writes it, on each platform; the whole comes as ever."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest

from bot.settings import Settings
from bot.wiring import Parts
from bot.wiring_platforms import secret
from tests.bot.signoff_process import environment, free_port
from tests.fakes.model_server import ModelServer, Reply, call_tool, cut, held, say, say_json
from tests.fakes.platforms.slack.message import Shown
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_failpoints import web_here, worker_here
from tests.scenarios.test_model_walk import settings as model_settings
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    WAIT_S,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

QUESTION = "Whose performance status has been worse of late, and what follows for the next visit?"
LINES = [
    f"{n}. In week {n} the record shows a value that a monitor would look at." for n in range(1, 21)
]
LONG = "\n".join(LINES)
BEGUN, HELD = "In week 3 the record", 600
MORE, HELD_AGAIN = "In week 12 the record", 1100
WHOLE = "In week 20 the record"


def answering(*replies: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Routes the question, then gives these answers, the last of them again and again."""
    left = list(replies)

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            kind = {"text": QUESTION, "kind": "qa_query", "playbook": "", "depends_on": []}
            return say_json({"intents": [kind]})
        return left.pop(0) if len(left) > 1 else left[0]

    return script


def written(until: asyncio.Event, text: str = LONG) -> Reply:
    """An answer of which the first half is written at once."""
    return held(say(f"<answer>\n{text}\n</answer>"), (HELD, until))


def in_steps(more: asyncio.Event, until: asyncio.Event) -> Reply:
    """The same, and a second stop before its end."""
    return held(say(f"<answer>\n{LONG}\n</answer>"), (HELD, more), (HELD_AGAIN, until))


class Asked:
    """A question of the requester in Slack or Telegram, and what people see of its answer."""

    def __init__(self, start: Start, people: Path, http: aiohttp.ClientSession) -> None:
        self._start, self._people, self._http = start, people, http

    async def slack(
        self, slack: SlackServer, model: ModelServer, *, direct: bool = False, **more: Any
    ) -> SlackSide:
        people = with_accounts(self._people, slack.team)
        service = await self._start(
            people=people,
            webchat=False,
            reply_after_s=0.2,
            **slack_settings(slack),
            **model_settings(model),
            **more,
        )
        side = SlackSide(service, slack, self._http)
        event = slack.message_event(QUESTION) if direct else slack.mention_event(QUESTION)
        await side.send(event)
        return side

    async def telegram(
        self, telegram: TelegramServer, model: ModelServer, *, chat_id: int = REQUESTER_ID
    ) -> TelegramSide:
        people = with_accounts(self._people, "T0")
        service = await self._start(
            people=people,
            webchat=False,
            reply_after_s=0.2,
            **telegram_settings(telegram),
            **model_settings(model),
        )
        side = TelegramSide(service, telegram, self._http)
        text = QUESTION if chat_id > 0 else f"@signoff_bot {QUESTION}"
        await side.send(telegram.message_update(text, chat_id=chat_id))
        return side


@pytest.fixture
def asked(start: Start, people_file: Path, http: aiohttp.ClientSession) -> Asked:
    return Asked(start, people_file, http)


def only(slack: SlackServer) -> Shown:
    """The one message that there is."""
    (message,) = slack.messages.values()
    return message


async def test_a_thread_in_slack_reads_a_stream_and_keeps_one_message(
    asked: Asked, slack: SlackServer
) -> None:
    goes_on = asyncio.Event()
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.slack(slack, model)
        growing = await side.shown(BEGUN)
        assert growing.streams
        assert WHOLE not in growing.body
        goes_on.set()
        whole = await side.shown(WHOLE)
        assert whole is growing is only(slack)
        assert not slack.streams.open
        assert "<answer>" not in "".join(whole.was)
        assert [b["type"] for b in whole.blocks] == ["section"]
        assert model.faults == []


async def test_a_direct_message_in_slack_is_edited_as_the_answer_grows(
    asked: Asked, slack: SlackServer
) -> None:
    goes_on = asyncio.Event()
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.slack(slack, model, direct=True)
        growing = await side.shown(BEGUN)
        assert not growing.streamed
        goes_on.set()
        assert await side.shown(WHOLE) is growing is only(slack)
    assert slack.calls["chat.startStream"] == slack.calls["chat.appendStream"] == 0


@pytest.mark.parametrize(
    "code", ["unknown_method", "missing_scope", "channel_type_not_supported", "not_allowed"]
)
async def test_where_slack_gives_no_stream_the_message_is_edited(
    asked: Asked, slack: SlackServer, code: str
) -> None:
    goes_on = asyncio.Event()
    slack.fail("chat.startStream", "refuse", code=code)
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.slack(slack, model)
        growing = await side.shown(BEGUN)
        assert not growing.streamed
        goes_on.set()
        assert await side.shown(WHOLE) is growing is only(slack)


async def test_a_stream_that_slack_ends_goes_on_as_a_message_that_is_edited(
    asked: Asked, slack: SlackServer
) -> None:
    more, goes_on = asyncio.Event(), asyncio.Event()
    async with ModelServer(answering(in_steps(more, goes_on))) as model:
        side = await asked.slack(slack, model)
        growing = await side.shown(BEGUN)
        slack.streams.expire()
        more.set()
        assert await side.shown(MORE) is growing
        assert not growing.streams
        goes_on.set()
        assert await side.shown(WHOLE) is growing is only(slack)


async def test_a_stream_whose_text_slack_keeps_gives_way_to_the_whole_message(
    asked: Asked, slack: SlackServer
) -> None:
    goes_on = asyncio.Event()
    slack.streams.rewrites = False
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.slack(slack, model)
        growing = await side.shown(BEGUN)
        goes_on.set()
        whole = await side.shown(WHOLE)
        await slack.wait_for(lambda: len(slack.messages) == 1, WAIT_S)
        assert whole is not growing
        assert whole is only(slack)
        assert whole.thread_ts == growing.thread_ts


@pytest.mark.parametrize("kind", ["ratelimited", "error", "refuse"])
async def test_a_slack_that_takes_no_more_text_gets_the_whole_message_at_once(
    asked: Asked, slack: SlackServer, kind: Any
) -> None:
    goes_on = asyncio.Event()
    slack.fail("chat.appendStream", kind, times=20, retry_after_s=3600, code="fatal")
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.slack(slack, model)
        begun = await side.shown("Working on it")
        await slack.wait_for(lambda: slack.calls["chat.appendStream"], WAIT_S)
        goes_on.set()
        assert await side.shown(WHOLE) is begun is only(slack)
        assert not slack.streams.open
        assert slack.calls["chat.appendStream"] == 1


async def test_what_the_model_writes_can_reach_nobody_from_a_stream(
    asked: Asked, slack: SlackServer
) -> None:
    goes_on = asyncio.Event()
    bait = "<!channel> @here <@U0REVIEWER> [bank](https://evil.example) ![x](http://evil.example) "
    async with ModelServer(answering(written(goes_on, bait * 3 + LONG))) as model:
        side = await asked.slack(slack, model)
        growing = await side.shown("‹!channel>")
        assert growing.streams
        goes_on.set()
        await side.shown(WHOLE)


async def test_a_key_is_masked_before_anybody_reads_it(asked: Asked, slack: SlackServer) -> None:
    goes_on = asyncio.Event()
    key = "xoxb-9876543210-AbCdEfGh"
    async with ModelServer(answering(written(goes_on, f"The key is {key}.\n{LONG}"))) as model:
        side = await asked.slack(slack, model)
        growing = await side.shown(BEGUN)
        assert key not in "".join(growing.was)
        assert "The key is ***" in growing.body
        goes_on.set()
        await side.shown(WHOLE)


async def test_a_private_chat_in_telegram_reads_drafts_and_then_one_message(
    asked: Asked, telegram: TelegramServer
) -> None:
    goes_on = asyncio.Event()
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.telegram(telegram, model)
        await telegram.wait_for(lambda: any(BEGUN in d.text for d in telegram.drafts), WAIT_S)
        assert telegram.chat(REQUESTER_ID) == []
        assert not any(WHOLE in d.text for d in telegram.drafts)
        goes_on.set()
        whole = await side.shown(REQUESTER_ID, WHOLE)
        assert telegram.chat(REQUESTER_ID) == [whole]
        assert whole.edits == 0
        assert len({d.draft_id for d in telegram.drafts}) == 1


async def test_where_telegram_takes_no_draft_work_is_told_by_typing_and_a_message(
    asked: Asked, telegram: TelegramServer
) -> None:
    goes_on = asyncio.Event()
    telegram.undrafted.add(REQUESTER_ID)
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.telegram(telegram, model)
        message = await side.shown(REQUESTER_ID, "Working on it")
        await telegram.wait_for(lambda: bool(telegram.actions), WAIT_S)
        goes_on.set()
        assert await side.shown(REQUESTER_ID, WHOLE) is message
        assert telegram.chat(REQUESTER_ID) == [message]
        assert telegram.drafts == []


async def test_a_group_in_telegram_gets_no_draft(asked: Asked, telegram: TelegramServer) -> None:
    goes_on = asyncio.Event()
    group = -1001234567890
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.telegram(telegram, model, chat_id=group)
        message = await side.shown(group, "Working on it")
        goes_on.set()
        assert await side.shown(group, WHOLE) is message
        assert telegram.count("sendMessageDraft") == 0


async def test_the_web_chat_tells_who_looks_and_keeps_only_the_whole(start: Start) -> None:
    goes_on = asyncio.Event()
    async with ModelServer(answering(written(goes_on))) as model:
        service = await start(**model_settings(model), reply_after_s=0.2)
        async with WebRoom(service.url) as room:
            await room.say("lin", QUESTION)
            draft = await room.draft(BEGUN)
            assert draft["view"]["parts"][0]["state"] == "working"
            goes_on.set()
            await room.wait_for(lambda m: WHOLE in text_of(m))
            assert list(room.shown) == [draft["id"]]
        async with WebRoom(service.url) as later:
            await later.wait_for(lambda m: WHOLE in text_of(m))
            assert later.drafts == []


async def test_switched_off_nothing_is_shown_before_the_whole(
    asked: Asked, slack: SlackServer
) -> None:
    goes_on = asyncio.Event()
    async with ModelServer(answering(written(goes_on))) as model:
        side = await asked.slack(slack, model, streaming=False)
        await side.shown("Working on it")
        goes_on.set()
        whole = await side.shown(WHOLE)
        assert whole is only(slack)
        assert len(whole.was) == 2
        assert not any(r.get("stream") for r in model.requests)


async def test_a_step_of_the_model_is_shown_to_nobody(start: Start) -> None:
    """It thinks aloud for long, then looks something up."""
    goes_on = asyncio.Event()
    thought = Reply(
        text="I wonder. " * 80,
        calls=(("read_clinical_data", '{"subject_id": "P003", "field": "ecog"}'),),
        finish="tool_calls",
    )
    script = answering(held(thought, (HELD, goes_on)), written(goes_on))
    async with ModelServer(script) as model:
        service = await start(**model_settings(model), reply_after_s=0.2)
        async with WebRoom(service.url) as room:
            await room.say("lin", QUESTION)
            await room.wait_for(lambda m: "Working" in text_of(m) or "正在" in text_of(m))
            goes_on.set()
            await room.wait_for(lambda m: WHOLE in text_of(m))
            assert "I wonder" not in str(room.drafts) + str(room.shown)


async def test_an_answer_that_breaks_off_is_asked_for_anew_and_comes_whole(
    asked: Asked, slack: SlackServer
) -> None:
    goes_on = asyncio.Event()
    broken = cut(written(goes_on), after=3)
    async with ModelServer(answering(broken, say(f"Anew: {WHOLE}."))) as model:
        side = await asked.slack(slack, model)
        await side.shown(BEGUN)
        goes_on.set()
        whole = await side.shown("Anew:")
        assert whole is only(slack)
        assert BEGUN not in whole.body


async def test_what_the_checks_refuse_was_shown_to_nobody(asked: Asked, slack: SlackServer) -> None:
    goes_on = asyncio.Event()
    own = "You answer questions about a project's records for the people who work on it."
    text = f"{LONG[:300]}\n{own}\n{LONG}"
    async with ModelServer(answering(written(goes_on, text))) as model:
        side = await asked.slack(slack, model)
        await side.shown("In week 2 the record")
        goes_on.set()
        refused = await slack.wait_for(
            lambda: next((m for m in slack.messages.values() if m.edits), None),
            WAIT_S,
        )
        assert refused is not None
        assert refused is only(slack)
        assert "In week" not in refused.body
        assert "You" not in "".join(refused.was)


async def test_several_questions_of_one_message_come_in_one_reply_as_ever(start: Start) -> None:
    goes_on = asyncio.Event()
    texts = ("Who is worse of late?", "What follows from it?")
    parts = [{"text": t, "kind": "qa_query", "playbook": "", "depends_on": []} for t in texts]

    def script(request: dict[str, Any]) -> Reply:
        return say_json({"intents": parts}) if "response_format" in request else written(goes_on)

    async with ModelServer(script) as model:
        service = await start(**model_settings(model), reply_after_s=0.2)
        async with WebRoom(service.url) as room:
            await room.say("lin", " ".join(texts))
            await room.wait_for(lambda m: len(m["parts"]) == 2)
            goes_on.set()
            await room.wait_for(lambda m: text_of(m).count(WHOLE) == 2)
            assert room.drafts == []


async def test_a_tool_call_before_the_answer_changes_nothing(start: Start) -> None:
    goes_on = asyncio.Event()
    look = call_tool("read_clinical_data", {"subject_id": "P003", "field": "ecog"})
    async with ModelServer(answering(look, written(goes_on))) as model:
        service = await start(**model_settings(model), reply_after_s=0.2)
        async with WebRoom(service.url) as room:
            await room.say("lin", QUESTION)
            await room.draft(BEGUN)
            goes_on.set()
            await room.wait_for(lambda m: WHOLE in text_of(m))


async def test_a_worker_that_dies_in_the_middle_leaves_one_message_to_the_next(
    slack: SlackServer,
    http: aiohttp.ClientSession,
    new_settings: Callable[..., Settings],
    people_file: Path,
    tmp_path: Path,
) -> None:
    never = asyncio.Event()
    people = with_accounts(people_file, slack.team)
    script = answering(written(never), say(f"<answer>\nAnew: {WHOLE}.\n</answer>"))
    async with ModelServer(script) as model:
        settings = new_settings(
            people=people,
            webchat=False,
            port=free_port(),
            lease_s=1,
            reply_after_s=0.2,
            **slack_settings(slack),
            **model_settings(model),
        )
        async with web_here(settings):
            worker = await worker_process(settings, tmp_path)
            try:
                service = Service(f"http://127.0.0.1:{settings.port}", cast(Parts, None))
                side = SlackSide(service, slack, http)
                await side.send(slack.mention_event(QUESTION))
                growing = await side.shown(BEGUN)
                assert growing.streams
            finally:
                worker.kill()
                await worker.wait()
            async with worker_here(settings):
                assert await side.shown("Anew:") is growing is only(slack)
        assert not slack.streams.open
        assert BEGUN not in growing.body


async def worker_process(settings: Settings, folder: Path) -> asyncio.subprocess.Process:
    """`signoff worker` in a process of its own."""
    given = {
        "REDIS_URL": settings.redis_url or "",
        "SIGNOFF_DATA_DIR": str(settings.data_dir),
        "SIGNOFF_PLAYBOOKS": str(settings.playbooks),
        "SIGNOFF_PEOPLE": str(settings.people),
        "SIGNOFF_PARTITIONS": str(settings.partitions),
        "SIGNOFF_LEASE_S": str(settings.lease_s),
        "SIGNOFF_REPLY_AFTER_S": str(settings.reply_after_s),
        "SIGNOFF_WEBCHAT": "off",
        "OPENAI_API_KEY": secret(settings.openai_api_key),
        "OPENAI_BASE_URL": settings.openai_base_url or "",
        "LLM_MODEL": settings.llm_model or "",
        "SLACK_BOT_TOKEN": secret(settings.slack_bot_token),
        "SLACK_SIGNING_SECRET": secret(settings.slack_signing_secret),
        "SLACK_API_URL": (settings.slack_api_url or "").rstrip("/"),
    }
    with (folder / "worker-log").open("wb") as log:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "worker"),
            cwd=folder,
            env=environment(folder, given),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
