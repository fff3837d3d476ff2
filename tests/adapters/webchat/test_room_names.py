"""Whose a room is, by its name."""

import pytest
from aiohttp import web

from adapters.redis.repositories.chat import RedisChatLog, RedisConversations
from adapters.webchat.platform import WebChat
from adapters.webchat.room_names import home_room, is_own, may_enter, own_room_prefix
from tests.adapters.webchat.conftest import PEOPLE
from tests.fakes.tables import table

MINE = own_room_prefix("lin") + "first"


@pytest.mark.parametrize("room", [MINE, home_room("lin"), own_room_prefix("lin") + "0" * 16])
def test_a_room_of_ones_own_is_nobody_elses(room):
    assert is_own(room)
    assert may_enter(room, "lin")
    assert not any(may_enter(room, person) for person in ("", "chen", "Lin", "lin ", room))
    assert len(room) <= 32


@table("room", ["main", "ward-7", "my-ward", "home", "my-0123", "home-0123456789ab-x"])
def test_other_rooms_are_shared(room):
    assert not is_own(room)
    assert may_enter(room, "")


@pytest.mark.parametrize(
    "room", [MINE.upper(), f"{MINE}\n", f" {MINE}", f"{MINE}/", f"{MINE}:x", "ＭＹ-", "my-../x"]
)
async def test_no_other_spelling_of_a_room_leads_into_it(client, intake, room):
    for path in ("/chat/history", "/chat/events"):
        answer = await client.get(path, params={"room": room, "person": "chen"})
        assert answer.status == 400
    body = {"room": room, "person": "chen", "id": "aaaaaaaa", "text": "hello"}
    assert (await client.post("/chat/messages", json=body)).status == 400
    assert intake.updates == []


async def test_what_is_away_says_when_to_try_again(client, log):
    log.away = True
    answer = await client.get("/chat/history", params={"room": "main"})
    assert (answer.status, answer.headers["Retry-After"]) == (503, "3")


@pytest.mark.parametrize("before", ["0", "-1", "x", "1e3", "1" * 17])
async def test_a_place_in_a_list_is_a_number(client, before):
    answer = await client.get("/chat/history", params={"room": "main", "before": before})
    assert answer.status == 400
    assert (await answer.json())["error"].startswith("before: ")


async def test_conversations_are_listed_the_newest_first(
    redis, scripts, partitions, aiohttp_client, intake
):
    log, listed = RedisChatLog(scripts, redis, partitions), RedisConversations(scripts, partitions)
    app = web.Application()
    app.add_routes(WebChat(log=log, people=PEOPLE, conversations=listed).routes(intake))
    client = await aiohttp_client(app)

    async def rooms(**query: str) -> tuple[list[str], str]:
        answer = await client.get("/chat/conversations", params={"person": "lin", **query})
        told = await answer.json()
        return [one["room"] for one in told["conversations"]], told["more"]

    names = [f"{own_room_prefix('lin')}{number:02}" for number in range(33)]
    for number, room in enumerate(names):
        body = {
            "room": room,
            "person": "lin",
            "id": f"message-{number:02}",
            "text": f"a\n b {number}",
        }
        assert (await client.post("/chat/messages", json=body)).status == 202
    first, more = await rooms()
    assert first == names[:2:-1]
    assert await rooms(before=more) == (names[2::-1], "")
    answer = await client.get("/chat/conversations", params={"person": "lin"})
    assert (await answer.json())["conversations"][0]["title"] == "a b 32"
    other = await client.get("/chat/conversations", params={"person": "chen"})
    assert (await other.json())["conversations"] == []
