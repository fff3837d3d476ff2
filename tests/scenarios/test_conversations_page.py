"""Several conversations on the page: begun, listed, found again by their address, told apart."""

import asyncio
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from adapters.redis.repositories.logins import RedisLogins
from adapters.webchat.room_names import own_room_prefix
from tests.fakes.browser import Browser
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start


async def test_a_person_goes_between_conversations_of_their_own(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start(web_login="link")
    secret = await RedisLogins(service.parts.store.client).link("lin", keep_s=600)
    first = await asyncio.to_thread(begin_two, browser, service.url, secret, tmp_path)
    # Something is said in the first conversation while the person is in the second one.
    room = first.partition("room=")[2]
    assert room.startswith(own_room_prefix("lin"))
    await asyncio.to_thread(find_the_first, browser, service.url, first)
    browser.open("about:blank")


async def test_on_a_phone_the_list_opens_and_closes_and_nobody_elses_is_entered(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start(web_login="link")
    secret = await RedisLogins(service.parts.store.client).link("lin", keep_s=600)
    await asyncio.to_thread(open_the_list, browser, service.url, secret, tmp_path)
    hostile = f"{service.url}/?room={own_room_prefix('chen')}theirs"
    await asyncio.to_thread(stay_out, browser, hostile)
    browser.open("about:blank")


def begin_two(browser: Browser, url: str, secret: str, shots: Path) -> str:
    browser.emulate(width=1200, height=800)
    browser.open(f"{url}/login#{secret}")
    browser.click("#enter")
    # Who signs in is in a conversation of their own, and its address says which.
    browser.wait_text("#reach", "Only you")
    first = str(browser.run("return location.href"))
    browser.find("#text:focus")
    browser.fill("#text", "ECOG of P003?")
    browser.press_enter("#text")
    browser.wait_text(".part", "ECOG of P003: 1")
    browser.wait_text("#list [aria-current]", "ECOG of P003?")
    browser.click("#new")
    browser.wait_text("#where", "New conversation")
    browser.wait_text("#list", "ECOG of P003?")
    assert browser.all(".said") == []
    assert browser.run("return location.href") != first
    browser.fill("#text", "/help")
    browser.press_enter("#text")
    browser.find(".reply")
    browser.wait_text("#list [aria-current]", "/help")
    titles = "return [...document.querySelectorAll('#list .title')].map((e) => e.innerText)"
    assert browser.run(titles) == ["/help", "ECOG of P003?"]
    browser.screenshot(shots / "two.png")
    return first


def find_the_first(browser: Browser, url: str, first: str) -> None:
    browser.run("document.querySelector('#list [aria-current]').focus()")
    ActionChains(browser.driver).send_keys(Keys.ARROW_DOWN, Keys.ENTER).perform()
    browser.wait_text("#where", "ECOG of P003?")
    assert browser.run("return location.href") == first
    browser.wait_text(".said.mine", "ECOG of P003?")
    browser.wait_text(".part", "ECOG of P003: 1")
    assert browser.run("return document.title") == "ECOG of P003? · Signoff"
    # Who comes without an address is where something was said last.
    browser.open(url)
    browser.wait_text("#where", "/help")
    assert browser.console_errors() == []


def open_the_list(browser: Browser, url: str, secret: str, shots: Path) -> None:
    browser.emulate(width=390, height=780)
    browser.open(f"{url}/login#{secret}")
    browser.click("#enter")
    browser.find("#empty h2")
    browser.fill("#text", "/help")
    browser.press_enter("#text")
    browser.wait_text("#where", "/help")
    assert not browser.find("#menu").get_attribute("hidden")
    assert not browser.all("#side")[0].is_displayed()
    browser.click("#menu")
    browser.wait_text("#side", "/help")
    assert browser.run("return document.activeElement.getAttribute('aria-current')") == "page"
    browser.screenshot(shots / "drawer.png")
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
    assert browser.run("return document.activeElement.id") == "menu"
    assert browser.run("return document.documentElement.scrollWidth") <= 390
    assert browser.console_errors() == []


def stay_out(browser: Browser, hostile: str) -> None:
    browser.open(hostile)
    browser.wait_text("#trouble", "somebody else's")
    assert browser.all("article") == []
    assert not browser.find("#text").is_enabled()
    browser.click("#menu")
    browser.wait_text("#list", "/help")
    # The page did not even ask: nothing was refused.
    assert browser.console_errors() == []


async def test_a_mark_shows_where_something_new_was_said(start: Start, browser: Browser) -> None:
    service = await start()
    room = own_room_prefix("lin") + "quiet"
    async with WebRoom(service.url, room, person="lin") as quiet:
        await quiet.say("lin", "ECOG of P003?")
        await quiet.wait_for(lambda message: "ECOG" in str(message["parts"]))
        address = f"{service.url}/?room=main"
        await asyncio.to_thread(see_the_mark, browser, address, f"{service.url}/?room={room}")
    browser.open("about:blank")


def see_the_mark(browser: Browser, main: str, quiet: str) -> None:
    browser.emulate(width=1200, height=800)
    browser.open(main)
    browser.wait_text("#reach", "Everybody")
    browser.click('.person:has([value="lin"])')
    browser.find("#list .unread")
    assert "new messages" in browser.run("return document.querySelector('#list a').textContent")
    browser.click("#list a")
    browser.wait_text(".part", "ECOG of P003: 1")
    assert browser.run("return location.href") == quiet
    browser.open(main)
    browser.wait_text("#list", "ECOG of P003?")
    assert browser.all("#list .unread") == []
    # The address of somebody's conversation shows it to nobody else, however they say who they are.
    browser.click('.person:has([value="chen"])')
    browser.open(quiet)
    browser.wait_text(".said.mine", "ECOG of P003?")
    browser.click('.person:has([value="chen"])')
    browser.wait_text("#reach", "Everybody")
    assert "main" in browser.run("return location.search")
    browser.find("#empty h2")
    assert browser.console_errors() == []
