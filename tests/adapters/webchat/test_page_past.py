"""The page and what was said before: in pages, each message as it is now, the focus kept."""

import asyncio
from typing import Any

import pytest
from selenium.webdriver.support.wait import WebDriverWait

from cards.model import Field, Row
from cards.showing.view import ButtonView, CardView, MessageView, PartView
from tests.fakes.browser import Browser
from tests.fakes.chat_log import MemoryChatLog
from tests.fakes.platforms.patience import PATIENCE_S

LONG = "web:local:long"


def told(text: str) -> MessageView:
    return MessageView(lang="en", parts=(PartView(number=0, state="answered", text=text),))


def waiting(title: str, *, closed: bool = False, note: str = "") -> MessageView:
    """A card with a form in it, and a button; or its outcome."""
    fields = (Field(name="weight", label="Weight"), Field(name="reason", label="Reason"))
    buttons = (
        ButtonView(data=f"s1:{title}:fill:1", label="Send", style="primary", form=fields),
        ButtonView(data=f"s1:{title}:stop:1", label="Withdraw"),
    )
    card = CardView(
        token=title,
        kind="clarify",
        title=title,
        rows=(Row(label="Subject", value="P003"),),
        note=note,
        buttons=() if closed else buttons,
        outcome="Sent by Lin Yue" if closed else "",
        tone="good" if closed else "open",
    )
    return MessageView(lang="en", card=card)


async def filled(log: MemoryChatLog, chat: Any, count: int) -> None:
    """A conversation with cards among its first messages, and so many others after them."""
    await chat.send(LONG, waiting("early"), key="early")
    await chat.send(LONG, waiting("later"), key="later")
    for number in range(count):
        body = {"op": "said", "id": f"m{number}", "person": "lin", "name": "Lin Yue"}
        await log.append(LONG, body | {"text": f"message {number}"})


def articles(browser: Browser) -> int:
    return int(browser.run("return document.querySelectorAll('#log > article').length"))


def until(browser: Browser, script: str) -> None:
    WebDriverWait(browser.driver, PATIENCE_S, 0.02).until(lambda _: browser.run(f"return {script}"))


async def test_ten_thousand_messages_come_a_page_at_a_time(page, chat, log, browser):
    await filled(log, chat, 10_000)
    address = page("long")

    def walk() -> None:
        browser.emulate(width=1000, height=700)
        browser.open(address)
        browser.wait_text(".said", "message 9999")
        browser.run("window.pane = document.getElementById('scroll')")
        assert articles(browser) == 40
        assert browser.run("return pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 40")
        # What is in sight stays in sight when more is put above it.
        seen = browser.run(
            "pane.scrollTop = 300;"
            "const at = [...log.children].find((n) => n.getBoundingClientRect().top > 100);"
            "window.held = at; return at.getBoundingClientRect().top"
        )
        until(browser, "log.children.length === 80")
        assert browser.run("return held.getBoundingClientRect().top") == pytest.approx(seen, abs=3)
        assert browser.run("return log.children[0].textContent").endswith("message 9920")
        assert browser.console_errors() == []

    await asyncio.to_thread(walk)


async def test_cards_further_up_are_as_they_are_now(page, chat, log, browser):
    await filled(log, chat, 90)
    await chat.edit(LONG, "early", waiting("early", closed=True))
    address = page("long")

    def look() -> None:
        browser.emulate(width=1000, height=700)
        browser.open(address)
        browser.wait_text(".said", "message 89")

    def go_up() -> None:
        # The change of a message that is not on the page adds nothing to its end.
        browser.wait_text(".said", "one more")
        assert browser.all(".card") == []
        browser.run("window.pane = document.getElementById('scroll')")
        for _ in range(2):
            browser.run("pane.scrollTop = 0")
            until(browser, "pane.scrollTop > 0 || document.getElementById('earlier').hidden")
        until(browser, "document.getElementById('earlier').hidden")
        cards = browser.run(
            "return [...document.querySelectorAll('#log .outcome')].map((n) => n.textContent)"
        )
        assert cards == ["✓Sent by Lin Yue"] * 2
        assert (
            browser.run("return log.firstElementChild.querySelector('.card').dataset.token")
            == "early"
        )
        assert browser.console_errors() == []

    await asyncio.to_thread(look)
    await chat.edit(LONG, "later", waiting("later", closed=True))
    body = {"op": "said", "id": "more", "person": "lin", "name": "Lin Yue", "text": "one more"}
    await log.append(LONG, body)
    await asyncio.to_thread(go_up)


async def test_the_focus_and_what_is_selected_stay_when_a_card_changes(page, chat, browser):
    await chat.send("web:local:focus", waiting("first"), key="r1")
    address = page("focus")

    def start() -> None:
        browser.open(address)
        browser.fill('[data-field="reason"] input', "heavy coat")
        browser.run("document.activeElement.setSelectionRange(2, 5)")

    def look() -> None:
        browser.wait_text(".note", "asked again")
        assert browser.run(
            "const at = document.activeElement;"
            "return [at.closest('[data-field]').dataset.field, at.value,"
            " at.selectionStart, at.selectionEnd]"
        ) == ["reason", "heavy coat", 2, 5]
        browser.run("[...document.querySelectorAll('.card button')].pop().focus()")

    def look_again() -> None:
        browser.wait_text(".note", "a third time")
        assert browser.run("return document.activeElement.textContent") == "Withdraw"

    def at_last() -> None:
        browser.wait_text(".outcome", "Sent by")
        assert browser.run("return document.activeElement.matches('.card')")
        assert browser.console_errors() == []

    await asyncio.to_thread(start)
    await chat.edit("web:local:focus", "r1", waiting("first", note="asked again"))
    await asyncio.to_thread(look)
    await chat.edit("web:local:focus", "r1", waiting("first", note="a third time"))
    await asyncio.to_thread(look_again)
    await chat.edit("web:local:focus", "r1", waiting("first", closed=True))
    await asyncio.to_thread(at_last)


async def test_what_was_said_before_is_not_read_out_as_new(page, chat, browser):
    await chat.send("web:local:live", told("before"), key="r1")
    address = page("live")

    def walk() -> None:
        browser.open(address)
        browser.wait_text(".reply", "before")
        until(browser, "log.getAttribute('aria-live') === 'polite'")
        roles = browser.run("return [log.getAttribute('role'), log.getAttribute('aria-relevant')]")
        assert roles == ["log", "additions text"]
        assert browser.run("return document.getElementById('scroll').tabIndex") == 0

    await asyncio.to_thread(walk)
