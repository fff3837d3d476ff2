"""Makes the pictures of the documents from conversations with the real service (`make pictures`).

Each PNG holds the text of the page that it shows: a test tells by it when the page has changed.
"""

import asyncio
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from redis.asyncio import Redis
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.support.wait import WebDriverWait

from adapters.redis.server.embedded import EmbeddedServer, open_server
from adapters.webchat.room_names import own_room_prefix
from bot.dev.feed import MessageFeed
from tests.docs.reading import ROOT
from tests.docs.tutorial import Tutorial, steps
from tests.fakes.browser import Browser
from tests.fakes.paint_store import MESSAGE, write_paint_store
from tests.fakes.platforms.patience import START_S
from tests.scenarios.conftest import running, settings_over

FOLDER = ROOT / "docs" / "pictures"
TEXT = "page"
TUTORIAL_SIZE = (860, 640)
_MOVING = (
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "DAY"),
    (re.compile(r"\d{2}-\d{2}"), "DAY"),
    (re.compile(r"\d{2}:\d{2}( [AP]M)?"), "TIME"),
    (re.compile(r"\d+ ms"), "MS"),
)
_FORM = {"ecog": "2", "weight_kg": "61.5", "systolic": "121", "diastolic": "77"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as somebody sees it: what they do until then, and in what window.

    `by_signoff_dev` when it is that of a paint store which is being written.
    """

    name: str
    language: str
    size: tuple[int, int]
    walk: Callable[[Browser, str], None]
    dark: bool = False
    by_signoff_dev: bool = False


def _asked(browser: Browser, url: str) -> None:
    asked = (("Check the visits of P001", "is-done"), ("ECOG of P001 and P002?", "is-answered"))
    for number, (text, end) in enumerate(asked):
        browser.open(f"{url}/?room={own_room_prefix('lin')}{number}")
        _say(browser, text)
        # What comes when the page is gone was not read.
        browser.find(f".reply .part.{end}")
    browser.open(f"{url}/?room={own_room_prefix('lin')}today")
    _say(browser, "Show me the ECOG of P003, then record today's visit")
    browser.wait_text(".part.is-answered", "ECOG of P003")
    browser.find(".card .form")
    browser.wait_text("#count", "1")
    browser.wait_text("#list", "Show me the ECOG")


def _approved(browser: Browser, url: str) -> None:
    browser.open(f"{url}/?room=ward-7")
    browser.click('.person:has([value="lin"])')
    _say(browser, "帮我查一下 P003 的 ECOG,然后录入今天的访视数据")
    for name, value in _FORM.items():
        browser.fill(f'[data-field="{name}"] input', value)
    browser.click(".form [type=submit]")
    browser.wait_text(".card h3", "请审核")
    browser.click('.person:has([value="chen"])')
    browser.find(".kind-confirm .button.danger")
    browser.wait_text("#count", "1")
    # The list of conversations is that of who looks now, whose own has the notice.
    browser.wait_text("#unread", "1")
    browser.run("document.querySelector('.kind-confirm').scrollIntoView({block: 'end'})")


def _read(browser: Browser, url: str) -> None:
    browser.open(f"{url}/?room={own_room_prefix('mia')}order")
    browser.find(".dev")
    browser.press_enter(".dev-open")
    assert browser.run("return document.querySelector('.dev').hidden")
    browser.press_enter(".dev-open")
    assert browser.run("return document.activeElement.id") == "dev"
    browser.run(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))"
    )
    assert browser.run("return document.activeElement.className") == "lang dev-open"
    browser.press_enter(".dev-open")
    _say(browser, MESSAGE)
    browser.find(".card.kind-confirm")
    browser.wait_text(".dev-message dl", "Fred")
    browser.wait_text("#list", "Which paints")
    # The approvers' card stands in the shared conversation too.
    browser.find("#pinned .unread")


PICTURES = (
    Picture("webchat", "en", (1180, 1070), _asked),
    Picture("review-phone", "zh-CN", (400, 860), _approved, dark=True),
    Picture("dev", "en", (1440, 900), _read, by_signoff_dev=True),
)


def _say(browser: Browser, text: str) -> None:
    browser.fill("#text", text)
    browser.press_enter("#text")
    browser.wait_text(".said.mine", text)


async def made(picture: Picture, server: EmbeddedServer, text: str = "") -> Image.Image:
    """The picture, from a service of its own; its text is in `info`.

    It is taken once the page says `text`, or does not in a long time.
    """
    async with Redis.from_url(server.url) as redis:
        await redis.flushall()
    with tempfile.TemporaryDirectory() as folder:
        settings, feed = settings_over(server, Path(folder)), None
        if picture.by_signoff_dev:
            project = write_paint_store(Path(folder) / "paint")
            files = {"people": "people.yaml", "connections": "connections.yaml"}
            own = {name: project / file for name, file in files.items()}
            settings = settings_over(server, Path(folder), playbooks=project / "playbooks", **own)
            feed = MessageFeed(lambda account: None)
        async with running(settings, feed) as service:
            return await asyncio.to_thread(_shot, picture, service.url, text)


def _shot(picture: Picture, url: str, text: str) -> Image.Image:
    with Browser(language=picture.language) as browser:
        width, height = picture.size
        browser.emulate(width=width, height=height, dark=picture.dark)
        picture.walk(browser, url)
        return _shoot(browser, text)


def _shoot(browser: Browser, text: str = "") -> Image.Image:
    """The page as it is, once what moves has come to rest, and what is read elsewhere is known."""
    browser.run("document.activeElement.blur()")
    with suppress(TimeoutException):
        WebDriverWait(browser.driver, START_S).until(lambda _: not text or _text(browser) == text)
    WebDriverWait(browser.driver, START_S).until(
        lambda _: browser.run("return document.getAnimations().length") == 0
    )
    image = Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    image.info[TEXT] = _text(browser)
    assert browser.console_errors() == []
    return image


def shot_of_tutorial(reader: Tutorial, browser: Browser) -> Image.Image:
    """The web chat as the reader of the tutorial sees it: the newest of the shared conversation."""
    width, height = TUTORIAL_SIZE
    browser.emulate(width=width, height=height)
    browser.open(f"{reader.url}/?room={reader.room.room}")
    browser.wait_text("#scroll", reader.heard)
    image = _shoot(browser)
    # The bot will be started anew.
    browser.open("about:blank")
    return image


def _text(browser: Browser) -> str:
    text = str(browser.run("return document.body.innerText"))
    for pattern, word in _MOVING:
        text = pattern.sub(word, text)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def kept(name: str) -> Image.Image:
    """The picture of that name as it stands in the documents."""
    image: Any = Image.open(FOLDER / f"{name}.png")
    image.load()
    return image


async def make_all() -> None:
    """Writes all pictures anew."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = await open_server(Path(folder))
        try:
            for picture in PICTURES:
                _keep(picture.name, await made(picture, server))
        finally:
            server.close()
    with tempfile.TemporaryDirectory() as folder:
        await make_tutorial(Path(folder), _keep)


async def make_tutorial(folder: Path, take: Callable[[str, Image.Image], None]) -> None:
    """Does the tutorial in that folder; `take` is given each picture where the page shows it."""
    with Browser() as browser:
        async with Tutorial(folder) as reader:
            for step in steps():
                if step.kind == "picture":
                    take(step.text, await asyncio.to_thread(shot_of_tutorial, reader, browser))
                else:
                    await reader.do(step)


def _keep(name: str, image: Image.Image) -> None:
    about, path = PngInfo(), FOLDER / f"{name}.png"
    about.add_itxt(TEXT, image.info[TEXT])
    image.quantize(256, dither=Image.Dither.NONE).save(path, pnginfo=about, optimize=True)
    print(path)


if __name__ == "__main__":
    asyncio.run(make_all())
