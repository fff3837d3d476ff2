"""One person in front of each platform: how they write and tap there, and what they see.

Each is built as the service builds it, by its line in PLATFORMS.
"""

import asyncio
import html
import json
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.wiring.contexts import Adapter
from cards.showing.view import FormView, MessageView
from engine.events import Accepted, FormWanted, Outcome, Update
from tests.fakes.lines import Line
from tests.fakes.listening import listening
from tests.fakes.platforms import SlackServer, TelegramServer
from tests.fakes.web_room import WebRoom, new_id

MARK = MessageView(lang="en")
"""Shown last, it tells that all before it has come."""


class ScriptedIntake:
    """Keeps the updates; answers `outcomes` in turn and then Accepted, once `open` is set."""

    def __init__(self) -> None:
        self.updates: list[Update] = []
        self.outcomes: deque[Outcome] = deque()
        self.open = asyncio.Event()
        self.open.set()
        self.arrived = asyncio.Event()

    async def __call__(self, update: Update) -> Outcome:
        self.updates.append(update)
        self.arrived.set()
        await self.open.wait()
        return self.outcomes.popleft() if self.outcomes else Accepted()

    @property
    def last(self) -> Update:
        return self.updates[-1]


class Rig(ABC):
    """`here` is the conversation that `say` writes in; `who` the person's id on the platform."""

    here: str
    who: str

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.intake = ScriptedIntake()

    async def begin(self, stack: AsyncExitStack) -> None:
        """Lets the platform reach the adapter until the stack ends."""
        app = web.Application()
        app.add_routes(self.adapter.routes(self.intake))
        self.server = TestServer(app, host="127.0.0.1")
        await self.server.start_server()
        stack.push_async_callback(self.server.close)
        self.url = f"http://127.0.0.1:{self.server.port}"

    @abstractmethod
    async def say(self, text: str, *, times: int = 1) -> bool:
        """Writes; the platform brings it so many times. Whether the last was acknowledged."""

    @abstractmethod
    async def tap(self, label: str) -> str:
        """Taps; what the person is told of it."""

    @abstractmethod
    async def fill(self, label: str, form: FormView, values: Mapping[str, str]) -> str:
        """Taps, is asked for the form, and sends it with those values; what is told of that."""

    @abstractmethod
    async def messages(self) -> list[str]:
        """What each message shows now, the oldest first, once everything has come."""

    @abstractmethod
    async def labels(self) -> list[str]:
        """The buttons that can be tapped now."""

    async def everything(self) -> str:
        """All that was shown, files too."""
        return "\n".join(await self.messages())


class SlackRig(Rig):
    who = "U0REQUESTER"

    def __init__(self, adapter: Adapter, slack: SlackServer) -> None:
        super().__init__(adapter)
        self.slack = slack
        self.here = f"slack:{slack.team}:D0REQUESTER"

    async def _deliver(self, payload: dict[str, Any]) -> Any:
        first, *_ = await self.slack.deliver(f"{self.url}/slack/events", payload)
        self.taken = first.reason == ""
        return json.loads(first.body or b"{}")

    async def say(self, text: str, *, times: int = 1) -> bool:
        event = self.slack.message_event(text)
        for _ in range(times):
            await self._deliver(event)
        return self.taken

    async def tap(self, label: str) -> str:
        await self._deliver(self.slack.action(self.slack.latest, label, user=self.who))
        return self.slack.ephemerals[-1].text if self.slack.ephemerals else ""

    async def fill(self, label: str, form: FormView, values: Mapping[str, str]) -> str:
        self.intake.outcomes.appendleft(FormWanted(form))
        await self.tap(label)
        told = await self._deliver(self.slack.view_submission(self.slack.views[-1], values))
        return json.dumps(told)

    async def messages(self) -> list[str]:
        return [html.unescape(message.body) for message in self.slack.messages.values()]

    async def labels(self) -> list[str]:
        shown = self.slack.messages.values()
        return [button["text"]["text"] for message in shown for button in message.buttons]

    async def everything(self) -> str:
        files = [(file.content or b"").decode() for file in self.slack.shared]
        return "\n".join((*await self.messages(), *files))


