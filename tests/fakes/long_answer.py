"""A question whose long answer a model writes in steps, asked on a platform of a real service."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.fakes.model_server import API_KEY, ModelServer, Reply, held, say, say_json
from tests.fakes.platforms.slack.message import Shown
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.terminal import ChatProcess, chatting
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

QUESTION = "Whose performance status has been worse of late, and what follows for the next visit?"
LONG = "\n".join(
    f"{n}. In week {n} the record shows a value that a monitor would look at." for n in range(1, 21)
)
HELD, HELD_AGAIN = 600, 1100
BEGUN, MORE, WHOLE = (f"In week {week} the record" for week in (3, 12, 20))
"""What stands in the answer's first step, in its second, and at its end."""
Parts = Sequence[dict[str, Any]]


def asked(text: str, route: str = "") -> dict[str, Any]:
    """A part of a message as the model that sorts reads it."""
    kind = "workflow" if route else "qa_query"
    return {"text": text, "kind": kind, "route": route, "condition": "", "depends_on": []}


def answering(*replies: Reply, parts: Parts = ()) -> Callable[[dict[str, Any]], Reply]:
    """Reads the message as these parts, then gives these answers, the last again and again."""
    left = list(replies)

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return say_json({"pieces": list(parts) or [asked(QUESTION)]})
        return left.pop(0) if len(left) > 1 else left[0]

    return script


def model_settings(server: ModelServer) -> dict[str, Any]:
    """That model as the service's."""
    named = {"openai_base_url": server.base_url, "llm_model": "stub-model"}
    named["llm_thoughts"] = {"stub-model": "apart"}
    return {"openai_api_key": API_KEY, **named, "reply_after_s": 0.2}


class LongAnswer:
    """Asks; the answer's first step comes at once, the second after `more`, the rest at the end.

    `replies` are what the model gives instead, where a test wants others. `parts` are those of a
    message that asks for more than one thing.
    """

    def __init__(
        self, start: Start, people: Path, http: aiohttp.ClientSession, parts: Parts = ()
    ) -> None:
        self.more, self.ends = asyncio.Event(), asyncio.Event()
        self.model: ModelServer
        self.text = "\n".join(part["text"] for part in parts) or QUESTION
        self._parts = parts
        self._start, self._people, self._http = start, people, http

    def written(self, text: str = LONG, **changed: Any) -> Reply:
        """An answer in two steps: it stops once, for `ends`."""
        return held(say(text, **changed), (HELD, self.ends))

    def in_steps(self) -> Reply:
        """The same in three: it stops for `more` first."""
        return held(say(LONG), (HELD, self.more), (HELD_AGAIN, self.ends))

    @asynccontextmanager
    async def slack(
        self, slack: SlackServer, *replies: Reply, direct: bool = False, **more: Any
    ) -> AsyncIterator[SlackSide]:
        """In a channel's thread, or directly."""
        async with self._answered(replies):
            people = with_accounts(self._people, slack.team)
            given = {"webchat": False, **slack_settings(slack), **model_settings(self.model)}
            side = SlackSide(await self._start(people=people, **given, **more), slack, self._http)
            event = slack.message_event(self.text) if direct else slack.mention_event(self.text)
            await side.send(event)
            yield side

    @asynccontextmanager
    async def telegram(
        self, telegram: TelegramServer, *replies: Reply, chat_id: int = REQUESTER_ID
    ) -> AsyncIterator[TelegramSide]:
        """In a private chat, or a group."""
        async with self._answered(replies):
            people = with_accounts(self._people, "T0")
            given = {"webchat": False, **telegram_settings(telegram), **model_settings(self.model)}
            service = await self._start(people=people, **given)
            side = TelegramSide(service, telegram, self._http)
            text = self.text if chat_id > 0 else f"@signoff_bot {self.text}"
            await side.send(telegram.message_update(text, chat_id=chat_id, user_id=REQUESTER_ID))
            yield side

    @asynccontextmanager
    async def web(self, *replies: Reply, asks: bool = True) -> AsyncIterator[WebRoom]:
        """In the web chat; a page asks instead, where it is not asked there."""
        async with self._answered(replies):
            service = await self._start(**model_settings(self.model))
            async with WebRoom(service.url) as room:
                if asks:
                    await room.say("lin", self.text)
                yield room

    @asynccontextmanager
    async def terminal(self, folder: Path, *replies: Reply) -> AsyncIterator[ChatProcess]:
        """In a terminal, whose process runs in the folder."""
        async with self._answered(replies):
            service = await self._start(**model_settings(self.model))
            async with chatting(folder, service.url, "--as", "lin") as chat:
                chat.type(self.text)
                yield chat

    @asynccontextmanager
    async def _answered(self, replies: tuple[Reply, ...]) -> AsyncIterator[None]:
        script = answering(*(replies or (self.written(),)), parts=self._parts)
        async with ModelServer(script) as self.model:
            yield
            assert self.model.faults == []


def only(slack: SlackServer) -> Shown:
    """The one message that there is."""
    (message,) = slack.messages.values()
    return message
