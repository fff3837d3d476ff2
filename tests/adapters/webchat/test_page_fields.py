"""Types of fields on the page: each in a control that shows it without loss."""

import asyncio
from typing import Any

from cards.model import Field
from cards.showing.view import ButtonView, CardView, MessageView
from engine.events import Accepted, FormSubmitted, Outcome, Update
from tests.fakes.browser import Browser

FILL = "s1:0-clarify2:submit:1"


def field(name: str, kind: Any, value: str = "", **more: Any) -> Field:
    return Field(name=name, label=name.title(), type=kind, value=value, **more)


FIELDS = (
    field("amount", "money", "120.50 EUR"),
    field("start", "time", "08:30"),
    field("exact", "time", "08:30:15"),
    field("day", "date", maximum="today"),
    field("mail", "email"),
    field("page", "url"),
    field("paid", "boolean", options=("yes", "no"), labels={"yes": "Ja", "no": "Nein"}),
    field("kind", "choice", options=("h", "t"), labels={"h": "Hotel", "t": "Taxi"}),
    field("town", "entity", options=tuple("abcdef"), labels={"f": "Fulda"}),
    field("file", "file", "receipt.pdf"),
    field("loft", "entity", "L1", entity="loft", labels={"L1": "Oak (L1)"}),
)


async def test_each_type_has_its_control(page: Any, chat: Any, intake: Any, browser: Any) -> None:
    conversation = "web:local:fields"
    button = ButtonView(data=FILL, label="Send", style="primary", form=FIELDS)
    card = CardView(token="0-clarify2", kind="clarify", title="Expense", buttons=(button,))

    async def reply(update: Update) -> Outcome:
        await chat.send(conversation, MessageView(lang="en", card=card), key="r1")
        return Accepted()

    intake.answers = {"message": reply}
    await asyncio.to_thread(_fill_in, browser, page("fields"))
    sent = intake.updates[-1]
    assert isinstance(sent, FormSubmitted)
    assert sent.values == {
        "amount": "99 USD",
        "start": "08:30",
        "exact": "08:30:15",
        "day": "",
        "mail": "ann@",
        "page": "example",
        "paid": "no",
        "kind": "t",
        "town": "f",
        "file": "receipt.pdf",
        "loft": "L1",
    }


def _fill_in(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.click('.person:has([value="chen"])')
    browser.type_lines("#text", "an expense")
    browser.press_enter("#text")
    browser.wait_text(".card h3", "Expense")
    script = "return [...document.querySelectorAll('[data-field]')].map(f => [f.dataset.field, "
    script += "f.querySelector('input, select').type])"
    assert dict(browser.run(script)) == {
        "amount": "text",
        "start": "time",
        "exact": "text",
        "day": "date",
        "mail": "text",
        "page": "text",
        "paid": "radio",
        "kind": "radio",
        "town": "select-one",
        "file": "text",
        "loft": "text",
    }
    assert browser.find('[data-field="loft"] .hint').text == "Oak (L1)"
    assert browser.find('[data-field="mail"] input').get_property("inputMode") == "email"
    assert browser.find('[data-field="day"] .hint').text == "≤ today"
    assert [e.text for e in browser.all('[data-field="paid"] .pill')] == ["Ja", "Nein"]
    assert "Fulda" in browser.find('[data-field="town"] select').text
    browser.fill('[data-field="amount"] input', "99 USD")
    browser.fill('[data-field="mail"] input', "ann@")
    browser.fill('[data-field="page"] input', "example")
    browser.click('[data-field="paid"] .pill:nth-child(2)')
    browser.click('[data-field="kind"] .pill:nth-child(2)')
    browser.click('[data-field="town"] option:last-child')
    browser.click(".form [type=submit]")
    browser.wait_text(".card .notice", "Received.")
