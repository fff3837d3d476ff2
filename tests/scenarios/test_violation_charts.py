"""After a check of all subjects, a chart of what rules found follows the summary, once."""

import asyncio
from pathlib import Path

import aiohttp
import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import answering, serving
from tests.fakes.platforms.patience import START_S, within
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.ports import free_port
from tests.fakes.study_folder import study_folder, subjects, visit
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

ALL = {"zh": "对所有受试者做质控", "en": "run quality control for all subjects"}
LOOKUP = "P003 的 ECOG 是多少?"
HIGH = visit("2025-03-03", ecog=7, systolic=300)
WITHOUT = visit("2025-03-03", ecog=None)


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    """A study of 25 subjects, in which three visits have an ECOG too high and one has none."""
    wrong = {"P003": (HIGH, visit("2025-04-01")), "P007": (HIGH,), "P009": (HIGH,)}
    return study_folder(tmp_path / "study", subjects(25, **wrong, P011=(WITHOUT,)))


def is_chart(message: Message) -> bool:
    return bool(message["chart"])


async def shared(slack: SlackServer, count: int) -> None:
    await slack.wait_for(lambda: len(slack.shared) >= count)


async def test_in_the_web_chat_it_stands_below_the_summary(start: Start, faulty: Path) -> None:
    service = await start(playbooks=faulty)
    async with WebRoom(service.url) as room:
        await room.say("lin", ALL["zh"])
        message = await room.wait_for(is_chart)
        chart = message["chart"]
        assert [(bar["label"], bar["value"]) for bar in chart["bars"]] == [
            ("ECOG 评分：应在 0 到 5 之间", 3),
            ("收缩压：应在 70 到 220 mmHg 之间", 3),
            ("ECOG 评分：缺失", 1),
        ]
        assert chart["told"].startswith(chart["title"])
        assert "ECOG 评分：缺失 – 1" in chart["told"]
        assert "<table>" in message["parts"][0]["html"]
        above, below = room.shown.values()
        assert "已核查 25 项，发现 7 个问题" in text_of(above)
        assert above["card"]["kind"] == "phase_done"
        assert below is message
        await room.say("lin", LOOKUP)
        await room.wait_for(lambda m: any(p["state"] == "answered" for p in m["parts"][:1]))
        assert sum(map(is_chart, room.shown.values())) == 1


async def test_a_study_without_findings_and_a_single_subject_have_none(
    start: Start, faulty: Path, tmp_path: Path
) -> None:
    service = await start(playbooks=faulty)
    async with WebRoom(service.url) as room:
        await room.say("lin", "对 P003 做质控")
        await room.wait_for(lambda m: "已核查 1 项，发现 2 个问题" in text_of(m))
        await room.say("lin", LOOKUP)
        await room.wait_for(lambda m: any(p["state"] == "answered" for p in m["parts"]))
        assert not any(map(is_chart, room.shown.values()))


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_in_slack_it_is_a_picture_in_the_thread(
    start: Start,
    slack: SlackServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    faulty: Path,
    lang: str,
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, playbooks=faulty, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    asked = slack.mention_event(ALL[lang])
    await side.send(asked)
    await shared(slack, 1)
    (message,) = slack.messages.values()
    (file,) = slack.shared
    assert file.content is not None
    assert file.content.startswith(b"\x89PNG")
    assert (file.channel, file.thread_ts) == ("C0TRIAL", asked["event"]["ts"])
    said, word = ("已核查 25 项", "缺失 – 1") if lang == "zh" else ("Checked: 25", "missing – 1")
    assert said in message.body
    assert word in file.alt


async def test_without_the_scope_slack_shows_it_as_a_table(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path, faulty: Path
) -> None:
    slack.scopes.discard("files:write")
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, playbooks=faulty, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    await side.send(slack.mention_event(ALL["zh"]))
    shown = await side.shown("各规则发现的问题")
    assert "ECOG 评分：缺失" in shown.body
    assert len(slack.messages) == 2


async def test_in_telegram_it_is_a_photo_below_the_summary(
    start: Start,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    faulty: Path,
) -> None:
    people = with_accounts(people_file, "T0")
    service = await start(
        people=people, playbooks=faulty, webchat=False, **telegram_settings(telegram)
    )
    chat = TelegramSide(service, telegram, http)
    await chat.send(telegram.message_update(ALL["zh"], chat_id=REQUESTER_ID))
    photo = await chat.shown(REQUESTER_ID, "各规则发现的问题: ")
    assert photo.photo.startswith(b"\x89PNG")
    assert "ECOG 评分：缺失 – 1" in photo.text
    *above, below = telegram.chat(REQUESTER_ID)
    assert below is photo
    assert "已核查 25 项" in above[0].text
    assert sum(bool(message.photo) for message in telegram.chat(REQUESTER_ID)) == 1


async def test_a_death_while_it_is_on_its_way_gives_neither_none_nor_two(
    slack: SlackServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    faulty: Path,
    tmp_path: Path,
    redis_server: EmbeddedServer,
    redis: Redis,
) -> None:
    held, never = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        held.set()
        await never.wait()

    given = {name.upper(): str(value) for name, value in slack_settings(slack).items()} | {
        "SIGNOFF_PLAYBOOKS": str(faulty),
        "SIGNOFF_PEOPLE": str(with_accounts(people_file, slack.team)),
        "SIGNOFF_WEBCHAT": "off",
        "SIGNOFF_LEASE_S": "1",
        "REDIS_URL": redis_server.url,
        "PORT": str(free_port()),
    }
    url = f"http://127.0.0.1:{given['PORT']}"
    slack.before["files.completeUploadExternal"] = hold
    async with serving(tmp_path, "web", **given):
        await answering(url)
        side = SlackSide(_At(url), slack, http)  # type: ignore[arg-type]
        asked = slack.mention_event(ALL["zh"])
        async with (
            serving(tmp_path, "worker", **given),
            within(START_S, "the picture is on its way"),
        ):
            await side.send(asked)
            await held.wait()
        assert slack.shared == []
        del slack.before["files.completeUploadExternal"]
        async with serving(tmp_path, "worker", **given):
            await shared(slack, 1)
            # Its place is free again only once it is known to have been sent.
            await side.send(slack.mention_event(LOOKUP, thread_ts=asked["event"]["ts"]))
            await slack.wait_for(lambda: len(slack.messages) == 2)
        async with serving(tmp_path, "worker", **given):
            await side.send(slack.mention_event("/help", thread_ts=asked["event"]["ts"]))
            await slack.wait_for(lambda: len(slack.messages) == 3)
            assert len(slack.shared) == 1
        never.set()


class _At:
    """A service that runs elsewhere."""

    def __init__(self, url: str) -> None:
        self.url = url
