"""A person's view of a web chat room, over the same requests and event stream as the page."""

import asyncio
import itertools
import json
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import aiohttp

from tests.fakes.platforms.patience import PATIENCE_S, within

Message = dict[str, Any]
_ids = itertools.count(1)


class WebRoom:
    """Says, taps and fills in as sample people do, and sees what the page would show.

    A room of one's own names its `person`; who signed in brings their `session`, and keeps it.
    """

    def __init__(
        self,
        url: str,
        room: str = "main",
        *,
        person: str = "",
        session: aiohttp.ClientSession | None = None,
    ) -> None:
        self.url = url
        self.room = room
        self.shown: dict[str, Message] = {}
        self.shown_at: dict[str, float] = {}
        """When each message became what it is, in seconds of the store's clock."""
        self.drafts: list[Message] = []
        self._changed = asyncio.Condition()
        self._person = person
        self._lent = session
        self._session = session or aiohttp.ClientSession(base_url=url)
        self._following: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._following = asyncio.create_task(self._follow())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._following:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        if self._lent is None:
            await self._session.close()

    async def _follow(self) -> None:
        after = "0"
        while True:
            try:
                async with self._session.get(
                    "/chat/events",
                    params={"room": self.room, "after": after, "person": self._person},
                    timeout=aiohttp.ClientTimeout(total=None),
                ) as stream:
                    async for raw in stream.content:
                        line = raw.decode().rstrip()
                        if line.startswith("id: "):
                            after = line[4:]
                        if line.startswith("data: "):
                            await self._fold(json.loads(line[6:]), after)
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)

    async def _fold(self, entry: Message, at: str) -> None:
        async with self._changed:
            if entry["op"] in ("post", "edit"):
                self.shown[entry["id"]] = entry["view"]
                self.shown_at[entry["id"]] = int(at.partition("-")[0]) / 1000
            if entry["op"] == "draft":
                self.drafts.append(entry)
            self._changed.notify_all()

    async def wait_for(
        self, matches: Callable[[Message], bool], seconds: float = PATIENCE_S
    ) -> Message:
        """The newest shown message that matches, as soon as there is one."""

        def found() -> Message | None:
            return next((m for m in reversed(self.shown.values()) if matches(m)), None)

        def so_far() -> str:
            return json.dumps(list(self.shown.values()), ensure_ascii=False, indent=1)

        async with within(seconds, matches, so_far), self._changed:
            await self._changed.wait_for(lambda: found() is not None)
        message = found()
        assert message is not None
        return message

    async def draft(self, said: str) -> Message:
        """The newest answer in the making that says so, as soon as there is one."""

        def found() -> bool:
            return bool(self.drafts) and said in text_of(self.drafts[-1])

        async with within(PATIENCE_S, found), self._changed:
            await self._changed.wait_for(found)
        return self.drafts[-1]

    async def card(self, kind: str, *, closed: bool = False) -> Message:
        """The newest card of that kind that is open (or closed)."""

        def matches(message: Message) -> bool:
            card = message["card"]
            return bool(card) and card["kind"] == kind and bool(card["outcome"]) == closed

        message = await self.wait_for(matches)
        card: Message = message["card"]
        return card

    async def say(self, person: str, text: str, *, message_id: str = "") -> None:
        """Send a message; it has to be accepted."""
        status, _ = await self.post("messages", person, text=text, id=message_id or new_id())
        assert status == 202

    async def upload(self, person: str, content: Any) -> tuple[int, Message]:
        """Sends a file's bytes as the page does; returns status and answer."""
        query = {"room": self.room, "person": person}
        headers = {"Content-Type": "application/octet-stream"}
        async with self._session.post(
            "/chat/files", params=query, data=content, headers=headers
        ) as response:
            return response.status, await response.json()

    async def share(self, person: str, text: str, **files: bytes) -> None:
        """A message with files, by name (`a__csv` is a.csv); all of it has to be accepted."""
        sent = []
        for name, content in files.items():
            status, told = await self.upload(person, content)
            assert status == 201, told
            sent.append({"id": told["id"], "name": name.replace("__", ".")})
        status, _ = await self.post("messages", person, text=text, files=sent, id=new_id())
        assert status == 202

    async def tap(self, person: str, card: Message, choice: str) -> tuple[int, Message]:
        """Tap the card's button of that choice; returns status and answer."""
        return await self.post("taps", person, button=button(card, choice), id=new_id())

    async def fill(
        self, person: str, card: Message, choice: str, **values: str
    ) -> tuple[int, Message]:
        """Send the form of the card's choice; returns status and answer."""
        return await self.post(
            "forms", person, button=button(card, choice), values=values, id=new_id()
        )

    async def post(self, what: str, person: str, **body: Any) -> tuple[int, Message]:
        """One request as the page makes it."""
        json_body = {"room": self.room, "person": person, **body}
        async with self._session.post(f"/chat/{what}", json=json_body) as response:
            return response.status, await response.json()


def new_id() -> str:
    """An update id that no other update has."""
    return f"web-test-{next(_ids):06d}"


def button(card: Message, choice: str) -> str:
    """The data of the card's button for a choice."""
    found = [b["data"] for b in card["buttons"] if b["data"].split(":")[2] == choice]
    assert found, f"no button {choice} on {card}"
    return str(found[0])


def text_of(message: Message) -> str:
    """All the text of a message, tags left in."""
    return json.dumps(message, ensure_ascii=False)
