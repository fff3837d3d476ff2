"""A check of all subjects on its way: how far it is, cancelled, killed, and on every platform."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import FILES, answering, serving
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.ports import free_port
from tests.fakes.redcap_server import TOKEN, Form, RedcapServer
from tests.fakes.redcap_study import redcap_folder, sample_project
from tests.fakes.slack_app import local_slack
from tests.fakes.study_folder import study_folder, study_of, subjects, visit
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start, runs_in
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

ALL_ZH, ALL_EN = "对所有受试者做质控", "run quality control for all subjects"
SUBJECTS = 120
BAD = (visit("2025-03-03", ecog=None, systolic=300),)


class Held:
    """A study of 120 subjects on a REDCap server that answers for one of them when let go."""

    def __init__(self, server: RedcapServer, folder: Path) -> None:
        self.server = server
        self.playbooks = redcap_folder(folder, server.url)
        self.go_on = asyncio.Event()
        self.subject = ""
        server.before_export = self._wait

    async def _wait(self, form: Form) -> None:
        if form.get("records[0]") == self.subject:
            await self.go_on.wait()

    def read(self, subject_id: str) -> int:
        """How often something of the subject was read."""
        return sum(form.get("records[0]") == subject_id for form in self.server.calls)

    def settings(self) -> dict[str, object]:
        return {"playbooks": self.playbooks}


@pytest.fixture
async def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    monkeypatch.setenv("REDCAP_API_TOKEN", TOKEN)
    project = sample_project(study_of(subjects(SUBJECTS, P007=BAD)))
    async with RedcapServer(project) as server:
        found = Held(server, tmp_path / "held")
        yield found
        found.go_on.set()
    assert server.faults == []


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def says(text: str) -> Callable[[Message], bool]:
    return lambda message: text in text_of(message)


def texts_in(room: WebRoom) -> int:
    """How many messages were shown, but for the chart below the result."""
    return sum(not message["chart"] for message in room.shown.values())


async def test_how_far_it_is_stands_in_the_one_message(start: Start, held: Held) -> None:
    service = await start(**held.settings())
    async with WebRoom(service.url) as room:
        held.subject = "P035"
        await room.say("lin", ALL_ZH)
        await room.wait_for(says("已核查 30/120"))
        assert held.read("P040") == 0
        held.go_on.set()
        done = await room.wait_for(says("已核查 120 项，发现 2 个问题"))
        assert done["card"]["kind"] == "phase_done"
        assert texts_in(room) == 1


async def test_one_that_is_cancelled_reads_no_more(start: Start, held: Held) -> None:
    service = await start(**held.settings())
    async with WebRoom(service.url) as room:
        held.subject = "P035"
        await room.say("lin", ALL_ZH)
        await room.wait_for(says("已核查 30/120"))
        await room.say("lin", "/cancel")
        await room.wait_for(lambda m: any(p["state"] == "cancelled" for p in m["parts"]))
        assert await runs_in(service, room) == 0
        held.go_on.set()
        await room.say("lin", "P003 的 ECOG 是多少?")
        await room.wait_for(lambda m: any(p["state"] == "answered" for p in m["parts"]))
        assert held.read("P041") == 0
        cancelled = await room.wait_for(
            lambda m: any(p["state"] == "cancelled" for p in m["parts"])
        )
        assert cancelled["card"] is None


async def test_one_whose_processes_are_killed_goes_on_where_it_was(
    held: Held, tmp_path: Path, redis_server: EmbeddedServer, redis: Redis
) -> None:
    given = {
        **FILES,
        "SIGNOFF_PLAYBOOKS": str(held.playbooks),
        "REDCAP_API_TOKEN": TOKEN,
        "REDIS_URL": redis_server.url,
        "SIGNOFF_LEASE_S": "1",
        "PORT": str(free_port()),
    }
    url = f"http://127.0.0.1:{given['PORT']}"
    held.subject = "P035"
    async with serving(tmp_path, "web", **given), serving(tmp_path, "worker", **given):
        await answering(url)
        async with WebRoom(url) as room:
            await room.say("lin", ALL_EN)
            await room.wait_for(says("checked 30 of 120"))
    held.go_on.set()
    async with serving(tmp_path, "web", **given), serving(tmp_path, "worker", **given):
        await answering(url)
        async with WebRoom(url) as room:
            done = await room.wait_for(says("Checked: 120. Findings: 2."))
            assert "P007" in done["card"]["html"]
            assert texts_in(room) == 1
    assert {held.read(f"P{n:03}") for n in range(1, 31)} == {1}
    assert held.read("P120") == 1


async def test_a_study_that_cannot_be_read_ends_it_with_the_reason(
    start: Start, held: Held
) -> None:
    service = await start(**held.settings())
    async with WebRoom(service.url) as room:
        held.subject = "P035"
        await room.say("lin", ALL_ZH)
        await room.wait_for(says("已核查 30/120"))
        held.server.may_export = False
        held.go_on.set()
        await room.wait_for(lambda m: any(p["state"] == "failed" for p in m["parts"]))
        assert await runs_in(service, room) == 0


def many_faults(folder: Path) -> Path:
    faulty = {f"P{n:03}": BAD for n in range(81, 121)}
    return study_folder(folder, subjects(SUBJECTS, **faulty))


async def test_the_tables_stand_in_slack_as_grids_and_say_what_they_leave_out(
    start: Start, http: aiohttp.ClientSession, people_file: Path, tmp_path: Path
) -> None:
    async with local_slack() as slack:
        people = with_accounts(people_file, slack.team)
        service = await start(
            people=people,
            playbooks=many_faults(tmp_path),
            webchat=False,
            **slack_settings(slack),
        )
        side = SlackSide(service, slack, http)
        await side.send(slack.mention_event(ALL_EN))
        shown = await side.shown("Result of the checks")
        assert "Checked: 120. Findings: 80." in shown.body
        assert "Subject  Visits  Findings\nP081     1       2" in shown.body
        assert "and 90 more rows" in shown.body
        assert "and 50 more rows" in shown.body
        assert "P095" in shown.body
        assert len(slack.messages) == 1
        assert shown.edits <= 3
        assert slack.faults == []


async def test_the_tables_stand_in_telegram_as_grids_and_say_what_they_leave_out(
    start: Start, http: aiohttp.ClientSession, people_file: Path, tmp_path: Path
) -> None:
    async with TelegramServer() as telegram:
        people = with_accounts(people_file, "T0")
        service = await start(
            people=people,
            playbooks=many_faults(tmp_path),
            webchat=False,
            **telegram_settings(telegram),
        )
        chat = TelegramSide(service, telegram, http)
        await chat.send(telegram.message_update(ALL_ZH, chat_id=REQUESTER_ID))
        await chat.shown(REQUESTER_ID, "另有 50 行")
        messages = telegram.chat(REQUESTER_ID)
        text = "\n".join(message.text for message in messages)
        assert "已核查 120 项，发现 80 个问题" in text
        assert re.search(r"受试者 \| 访视 \| 问题\nP081   \| 1    \| 2", text)
        for said in ("另有 90 行", "另有 50 行", "P095"):
            assert said in text
        assert sum("核查结果" in message.text for message in messages) == 1
        assert telegram.faults == []


def progress(messages: list[str]) -> list[str]:
    return [found for text in messages for found in re.findall(r"(\d+)/120", text)]


async def test_progress_in_slack_and_telegram_is_the_one_message_edited_at_their_pace(
    start: Start, held: Held, http: aiohttp.ClientSession, people_file: Path
) -> None:
    async with local_slack() as slack, TelegramServer() as telegram:
        people = with_accounts(people_file, slack.team)
        service = await start(
            people=people,
            webchat=False,
            **held.settings(),
            **slack_settings(slack),
            **telegram_settings(telegram),
        )
        side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
        held.subject = "P035"
        begun = time.monotonic()
        await side.send(slack.mention_event(ALL_ZH))
        await chat.send(telegram.message_update(ALL_ZH, chat_id=REQUESTER_ID))
        shown = await side.shown("已核查 30/120")
        sent = await chat.shown(REQUESTER_ID, "已核查 30/120")
        # Three steps and more were told: at most one a second is shown.
        assert max(shown.edits, sent.edits) <= 1 + time.monotonic() - begun
        held.go_on.set()
        assert await side.shown("已核查 120 项") is shown
        assert await chat.shown(REQUESTER_ID, "已核查 120 项") is sent
        assert len(slack.messages) == 1
        assert sum(not message.photo for message in telegram.chat(REQUESTER_ID)) == 1
        assert max(shown.edits, sent.edits) <= 1 + time.monotonic() - begun
        assert (slack.faults, telegram.faults) == ([], [])
