"""A person's own requests, wherever they were asked for: how each ended, who decided and why."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.leave import copy_leave
from tests.fakes.web_room import Message, WebRoom, new_id, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_case_questions import ask as answer
from tests.scenarios.test_leave_walk import ask, ended


@pytest.fixture
async def service(start: Start, tmp_path: Path) -> Service:
    folder = copy_leave(tmp_path / "leave")
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
    )


@pytest.fixture
async def room(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url) as room:
        yield room


@pytest.fixture
async def other(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url, "elsewhere") as room:
        yield room


async def rejected(room: WebRoom, reason: str = "Inventory is that week") -> None:
    """Lin asks for days, and Wei does not give them."""
    await ask(room, "2027-01-11", "2027-01-13")
    card = await room.card("confirm")
    _, told = await room.fill("wei", card, "reject", reason=reason)
    assert told["ok"], told
    await ended(room, "rejected", reason)


async def listed(room: WebRoom, person: str, command: str, *words: str) -> Message:
    """The answer to a command, which has these words."""
    known = set(room.shown)
    await room.say(person, command)

    def answers(message: Message) -> bool:
        new = any(view is message for key, view in room.shown.items() if key not in known)
        return new and all(word in text_of(message) for word in words)

    return await room.wait_for(answers)


async def test_a_list_has_what_runs_and_what_ended_with_who_decided_and_why(
    room: WebRoom, other: WebRoom
) -> None:
    await rejected(room)
    await ask(other, "2027-02-01", "2027-02-03")
    await other.card("confirm")
    message = await listed(other, "lin", "/mine", "Under way", "Ended in the last 90 days")
    told = text_of(message)
    assert "2027-02-01 2027-02-03" in told
    assert "waiting for team lead" in told
    assert "2027-01-11 2027-01-13" in told
    assert "rejected (" in told
    assert "Wei Min: Reject" in told
    assert "Reason: Inventory is that week" in told
    assert "/?room=main" in told
    assert [each["label"] for each in message["card"]["buttons"]] == [
        "Cancel Leave 2027-02-01 2027-02-03"
    ]
    assert "发起过请求" in text_of(await listed(other, "oda", "我的请求", "90"))


async def test_a_run_is_cancelled_by_its_button_from_elsewhere_once_and_by_its_own_person(
    room: WebRoom, other: WebRoom
) -> None:
    await ask(room, "2027-01-11", "2027-01-13")
    await room.card("confirm")
    message = await listed(other, "lin", "/runs", "Under way")
    menu = message["card"]
    (button,) = menu["buttons"]
    for stranger in ("oda", "wei"):
        _, told = await other.tap(stranger, menu, "cancel_run")
        assert not told["ok"], told
        assert "no such run" in told["text"]
    status, asked = await other.post(
        "taps", "lin", button=button["data"], id=new_id(), confirmed=False
    )
    assert status == 200
    assert asked["confirm"]["data"] == button["data"]
    assert "cannot be taken back" in asked["confirm"]["text"]
    _, told = await other.tap("lin", menu, "cancel_run")
    assert told == {"ok": True, "text": "Cancelled “Leave 2027-01-11 2027-01-13”."}
    await ended(room, "cancelled", "nothing was written")
    assert (await room.card("confirm", closed=True))["outcome"]
    _, again = await other.tap("lin", menu, "cancel_run")
    assert not again["ok"]
    assert "has ended already: cancelled" in again["text"]
    await listed(other, "lin", "/mine", "cancelled by Lin Tao")
    await listed(other, "lin", "/runs", "Nothing is under way")


async def test_of_several_runs_the_person_chooses_which_is_cancelled(
    room: WebRoom, other: WebRoom
) -> None:
    await ask(room, "2027-01-11", "2027-01-13")
    await ask(other, "2027-02-01", "2027-02-03")
    for place in (room, other):
        await place.card("confirm")
    async with WebRoom(room.url, "third") as third:
        message = await listed(third, "lin", "/cancel", "Which one do you mean?")
        assert len(message["card"]["buttons"]) == 2
        await listed(third, "oda", "/cancel", "There is no run that you can cancel")
        # Where one of them goes on, that one is meant.
        await listed(other, "lin", "/cancel", "Cancelled", "2027-02-01")
        await ended(other, "cancelled", "nothing was written")
        message = await listed(third, "lin", "/runs", "2027-01-11")
        assert "2027-02-01" not in text_of(message)


async def test_the_page_lists_them_to_their_person_alone(
    service: Service, room: WebRoom, http: aiohttp.ClientSession
) -> None:
    await rejected(room)
    await ask(room, "2027-02-01", "2027-02-03")
    await room.card("confirm")

    async def mine(person: str, **query: str) -> Message:
        asked = {"person": person, "lang": "en", **query}
        async with http.get(f"{service.url}/chat/mine", params=asked) as answer:
            assert answer.status == 200
            body: Message = await answer.json()
        return body

    found = await mine("lin")
    runs, over = found["cards"]
    assert (found["more"], found["days"]) == (False, 90)
    assert (runs["title"], over["title"]) == (
        "Leave 2027-02-01 2027-02-03",
        "Leave 2027-01-11 2027-01-13",
    )
    assert "waiting for team lead" in runs["html"]
    assert "rejected" in over["html"]
    assert "Inventory is that week" in over["html"]
    assert [len(each["buttons"]) for each in (runs, over)] == [1, 0]
    assert "/?room=main" in over["origin"]["html"]
    assert (await mine("lin", page="2"))["cards"] == []
    assert "已被驳回" in (await mine("lin", lang="zh"))["cards"][1]["html"]
    for other in ("oda", "wei"):
        assert (await mine(other))["cards"] == []
    _, told = await room.post("taps", "lin", button=runs["buttons"][0]["data"], id=new_id())
    assert told["ok"]
    first, _ = (await mine("lin"))["cards"]
    assert "cancelled by Lin Tao" in first["html"]


async def open_forms(service: Service, many: int) -> None:
    """So many requests of Lin's that wait, each in a conversation of its own."""
    for number in range(many):
        async with WebRoom(service.url, f"room-{number}") as place:
            await place.say("lin", "please book leave for me")
            await place.card("clarify")


