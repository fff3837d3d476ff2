"""A program over the requests of the web chat: codes of refusals, ids that are used twice."""

import aiohttp
import pytest

from adapters.webchat.room_names import own_room_prefix
from bot.people.personal_pages import MOST_CARDS
from bot.terminal.client import RequestRefused, Speaker, enter_room
from cards.model import Card, Choice, Review
from engine.ports.storage.store import CardWrite, Effects
from tests.fakes.web_room import WebRoom, button, new_id, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_own_conversations import signed_in
from tests.scenarios.test_web_walk import to_review

ASKED = "What is the ECOG of P003?"


@pytest.fixture
async def service(start: Start) -> Service:
    return await start()


async def test_an_id_under_which_something_else_was_said_is_a_conflict(service: Service) -> None:
    async with WebRoom(service.url) as room, WebRoom(service.url, "other") as other:
        again = {"text": ASKED, "id": new_id()}
        first = await room.post("messages", "lin", **again)
        assert first == await room.post("messages", "lin", **again)
        assert first[0] == 202
        status, told = await room.post("messages", "lin", **{**again, "text": "/help"})
        assert (status, told["ok"], told["code"]) == (409, False, "conflict")
        assert "another id" in told["text"]
        # Of another person, and in another room, it is another message.
        for where, who in ((room, "chen"), (other, "lin")):
            status, told = await where.post("messages", who, **{**again, "text": "/pending"})
            assert (status, told["reply"] != first[1]["reply"]) == (202, True)
        await other.wait_for(lambda m: "Nothing waits" in text_of(m) or "nothing" in text_of(m))


async def test_refusals_have_codes_and_other_values_are_not_dropped_in_silence(
    service: Service,
) -> None:
    async with WebRoom(service.url) as room:
        card = await to_review(room)

        async def told(status: int, person: str, choice: str, **values: str) -> str:
            send = room.fill if values else room.tap
            got, body = await send(person, card, choice, **values)  # type: ignore[operator]
            assert got == status, body
            return str(body.get("code"))

        assert await told(200, "lin", "approve") == "not_allowed"
        assert await told(422, "chen", "reject", nonsense="1") == "invalid"
        unknown = {"button": button(card, "approve").replace("approve", "nothing"), "id": new_id()}
        status, body = await room.post("taps", "chen", **unknown)
        assert (status, body["code"]) == (200, "not_found")
        stale = {"button": button(card, "approve")[:-1] + "9", "id": new_id()}
        assert (await room.post("taps", "chen", **stale))[1]["code"] == "changed"
        assert await told(200, "chen", "reject", reason="too early") == "None"
        assert await told(200, "chen", "reject", reason="too early") == "None"
        assert await told(409, "chen", "reject", reason="too late") == "conflict"
        assert await told(200, "chen", "approve") == "decided"


async def test_what_was_sent_under_a_forms_own_id_with_other_values_is_a_conflict(
    service: Service,
) -> None:
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        sent = {"button": button(card, "reject"), "id": new_id()}
        first = await room.post("forms", "chen", **sent, values={"reason": "too early"})
        assert first == await room.post("forms", "chen", **sent, values={"reason": "too early"})
        assert first[1]["ok"]
        status, told = await room.post("forms", "chen", **sent, values={"reason": "too late"})
        assert (status, told["code"]) == (409, "conflict")


async def test_too_many_messages_are_429(start: Start) -> None:
    service = await start(messages_per_min=2)
    async with WebRoom(service.url) as room:
        for _ in range(2):
            assert (await room.post("messages", "lin", text=ASKED, id=new_id()))[0] == 202
        status, told = await room.post("messages", "lin", text=ASKED, id=new_id())
        assert (status, told["ok"], told["code"]) == (429, False, "rate_limited")
        assert "2 messages a minute" in told["text"]
    # The terminal says it too, as `signoff ask` and `chat` do.
    async with enter_room(Speaker(service.url, id="lin")) as chat:
        with pytest.raises(RequestRefused, match="2 messages a minute"):
            await chat.say(ASKED)


async def test_the_inbox_has_pages_until_all_was_listed(service: Service) -> None:
    decisions, cards = service.parts.store.decisions, []
    for number in range(MOST_CARDS + 3):
        card = Card(
            kind="confirm",
            token=f"0-inbox{number:017d}",
            run="",
            conversation="web:local:main",
            lang="en",
            title=f"Card {number}",
            choices=(Choice(id="approve", label="Approve"),),
            review=Review(persons=("chen",)),
            requester="lin",
        )
        cards.append(card.token)
        effects = Effects(cards=(CardWrite(card),))
        await decisions.decide(card.token, update_id=card.token, answer="", effects=effects)
    seen = list[str]()
    async with aiohttp.ClientSession(service.url) as http:
        for page, more in ((1, True), (2, False), (3, False)):
            asked = {"person": "chen", "page": str(page)}
            told = await (await http.get("/chat/inbox", params=asked)).json()
            assert told["more"] is more
            seen += [each["token"] for each in told["cards"]]
    assert sorted(seen) == cards


async def test_who_signed_in_need_not_say_who_they_are(start: Start) -> None:
    service = await start(web_login="link")
    room = own_room_prefix("lin") + "bare"
    async with signed_in(service, "lin") as lin:
        body = {"room": room, "id": new_id(), "text": ASKED}
        named = await lin.post("/chat/messages", json={**body, "person": "lin"})
        bare = await lin.post("/chat/messages", json=body)
        assert bare.status == named.status == 202
        assert await bare.json() == await named.json()
        for path in ("/chat/inbox", "/chat/mine", "/chat/conversations", "/chat/people"):
            assert (await lin.get(path)).status == 200
        assert (await lin.post("/chat/seen", json={"room": room})).status == 200
        two = [("room", room), ("room", "main"), ("after", "0"), ("after", "0")]
        async with lin.get("/chat/events", params=two) as events:
            assert events.status == 200
        other = await lin.post("/chat/messages", json={**body, "person": "chen"})
        assert other.status == 403
    async with aiohttp.ClientSession(service.url) as http:
        assert (await http.post("/chat/messages", json=body)).status == 401
