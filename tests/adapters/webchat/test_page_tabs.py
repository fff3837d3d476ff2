"""The page in many tabs, and gone back and forth in: a browser's six connections are enough."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from adapters.webchat.room_names import own_room_prefix
from cards.showing.view import MessageView, PartView
from tests.fakes.browser import Browser

TABS = 8
"""A browser opens no more than six connections to a host."""

NO_WORKERS = "delete window.SharedWorker;"


def told(text: str) -> MessageView:
    return MessageView(lang="en", parts=(PartView(number=0, state="answered", text=text),))


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Callable[[str], str]]:
    """Opens an address in a tab of its own; all but the first are closed at the end."""
    first = browser.driver.current_window_handle

    def tab(address: str) -> str:
        browser.driver.switch_to.new_window("tab")
        browser.open(address)
        return browser.driver.current_window_handle

    yield tab
    for handle in browser.driver.window_handles:
        if handle != first:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
    browser.driver.switch_to.window(first)


async def test_more_tabs_than_connections_all_load_and_hear(page, chat, browser, tabs):
    def open_all() -> list[str]:
        handles = []
        for number in range(TABS):
            handles.append(tabs(page(f"tab-{number % 4}")))
            browser.find("#empty h2")
        return handles

    def look(handles: list[str], text: str) -> None:
        for number, handle in enumerate(handles):
            browser.driver.switch_to.window(handle)
            browser.wait_text(".reply", f"{text} {number % 4}")
            assert browser.console_errors() == []

    handles = await asyncio.to_thread(open_all)
    for number in range(4):
        await chat.send(f"web:local:tab-{number}", told(f"heard {number}"), key=f"r{number}")
    await asyncio.to_thread(look, handles, "heard")
    # Those that stay go on hearing when others are closed.
    browser.driver.close()
    for number in range(4):
        await chat.edit(f"web:local:tab-{number}", f"r{number}", told(f"again {number}"))
    await asyncio.to_thread(look, handles[:-1], "again")


@pytest.mark.parametrize("script", ["", NO_WORKERS], ids=["shared", "alone"])
async def test_new_conversations_in_a_row_and_back_through_them(page, chat, browser, script):
    added = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": script}
    )
    own = own_room_prefix("lin")

    def go_on() -> list[str]:
        browser.emulate(width=1280, height=800)
        browser.open(page("main"))
        browser.click('.person:has([value="lin"])')
        rooms = []
        for _ in range(7):
            browser.click("#new")
            browser.wait_text("#reach", "Only you")
            browser.find("#empty h2")
            rooms.append(browser.run("return new URLSearchParams(location.search).get('room')"))
        assert len(set(rooms)) == 7
        assert all(room.startswith(own) for room in rooms)
        return rooms

    def go_back() -> None:
        for _ in range(5):
            browser.driver.back()
            browser.find("#empty h2")
        browser.driver.forward()
        browser.find("#empty h2")

    def look(room: str) -> None:
        assert room in browser.run("return location.search")
        browser.wait_text(".reply", "here you are")
        assert browser.console_errors() == []

    try:
        rooms = await asyncio.to_thread(go_on)
        await asyncio.to_thread(go_back)
        await chat.send(f"web:local:{rooms[2]}", told("here you are"), key="r1")
        await asyncio.to_thread(look, rooms[2])
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        browser.run("localStorage.clear()")


async def test_what_was_said_while_a_page_was_put_aside_is_there_when_it_comes_back(
    page, chat, browser
):
    def leave() -> None:
        browser.open(page("aside"))
        browser.find("#empty h2")
        browser.open(page("elsewhere"))
        browser.find("#empty h2")

    def come_back() -> None:
        browser.driver.back()
        browser.wait_text(".reply", "meanwhile")

    def hear() -> None:
        browser.wait_text(".reply", "and now")
        assert len(browser.all(".reply")) == 2

    await asyncio.to_thread(leave)
    await chat.send("web:local:aside", told("meanwhile"), key="r1")
    await asyncio.to_thread(come_back)
    await chat.send("web:local:aside", told("and now"), key="r2")
    await asyncio.to_thread(hear)
