"""A long answer in a real browser: it grows on the page, and the whole takes its place."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import aiohttp

from tests.fakes.browser import Browser
from tests.fakes.long_answer import BEGUN, QUESTION, WHOLE, LongAnswer
from tests.scenarios.conftest import Start


async def test_the_page_shows_an_answer_while_it_is_written(
    start: Start, people_file: Path, http: aiohttp.ClientSession, browser: Browser
) -> None:
    answer = LongAnswer(start, people_file, http)
    loop = asyncio.get_running_loop()
    async with answer.web() as room:
        await asyncio.to_thread(
            walk, browser, room.url, lambda: loop.call_soon_threadsafe(answer.ends.set)
        )
    browser.open("about:blank")


def walk(browser: Browser, url: str, end: Callable[[], object]) -> None:
    browser.open(f"{url}?room=reader")
    browser.fill("#text", QUESTION)
    browser.press_enter("#text")
    browser.wait_text(".part.is-working .md", BEGUN)
    end()
    browser.wait_text(".part.is-answered .md", WHOLE)
    assert len(browser.all(".reply")) == 1
