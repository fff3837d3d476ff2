"""The admin pages in a real browser: on a phone and on a desk, in light and dark, by keyboard."""

import asyncio
import os
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from tests.fakes.admin_client import NAME, TOKEN
from tests.fakes.admin_sight import Sight, restored, run_in, something_to_see, to_review
from tests.fakes.browser import Browser
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start

PHONE, DESK = (360, 780), (1280, 900)


def sign_in(browser: Browser, url: str) -> None:
    browser.open(f"{url}/runs?lang=en")
    browser.fill("#name", NAME)
    browser.fill("#token", TOKEN)
    browser.press_enter("#token")
    browser.find("main h1")
    browser.wait_text(".me", NAME)
    browser.loaded()


async def test_every_page_fits_a_phone_and_a_desk_in_light_and_dark(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start(admin_token=TOKEN)
    sight = await something_to_see(service)
    await asyncio.to_thread(look_at_all, browser, service.url, sight, tmp_path)


def look_at_all(browser: Browser, url: str, sight: Sight, shots: Path) -> None:
    browser.emulate(width=PHONE[0], height=PHONE[1])
    browser.open(f"{url}/admin/login?lang=zh")
    assert_fits(browser, "login")
    browser.screenshot(shots / "login-phone.png")
    sign_in(browser, url)
    pages = {
        "runs": "/runs",
        "run-waits": f"/runs/{sight.waits}",
        "run-done": f"/runs/{sight.done}",
        "run-blocked": f"/runs/{sight.blocked}",
        "pending": "/pending",
        "blocked": "/blocked",
        "traces": "/traces",
    }
    for name, path in pages.items():
        for dark in (False, True):
            browser.emulate(width=PHONE[0], height=PHONE[1], dark=dark)
            browser.open(f"{url}{path}?lang={'zh' if dark else 'en'}")
            for size in (PHONE, DESK):
                browser.emulate(width=size[0], height=size[1], dark=dark)
                assert_fits(browser, name)
                assert_readable(browser)
                shot = "-".join(
                    (name, "phone" if size is PHONE else "desk", "dark" if dark else "light")
                )
                whole_page(browser, size[0], shots / f"{shot}.png", dark=dark)
    browser.open(f"{url}/traces")
    browser.click("td.main a")
    browser.find("dl.facts")
    assert_fits(browser, "trace")
    whole_page(browser, DESK[0], shots / "trace-desk.png", dark=True)
    assert browser.console_errors() == []
    browser.open("about:blank")


def whole_page(browser: Browser, width: int, path: Path, *, dark: bool) -> None:
    if "SCREENSHOTS" not in os.environ:
        return
    height = browser.run("return document.documentElement.scrollHeight")
    browser.emulate(width=width, height=min(height, 6000), dark=dark)
    browser.screenshot(path)


def assert_fits(browser: Browser, page: str) -> None:
    """Nothing makes the page itself scroll sideways."""
    browser.loaded()
    wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, page


def assert_readable(browser: Browser) -> None:
    """What the basics of access ask of a page."""
    faults = browser.run("""
      const faults = [];
      const told = (what, element) => faults.push(what + ": " + element.outerHTML.slice(0, 120));
      const shown = (e) => e.getClientRects().length > 0;
      if (!document.documentElement.lang) faults.push("no language");
      if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
      if (!document.querySelector("main")) faults.push("no main");
      for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
        if (!e.labels.length) told("no label", e);
      for (const e of document.querySelectorAll("button, a, summary"))
        if (shown(e) && !e.textContent.trim()) told("no name", e);
      for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) told("alt", e);
      for (const e of document.querySelectorAll(".table > table")) {
        const heads = e.querySelectorAll("th");
        if (!heads.length || [...heads].some((th) => th.scope !== "col")) told("no headers", e);
        if (!e.caption) told("no caption", e);
      }
      const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
      ids.filter((id, n) => ids.indexOf(id) !== n).forEach((id) => faults.push("twice: " + id));
      for (const e of document.querySelectorAll("button, .button, .menu a, .chip"))
        if (shown(e) && e.getBoundingClientRect().height < 32) told("too small", e);
      return faults;
    """)
    assert faults == []


async def test_all_of_it_can_be_done_by_keyboard(start: Start, browser: Browser) -> None:
    service = await start(admin_token=TOKEN)
    async with WebRoom(service.url) as room:
        await to_review(room)
        run = await run_in(service, room)
    await asyncio.to_thread(by_keyboard, browser, service.url)
    assert (await service.parts.services.decisions.run(run) or ("", ""))[1] == "cancelled"


def by_keyboard(browser: Browser, url: str) -> None:
    browser.emulate(width=DESK[0], height=DESK[1])
    sign_in(browser, url)
    press = browser.driver.switch_to
    assert focused_after(browser, Keys.TAB) == ".skip"
    assert browser.run("return document.activeElement.getBoundingClientRect().top >= 0")
    press.active_element.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "main"
    order = [focused_after(browser, Keys.TAB) for _ in range(7)]
    wanted = ["#status", "#playbook", "#person", "#conversation", "#text", "#children"]
    assert order == [*wanted, ".primary"]
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.run(outline) == "solid"
    browser.press_enter("td.main a")
    browser.press_enter("#cancel > summary")
    assert focused_after(browser, Keys.TAB) == ".danger"
    press.active_element.send_keys(Keys.ENTER)
    browser.wait_text(".notice", "cancelled")
    assert browser.console_errors() == []
    browser.open("about:blank")


def focused_after(browser: Browser, key: str) -> str:
    """What has the focus after a key: its id, else its first class."""
    browser.driver.switch_to.active_element.send_keys(key)
    found = browser.run(
        "const e = document.activeElement; return e.id ? '#' + e.id : '.' + e.classList[0]"
    )
    return str(found)


async def test_a_page_that_is_open_follows_the_run(start: Start, browser: Browser) -> None:
    service = await start(admin_token=TOKEN)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        run = await run_in(service, room)
        await asyncio.to_thread(open_run, browser, f"{service.url}/runs/{run}?lang=en")
        await asyncio.to_thread(browser.find, "main[data-heard]")
        await room.tap("chen", card, "approve")
        await asyncio.to_thread(browser.wait_text, ".card .outcome", "陈博")
        await asyncio.to_thread(browser.wait_text, "h1 .badge", "done")
        assert await asyncio.to_thread(still_open, browser)
    browser.open("about:blank")


def open_run(browser: Browser, url: str) -> None:
    browser.emulate(width=DESK[0], height=DESK[1])
    browser.open(url)
    browser.fill("#name", NAME)
    browser.fill("#token", TOKEN)
    browser.press_enter("#token")
    browser.wait_text("h1 .badge", "waiting")
    browser.click("#way > summary")
    browser.run("window.stayed = true; document.querySelector('#graph').scrollTop = 40")


def still_open(browser: Browser) -> bool:
    """The page was not loaded anew, and what was opened and scrolled in it stayed so."""
    found = browser.run(
        "return window.stayed && document.querySelector('#way').open"
        " && document.querySelector('#graph').scrollTop === 40"
    )
    return bool(found) and browser.console_errors() == []


async def test_a_blocked_run_goes_on_from_its_page(start: Start, browser: Browser) -> None:
    service = await start(admin_token=TOKEN)
    sight = await something_to_see(service)
    await restored(service, sight.blocked)
    await asyncio.to_thread(retry, browser, service.url, sight.blocked)
    browser.open("about:blank")


def retry(browser: Browser, url: str, run: str) -> None:
    browser.emulate(width=PHONE[0], height=PHONE[1])
    sign_in(browser, url)
    browser.open(f"{url}/blocked")
    browser.click(f'td.main a[href="/runs/{run}"]')
    browser.click('form[action$="/retry"] button')
    browser.wait_text(".notice", "handled again")
    browser.wait_text("h1 .badge", "done")
    browser.wait_text(".timeline", f"admin:{NAME}")


async def test_a_vote_is_given_away_by_keyboard_on_a_phone(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start(admin_token=TOKEN)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        run = await run_in(service, room)
        shots = tmp_path
        await asyncio.to_thread(give_away, browser, service.url, run, card["token"], shots)
        _, answer = await room.tap("zhao", card, "approve")
        assert answer["ok"] is True
    browser.open("about:blank")


def give_away(browser: Browser, url: str, run: str, token: str, shots: Path) -> None:
    browser.emulate(width=PHONE[0], height=PHONE[1], dark=True)
    sign_in(browser, url)
    browser.open(f"{url}/runs/{run}?lang=en#card-{token}")
    browser.press_enter(f"#reassign-{token} > summary")
    assert focused_after(browser, Keys.TAB) == f"#giver-{token}"
    assert_fits(browser, "reassign")
    browser.screenshot(shots / "reassign-phone-dark.png")
    assert focused_after(browser, Keys.TAB) == f"#taker-{token}"
    assert focused_after(browser, Keys.TAB) == ".primary"
    browser.emulate(width=PHONE[0], height=PHONE[1])
    browser.screenshot(shots / "reassign-phone-light.png")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    browser.wait_text(".notice", "may decide in that place")
    browser.wait_text(f"#card-{token}", "赵敏")
    browser.wait_text(".timeline", f"admin:{NAME}")
    assert_readable(browser)
    assert browser.console_errors() == []
