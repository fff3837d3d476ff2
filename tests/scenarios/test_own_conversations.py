"""Conversations of one's own in the web chat: listed, resumed, and closed to everybody else."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp

from adapters.redis.repositories.logins import RedisLogins
from adapters.webchat.room_names import home_room, own_room_prefix
from tests.fakes.platforms.patience import until
from tests.fakes.web_room import WebRoom, new_id
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_web_walk import to_review

MINE = own_room_prefix("lin") + "first"


@asynccontextmanager
async def signed_in(service: Service, person: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser of this person."""
    secret = await RedisLogins(service.parts.store.client).link(person, keep_s=600)
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(base_url=service.url, cookie_jar=jar) as session:
        async with session.post("/chat/login", json={"token": secret}) as answer:
            assert answer.status == 200
        yield session


async def asked(session: aiohttp.ClientSession, path: str, **query: str) -> tuple[int, Any]:
    async with session.get(path, params=query) as answer:
        if answer.content_type != "application/json":
            return answer.status, None
        return answer.status, await answer.json()


async def said(session: aiohttp.ClientSession, room: str, person: str, text: str) -> int:
    body = {"room": room, "person": person, "id": new_id(), "text": text}
    async with session.post("/chat/messages", json=body) as answer:
        return answer.status


async def test_nobody_else_gets_into_a_persons_conversation(start: Start) -> None:
    service = await start(web_login="link")
    async with AsyncExitStack() as stack:
        lin = await stack.enter_async_context(signed_in(service, "lin"))
        chen = await stack.enter_async_context(signed_in(service, "chen"))
        stranger = await stack.enter_async_context(aiohttp.ClientSession(service.url))
        assert await said(lin, MINE, "lin", "a private question") == 202
        status, mine = await asked(lin, "/chat/history", room=MINE)
        assert (status, mine["messages"][0]["text"]) == (200, "a private question")
        home = home_room("lin")
        for room in (MINE, home, own_room_prefix("lin") + "0"):
            for path in ("/chat/history", "/chat/events"):
                for named in ({}, {"person": "chen"}, {"person": "lin"}):
                    status, told = await asked(chen, path, room=room, **named)
                    assert (status, told) == (404, {"error": "room: there is no such conversation"})
                    assert (await asked(stranger, path, room=room, **named))[0] == 401
            ids = {"room": room, "id": new_id()}
            for path, more in (
                ("messages", {"text": "intruding"}),
                ("taps", {"button": "s1:0-abcdefgh:approve:1"}),
                ("forms", {"button": "s1:0-abcdefgh:approve:1", "values": {}}),
            ):
                for person, refused in (("chen", 404), ("lin", 403)):
                    body = {**ids, **more, "person": person}
                    async with chen.post(f"/chat/{path}", json=body) as answer:
                        assert answer.status == refused, (path, person)
            for person, refused in (("chen", 404), ("lin", 403)):
                async with chen.post("/chat/seen", json={"room": room, "person": person}) as got:
                    assert got.status == refused
                query, kind = {"room": room, "person": person}, "application/octet-stream"
                async with chen.post(
                    "/chat/files", params=query, data=b"x", headers={"Content-Type": kind}
                ) as got:
                    assert got.status == refused
        assert (await asked(chen, "/chat/conversations", person="lin"))[0] == 403
        _, theirs = await asked(chen, "/chat/conversations", person="chen")
        assert "private question" not in str(theirs)
        _, after = await asked(lin, "/chat/history", room=MINE)
        assert "intruding" not in str(after)


async def test_an_answer_is_unread_until_its_reader_was_there(start: Start) -> None:
    service = await start()
    room = MINE
    async with WebRoom(service.url, room, person="lin") as mine:
        await mine.say("lin", "ECOG of P003?")
        await mine.wait_for(lambda m: "ECOG" in str(m["parts"]))
        async with aiohttp.ClientSession(service.url) as session:
            _, told = await asked(session, "/chat/conversations", person="lin")
            (one,) = told["conversations"]
            assert (one["room"], one["title"], one["shared"]) == (room, "ECOG of P003?", False)
            assert one["unread"] is True
            async with session.post("/chat/seen", json={"room": room, "person": "lin"}) as seen:
                assert seen.status == 200
            _, told = await asked(session, "/chat/conversations", person="lin")
            assert told["conversations"][0]["unread"] is False
            assert [(one["room"], one["unread"]) for one in told["pinned"]] == [
                ("main", False), (home_room("lin"), False)
            ]  # fmt: skip


async def test_a_card_of_a_private_conversation_goes_to_reviewers_alone(start: Start) -> None:
    service = await start(web_login="link")
    async with AsyncExitStack() as stack:
        lin = await stack.enter_async_context(signed_in(service, "lin"))
        chen = await stack.enter_async_context(signed_in(service, "chen"))
        requested = await stack.enter_async_context(WebRoom(service.url, MINE, session=lin))
        at_home = WebRoom(service.url, home_room("chen"), session=chen)
        reviewed = await stack.enter_async_context(at_home)
        card = await to_review(requested)
        shown = await reviewed.card("confirm")
        assert shown["token"] == card["token"]
        assert MINE not in str(shown)
        assert "私人对话" in str(shown["origin"])
        _, main = await asked(chen, "/chat/history", room="main")
        assert main["messages"] == []
        status, told = await reviewed.tap("chen", shown, "approve")
        assert (status, told["ok"]) == (200, True)
        assert "陈博" in (await requested.card("confirm", closed=True))["outcome"]


async def test_a_conversation_is_deleted_once_nothing_waits_there(start: Start) -> None:
    service = await start()
    room = own_room_prefix("lin") + "over"
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession(service.url))
        mine = await stack.enter_async_context(WebRoom(service.url, room, person="lin"))
        body = {"room": room, "person": "lin"}

        async def delete(**other: str) -> int:
            async with session.post("/chat/delete", json=body | other) as answer:
                return answer.status

        card = await to_review(mine)
        # Neither the person nor the reviewer loses sight of what waits.
        assert await delete() == 409
        _, waits = await asked(session, "/chat/inbox", person="chen")
        assert [one["token"] for one in waits["cards"]] == [card["token"]]
        assert await delete(person="chen") == 404
        await mine.say("lin", "/cancel")
        await mine.card("confirm", closed=True)
        await until(lambda: _deleted(delete))
        _, told = await asked(session, "/chat/history", room=room, person="lin")
        assert told["messages"] == []
        _, told = await asked(session, "/chat/conversations", person="lin")
        assert told["conversations"] == []
        # The record of the work stays.
        assert await service.parts.store.client.keys("*log:*")
        # The shared room and one's notices stay.
        assert await delete(room="main") == 403
        assert await delete(room=home_room("lin")) == 403


async def _deleted(delete: Callable[[], Awaitable[int]]) -> bool:
    """Whether it is deleted now: that it was cancelled is still being told."""
    return await delete() == 200
