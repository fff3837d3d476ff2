"""The page's panel of what waits for whoever is speaking, by mouse and by keyboard."""

import asyncio
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from adapters.redis.repositories.logins import RedisLogins
from tests.fakes.browser import Browser
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_web_walk import to_review


async def test_a_reviewer_decides_in_the_panel_what_was_asked_in_another_room(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start()
    async with WebRoom(service.url, "ward-7") as room:
        card = await to_review(room)
        await asyncio.to_thread(decide, browser, f"{service.url}/?room=elsewhere", tmp_path)
        closed = await room.card("confirm", closed=True)
        assert "陈博" in closed["outcome"]
        assert closed["token"] == card["token"]
    browser.open("about:blank")


def decide(browser: Browser, url: str, shots: Path) -> None:
    browser.emulate(width=1100, height=900)
    browser.open(url)
    browser.click('.person:has([value="zhao"])')
    browser.run("document.querySelector('#waiting').focus()")
    press(browser, Keys.ENTER)
    browser.wait_text("#inbox .told", "Nothing waits for you.")
    press(browser, Keys.ESCAPE)
    assert not browser.find("#waiting").get_attribute("hidden")
    assert browser.run("return document.activeElement.id") == "waiting"
    browser.click('.person:has([value="chen"])')
    browser.wait_text("#count", "1")
    browser.screenshot(shots / "count.png")
    browser.run("document.querySelector('#waiting').focus()")
    press(browser, Keys.ENTER)
    browser.wait_text("#inbox .card h3", "请审核")
    browser.wait_text("#inbox .card .note", "ward-7")
    browser.screenshot(shots / "panel.png")
    browser.emulate(width=390, height=780, dark=True)
    browser.screenshot(shots / "panel-small.png")
    browser.emulate(width=1100, height=900)
    # By keyboard alone: from the panel's close button on to the card's first button.
    for _ in range(6):
        press(browser, Keys.TAB)
        if browser.run("return document.activeElement.matches('#inbox .button.primary')"):
            break
    press(browser, Keys.ENTER)
    browser.wait_text("#inbox .question :focus", "再看看")
    back = ActionChains(browser.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB)
    back.key_up(Keys.SHIFT).perform()
    browser.wait_text("#inbox .question :focus", "批准")
    press(browser, Keys.ENTER)
    browser.wait_text("#inbox .notice.ok", "陈博")
    browser.screenshot(shots / "decided.png")
    browser.click("#inbox-close")
    browser.run("document.querySelector('#lang').click()")
    browser.wait_text("#waiting", "待办")
    browser.click("#waiting")
    browser.wait_text("#inbox .told", "现在没有等你处理的事项。")
    assert browser.all("#inbox .card") == []
    browser.run("document.querySelector('#lang').click()")
    assert browser.console_errors() == []


def press(browser: Browser, key: str) -> None:
    """A key, wherever the focus is."""
    ActionChains(browser.driver).send_keys(key).perform()


async def test_a_link_signs_in_by_its_button_and_the_page_has_a_way_out(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start(web_login="link")
    secret = await RedisLogins(service.parts.store.client).link("chen", keep_s=600)
    await asyncio.to_thread(sign_in, browser, service.url, secret, tmp_path)
    browser.open("about:blank")


def sign_in(browser: Browser, url: str, secret: str, shots: Path) -> None:
    browser.emulate(width=1100, height=900)
    browser.open(url)
    browser.wait_text("#told", "Sign in with the link")
    assert not browser.all("#enter")[0].is_displayed()
    browser.console_errors()
    # Opening the link does nothing yet, however often.
    for _ in range(2):
        browser.open("about:blank")
        browser.open(f"{url}/login#{secret}")
        browser.wait_text("#told", "This link works once.")
    browser.screenshot(shots / "login.png")
    browser.click("#enter")
    browser.wait_text(".person strong", "陈博")
    assert len(browser.all(".person")) == 1
    assert browser.run("return document.cookie") == ""
    browser.screenshot(shots / "signed-in.png")
    browser.click("#leave")
    browser.wait_text("#told", "Sign in with the link")
    browser.open("about:blank")
    browser.open(f"{url}/login#{secret}")
    browser.click("#enter")
    browser.wait_text("#told", "used before")
