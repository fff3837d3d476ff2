"""The page in a real browser, against the real WebChat over HTTP."""

import asyncio
from typing import Any

import pytest
from aiohttp import web

from adapters.webchat.platform import WebChat
from adapters.webchat.visitors import WebPerson
from cards.model import Field, Row
from cards.showing.view import (
    BarView,
    ButtonView,
    CardView,
    ChartView,
    FormView,
    MessageView,
    PartView,
    Tone,
)
from engine.events import (
    Accepted,
    CardTapped,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
    Outcome,
    Update,
)
from tests.adapters.webchat.conftest import ScriptedIntake
from tests.fakes.browser import Browser
from tests.fakes.chat_log import MemoryChatLog

ASK = "s1:0-clarify1:fill:1"
APPROVE = "s1:0-confirm1:approve:1"
REJECT = "s1:0-confirm1:reject:1"
RETURN = "s1:0-confirm1:return:1"
WEIGHT = Field(name="weight", label="Weight", type="number", unit="kg", minimum=30, maximum=200)
ECOG = Field(name="ecog", label="ECOG", type="choice", options=("0", "1", "2"))
DAY = Field(name="day", label="Visit date", type="date", value="2026-11-21")
REASON = Field(name="reason", label="Reason")


def asking(outcome: str = "", tone: Tone = "open") -> MessageView:
    button = ButtonView(data=ASK, label="Check", style="primary", form=(WEIGHT, ECOG, DAY))
    return MessageView(
        lang="en",
        parts=(
            PartView(number=1, state="answered", label="ECOG", text="P003 has **ECOG 1**."),
            PartView(
                number=2,
                state="done" if outcome else "needs_you",
                label="Visit",
                text="<img src=x onerror=alert(1)> [x](javascript:alert(1))",
            ),
        ),
        card=CardView(
            token="0-clarify1",
            kind="clarify",
            title="Visit of <b>P003</b>",
            rows=(Row(label="Subject", value="P003"),),
            buttons=() if outcome else (button,),
            outcome=outcome,
            tone=tone,
        ),
    )


def approving(outcome: str = "", tone: Tone = "open") -> MessageView:
    buttons = (
        ButtonView(data=APPROVE, label="Approve", style="primary"),
        ButtonView(data=REJECT, label="Reject", style="danger", form=(REASON,)),
        ButtonView(data=RETURN, label="Return"),
    )
    return MessageView(
        lang="en",
        card=CardView(
            token="0-confirm1",
            kind="confirm",
            title="Record it?",
            problems=("Weight is **high**",),
            buttons=() if outcome else buttons,
            outcome=outcome,
            tone=tone,
        ),
    )


def expected_refusals(errors: list[str]) -> list[str]:
    """The console's errors without its notes that a form got 422 or a message 503."""
    return [error for error in errors if "status of 422" not in error and "503" not in error]


async def test_a_person_asks_fills_the_form_and_sees_the_outcome(page, chat, intake, browser):
    conversation = "web:local:walk"
    chat.suggest_from(lambda actor, lang: [f"Show me the ECOG of P003, in {lang}"])

    async def reply(update: Update) -> Outcome:
        await chat.send(conversation, asking(), key="r1")
        return Accepted()

    async def judge(update: Update) -> Outcome:
        assert isinstance(update, FormSubmitted)
        if float(update.values["weight"]) > 200:
            return FormRefused(errors={"weight": "At most 200 kg."})
        await chat.edit(conversation, "r1", asking("Checked by Chen Rui", "good"))
        return DirectAnswer(text="Thank you.", ok=True)

    intake.answers = {"message": reply, "form": judge}
    await asyncio.to_thread(_ask_and_fill, browser, page("walk"))
    said, wrong, good = intake.updates
    assert isinstance(said, MessageReceived)
    assert (said.actor.user, said.conversation) == ("chen", conversation)
    assert said.text == "ECOG of P003?\nAnd record the visit"
    assert isinstance(wrong, FormSubmitted)
    assert wrong.values == {"weight": "400", "ecog": "", "day": "2026-11-21"}
    assert isinstance(good, FormSubmitted)
    assert good.values == {"weight": "64.5", "ecog": "1", "day": "2026-11-21"}
    assert good.id != wrong.id