async def test_every_open_request_is_reached_page_by_page_before_those_that_ended(
    service: Service, room: WebRoom, other: WebRoom, http: aiohttp.ClientSession
) -> None:
    await rejected(room)
    await open_forms(service, 12)

    async def page(command: str, *words: str) -> tuple[str, int]:
        message = await listed(other, "lin", command, *words)
        buttons = message["card"]["buttons"] if message["card"] else ()
        return text_of(message), len(buttons)

    for command in ("/mine", "/runs", "/cancel"):
        first, buttons = await page(command, f"<code>{command} 2</code> for more")
        assert (first.count("<li>"), buttons) == (10, 10), command
        second, buttons = await page(f"{command} 2", "Under way")
        ended_too = command == "/mine"
        assert (second.count("<li>"), buttons) == (2 + ended_too, 2), command
        assert ("rejected (" in second) is ended_too
        assert "for more" not in second
        third, buttons = await page(f"{command} 3", "There is nothing on page 3")
        assert (buttons, "Nothing is under way" in third) == (0, False)
    shown = list[str]()
    for number, more in ((1, True), (2, False)):
        asked = {"person": "lin", "lang": "en", "page": str(number)}
        async with http.get(f"{service.url}/chat/mine", params=asked) as answer:
            body = await answer.json()
        assert body["more"] is more
        shown += [each["token"] for each in body["cards"]]
    assert len({*shown}) == 13


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("why was my leave rejected?", ("rejected by Wei Min", "Inventory is that week")),
        ("has it been approved?", ("rejected", "Wei Min")),
        ("What's the first day of my leave?", ("First day", "2027-01-11")),
        ("我的休假批了吗？", ("已被驳回", "Wei Min")),
        ("最后一天是几号？", ("最后一天", "2027-01-13")),
    ],
)
async def test_a_question_about_a_request_is_answered_wherever_its_person_asks(
    room: WebRoom, other: WebRoom, asked: str, words: tuple[str, ...]
) -> None:
    await rejected(room)
    await listed(other, "lin", asked, *words)
    # What a tool knows, it tells; and work is begun as always.
    await listed(other, "lin", "how many days of leave do I have left?", "You have 16 of 20 days")
    assert "Inventory" not in text_of(await listed(other, "oda", asked))
    await ask(other, "2027-03-01", "2027-03-02")
    await other.card("confirm")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("what was the matter with that week?", ("Inventory is that week",)),
        ("which colleague objected to it?", ("Wei Min", "Inventory is that week")),
        ("did the higher-ups give their blessing?", ("rejected", "Wei Min")),
        ("那一周有什么不方便吗？", ("Inventory is that week",)),
    ],
)
async def test_where_requests_share_nothing_those_of_the_conversation_answer(
    room: WebRoom, other: WebRoom, asked: str, words: tuple[str, ...]
) -> None:
    await rejected(room)
    await listed(room, "lin", asked, *words)
    # Nobody asked for anything in the other room.
    assert "Inventory" not in text_of(await listed(other, "oda", asked))


async def test_what_anybody_may_know_is_not_answered_with_a_request(room: WebRoom) -> None:
    await rejected(room)
    told = text_of(
        await listed(room, "lin", "what is the capital of France?", "Nothing that I can look up")
    )
    assert "Inventory" not in told


async def test_a_request_is_no_answer_to_what_names_another_or_nothing_of_it(start: Start) -> None:
    """Where all of a project is one case, every question has one: only its words tell of it."""
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "record a visit for P003 today, weight 61.5")
        await room.card("clarify")
    async with WebRoom(service.url, "elsewhere") as room:
        assert "waiting for" in await answer(room, "lin", "how does my visit stand?")
        for question in ("今天天气怎么样", "who approves corrections?", "有多少质疑还没关闭"):
            told = await answer(room, "lin", question)
            assert not re.search("61\\.5|Record a visit P003", told), told
        assert "no such request" in await answer(room, "lin", "what happened to my correction?")
