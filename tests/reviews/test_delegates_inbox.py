"""What waits for a person, and in which order: also for who stands in for somebody."""

from functools import partial
from pathlib import Path

from cards.buttons import Button
from cards.deciding.handover import HAND_OVER, RECEIVER
from engine.talk.pending import PAGE_CARDS, read_pending_page
from tests.fakes.web_room import WebRoom, new_id, text_of
from tests.reviews.walks import rewrite
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_web_walk import to_review


async def waiting(service: Service, person_id: str, *, size: int = PAGE_CARDS) -> list[str]:
    """The cards on the first page of what waits for a person."""
    parts = service.parts
    person = parts.resources.people.person(person_id)
    assert person is not None
    voter = partial(parts.resources.people.as_voter, person, today=parts.services.clock.today())
    return [
        card.token
        for card in (
            await read_pending_page(parts.store.inbox, voter, parts.services.clock.now(), size=size)
        ).cards
    ]


async def test_reviews_stand_before_what_the_reviewer_themselves_was_asked_earlier(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url, "own") as own, WebRoom(service.url) as room:
        unclear = []
        for text in ("P003今天的访视", "录入P009的体温37.1"):
            await own.say("chen", text)
            unclear.append(
                await own.wait_for(lambda m, t=text: bool(m["card"]) and t in text_of(m))
            )
        card = await to_review(room)
    review, *own_cards = (
        Button.unpack(each["buttons"][0]["data"]).token
        for each in (card, *(message["card"] for message in unclear))
    )
    assert await waiting(service, "chen", size=1) == [review]
    assert await waiting(service, "chen") == [review, *own_cards]


async def test_a_standing_delegate_finds_what_waits_for_whom_they_stand_in_for(
    start: Start, people_file: Path
) -> None:
    rewrite(people_file, "    web: chen\n", "    web: chen\n    delegate: {person: zhao}\n")
    service = await start(people=people_file)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
    token = Button.unpack(card["buttons"][0]["data"]).token
    assert await waiting(service, "chen") == await waiting(service, "zhao") == [token]
    assert await waiting(service, "lin") == []


async def test_who_was_handed_a_card_finds_it_and_nobody_else_does(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        token = Button.unpack(card["buttons"][0]["data"]).token
        assert await waiting(service, "zhao") == []
        button = next(b["data"] for b in card["buttons"] if f":{HAND_OVER}:" in b["data"])
        values = {RECEIVER: "zhao"}
        status, answer = await room.post("forms", "chen", button=button, values=values, id=new_id())
        assert (status, answer["ok"]) == (200, True)
        assert await waiting(service, "zhao") == [token]
        assert await waiting(service, "lin") == []
        card = await room.card("confirm")
        _, answer = await room.tap("zhao", card, "approve")
        assert answer["ok"]
    assert await waiting(service, "zhao") == []