class TelegramRig(Rig):
    who = "1001"

    def __init__(self, adapter: Adapter, telegram: TelegramServer) -> None:
        super().__init__(adapter)
        self.telegram = telegram
        self.here = f"telegram:{telegram.bot['id']}:1001"

    async def _deliver(self, update: dict[str, Any]) -> None:
        attempts = await self.telegram.deliver(update, url=f"{self.url}/telegram/webhook", tries=1)
        self.taken = attempts[-1].status == 200

    async def say(self, text: str, *, times: int = 1) -> bool:
        command = text.startswith("/")
        shaped = self.telegram.command_update if command else self.telegram.message_update
        update = shaped(text)
        for _ in range(times):
            await self._deliver(update)
        return self.taken

    async def tap(self, label: str) -> str:
        shown = [message for message in self.telegram.chat(1001) if label in message.labels]
        await self._deliver(self.telegram.tap_update(shown[-1], label))
        return self.telegram.callback_answers[-1].text

    async def fill(self, label: str, form: FormView, values: Mapping[str, str]) -> str:
        asked = FormWanted(form)
        self.intake.outcomes.appendleft(asked)
        await self.tap(label)
        for value in values.values():
            prompt = self.telegram.chat(1001)[-1]
            await self._deliver(self.telegram.reply_update(prompt, value))
        await self.tap(form.submit)
        told = (message.text for message in self.telegram.chat(1001))
        return "\n".join((self.telegram.callback_answers[-1].text, *told))

    async def messages(self) -> list[str]:
        return [message.text.replace("\u2060", "") for message in self.telegram.chat(1001)]

    async def labels(self) -> list[str]:
        return [label for message in self.telegram.chat(1001) for label in message.labels]

    async def everything(self) -> str:
        sent = self.telegram.chat(1001)
        files = [message.document.decode() for message in sent if message.document]
        return "\n".join((*await self.messages(), *files))


class WebRig(Rig):
    here, who = "web:local:main", "lin"

    async def begin(self, stack: AsyncExitStack) -> None:
        await super().begin(stack)
        self.room = await stack.enter_async_context(WebRoom(self.url))
        stack.push_async_callback(self.adapter.close)

    async def say(self, text: str, *, times: int = 1) -> bool:
        message_id = new_id()
        for _ in range(times):
            status, _ = await self.room.post("messages", self.who, text=text, id=message_id)
        return status == 202

    async def tap(self, label: str) -> str:
        _, told = await self._post("taps", label)
        return str(told.get("text", ""))

    async def fill(self, label: str, form: FormView, values: Mapping[str, str]) -> str:
        self.intake.outcomes.appendleft(FormWanted(form))
        _, told = await self._post("taps", label)
        assert told["form"]["title"] == form.title
        return json.dumps((await self._post("forms", label, values=dict(values)))[1])

    async def _post(self, what: str, label: str, **more: Any) -> tuple[int, dict[str, Any]]:
        await self._settled()
        data = next(b["data"] for b in self._buttons() if b["label"] == label)
        return await self.room.post(what, self.who, id=new_id(), button=data, **more)

    async def messages(self) -> list[str]:
        await self._settled()
        told = (re.sub(r"<[^>]+>", " ", _texts(view)) for view in self.room.shown.values())
        return [html.unescape(text) for text in told]

    async def labels(self) -> list[str]:
        await self._settled()
        return [button["label"] for button in self._buttons()]

    async def _settled(self) -> None:
        """The stream has brought what was written until now."""
        await self.adapter.send(self.here, MARK, key=(key := new_id()))
        await self.room.wait_for(lambda _: key in self.room.shown)
        del self.room.shown[key]

    def _buttons(self) -> list[dict[str, Any]]:
        cards = [view["card"] for view in self.room.shown.values() if view["card"]]
        return [button for card in cards for button in card["buttons"]]


class LinesRig(Rig):
    here, who = "lines:local:main", "ana"

    def __init__(self, adapter: Adapter, port: int) -> None:
        super().__init__(adapter)
        self._port = port

    async def begin(self, stack: AsyncExitStack) -> None:
        await stack.enter_async_context(listening(self.adapter, self.intake))
        self.line = await stack.enter_async_context(Line(self._port, "main", self.who))

    async def say(self, text: str, *, times: int = 1) -> bool:
        told = [await self.line.ask(text) for _ in range(times)]
        return told[-1] == "ok"

    async def tap(self, label: str) -> str:
        await self._settled()
        return (await self.line.ask(self.line.number(label))).removeprefix("* ")

    async def fill(self, label: str, form: FormView, values: Mapping[str, str]) -> str:
        self.intake.outcomes.appendleft(FormWanted(form))
        asked = await self.tap(label)
        number = asked.removeprefix(f"? {form.title}: ").split()[0]
        return await self.line.ask(f"{number} {' | '.join(values.values())}")

    async def messages(self) -> list[str]:
        await self._settled()
        shown = self.line.messages.values()
        return ["\n".join(line[2:] for line in lines if line[0] == ">") for lines in shown]

    async def labels(self) -> list[str]:
        await self._settled()
        lines = [line for lines in self.line.messages.values() for line in lines]
        return [line.partition("] ")[2] for line in lines if line[0] == "["]

    async def _settled(self) -> None:
        await self.adapter.send(self.here, MARK, key=(key := new_id()))
        await self.line.wait_for(lambda: f"= {key}" in self.line.said)
        self.line.said.remove(f"= {key}")


def _texts(node: Any) -> str:
    """Every text of a JSON value."""
    if isinstance(node, dict):
        node = [*node.values()]
    if isinstance(node, list):
        return "\n".join(filter(None, map(_texts, node)))
    return node if isinstance(node, str) else ""
