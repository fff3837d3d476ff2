"""What goes wrong is said on the page, in the reader's language, and what was typed is not lost."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.clock import SystemClock
from adapters.webchat import events
from adapters.webchat.middleware import http_error
from adapters.webchat.platform import WebChat
from adapters.webchat.uploads import Uploads
from adapters.webchat.visitors import FreeChoice, WebPerson
from cards.showing.view import ButtonView, CardView, MessageView
from engine.events import Accepted, DirectAnswer, NotRecorded
from tests.adapters.webchat.conftest import PEOPLE, ScriptedIntake
from tests.fakes.browser import Browser, Browsers
from tests.fakes.chat_log import MemoryChatLog
from tests.fakes.ports import free_port

ROOM = "web:local:main"
AWAY = {
    "en": ("Try again in 3 seconds", "stays in the box"),
    "zh": ("3 秒后再试", "留在输入框里"),
}
ENDED = {"en": "Your sign-in has ended", "zh": "登录已失效"}
LOST = {"en": ("Connection lost", "Connected again"), "zh": ("连接断开", "已恢复连接")}
LATE = {"en": "never sends it twice", "zh": "不会发两次"}
AGAIN = {"en": "Try again", "zh": "再试一次"}
WRONG_KIND = {"en": "cannot be read. These can: csv, png", "zh": "这种文件读不了"}
TOO_LARGE = {"en": "larger than 1 MB", "zh": "超过 1 MB"}

_PUT = """
const [how, name, kind, size] = arguments;
const data = new DataTransfer();
let content = new Uint8Array(size);
if (kind === "image/png" && size === 200) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 8;
  canvas.getContext("2d").fillRect(0, 0, 8, 8);
  content = Uint8Array.from(atob(canvas.toDataURL().split(",")[1]), (c) => c.charCodeAt(0));
}
data.items.add(new File([content], name, { type: kind }));
const text = document.getElementById("text"), plain = { bubbles: true, cancelable: true };
if (how === "paste") {
  text.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, ...plain }));
} else for (const kind of ["dragover", how]) {
  document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, ...plain }));
}
"""


@pytest.fixture(scope="module", params=["en", "zh"])
def browser(request: pytest.FixtureRequest, browsers: Browsers) -> Iterator[Browser]:
    yield from browsers.lend(request.param)


@pytest.fixture
def lang(browser: Browser, request: pytest.FixtureRequest) -> str:
    return str(request.node.callspec.params["browser"])


class Guarded(FreeChoice):
    """A door at which the session ends when `shut` is set."""

    shut = False

    async def who(self, request: web.Request) -> WebPerson | None:
        if self.shut:
            raise http_error(web.HTTPUnauthorized, "sign in with a link")
        return await super().who(request)


class Served:
    """The page on an address that it comes back to after a break."""

    def __init__(self, folder: Any) -> None:
        self.log, self.intake, self.door = MemoryChatLog(), ScriptedIntake(), Guarded()
        self._uploads = Uploads(folder, SystemClock("UTC"), max_mb=1, kinds=("csv", "png"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/?room=main"

    @asynccontextmanager
    async def up(self) -> AsyncIterator[WebChat]:
        chat = WebChat(
            log=self.log,
            people=PEOPLE,
            authenticator=self.door,
            uploads=self._uploads,
            heartbeat_s=0.05,
        )
        app = web.Application()
        app.add_routes(chat.routes(self.intake))

        async def close(_: web.Application) -> None:
            await chat.close()

        app.on_shutdown.append(close)
        server = TestServer(app, host="127.0.0.1", port=self.port)
        await server.start_server()
        try:
            yield chat
        finally:
            await server.close()


@pytest.fixture
def served(tmp_path: Any, browser: Browser) -> Iterator[Served]:
    yield Served(tmp_path / "uploads")
    browser.open("about:blank")
    browser.console_errors()


def said_nothing_lost(browser: Browser, text: str) -> None:
    assert browser.find("#text").get_property("value") == text
    assert browser.all(".said") == []


async def test_a_message_that_was_not_taken_stays_in_the_box(served, browser, lang):
    def send_in_vain(expected: tuple[str, ...]) -> None:
        browser.press_enter("#text")
        for words in expected:
            browser.wait_text("#trouble", words)
        said_nothing_lost(browser, "a message")

    def begin() -> None:
        browser.open(served.url)
        browser.find("#empty h2")
        browser.fill("#text", "a message")

    async def away(update: Any) -> Any:
        raise http_error(web.HTTPServiceUnavailable, "the store is away")

    async with served.up():
        await asyncio.to_thread(begin)
        served.intake.answers = {"message": away}
        await asyncio.to_thread(send_in_vain, AWAY[lang])
        served.intake.answers = {"message": NotRecorded(text="not kept")}
        await asyncio.to_thread(send_in_vain, AWAY[lang])
        slower = DirectAnswer("too many a minute", ok=False, code="rate_limited", wait_s=2.0)
        served.intake.answers = {"message": slower}
        await asyncio.to_thread(send_in_vain, ("too many a minute",))
        # What stands in the box is there after a reload, for this person and conversation alone.
        await asyncio.to_thread(browser.open, served.url)
        await asyncio.to_thread(browser.find, "#empty h2")
        assert browser.find("#text").get_property("value") == "a message"
        other = served.url.replace("room=main", "room=other")
        await asyncio.to_thread(browser.open, other)
        await asyncio.to_thread(browser.find, "#empty h2")
        assert browser.find("#text").get_property("value") == ""
    browser.run("localStorage.clear()")


# The page's deadline passes at once, for what it asks from now on.
_HURRY = (
    "const timeout = AbortSignal.timeout; AbortSignal.timeout = () => timeout.call(AbortSignal, 50)"
)


async def test_a_message_without_an_answer_is_told_and_counts_once(served, browser, lang):
    gate = asyncio.Event()

    async def slow(update: Any) -> Any:
        await gate.wait()
        return Accepted()

    def send() -> None:
        browser.open(served.url)
        browser.find("#empty h2")
        browser.fill("#text", "a message")
        browser.run(_HURRY)
        browser.press_enter("#text")
        browser.wait_text("#trouble", LATE[lang])
        said_nothing_lost(browser, "a message")
        # After a reload it is still the same message.
        browser.open(served.url)
        browser.find("#empty h2")
        browser.run(_HURRY)
        browser.press_enter("#text")
        browser.wait_text("#trouble", LATE[lang])

    def send_again() -> None:
        browser.run("AbortSignal.timeout = () => new AbortController().signal")
        browser.click("#again", AGAIN[lang])
        browser.wait_text(".said.mine", "a message")
        assert browser.find("#text").get_property("value") == ""
        assert not browser.all("#troubled")[0].is_displayed()
        assert len(browser.all(".said")) == 1

    served.intake.answers = {"message": slow}
    async with served.up():
        await asyncio.to_thread(send)
        gate.set()
        await asyncio.to_thread(send_again)
    assert len({update.id for update in served.intake.updates}) == 1
    assert len(served.intake.updates) == 3
    browser.run("localStorage.clear()")


async def test_a_message_that_had_arrived_after_all_is_not_kept_to_be_sent(served, browser, lang):
    async def lost(update: Any) -> Any:
        body = {"op": "said", "id": update.id.rpartition(":")[2], "person": update.actor.user}
        await served.log.append(ROOM, body | {"name": update.actor.name, "text": update.text})
        raise http_error(web.HTTPGatewayTimeout, "a proxy has waited long enough")

    def send() -> None:
        browser.open(served.url)
        browser.find("#empty h2")
        browser.fill("#text", "a message")
        browser.press_enter("#text")
        browser.wait_text(".said.mine", "a message")

    def look() -> None:
        browser.open(served.url)
        browser.wait_text(".said.mine", "a message")
        assert browser.find("#text").get_property("value") == ""

    served.intake.answers = {"message": lost}
    async with served.up():
        await asyncio.to_thread(send)
        await asyncio.to_thread(look)
    assert len(served.intake.updates) == 1
    browser.run("localStorage.clear()")


async def test_older_messages_that_do_not_come_are_asked_for_again(served, browser, lang):
    def start() -> None:
        browser.open(served.url)
        browser.wait_text(".said", "message 59")

    def fail() -> None:
        browser.run("document.getElementById('scroll').scrollTop = 0")
        browser.wait_text("#earlier", AGAIN[lang].lower())

    def again() -> None:
        browser.click("#earlier")
        browser.wait_text(".said", "message 0")

    async with served.up():
        for number in range(60):
            body = {"op": "said", "id": f"m{number}", "person": "lin", "name": "Lin Yue"}
            await served.log.append(ROOM, body | {"text": f"message {number}"})
        await asyncio.to_thread(start)
        served.log.away = True
        await asyncio.to_thread(fail)
        served.log.away = False
        await asyncio.to_thread(again)


async def test_a_session_that_ended_is_told_and_nothing_is_lost(served, browser, lang):
    button = ButtonView(data="s1:card:go:1", label="Go", style="primary")
    card = CardView(token="card", kind="confirm", title="Go?", buttons=(button,))

    def begin() -> None:
        browser.open(served.url)
        browser.find(".card .button")
        browser.fill("#text", "a message")

    def send() -> None:
        browser.press_enter("#text")
        browser.wait_text("#trouble", ENDED[lang])
        browser.find("#sign-in")
        said_nothing_lost(browser, "a message")
        browser.click(".card .button")
        browser.wait_text(".card .notice.no", ENDED[lang])
        browser.click("#sign-in")
        browser.find("#told")

    async with served.up() as chat:
        await chat.send(ROOM, MessageView(lang=lang, card=card), key="r1")
        await asyncio.to_thread(begin)
        served.door.shut = True
        await asyncio.to_thread(send)
        served.door.shut = False
        await asyncio.to_thread(browser.open, served.url)
        await asyncio.to_thread(browser.find, ".card")
        assert browser.find("#text").get_property("value") == "a message"
    browser.run("localStorage.clear()")


async def test_a_lost_connection_is_told_and_what_was_missed_comes(
    served, browser, lang, monkeypatch
):
    monkeypatch.setattr(events, "RETRY_MS", 200)
    lost, back = LOST[lang]
    async with served.up():
        await asyncio.to_thread(browser.open, served.url)
        await asyncio.to_thread(browser.find, "#empty h2")
    browser.run("window.stayed = true")
    await asyncio.to_thread(browser.wait_text, "#link.lost", lost)
    browser.fill("#text", "into the dark")
    await asyncio.to_thread(browser.press_enter, "#text")
    await asyncio.to_thread(browser.find, "#trouble")
    said_nothing_lost(browser, "into the dark")
    body = {"op": "said", "id": "m1", "person": "chen", "name": "Chen Rui", "text": "meanwhile"}
    await served.log.append(ROOM, body)
    async with served.up():
        await asyncio.to_thread(browser.wait_text, ".said", "meanwhile")
        await asyncio.to_thread(browser.wait_text, "#link:not(.lost)", back)
        assert browser.run("return window.stayed")
    browser.run("localStorage.clear()")


async def test_files_that_are_not_taken_are_told_at_once(served, browser, lang):
    def drop() -> None:
        browser.open(served.url)
        browser.find("#attach")
        put("drop", "set-up.exe", "application/x-msdos-program", 10)
        browser.wait_text("#trouble", WRONG_KIND[lang])
        assert browser.all(".files li") == []
        put("drop", "scan.png", "image/png", 1024**2 + 1)
        browser.wait_text("#trouble", TOO_LARGE[lang])
        put("dragenter", "a.csv", "text/csv", 3)
        assert "dropping" in browser.run("return document.body.className")
        browser.find(".drop")
        put("drop", "a.csv", "text/csv", 3)
        browser.wait_text(".files .is-ready", "a.csv")
        assert browser.run("return document.body.className") == ""

    def paste() -> None:
        put("paste", "image.png", "image/png", 200)
        browser.wait_text(".files .is-ready:nth-child(2)", "image.png")
        picture = browser.find(".files canvas.thumb")
        assert "image.png" in (picture.get_attribute("aria-label") or "")
        assert browser.find("#text").get_property("value") == ""
        browser.press_enter("#text")
        browser.wait_text(".said .names", "a.csv · image.png")
        assert browser.console_errors() == []

    def put(*what: str | int) -> None:
        browser.run(_PUT, *what)

    async with served.up():
        await asyncio.to_thread(drop)
        await asyncio.to_thread(paste)
    (said,) = served.intake.updates
    assert [file.name for file in said.files] == ["a.csv", "image.png"]
