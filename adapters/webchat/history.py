"""A conversation's past in pages, and the list of a person's conversations."""

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
from engine.ports.conversations import ChatLog, ConversationEntry, Conversations

PAGE = 40
LIST_PAGE = 30
TITLE_CHARACTERS = 80
_NUMBER = re.compile(r"[1-9][0-9]{0,15}")
_log = structlog.get_logger(__name__)


class ConversationHistory:
    """What was said: read in pages, listed by person; without `conversations` nothing is listed."""

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
        """The page's requests about the past."""
        return [
            web.get("/chat/history", self._guard(self._history)),
            web.get("/chat/conversations", self._guard(self._list)),
            web.post("/chat/seen", self._guard(self._seen)),
            web.post("/chat/rename", self._guard(self._rename)),
            web.post("/chat/delete", self._guard(self._delete)),
        ]

    async def said(self, body: SayBody) -> None:
        """Put the conversation first in the list of who said something there; never raises."""
        title = " ".join((body.text or body.files[0].name).split())[:TITLE_CHARACTERS]
        try:
            number = (await self._log.newest([body.conversation]))[0]
            await self._spoken(body.person, body.conversation, title)
            if self._conversations:
                await self._conversations.saw(body.person, body.conversation, number)
        except StoreUnavailable:
            _log.warning("conversation_not_listed", conversation=body.conversation)

    async def told(self, person: str, conversation: str) -> None:
        """Put a person's own conversation first when the service says something; never raises."""
        try:
            await self._spoken(person, conversation, "")
        except StoreUnavailable:
            _log.warning("conversation_not_listed", conversation=conversation)

    async def _spoken(self, person: str, conversation: str, title: str) -> None:
        if self._conversations:
            await self._conversations.spoken(person, conversation, title)

    async def _history(self, request: web.Request) -> web.StreamResponse:
        room = room_of(request)
        await self._visitors.reader(request, room, request.query.get("person", ""))
        before = _position_before(request)
        try:
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
            told = await self._listed(actor.user, before, words)
        except StoreUnavailable:
            return _store_away()
        return json_response(200, told)

    async def _listed(
        self, person: str, before: int | None, words: Sequence[str]
    ) -> dict[str, Any]:
        if not self._conversations:
            return {"conversations": [], "more": "", "pinned": []}

        def matches(conversation: str, title: str) -> bool:
            room = _room_of(conversation)
            shown = title.casefold() if is_own(room) else f"{room} {title.casefold()}"
            return all(word in shown for word in words)

        pinned = [conversation_of(MAIN), conversation_of(home_room(person))]
        found = await self._conversations.listed(
            person, before_us=before, count=LIST_PAGE + 1, matches=matches if words else None
        )
        page = [one for one in found[:LIST_PAGE] if one.conversation not in pinned]
        seen = [await self._conversations.seen(person, name) for name in pinned]
        fixed = [
            ConversationEntry(name, "", 0, number)
            for name, number in zip(pinned, seen, strict=True)
        ]
        return {
            "conversations": await self._shown(page),
            "pinned": await self._shown(fixed),
            "more": str(found[LIST_PAGE - 1].at_us) if len(found) > LIST_PAGE else "",
        }

    async def _shown(self, listed: Sequence[ConversationEntry]) -> list[dict[str, Any]]:
        newest = await self._log.newest([one.conversation for one in listed])
        rooms = [_room_of(one.conversation) for one in listed]
        return [
            {
                "room": room,
                "title": one.title,
                "shared": not is_own(room),
                "at_ms": one.at_us // 1000,
                "empty": number == 0,
                "unread": number > one.seen,
            }
            for one, room, number in zip(listed, rooms, newest, strict=True)
        ]

    async def _seen(self, request: web.Request) -> web.StreamResponse:
        body = parse_body(SeenBody, await self._guard.json_body(request))
        actor = await self._visitors.actor(request, body.person, body.room)
        conversation = conversation_of(body.room)
        try:
            number = (await self._log.newest([conversation]))[0]
            if self._conversations:
                await self._conversations.saw(actor.user, conversation, number)
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
        """What was said in a room of their own goes; a shared one leaves their list alone."""
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
    given = request.query.get("before", "")
    if given and not _NUMBER.fullmatch(given):
        raise BadPayload("before: not a place in this list")
    return int(given) if given else None


def _store_away() -> web.Response:
    return json_response(503, {"error": "the store is away"})