def _ask_and_fill(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.wait_text(".chip", "Show me the ECOG of P003")
    browser.wait_text(".person", "Reviewer")
    assert browser.console_errors() == []
    browser.click('.person:has([value="chen"])')
    browser.type_lines("#text", "ECOG of P003?", "And record the visit")
    browser.press_enter("#text")
    assert "And record the visit" in browser.wait_text(".said.mine", "Chen Rui").text
    browser.wait_text(".part.is-answered", "P003 has ECOG 1.")
    browser.wait_text(".part.is-needs_you", "<img src=x")
    browser.wait_text(".card h3", "Visit of <b>P003</b>")
    assert browser.all(".md img, .md script, .md a, .card b, .chip:not([hidden] *)") == []
    browser.fill('[data-field="weight"] input', "400")
    browser.click(".form [type=submit]")
    browser.wait_text('[data-field="weight"] .fault', "At most 200 kg.")
    assert browser.run("return document.activeElement.value") == "400"
    browser.fill('[data-field="weight"] input', "64.5")
    browser.click('[data-field="ecog"] .pill:nth-child(2)')
    browser.click(".form [type=submit]")
    browser.wait_text(".card.tone-good .outcome", "Checked by Chen Rui")
    assert browser.all(".card button, .card input") == []
    assert len(browser.all(".said")) == 1
    assert len(browser.all(".reply")) == 1
    browser.open(address)
    browser.wait_text(".card.tone-good .outcome", "Checked by Chen Rui")
    assert browser.run("return document.querySelector('.person :checked').value") == "chen"
    assert expected_refusals(browser.console_errors()) == []


async def test_taps_are_answered_at_the_card(page, chat, intake, browser):
    conversation = "web:local:taps"
    wanted = FormView(
        data=RETURN, lang="en", title="Return it", submit="Return", cancel="Back", fields=(REASON,)
    )

    async def judge(update: Update) -> Outcome:
        assert isinstance(update, CardTapped)
        if update.button == RETURN:
            return FormWanted(form=wanted)
        return DirectAnswer(text=f"Not for {update.actor.name}.", ok=False)

    async def reject(update: Update) -> Outcome:
        assert isinstance(update, FormSubmitted)
        await chat.edit(conversation, "r1", approving("Rejected by Chen Rui", "bad"))
        return Accepted()

    intake.answers = {"tap": judge, "form": reject}
    await chat.send(conversation, approving(), key="r1")
    await asyncio.to_thread(_tap_around, browser, page("taps"))
    assert [update.kind for update in intake.updates] == ["tap", "tap", "form"]
    assert intake.updates[2].button == REJECT
    assert intake.updates[2].values == {"reason": "measure again"}


def _tap_around(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.click('.person:has([value="zhou"])')
    browser.wait_text(".problems", "Weight is high")
    browser.click(".button.primary")
    browser.wait_text(".notice.no", "Not for Zhou Yi.")
    browser.click('.person:has([value="chen"])')
    browser.click(".button.plain")
    browser.wait_text(".extra h4", "Return it")
    browser.click(".extra .button.plain", "Back")
    browser.click(".button.danger")
    browser.fill(".extra textarea", "measure again")
    browser.click(".extra [type=submit]")
    browser.wait_text(".card.tone-bad .outcome", "Rejected by Chen Rui")
    assert browser.console_errors() == []


async def test_a_double_click_is_one_tap_and_a_person_is_chosen_by_name(
    page, chat, intake, browser
):
    whom = Field(name="person", label="Name", type="person")
    suggested = whom.model_copy(update={"options": ("Bo Lin", "Hui Fang")})
    wanted = FormView(
        data=RETURN, lang="en", title="Who?", submit="Hand over", cancel="Back", fields=(suggested,)
    )

    async def judge(update: Update) -> Outcome:
        assert isinstance(update, CardTapped)
        return (
            FormWanted(form=wanted) if update.button == RETURN else DirectAnswer("Not you.", False)
        )

    intake.answers = {"tap": judge, "form": DirectAnswer("Handed over.", ok=True)}
    view = approving()
    assert view.card is not None
    give = ButtonView(data=RETURN, label="Hand over", form=(whom,))
    buttons = (*view.card.buttons[:2], give)
    shown = view.card.model_copy(update={"buttons": buttons})
    await chat.send("web:local:twice", MessageView(lang="en", card=shown), key="r1")
    await asyncio.to_thread(_click_twice, browser, page("twice"))
    assert [update.kind for update in intake.updates] == ["tap", "tap", "form"]
    assert intake.updates[-1].values == {"person": "Bo"}


def _click_twice(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.find(".card .button.primary")
    browser.run("const b = document.querySelector('.card .button.primary'); b.click(); b.click();")
    browser.wait_text(".notice.no", "Not you.")
    browser.click(".card .button.plain", "Hand over")
    browser.wait_text(".extra h4", "Who?")
    names = "return [...document.querySelectorAll('.extra datalist option')].map((o) => o.value)"
    assert browser.run(names) == ["Bo Lin", "Hui Fang"]
    browser.fill(".extra input", "Bo")
    browser.click(".extra [type=submit]")
    browser.wait_text(".notice.ok", "Handed over.")
    assert browser.console_errors() == []


async def test_what_was_not_recorded_stays_in_the_input_and_goes_again(page, intake, browser):
    intake.answers = {"message": NotRecorded(text="Not sent, the store is away.")}
    await asyncio.to_thread(_send_in_vain, browser, page("away"))
    intake.answers = {}
    await asyncio.to_thread(_send_again, browser)
    first, second = intake.updates
    assert first == second


def _send_in_vain(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.wait_text(".person", "Requester")
    browser.fill("#text", "hello")
    browser.press_enter("#text")
    browser.wait_text("#trouble", "The service does not answer. Try again in 3 seconds")
    assert browser.find("#text").get_property("value") == "hello"
    assert browser.all(".said") == []


def _send_again(browser: Browser) -> None:
    browser.click("#send")
    browser.wait_text(".said", "hello")
    assert browser.find("#text").get_property("value") == ""
    assert browser.all("#troubled:not([hidden])") == []
    assert expected_refusals(browser.console_errors()) == []


async def test_what_is_being_typed_survives_an_edit_of_other_parts(page, chat, browser):
    conversation = "web:local:edits"
    await chat.send(conversation, asking(), key="r1")
    address = page("edits")

    def start() -> None:
        browser.open(address)
        browser.fill('[data-field="weight"] input', "64")

    def look() -> None:
        browser.wait_text(".part", "changed")
        assert browser.find('[data-field="weight"] input').get_property("value") == "64"
        assert browser.run("return document.activeElement.value") == "64"

    await asyncio.to_thread(start)
    part = PartView(number=1, state="answered", text="changed")
    await chat.edit(conversation, "r1", asking().model_copy(update={"parts": (part,)}))
    await asyncio.to_thread(look)


async def test_what_is_being_typed_survives_an_edit_of_its_card(page, chat, browser):
    conversation = "web:local:cards"
    first = asking()
    await chat.send(conversation, first, key="r1")
    address = page("cards")

    def start() -> None:
        browser.open(address)
        browser.fill('[data-field="weight"] input', "64")

    def look() -> None:
        browser.wait_text(".card h3", "Visit of P004")
        assert browser.find('[data-field="weight"] input').get_property("value") == "64"

    await asyncio.to_thread(start)
    assert first.card is not None
    card = first.card.model_copy(update={"title": "Visit of P004"})
    await chat.edit(conversation, "r1", first.model_copy(update={"card": card}))
    await asyncio.to_thread(look)


async def test_typing_shows_until_the_next_message(page, chat, browser):
    conversation = "web:local:typing"
    address = page("typing")

    def open_page() -> None:
        browser.open(address)
        browser.find("#empty h2")

    def see_typing() -> None:
        browser.find("#typing .dots")

    def see_message() -> None:
        browser.wait_text(".reply", "ECOG 1")
        assert browser.all("#typing:not([hidden])") == []
        assert len(browser.all(".reply")) == 1

    await asyncio.to_thread(open_page)
    await chat.typing(conversation)
    await asyncio.to_thread(see_typing)
    await chat.send(conversation, asking(), key="r1")
    await chat.send(conversation, asking(), key="r1")
    await asyncio.to_thread(see_message)


async def test_the_page_speaks_both_languages(page, browser):
    def walk() -> None:
        browser.open(address)
        browser.click("#lang", "中文")
        browser.wait_text(".person", "审核人")
        browser.wait_text("#empty h2", "办点什么")
        assert browser.run("return document.documentElement.lang") == "zh"
        browser.click("#lang", "EN")
        browser.wait_text(".person", "Reviewer")

    address = page("words")
    await asyncio.to_thread(walk)


async def test_the_page_fits_a_phone(page, chat, browser):
    await chat.send("web:local:phone", asking(), key="r1")
    address = page("phone")

    def walk() -> None:
        browser.emulate(width=360, height=740, dark=True)
        browser.open(address)
        browser.find(".card .form")
        assert browser.run("return document.documentElement.scrollWidth") <= 360
        assert browser.run("return getComputedStyle(document.body).backgroundColor") == (
            "rgb(16, 20, 19)"
        )

    await asyncio.to_thread(walk)


async def test_a_chart_is_drawn_by_the_page_and_told_in_words(page, chat, browser, tmp_path):
    bars = (
        BarView(label="体重：应在 30 到 200 kg 之间", value=8),
        BarView(label="ECOG：缺失", value=2),
    )
    chart = ChartView(title="质控：各规则发现的问题", bars=bars)
    part = PartView(number=0, state="answered", text="| 规则 | 次数 |\n|---|---|\n| 体重 | 8 |")
    shown = MessageView(lang="zh", parts=(part,), chart=chart)
    await chat.send("web:local:charts", shown, key="r1")
    address = page("charts")

    def look() -> None:
        browser.open(address)
        figure = browser.wait_text(".reply figure.chart", "ECOG：缺失")
        assert figure.get_attribute("role") == "img"
        assert figure.get_attribute("aria-label") == chart.alt_text
        assert figure.find_element("tag name", "figcaption").text == chart.title
        widths = browser.run(
            "return [...document.querySelectorAll('.bar-fill')]"
            ".map((fill) => fill.getBoundingClientRect().width)"
        )
        assert widths[0] == pytest.approx(4 * widths[1], rel=0.02)
        assert widths[0] > 100
        assert browser.all(".reply table") == []
        browser.screenshot(tmp_path / "chart.png")
        assert browser.console_errors() == []

    await asyncio.to_thread(look)


async def test_a_card_stands_below_the_part_that_it_is_about(page, chat, browser):
    conversation = "web:local:between"
    view = asking()
    middle = view.model_copy(update={"card_part": 1})
    order = (
        "return [...document.querySelectorAll('.body > *')]"
        ".map((node) => node.dataset.number ?? node.dataset.token)"
    )

    def look() -> None:
        browser.open(page("between"))
        browser.fill('[data-field="weight"] input', "64")
        assert browser.run(order) == ["1", "0-clarify1", "2"]

    def look_again() -> None:
        browser.wait_text(".part.is-done", "Visit")
        # What is being typed stays where it is.
        assert browser.run(order) == ["1", "0-clarify1", "2"]
        assert browser.run("return document.activeElement.value") == "64"

    def at_last() -> None:
        browser.wait_text(".outcome", "Checked")
        assert browser.run(order) == ["1", "2", "0-clarify1"]

    await chat.send(conversation, middle, key="r1")
    await asyncio.to_thread(look)
    parts = (view.parts[0], view.parts[1].model_copy(update={"state": "done"}))
    await chat.edit(conversation, "r1", middle.model_copy(update={"parts": parts}))
    await asyncio.to_thread(look_again)
    await chat.edit(conversation, "r1", asking("Checked by Chen Rui", "good"))
    await asyncio.to_thread(at_last)


async def test_every_time_on_the_page_is_by_the_readers_clock(page, chat, browser):
    at = "⟦2026-11-21T18:30Z⟧"
    part = PartView(number=0, state="answered", text=f"- until {at}\n- `{at}`, ⟦9999-99-99T99:99Z⟧")
    card = approving(f"Chen Rui: Approve ({at})", "good").card
    await chat.send("web:local:clock", MessageView(lang="en", parts=(part,), card=card), key="r1")

    def look() -> None:
        for zone, told in (("America/New_York", "11-21 13:30"), ("Asia/Shanghai", "11-22 02:30")):
            browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
            browser.open(page("clock"))
            browser.wait_text(".outcome", f"Chen Rui: Approve ({told})")
            text = browser.find(".part .md").text
            assert text == f"until {told}\n{told}, ⟦9999-99-99T99:99Z⟧"
            assert len(browser.all('time[datetime="2026-11-21T18:30Z"]')) == 3
        browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})
        assert browser.console_errors() == []

    await asyncio.to_thread(look)


async def test_the_names_of_many_people_can_be_read(
    log: MemoryChatLog, intake: ScriptedIntake, browser: Browser, aiohttp_client: Any
) -> None:
    """Of ten people each had room for one letter of a name."""
    many = tuple(WebPerson(id=f"p{n}", name=f"Person {n}", role_label={}) for n in range(10))
    chat, app = WebChat(log=log, people=many, heartbeat_s=0.05), web.Application()
    app.add_routes(chat.routes(intake))
    client = await aiohttp_client(app)

    def look() -> list[float]:
        browser.emulate(width=1100, height=900)
        browser.open(str(client.make_url("/")))
        browser.find('.person:has([value="p9"])')
        widths: list[float] = browser.run(
            "return [...document.querySelectorAll('.person strong')]"
            ".map((name) => name.scrollWidth - name.clientWidth)"
        )
        browser.open("about:blank")
        return widths

    assert await asyncio.to_thread(look) == [0] * 10
    await chat.close()
