"""The page without a mouse: sending, lines, cards, buttons and forms by keyboard alone."""

import asyncio
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from cards.model import Field
from cards.showing.view import ButtonView, CardView, ConfirmView, MessageView
from engine.events import (
    Accepted,
    CardTapped,
    ConfirmWanted,
    DirectAnswer,
    FormSubmitted,
    MessageReceived,
    Outcome,
    Update,
)
from tests.fakes.browser import Browser
from tests.fakes.platforms.patience import PATIENCE_S

ROOM = "web:local:keys"


def question(token: str) -> MessageView:
    """A form that stands open: a number, one of three, one of many."""
    fields = (
        Field(name="weight", label="Weight", type="number"),
        Field(name="ecog", label="ECOG", type="choice", options=("0", "1", "2")),
        Field(name="site", label="Site", type="choice", options=("A", "B", "C", "D", "E", "F")),
    )
    send = ButtonView(data=f"s1:{token}:fill:1", label="Send", style="primary", form=fields)
    card = CardView(
        token=token, kind="clarify", title=f"About {token}", buttons=(send,), tone="open"
    )
    return MessageView(lang="en", card=card)


def decision(token: str) -> MessageView:
    """Three buttons; the second asks for a reason."""
    reason = (Field(name="reason", label="Reason"),)
    buttons = (
        ButtonView(data=f"s1:{token}:approve:1", label="Approve", style="primary"),
        ButtonView(data=f"s1:{token}:reject:1", label="Reject", style="danger", form=reason),
        ButtonView(data=f"s1:{token}:return:1", label="Return"),
    )
    card = CardView(token=token, kind="confirm", title=f"Record {token}?", buttons=buttons)
    return MessageView(lang="en", card=card)


