"""What breaks while an answer is shown in the making: the whole comes, once, and nothing leaks."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest

from adapters.slack.room import SlackSettings
from bot.settings import Settings
from bot.wiring.service import Parts
from engine.ports.settings import secret_text
from tests.bot.signoff_process import environment
from tests.fakes.forge import Forged, forged
from tests.fakes.long_answer import (
    BEGUN,
    LONG,
    MORE,
    QUESTION,
    WHOLE,
    LongAnswer,
    answering,
    model_settings,
    only,
)
from tests.fakes.model_server import ModelServer, Reply, cut, held, say, say_json
from tests.fakes.platforms import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_failpoints import variables, web_here, worker_here
from tests.scenarios.test_platform_walk import SlackSide, slack_settings, with_accounts


@pytest.fixture
def answer(start: Start, people_file: Path, http: aiohttp.ClientSession) -> LongAnswer:
    return LongAnswer(start, people_file, http)


@pytest.mark.parametrize(
    "code", ["unknown_method", "missing_scope", "channel_type_not_supported", "not_allowed"]
)
async def test_where_slack_gives_no_stream_the_message_is_edited(
    answer: LongAnswer, slack: SlackServer, code: str
) -> None:
    slack.fail_next("chat.startStream", Fault.refused(code))
    async with answer.slack(slack) as side:
        growing = await side.shown(BEGUN)
        assert not growing.streamed
        answer.ends.set()
        assert await side.shown(WHOLE) is growing is only(slack)


@pytest.mark.fact("slack/stream-closed", "slack/stream-ends")
async def test_a_stream_that_slack_ends_goes_on_as_a_message_that_is_edited(
    answer: LongAnswer, slack: SlackServer
) -> None:
    async with answer.slack(slack, answer.in_steps()) as side:
        growing = await side.shown(BEGUN)
        slack.streams.expire()
        answer.more.set()
        assert await side.shown(MORE) is growing
        assert not growing.streams
        answer.ends.set()
        assert await side.shown(WHOLE) is growing is only(slack)


@pytest.mark.fact("slack/stream-kept")
async def test_a_stream_whose_text_slack_keeps_gives_way_to_the_whole_message(
    answer: LongAnswer, slack: SlackServer
) -> None:
    slack.streams.rewrites = False
    async with answer.slack(slack) as side:
        growing = await side.shown(BEGUN)
        answer.ends.set()
        whole = await side.shown(WHOLE)
        await slack.wait_for(lambda: len(slack.messages) == 1)
        assert growing is not whole is only(slack)
        assert whole.thread_ts == growing.thread_ts


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_too_long"])
async def test_a_whole_answer_that_slack_refuses_stands_plainer_where_it_grew(
    answer: LongAnswer, slack: SlackServer, code: str
) -> None:
    slack.refuses["chat.update"] = lambda fields: code if "mrkdwn" in str(fields) else ""
    async with answer.slack(slack) as side:
        growing = await side.shown(BEGUN)
        answer.ends.set()
        assert await side.shown(WHOLE) is growing is only(slack)
        assert "Working on it" not in growing.body


@pytest.mark.parametrize(
    ("method", "times"), [("chat.stopStream", 1), ("chat.update", 20)], ids=["stop", "edit"]
)
async def test_a_stream_that_slack_does_not_stop_or_edit_gives_way_to_the_whole_message(
    answer: LongAnswer, slack: SlackServer, method: str, times: int
) -> None:
    slack.fail_next(method, Fault.refused("invalid_blocks"), times=times)
    async with answer.slack(slack) as side:
        growing = await side.shown(BEGUN)
        answer.ends.set()
        whole = await side.shown(WHOLE)
        await slack.wait_for(lambda: len(slack.messages) == 1)
        assert growing is not whole is only(slack)
        assert "Working on it" not in whole.body


@pytest.mark.parametrize(
    "fault", [Fault.rate_limited(3600), Fault.broken(), Fault.refused("fatal_error")]
)
async def test_a_slack_that_takes_no_more_text_gets_the_whole_message_at_once(
    answer: LongAnswer, slack: SlackServer, fault: Fault
) -> None:
    slack.fail_next("chat.appendStream", fault, times=20)
    async with answer.slack(slack) as side:
        begun = await side.shown("Working on it")
        await slack.wait_for(lambda: slack.calls["chat.appendStream"])
        answer.ends.set()
        assert await side.shown(WHOLE) is begun is only(slack)
    assert not slack.streams.open
    assert slack.calls["chat.appendStream"] == 1


async def test_a_slack_that_hangs_holds_up_neither_the_turn_nor_the_whole_message(
    answer: LongAnswer, slack: SlackServer
) -> None:
    reached = asyncio.Event()

    async def hang() -> None:
        reached.set()
        await asyncio.Event().wait()

    slack.before["chat.appendStream"] = hang
    async with answer.slack(slack, lease_s=2) as side:
        begun = await side.shown("Working on it")
        await reached.wait()
        answer.ends.set()
        assert await side.shown(WHOLE) is begun is only(slack)


async def test_an_answer_that_breaks_off_is_asked_for_anew_and_comes_whole(
    answer: LongAnswer, slack: SlackServer
) -> None:
    broken = cut(answer.written(), after=3)
    async with answer.slack(slack, broken, say(f"Anew: {WHOLE}.")) as side:
        await side.shown(BEGUN)
        answer.ends.set()
        whole = await side.shown("Anew:")
        assert whole is only(slack)
        assert BEGUN not in whole.body


async def test_what_the_checks_refuse_was_shown_to_nobody(
    answer: LongAnswer, slack: SlackServer
) -> None:
    own = "You answer questions about a project's records for the people who work on it."
    async with answer.slack(slack, answer.written(f"{LONG[:300]}\n{own}\n{LONG}")) as side:
        growing = await side.shown("In week 2 the record")
        answer.ends.set()
        await slack.wait_for(lambda: growing.edits)
        assert growing is only(slack)
        assert "In week" not in growing.body
        assert "You" not in "".join(growing.was)


@pytest.mark.parametrize("text", ["<think>" + "I wonder. " * 80, "I wonder. " * 9])
async def test_a_step_of_the_model_is_shown_to_nobody(answer: LongAnswer, text: str) -> None:
    """It thinks for long, or says a word, then looks something up."""
    call = ("read_clinical_data", '{"subject_id": "P003", "field": "ecog"}')
    thought = Reply(text=text, calls=(call,), finish="tool_calls")
    steps = held(thought, (600, answer.more)), answer.written()
    async with answer.web(*steps) as room:
        await room.wait_for(lambda m: "is-working" in text_of(m) or "working" in text_of(m))
        answer.more.set()
        await room.draft(BEGUN)
        answer.ends.set()
        await room.wait_for(lambda m: WHOLE in text_of(m))
        assert "I wonder" not in str(room.drafts) + str(room.shown)


async def test_what_was_said_at_length_before_a_look_up_gives_way_to_the_answer(
    answer: LongAnswer, slack: SlackServer
) -> None:
    call = ("read_clinical_data", '{"subject_id": "P003", "field": "ecog"}')
    said = Reply(text="I wonder. " * 80, calls=(call,), finish="tool_calls")
    async with answer.slack(slack, held(said, (600, answer.more)), answer.written()) as side:
        growing = await side.shown("I wonder")
        answer.more.set()
        assert await side.shown(BEGUN) is growing
        assert "I wonder" not in growing.body
        answer.ends.set()
        assert await side.shown(WHOLE) is growing is only(slack)


async def test_what_turns_out_to_be_a_thought_is_taken_back_before_the_answer_is_there(
    answer: LongAnswer, slack: SlackServer
) -> None:
    """It was known to give none before its answers; the end of one shows that it did."""
    thoughts = "I wonder. " * 80
    text = f"{thoughts}</think>\n{LONG}"
    stops = (600, answer.more), (len(thoughts) + 40, answer.ends)
    async with answer.slack(slack, held(say(text), *stops)) as side:
        growing = await side.shown("I wonder")
        answer.more.set()
        await slack.wait_for(lambda: "I wonder" not in growing.body)
        assert BEGUN not in growing.body
        answer.ends.set()
        assert await side.shown(WHOLE) is growing is only(slack)
        assert "I wonder" not in growing.body


async def test_several_questions_of_one_message_grow_in_one_reply(start: Start) -> None:
    goes_on = asyncio.Event()
    texts = ("Who is worse of late?", "What follows from it?")
    parts = [{"text": t, "kind": "qa_query", "playbook": "", "depends_on": []} for t in texts]

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return say_json({"intents": parts})
        return held(say(f"<answer>\n[1]\n{LONG}\n[2]\n{LONG}"), (len(LONG) + 100, goes_on))

    async with ModelServer(script) as model:
        service = await start(**model_settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", " ".join(texts))
            parts = (await room.draft(WHOLE))["view"]["parts"]
            assert [WHOLE in part["html"] for part in parts] == [True, False]
            assert {part["state"] for part in parts} == {"working"}
            goes_on.set()
            await room.wait_for(lambda m: text_of(m).count(WHOLE) == 2)


async def test_a_worker_that_dies_in_the_middle_leaves_one_message_to_the_next(
    slack: SlackServer,
    http: aiohttp.ClientSession,
    new_settings: Callable[..., Settings],
    people_file: Path,
    tmp_path: Path,
) -> None:
    half = held(say(f"<answer>\n{LONG}"), (600, asyncio.Event()))
    script = answering(half, say(f"<answer>\nAnew: {WHOLE}.\n</answer>"))
    async with ModelServer(script) as model:
        settings = new_settings(
            people=with_accounts(people_file, slack.team),
            webchat=False,
            port=free_port(),
            lease_s=1,
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


async def worker_process(settings: Settings, folder: Path) -> Forged:
    """`signoff worker` in a process of its own."""
    slack = settings.platforms["slack"]
    assert isinstance(slack, SlackSettings)
    given = {
        **variables(settings),
        "SIGNOFF_REPLY_AFTER_S": str(settings.reply_after_s),
        "SIGNOFF_WEBCHAT": "off",
        "SLACK_BOT_TOKEN": secret_text(slack.bot_token),
        "SLACK_SIGNING_SECRET": secret_text(slack.signing_secret),
        "SLACK_API_URL": (slack.api_url or "").rstrip("/"),
    }
    with (folder / "worker-log").open("wb") as log:
        end, env = log.fileno(), environment(folder, given)
        return await forged("bot", ("worker",), cwd=folder, env=env, stdout=end, stderr=end)
