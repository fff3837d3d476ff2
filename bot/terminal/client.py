"""A person in a room of the web chat, over the requests and the event stream that its page uses."""

import asyncio
import json
import ssl
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

Entry = Mapping[str, Any]
REQUEST_S = 30.0
UPLOAD_S = 60.0
AGAIN_S = 0.3
NO_REPLY = 202
"""The HTTP status of a message that a service accepts without naming its reply, an older one."""
# An entry is one line, and may be a long answer.
LONGEST_LINE = 8 * 1024 * 1024


class NoService(Exception):
    """The address has no web chat."""


class RequestRefused(Exception):
    """The service refuses a request; the text says why, `status` is that of HTTP."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class Speaker:
    """The person who speaks, and where: `url` has no path, `room` is the web chat's.

    `zone` (IANA) is the one that times are shown in, this machine's if "".
    """

    url: str
    room: str = "main"
    id: str = ""
    name: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """The response to a request: HTTP status and body."""

    status: int
    body: Mapping[str, Any]


class ChatClient:
    """Sends messages, taps and forms as one person; `entries` is what the room shows."""

    def __init__(self, session: aiohttp.ClientSession, me: Speaker) -> None:
        self._session = session
        self.me = me

    async def say(self, text: str) -> str:
        """Send a message; returns the id of the message that will answer it."""
        answer = await self._send("messages", {"text": text})
        if answer.status != 202:
            raise RequestRefused(answer.status, _why(answer))
        reply = answer.body.get("reply")
        if not reply:
            raise RequestRefused(NO_REPLY, "it does not say which reply is yours")
        return str(reply)

    async def tap(self, button: str, *, confirmed: bool = True) -> Response:
        """Tap a button; the response is {ok, text}, {form}, or {} when the outcome comes later.

        Without `confirmed`, it is {confirm} for a choice that cannot be taken back.
        """
        return await self._send("taps", {"button": button, "confirmed": confirmed})

    async def fill(
        self,
        button: str,
        values: Mapping[str, str],
        files: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Response:
        """Send a form, with uploaded `files` by field; 422 with {errors} when values are wrong."""
        sent = {"files": dict(files)} if files else {}
        return await self._send("forms", {"button": button, "values": dict(values), **sent})

    async def upload(self, path: Path) -> Response:
        """Send a file of this machine ahead of its form; 201 with its {id}. Raises OSError."""
        query = {"room": self.me.room, "person": self.me.id}
        kind = {"Content-Type": "application/octet-stream"}
        limits = aiohttp.ClientTimeout(total=UPLOAD_S)
        with path.open("rb") as content:
            async with (
                _network_errors(self.me.url),
                self._session.post(
                    "/chat/files", params=query, data=content, headers=kind, timeout=limits
                ) as got,
            ):
                return Response(got.status, await _json(got))

    async def waiting(self) -> Mapping[str, Any]:
        """The cards that wait for the person anywhere: {cards, more}."""
        answer = await self._get("/chat/inbox", person=self.me.id)
        if answer.status != 200:
            raise RequestRefused(answer.status, _why(answer))
        return answer.body

    async def cards_of(self, reply: str) -> Mapping[str, Any]:
        """The open cards that a reply of the room is about, and the reply that it goes on in.

        {cards, goes_on, settled}; an older service has fewer of them.
        """
        answer = await self._get("/chat/cards", room=self.me.room, person=self.me.id, reply=reply)
        if answer.status == 404:
            return {}
        if answer.status != 200:
            raise RequestRefused(answer.status, _why(answer))
        return answer.body

    async def _get(self, path: str, **query: str) -> Response:
        async with (
            _network_errors(self.me.url),
            self._session.get(path, params=query) as got,
        ):
            body = {} if got.status == 404 else await _json(got)
            return Response(got.status, body)

    async def entries(self) -> AsyncIterator[Entry]:
        """The room's history, then all new entries, also after a lost connection.

        Raises RequestRefused when the person may not read it, NoService without a first connection.
        """
        after, seen = "0", False
        while True:
            try:
                async for position, entry in self._stream(after):
                    after, seen = position, True
                    yield entry
            except aiohttp.ClientError as lost:
                if not seen:
                    raise NoService(self.me.url) from lost
            seen = True
            await asyncio.sleep(AGAIN_S)

    async def _stream(self, after: str) -> AsyncIterator[tuple[str, Entry]]:
        query = {"room": self.me.room, "after": after}
        limits = aiohttp.ClientTimeout(total=None, sock_connect=REQUEST_S)
        async with self._session.get("/chat/events", params=query, timeout=limits) as stream:
            if stream.status == 503:
                return
            if stream.status != 200:
                raise RequestRefused(
                    stream.status, _why(Response(stream.status, await _json(stream)))
                )
            async for raw in stream.content:
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                if line.startswith("id: "):
                    after = line[4:]
                elif line.startswith("data: "):
                    yield after, json.loads(line[6:])

    async def _send(self, what: str, body: Mapping[str, Any]) -> Response:
        """Send a request; without a response, once more under the same id, so it counts once."""
        named = {"room": self.me.room, "person": self.me.id, "id": str(uuid.uuid4()), **body}
        try:
            return await self._post(what, named)
        except NoService:
            await asyncio.sleep(AGAIN_S)
            return await self._post(what, named)

    async def _post(self, what: str, body: Mapping[str, Any]) -> Response:
        async with (
            _network_errors(self.me.url),
            self._session.post(f"/chat/{what}", json=body) as got,
        ):
            return Response(got.status, await _json(got))


@asynccontextmanager
async def enter_room(me: Speaker, *, link: str = "") -> AsyncIterator[ChatClient]:
    """A client in the room as `me.id`, or as the first person; a sign-in `link` is used up.

    Raises NoService, and RequestRefused for an unknown person or when a link is needed.
    """
    # Other cookie jars ignore cookies of a numeric address.
    jar = aiohttp.CookieJar(unsafe=True)
    limits = aiohttp.ClientTimeout(total=REQUEST_S)
    async with aiohttp.ClientSession(
        me.url, cookie_jar=jar, timeout=limits, read_bufsize=LONGEST_LINE
    ) as session:
        async with _network_errors(me.url):
            if link:
                await _sign_in(session, link)
            async with session.get("/chat/people") as response:
                answer = Response(response.status, await _json(response))
        if answer.status != 200:
            raise RequestRefused(answer.status, _why(answer))
        yield ChatClient(session, _choose_person(answer.body.get("people", ()), me))


async def _sign_in(session: aiohttp.ClientSession, link: str) -> None:
    token = {"token": urlsplit(link).fragment or link}
    async with session.post("/chat/login", json=token) as response:
        if response.status != 200:
            raise RequestRefused(
                response.status, _why(Response(response.status, await _json(response)))
            )


def _choose_person(people: Any, me: Speaker) -> Speaker:
    known = {str(person["id"]): str(person["name"]) for person in people}
    wanted = me.id or next(iter(known), "")
    if wanted not in known:
        there = ", ".join(known) or "nobody"
        raise RequestRefused(
            400, f"{wanted or '-'}: nobody of this web name is there; there are: {there}"
        )
    return replace(me, id=wanted, name=known[wanted])


async def _json(response: aiohttp.ClientResponse) -> Mapping[str, Any]:
    try:
        body = await response.json(content_type=None)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise NoService(str(response.url.origin()))
    return body


def _why(answer: Response) -> str:
    for key in ("text", "error"):
        if told := answer.body.get(key):
            return str(told)
    return f"status {answer.status}"


@asynccontextmanager
async def _network_errors(url: str) -> AsyncIterator[None]:
    try:
        yield
    except (aiohttp.ClientError, ssl.SSLError, TimeoutError, OSError) as lost:
        raise NoService(url) from lost