class Keyboard:
    """Keys, wherever the focus is."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def press(self, *keys: str, alt: bool = False, shift: bool = False) -> None:
        held = [key for key, is_held in ((Keys.ALT, alt), (Keys.SHIFT, shift)) if is_held]
        chain = ActionChains(self._browser.driver)
        for key in held:
            chain.key_down(key)
        chain.send_keys(*keys)
        for key in held:
            chain.key_up(key)
        chain.perform()

    def at(self) -> str:
        """What has the focus: an id, a button's text, or a field's name."""
        return str(
            self._browser.run(
                "const at = document.activeElement;"
                "const named = at.id && !/^f\\d/.test(at.id);"
                "return named ? at.id : at.matches('button') ? at.textContent"
                " : at.closest('[data-field]')?.dataset.field ?? at.className"
            )
        )

    def come_to(self, name: str) -> None:
        """Returns once the focus is there."""
        WebDriverWait(self._browser.driver, PATIENCE_S, 0.02).until(lambda _: self.at() == name)


async def test_a_person_asks_fills_in_and_decides_by_keyboard_alone(page, chat, intake, browser):
    async def reply(update: Update) -> Outcome:
        await chat.send(ROOM, question("visit"), key="r1")
        await chat.send(ROOM, decision("visit"), key="r2")
        return Accepted()

    intake.answers = {"message": reply}
    await asyncio.to_thread(_walk, browser, page("keys"))
    asked, filled, tapped, refused = intake.updates
    assert isinstance(asked, MessageReceived)
    assert asked.text == "one\ntwo"
    assert isinstance(filled, FormSubmitted)
    assert filled.values == {"weight": "64", "ecog": "1", "site": "B"}
    assert isinstance(tapped, CardTapped)
    assert tapped.button == "s1:visit:return:1"
    assert isinstance(refused, FormSubmitted)
    assert (refused.button, refused.values) == ("s1:visit:reject:1", {"reason": "measure again"})


def _walk(browser: Browser, address: str) -> None:
    keyboard = Keyboard(browser)
    press, at = keyboard.press, keyboard.at
    browser.open(address)
    keyboard.come_to("text")
    # The first stop leads past everything else.
    first = "document.querySelector('a[href], button, input, textarea')"
    assert browser.run(f"{first}.focus(); return {first}.textContent") == "Skip to the message box"
    press(Keys.ENTER)
    keyboard.come_to("text")
    press("one")
    press(Keys.ENTER, shift=True)
    press("two", Keys.ENTER)
    browser.wait_text(".card h3", "Record visit?")
    assert at() == "text"
    press(Keys.ARROW_UP, alt=True)
    assert at() == "Approve"
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press(Keys.ARROW_UP, alt=True)
    assert at() == "weight"
    press("64", Keys.TAB, Keys.SPACE, Keys.ARROW_RIGHT)
    assert at() == "ecog"
    press(Keys.TAB, "B", Keys.TAB)
    assert at() == "Send"
    press(Keys.ENTER)
    browser.wait_text(".card .notice.ok", "Received")
    assert at() == "Send"
    press(Keys.ARROW_DOWN, alt=True)
    press(Keys.ARROW_LEFT)
    assert at() == "Return"
    press(Keys.ENTER)
    browser.wait_text(".kind-confirm .notice.ok", "Received")
    press(Keys.HOME, Keys.ARROW_RIGHT)
    assert at() == "Reject"
    press(Keys.ENTER)
    assert at() == "reason"
    # Escape closes the form, and goes back to the text from there.
    press(Keys.ESCAPE)
    assert at() == "Reject"
    press(Keys.ENTER, "measure again", Keys.TAB, Keys.ENTER)
    browser.wait_text(".kind-confirm .notice.ok", "Received")
    press(Keys.ESCAPE, Keys.ESCAPE)
    assert at() == "text"
    press(Keys.ARROW_UP, alt=True)
    press(Keys.ARROW_DOWN, alt=True)
    assert at() == "text"
    assert browser.console_errors() == []


async def test_what_cannot_be_taken_back_is_asked_first_and_by_keyboard(
    page, chat, intake, browser, tmp_path
):
    question = ConfirmView(
        data="s1:final:approve:1",
        lang="en",
        text="Record <b>P003</b>: this cannot be taken back.",
        confirm="Really Approve?",
        cancel="Not now",
        style="primary",
    )

    async def judge(update: Update) -> Outcome:
        assert isinstance(update, CardTapped)
        return DirectAnswer("Approved.", ok=True) if update.confirmed else ConfirmWanted(question)

    intake.answers = {"tap": judge}
    await chat.send(ROOM, decision("final"), key="r1")
    await asyncio.to_thread(_ask_twice, browser, page("keys"), tmp_path / "sure.png")
    taps = [(update.button, update.confirmed) for update in intake.updates]
    assert taps == [("s1:final:approve:1", sure) for sure in (False, False, False, True)]


def _ask_twice(browser: Browser, address: str, picture: Path) -> None:
    browser.open(address)
    browser.wait_text(".card h3", "Record final?")
    keys = Keyboard(browser)
    keys.come_to("text")
    keys.press(Keys.ARROW_UP, alt=True)
    keys.come_to("Approve")
    for leaves in (Keys.ESCAPE, Keys.ENTER):
        keys.press(Keys.ENTER)
        keys.come_to("Not now")
        told = browser.wait_text(".extra .question", "cannot be taken back")
        assert "<b>P003</b>" in told.text, "a title is text"
        assert told.get_attribute("role") == "group"
        keys.press(leaves)
        keys.come_to("Approve")
        assert browser.all(".question") == []
    keys.press(Keys.ENTER)
    keys.come_to("Not now")
    browser.screenshot(picture)
    keys.press(Keys.TAB, shift=True)
    keys.come_to("Really Approve?")
    keys.press(Keys.ENTER)
    browser.wait_text(".notice.ok", "Approved.")
    assert browser.all(".question") == []
    keys.come_to("Approve")
    assert browser.console_errors() == []
