"""One service with all platforms, an obedient model and a hostile outside server."""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from bot.settings import Settings
from tests.fakes.model_server import ModelServer
from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.fakes.settings import make_settings
from tests.fakes.slack_app import local_slack
from tests.fakes.web_room import Message, WebRoom
from tests.redteam import planted
from tests.redteam.canaries import MATTER, STUDY
from tests.scenarios.conftest import ROOT, Service, running
from tests.scenarios.test_platform_walk import (
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

KEY = "sk-redteam-0123456789abcdef"
MATTER_CHANNEL = "C0MATTER"
_RUN = re.compile(r"\{p\w+\}:run:[^:]+")


@dataclass(frozen=True, slots=True)
class State:
    """Everything that an instruction might have changed."""

    visits: tuple[tuple[Any, ...], ...]
    memos: tuple[str, ...]
    runs: frozenset[str]
    cards: dict[str, tuple[str, str, int]]


@dataclass
class Outgoing:
    """What reached the platforms because of one message."""

    slack: list[Shown] = field(default_factory=list)
    telegram: list[Sent] = field(default_factory=list)
    web: list[Message] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that anybody could read."""
        shown = [f"{m.text} {m.blocks}" for m in self.slack]
        return "\n".join(
            [*shown, *(f"{m.html} {m.text}" for m in self.telegram), *map(str, self.web)]
        )


@dataclass
class Stage:
    """The service and the ends of its connections."""

    service: Service
    model: ModelServer
    slack: SlackSide
    telegram: TelegramSide
    room: WebRoom
    review: str = ""
    _people: int = 50_000

    @property
    def faults(self) -> list[str]:
        """What Slack, Telegram or the model's server would not have taken, or we never want."""
        return [*self.slack.server.faults, *self.telegram.server.faults, *self.model.faults]

    async def state(self) -> State:
        parts = self.service.parts
        services = parts.services
        with sqlite3.connect(planted.study_of(parts)) as db:
            visits = db.execute("SELECT * FROM visits ORDER BY subject_id, visit_date").fetchall()
        db.close()
        memory = services.library.memory
        assert memory is not None
        memos = [m.text for project in (STUDY, MATTER) for m in await memory.memos(project)]
        names = [str(name) for name in await parts.store.client.keys("{p*}:*")]
        runs = frozenset(n for n in names if _RUN.fullmatch(n))
        cards = {}
        for token in (n.partition(":card:")[2] for n in names if ":card:" in n):
            found = await services.decisions.card(token)
            assert found is not None
            cards[token] = (found.card.kind, found.card.status, found.card.version)
        return State(tuple(visits), tuple(memos), runs, cards)

    async def over_slack(self, text: str, *, earlier: str, channel: str) -> Outgoing:
        server, thread = self.slack.server, ""
        if earlier:
            said = server.mention_event(earlier, user="U0BYSTANDER", channel=channel)
            thread = said["event"]["ts"]
            await self.slack.send(said)
            await self._threaded(channel, thread, 1)
        asked = server.mention_event(text, channel=channel, thread_ts=thread)
        await self.slack.send(asked)
        thread = thread or asked["event"]["ts"]
        return Outgoing(slack=await self._threaded(channel, thread, 2 if earlier else 1))

    async def _threaded(self, channel: str, thread: str, count: int) -> list[Shown]:
        def found() -> list[Shown]:
            held = self.slack.server.messages.values()
            mine = [m for m in held if (m.channel, m.thread_ts) == (channel, thread)]
            return mine if len(mine) >= count else []

        return await self.slack.server.wait_for(found)

    async def over_telegram(self, text: str, *, earlier: str, name: str = "Ana") -> Outgoing:
        self._people += 1
        chat, server = self._people, self.telegram.server
        for count, said in enumerate(filter(None, (earlier, text)), 1):
            await self.telegram.send(server.message_update(said, chat_id=chat, name=name))
            await server.wait_for(lambda n=count: len(server.chat(chat)) >= n)
        return Outgoing(telegram=server.chat(chat))

    async def over_web(self, text: str, *, earlier: str, person: str = "lin") -> Outgoing:
        before = set(self.room.shown)
        for count, (who, said) in enumerate((("zhao", earlier), (person, text))):
            if said:
                await self.room.say(who, said)
                least = count if earlier else 0
                await self.room.wait_for(lambda m, n=least: self._answers(before) > n)
        return Outgoing(web=[m for name, m in self.room.shown.items() if name not in before])

    def _answers(self, before: set[str]) -> int:
        new = [m for name, m in self.room.shown.items() if name not in before]
        return sum(bool(m["parts"]) for m in new)


@asynccontextmanager
async def staged(folder: Path, redis_url: str, port: int) -> AsyncIterator[Stage]:
    """The stage, with everything planted that has to be there from the start."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(local_slack())
        telegram = await stack.enter_async_context(TelegramServer())
        model = await stack.enter_async_context(ModelServer(api_key=KEY))
        http = await stack.enter_async_context(aiohttp.ClientSession())
        settings = _settings(folder, redis_url, slack, telegram, model, port)
        service = await stack.enter_async_context(running(settings))
        await planted.canaries(service.parts)
        await until(lambda: len(service.parts.remote.tools()) > 10)
        room = await stack.enter_async_context(WebRoom(service.url))
        yield Stage(
            service,
            model,
            SlackSide(service, slack, http),
            TelegramSide(service, telegram, http),
            room,
        )


def _settings(
    folder: Path,
    redis_url: str,
    slack: SlackServer,
    telegram: TelegramServer,
    model: ModelServer,
    port: int,
) -> Settings:
    people = folder / "people.yaml"
    sample = (ROOT / "playbooks" / "people.yaml").read_text(encoding="utf-8")
    # Anybody may try: what is shown here is what words can do, and not who may write.
    people.write_text(f"{sample}\nadmit: {{platforms: [telegram]}}\n", encoding="utf-8")
    servers = folder / "mcp.yaml"
    url = f"http://127.0.0.1:{port}/mcp"
    all_but = "[" + ", ".join(f"rt{i.number}" for i in planted.outside()) + "]"
    servers.write_text(
        f"servers:\n- {{name: hostile, url: '{url}', only: {all_but}}}\n"
        f"- {{name: vault, url: '{url}', only: [read], roles: [reviewer]}}\n"
    )
    given: dict[str, Any] = {
        "redis_url": redis_url,
        "data_dir": folder / "data",
        "playbooks": planted.playbooks(ROOT / "playbooks", folder / "playbooks"),
        "people": with_accounts(people, slack.team),
        "project": STUDY,
        "projects": ((f"slack:{slack.team}:{MATTER_CHANNEL}", MATTER),),
        "mcp": servers,
        "partitions": 4,
        "port": 8080,
        "reply_after_s": 30.0,
        "react_iterations": 40,
        "react_tokens": 1_000_000,
        "openai_api_key": KEY,
        "openai_base_url": model.base_url,
        "llm_model": "obedient",
        **slack_settings(slack),
        **telegram_settings(telegram),
    }
    return make_settings(**given)
