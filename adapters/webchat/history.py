"""A conversation's messages in pages, and the list of a person's conversations."""

import re
from collections.abc import Sequence
from typing import Any

import structlog
from aiohttp import web

from adapters.webchat.middleware import RequestGuard, http_error, json_response
from adapters.webchat.page_requests import (
    MAIN,
    DeleteBody,
    RenameBody,
    SayBody,
    SeenBody,
    parse_body,
    room_of,
)
from adapters.webchat.room_names import conversation_of, home_room, is_own
from adapters.webchat.visitors import Visitors
from engine.errors import BadPayload, StoreUnavailable
from engine.ports.conversations import ChatLog, ConversationEntry, Conversations, ListedFor

PAGE = 40
LIST_PAGE = 30
TITLE_CHARACTERS = 80
_NUMBER = re.compile(r"[1-9][0-9]{0,15}")
_log = structlog.get_logger(__name__)


class ConversationHistory:
    """Requests about past messages and listed conversations; without `conversations` no list."""

    def __init__(
        self,
        log: ChatLog,
        conversations: Conversations | None,
        visitors: Visitors,
        guard: RequestGuard,
    ) -> None:
        self._log = log
        self._conversations = conversations
        self._visitors = visitors
        self._guard = guard

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of these requests."""
        return [
            web.get("/chat/history", self._guard(self._history)),
            web.get("/chat/conversations", self._guard(self._list)),
            web.post("/chat/seen", self._guard(self._seen)),
            web.post("/chat/rename", self._guard(self._rename)),
            web.post("/chat/delete", self._guard(self._delete)),
        ]

    def listed_for(self, body: SayBody) -> ListedFor | None:
        """Return in whose list a message puts its conversation first: that of its writer."""
        title = " ".join((body.text or body.files[0].name).split())[:TITLE_CHARACTERS]
        return ListedFor(body.person, title) if self._conversations else None

    async def note_answer(self, person: str, conversation: str) -> None:
        """Put a person's own conversation first in their list; never raises."""
        try:
            if self._conversations:
                await self._conversations.note_message(person, conversation, "")
        except StoreUnavailable:
            _log.warning("conversation_not_listed", conversation=conversation)

    async def _history(self, request: web.Request) -> web.StreamResponse:
        room = room_of(request)
        reader = await self._visitors.reader(request, room, request.query.get("person", ""))
        before = _position_before(request)
        try:
            if await self._visitors.is_hidden(room, reader):
                told = "room: it is of a project that you may not see"
                return json_response(403, {"error": told, "hidden": True})
            page = await self._log.page(conversation_of(room), before=before, count=PAGE)
        except StoreUnavailable:
            return _store_away()
        messages = [{"n": message.number, **message.body} for message in page.messages]
        return json_response(200, {"messages": messages, "seq": page.seq, "more": page.more})

    async def _list(self, request: web.Request) -> web.StreamResponse:
        actor = await self._visitors.actor(request, request.query.get("person", ""))
        before = _position_before(request)
        words = request.query.get("words", "")[:TITLE_CHARACTERS].casefold().split()
        try:
            body = await self._list_body(actor.user, before, words)
        except StoreUnavailable:
            return _store_away()
        return json_response(200, body)

    async def _list_body(
        self, person: str, before: int | None, words: Sequence[str]
    ) -> dict[str, Any]:
        if not self._conversations:
            return {"conversations": [], "more": "", "pinned": []}

        def matches(conversation: str, title: str) -> bool:
            room = _room_of(conversation)
            shown = title.casefold() if is_own(room) else f"{room} {title.casefold()}"
            return all(word in shown for word in words)

        pinned = [conversation_of(MAIN), conversation_of(home_room(person))]
        found = await self._conversations.list_newest(
            person, before_us=before, count=LIST_PAGE + 1, matches=matches if words else None
        )
        page = [entry for entry in found[:LIST_PAGE] if entry.conversation not in pinned]
        seen = [await self._conversations.last_read(person, name) for name in pinned]
        fixed = [
            ConversationEntry(name, "", 0, number)
            for name, number in zip(pinned, seen, strict=True)
        ]
        return {
            "conversations": await self._entries(page, person),
            "pinned": await self._entries(fixed, person),
            "more": str(found[LIST_PAGE - 1].at_us) if len(found) > LIST_PAGE else "",
        }

    async def _entries(
        self, listed: Sequence[ConversationEntry], person: str
    ) -> list[dict[str, Any]]:
        """What the page shows of them, but for those of projects that the person may not see."""
        hidden = self._visitors.is_hidden
        listed = [each for each in listed if not await hidden(_room_of(each.conversation), person)]
        newest = await self._log.newest([entry.conversation for entry in listed])
        rooms = [_room_of(entry.conversation) for entry in listed]
        return [
            {
                "room": room,
                "title": entry.title,
                "shared": not is_own(room),
                "at_ms": entry.at_us // 1000,
                "empty": number == 0,
                "unread": number > entry.seen,
            }
            for entry, room, number in zip(listed, rooms, newest, strict=True)
        ]

    async def _seen(self, request: web.Request) -> web.StreamResponse:
        body = parse_body(SeenBody, await self._guard.json_body(request))
        actor = await self._visitors.actor(request, body.person, body.room)
        conversation = conversation_of(body.room)
        try:
            number = (await self._log.newest([conversation]))[0]
            if self._conversations:
                await self._conversations.mark_read(actor.user, conversation, number)
        except StoreUnavailable:
            return _store_away()
        return json_response(200, {})

    async def _rename(self, request: web.Request) -> web.StreamResponse:
        body = parse_body(RenameBody, await self._guard.json_body(request))
        actor = await self._visitors.actor(request, body.person, body.room)
        conversation, title = conversation_of(body.room), " ".join(body.title.split())
        try:
            if self._conversations and await self._conversations.rename(
                actor.user, conversation, title
            ):
                return json_response(200, {})
        except StoreUnavailable:
            return _store_away()
        return json_response(404, {"error": "room: it is not in the list"})

    async def _delete(self, request: web.Request) -> web.StreamResponse:
        """Delete a room of their own with its messages; a shared room only from their list."""
        body = parse_body(DeleteBody, await self._guard.json_body(request))
        actor = await self._visitors.actor(request, body.person, body.room)
        if body.room in (MAIN, home_room(actor.user)):
            raise http_error(web.HTTPForbidden, "room: this one stays")
        whole = is_own(body.room)
        try:
            if not self._conversations or await self._conversations.forget(
                actor.user, conversation_of(body.room), whole=whole
            ):
                return json_response(200, {})
        except StoreUnavailable:
            return _store_away()
        return json_response(409, {"error": "room: something is unfinished there"})


def _room_of(conversation: str) -> str:
    return conversation.removeprefix(conversation_of(""))


def _position_before(request: web.Request) -> int | None:
    before = request.query.get("before", "")
    if before and not _NUMBER.fullmatch(before):
        raise BadPayload("before: not a place in this list")
    return int(before) if before else None


def _store_away() -> web.Response:
    return json_response(503, {"error": "the store is away"})
