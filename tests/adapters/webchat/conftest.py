from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient

from adapters.webchat.platform import WebChat
from adapters.webchat.visitors import WebPerson
from engine.events import Accepted, Outcome, Update
from tests.fakes.browser import Browser
from tests.fakes.chat_log import MemoryChatLog
from tests.fakes.platforms.patience import PATIENCE_S, within

Answer = Outcome | Callable[[Update], Awaitable[Outcome]]
PEOPLE = (
    WebPerson(id="lin", name="Lin Yue", role_label={"zh": "申请人", "en": "Requester"}),
    WebPerson(id="chen", name="Chen Rui", role_label={"zh": "审核人", "en": "Reviewer"}),
    WebPerson(id="zhou", name="Zhou Yi", role_label={"zh": "旁观者", "en": "Bystander"}),
)


class ScriptedIntake:
    """An Intake that keeps the updates it got and answers each id once, as the service does."""

    def __init__(self) -> None:
        self.updates: list[Update] = []
        self.answers: dict[str, Answer] = {}
        self._seen: set[str] = set()

    async def __call__(self, update: Update) -> Outcome:
        self.updates.append(update)
        answer = self.answers.get(update.kind, Accepted())
        outcome = await answer(update) if callable(answer) else answer
        if outcome == Accepted():
            outcome = Accepted(duplicate=update.id in self._seen)
            self._seen.add(update.id)
        return outcome


@pytest.fixture
def log() -> MemoryChatLog:
    return MemoryChatLog()


@pytest.fixture
def intake() -> ScriptedIntake:
    return ScriptedIntake()


@pytest.fixture
def chat(log: MemoryChatLog) -> WebChat:
    return WebChat(log=log, people=PEOPLE, heartbeat_s=0.05)


@pytest.fixture
async def client(
    chat: WebChat, intake: ScriptedIntake, aiohttp_client: Any
) -> AsyncIterator[TestClient[web.Request, web.Application]]:
    app = web.Application()
    app.add_routes(chat.routes(intake))

    async def close(_: web.Application) -> None:
        await chat.close()

    app.on_shutdown.append(close)
    async with within(PATIENCE_S, "the test of the page ends"):
        yield await aiohttp_client(app)


@pytest.fixture
def page(client: Any, browser: Browser) -> Iterator[Callable[[str], str]]:
    """The address of a room; each test has a port of its own, so nothing is kept between them."""
    yield lambda room: str(client.make_url("/").with_query(room=room))
    # Before the server goes, or the page's reconnecting would be in the next test's console.
    browser.open("about:blank")
    browser.console_errors()
