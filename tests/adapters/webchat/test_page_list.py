"""The list of conversations on the page: it has room; each can be renamed, found and deleted."""

import asyncio
from typing import Any

import pytest
from aiohttp import web

from adapters.redis.repositories.chat import RedisChatLog, RedisConversations
from adapters.webchat.platform import WebChat
from adapters.webchat.room_names import own_room_prefix
from tests.adapters.webchat.conftest import PEOPLE

OWN = own_room_prefix("lin")
TITLES = "return [...document.querySelectorAll('#list .title')].map((e) => e.innerText)"
FITS = (
    "return document.documentElement.scrollHeight <= innerHeight"
    " && document.documentElement.scrollWidth <= innerWidth"
)


@pytest.fixture
def log(redis, scripts, partitions):
    return RedisChatLog(scripts, redis, partitions)


@pytest.fixture
def listed(scripts, partitions):
    return RedisConversations(scripts, partitions)


@pytest.fixture
def chat(log, listed):
    return WebChat(log=log, people=PEOPLE, conversations=listed, heartbeat_s=0.05)


async def spoken(log: Any, listed: Any, *titles: str) -> None:
    """Conversations of Lin's, none of which they have seen."""
    for number, title in enumerate(titles):
        conversation = f"web:local:{OWN}{number}"
        body = {"op": "said", "id": f"message-{number}", "person": "lin", "name": "Lin Yue"}
        await log.append(conversation, body | {"text": title})
        await listed.note_message("lin", conversation, title)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["wide", "phone"])
async def test_thirty_conversations_scroll_in_their_list_alone(
    page, log, listed, browser, width, height
):
    await spoken(log, listed, *(f"conversation {number}" for number in range(30)))
    address = page(f"{OWN}0")

    def look() -> None:
        browser.emulate(width=width, height=height)
        browser.open(address)
        browser.wait_text("#where", "conversation 0")
        if width < 1000:
            browser.click("#menu")
        browser.wait_text("#list", "conversation 29")
        assert len(browser.all("#list .unread")) == 29
        assert browser.run(FITS)
        browser.run("document.querySelector('#list li:last-child a').scrollIntoView()")
        assert browser.run(FITS)
        assert browser.run("return document.documentElement.scrollTop") == 0
        assert browser.console_errors() == []

    await asyncio.to_thread(look)


async def test_a_conversation_is_renamed_found_and_deleted(page, log, listed, browser, redis):
    await spoken(log, listed, "ECOG of P001", "Weight of P002", "访视 P003")
    first, second = page(f"{OWN}0"), page(f"{OWN}1")

    def rename() -> None:
        browser.emulate(width=1280, height=800)
        browser.open(first)
        browser.wait_text("#where", "ECOG of P001")
        browser.click("#list li:has([aria-current]) .manage")
        browser.fill("#manage-title", "  The   first  ")
        browser.press_enter("#manage-title")
        browser.wait_text("#where", "The first")
        browser.wait_text("#list [aria-current]", "The first")
        assert browser.all("dialog[open]") == []

    def search() -> None:
        browser.fill("#search", "p00 of")
        browser.wait_text("#list li:first-child:last-child", "Weight of P002")
        # Where one is stays told, though the list has it not.
        assert browser.find("#where").text == "The first"
        browser.fill("#search", "nowhere")
        browser.wait_text("#list-told", "No conversation")
        assert browser.run(TITLES) == []
        browser.fill("#search", "访视")
        browser.wait_text("#list li:first-child:last-child", "访视 P003")
        browser.run("const s = document.getElementById('search'); s.value = ''; s.oninput?.();")
        browser.run("document.getElementById('search').dispatchEvent(new Event('input'))")
        browser.wait_text("#list", "The first")
        assert len(browser.run(TITLES)) == 3

    def delete() -> None:
        browser.open(second)
        browser.wait_text("#where", "Weight of P002")
        browser.fill("#text", "not sent")
        browser.click("#list li:has([aria-current]) .manage")
        browser.click("#manage-delete")
        browser.wait_text("#manage-told", "gone for good")
        assert browser.run(TITLES)[1] == "Weight of P002"
        browser.click("#manage-delete", "Yes")
        # Whoever is in what is gone is elsewhere.
        browser.wait_text("#reach", "Everybody")
        browser.wait_text("#list", "The first")
        assert browser.run(TITLES) == ["访视 P003", "The first"]
        assert "not sent" not in browser.run("return JSON.stringify(localStorage)")
        assert browser.console_errors() == []

    def follow() -> None:
        browser.open(first)
        browser.wait_text(".said", "ECOG of P001")

    await asyncio.to_thread(rename)
    await asyncio.to_thread(search)
    await asyncio.to_thread(delete)
    assert not [name async for name in redis.scan_iter(f"*{OWN}1") if "draft" not in name]
    # In another tab of what is deleted, nobody goes on as if it were there.
    await asyncio.to_thread(follow)
    body = {"op": "said", "id": "more", "person": "lin", "name": "Lin Yue", "text": "heard"}
    await log.append(f"web:local:{OWN}0", body)
    await asyncio.to_thread(browser.wait_text, ".said", "heard")
    assert await listed.forget("lin", f"web:local:{OWN}0", whole=True)
    await asyncio.to_thread(browser.wait_text, "#reach", "Everybody")


