"""Web and worker processes are replaced one by one while people write; no message is lost."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import FILES, answering, ended, serving
from tests.fakes.forge import Forged
from tests.fakes.platforms.patience import START_S, until, within
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.ports import free_port
from tests.fakes.redis_servers import SAFE, server
from tests.fakes.slack_app import local_slack
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import admitting

CHANNELS = tuple(f"D0TALK{n}" for n in range(4))
DELIVERIES = 4  # as Slack: once, and up to three times more
ROUNDS = 2


@dataclass
class Fleet:
    """Processes of the service over one store and one port."""

    folder: Path
    variables: dict[str, str]
    stack: AsyncExitStack
    started: int = 0

    async def start(self, command: str) -> Forged:
        """A new process, once it serves."""
        self.started += 1
        home = self.folder / f"{command}{self.started}"
        home.mkdir()
        going = serving(home, command, **self.variables)
        process = await self.stack.enter_async_context(going)
        log = home / "stderr.log"

        def serves() -> bool:
            assert process.returncode is None, log.read_text()
            return f"{command}_started" in log.read_text()

        await until(serves, START_S)
        return process


async def replaced(fleet: Fleet, old: Forged, command: str) -> Forged:
    """The new one serves before the old one is told to end, as a deployment does."""
    new = await fleet.start(command)
    old.terminate()
    async with within(START_S, "the process that was replaced ends"):
        assert await old.wait() == 0
    return new


@dataclass
class Talk:
    """One person who writes again as soon as they are answered."""

    slack: SlackServer
    http: aiohttp.ClientSession
    url: str
    channel: str
    sent: int = 0
    unheard: list[str] = field(default_factory=list)

    def answers(self) -> int:
        return sum(m.channel == self.channel for m in self.slack.messages.values())

    async def go_on(self, done: asyncio.Event) -> None:
        while not done.is_set():
            self.sent += 1
            await self.say(f"ECOG of P{self.sent % 9 + 1:03}?")
            await self.slack.wait_for(lambda: self.answers() >= self.sent)

    async def say(self, text: str) -> None:
        body, headers = self.slack.signed_request(
            self.slack.message_event(text, channel=self.channel, user=f"U{self.channel}")
        )
        for _ in range(DELIVERIES):
            try:
                async with self.http.post(self.url, data=body, headers=headers) as answer:
                    if answer.status == 200:
                        return
                    self.unheard.append(str(answer.status))
            except aiohttp.ClientConnectionError as error:
                self.unheard.append(type(error).__name__)
        raise AssertionError(f"not acknowledged in {DELIVERIES} deliveries: {self.unheard}")


async def test_processes_are_replaced_one_by_one_and_every_message_is_answered_once(
    tmp_path: Path,
) -> None:
    port = free_port()
    with server(tmp_path / "redis", **SAFE) as redis:
        async with local_slack() as slack, aiohttp.ClientSession() as http, AsyncExitStack() as end:
            variables = {
                **FILES,
                "SIGNOFF_PEOPLE": str(admitting(tmp_path, "{platforms: [slack]}")),
                "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
                "SLACK_BOT_TOKEN": slack.bot_token,
                "SLACK_SIGNING_SECRET": slack.signing_secret,
                "SLACK_API_URL": slack.api_url,
                "SIGNOFF_WEBCHAT": "off",
                "SIGNOFF_SHARE_PORT": "on",
                "PORT": str(port),
            }
            fleet = Fleet(tmp_path, variables, end)
            web, worker = await fleet.start("web"), await fleet.start("worker")
            url = f"http://127.0.0.1:{port}/slack/events"
            talks = [Talk(slack, http, url, channel) for channel in CHANNELS]
            done = asyncio.Event()
            async with asyncio.TaskGroup() as people:
                for talk in talks:
                    people.create_task(talk.go_on(done))
                for _ in range(ROUNDS):
                    before = [talk.sent for talk in talks]
                    web = await replaced(fleet, web, "web")
                    worker = await replaced(fleet, worker, "worker")
                    # Everybody was answered by the new ones before they are replaced as well.
                    await slack.wait_for(
                        lambda before=before: all(
                            talk.sent > sent + 1 for talk, sent in zip(talks, before, strict=True)
                        )
                    )
                done.set()
            assert [talk.answers() for talk in talks] == [talk.sent for talk in talks]
            assert slack.faults == []


async def test_what_an_older_worker_cannot_read_waits_for_a_newer_one(
    tmp_path: Path, redis: Redis, redis_server: EmbeddedServer
) -> None:
    port = free_port()
    given = {
        **FILES,
        "REDIS_URL": redis_server.url,
        "PORT": str(port),
    }
    url, older = f"http://127.0.0.1:{port}", tmp_path / "older"
    older.mkdir()
    log = older / "stderr.log"
    async with (
        serving(tmp_path, "web", **given),
        serving(older, "worker", module="tests.fakes.older_build", **given),
    ):
        await answering(url)
        async with WebRoom(url) as room:
            await room.say("lin", "ECOG of P003?")
            await until(lambda: log.read_text().count("left_to_a_newer_build") >= 2, START_S)
            # Who it can read is answered meanwhile.
            await room.say("chen", "/help")
            await room.wait_for(lambda message: "/pending" in text_of(message))
            async with serving(tmp_path, "worker", **given):
                await room.wait_for(lambda message: "P003" in text_of(message))
        told = await ended(tmp_path, "aside", **given)
    assert (told.status, "unreadable" in log.read_text()) == (0, False)
    assert "no version of us" not in told.out