async def test_what_cannot_be_deleted_now_says_why(page, log, listed, browser, scripts, partitions):
    await spoken(log, listed, "ECOG of P001")
    conversation = f"web:local:{OWN}0"
    waits = f"{{p{partitions.of_conversation(conversation):x}}}:c:{conversation}:cards"
    await scripts.client.zadd(waits, {"card": 1})
    address = page(f"{OWN}0")

    def walk() -> None:
        browser.emulate(width=1280, height=800)
        browser.open(address)
        browser.click("#list .manage")
        browser.click("#manage-delete")
        browser.click("#manage-delete", "Yes")
        browser.wait_text("#manage-told", "a card that waits")
        browser.click("#manage-close")
        browser.wait_text(".said", "ECOG of P001")
        assert browser.run(TITLES) == ["ECOG of P001"]

    await asyncio.to_thread(walk)


async def test_a_list_that_does_not_come_is_told_and_asked_for_again(
    page, log, listed, browser, monkeypatch
):
    await spoken(log, listed, "ECOG of P001")
    address = page("main")
    listing = listed.list_newest

    async def away(*_: Any, **__: Any) -> Any:
        raise web.HTTPInternalServerError

    def fail() -> None:
        browser.emulate(width=1280, height=800)
        browser.open(address)
        browser.click('.person:has([value="lin"])')
        browser.wait_text("#list-told", "could not be loaded")
        browser.find("#list-again")
        # The page asks again by itself, too: then what is to be clicked might be gone already.
        browser.run("for (let id = setTimeout(() => {}); id; id -= 1) clearTimeout(id)")

    def again() -> None:
        browser.run("document.getElementById('list-again').click()")
        browser.wait_text("#list", "ECOG of P001")
        assert not browser.find("#side").find_element("id", "list-again").is_displayed()

    monkeypatch.setattr(listed, "list_newest", away)
    await asyncio.to_thread(fail)
    monkeypatch.setattr(listed, "list_newest", listing)
    await asyncio.to_thread(again)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("rename", {"room": f"{OWN}0", "person": "chen", "title": "mine"}, 404),
        ("rename", {"room": f"{OWN}9", "person": "lin", "title": "not listed"}, 404),
        ("rename", {"room": f"{OWN}0", "person": "lin", "title": "  "}, 400),
        ("rename", {"room": f"{OWN}0", "person": "lin", "title": "a" * 81}, 400),
        ("delete", {"room": f"{OWN}0", "person": "chen"}, 404),
        ("delete", {"room": "main", "person": "lin"}, 403),
        ("delete", {"room": "ward-7", "person": "lin"}, 200),
    ],
)
async def test_only_ones_own_list_is_changed(client, log, listed, path, body, status):
    await spoken(log, listed, "ECOG of P001")
    await log.append("web:local:ward-7", {"op": "typing"})
    await listed.note_message("lin", "web:local:ward-7", "shared")
    assert (await client.post(f"/chat/{path}", json=body)).status == status
    left = [one.title for one in await listed.list_newest("lin", before_us=None, count=5)]
    assert left == (["ECOG of P001"] if status == 200 else ["shared", "ECOG of P001"])
    # What is shared stays, for everybody else.
    assert len(await log.read("web:local:ward-7", "0", wait_s=0.01)) == 1


async def test_a_shared_room_is_found_by_its_name_and_an_own_one_is_not(client, log, listed):
    await spoken(log, listed, "ECOG of P001")
    await listed.note_message("lin", "web:local:ward-7", "shared")

    async def found(words: str) -> list[str]:
        query = {"person": "lin", "words": words}
        told = await (await client.get("/chat/conversations", params=query)).json()
        return [one["title"] for one in told["conversations"]]

    assert await found("WARD-7 Sha") == ["shared"]
    assert await found("my") == []
    assert await found("ecog") == ["ECOG of P001"]
