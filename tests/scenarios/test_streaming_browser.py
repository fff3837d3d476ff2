"""A long answer in a real browser: it grows on the page, and the whole takes its place."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import aiohttp

from tests.fakes.browser import Browser
from tests.fakes.long_answer import BEGUN, LONG, QUESTION, WHOLE, LongAnswer, asked
from tests.fakes.model_server import held, say
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


async def test_the_page_shows_each_part_grow_beside_what_is_there_already(
    start: Start, people_file: Path, http: aiohttp.ClientSession, browser: Browser, tmp_path: Path
) -> None:
    parts = (asked("What is P003's ECOG?"), asked(QUESTION), asked("What would you ask first?"))
    answer = LongAnswer(start, people_file, http, parts)
    loop = asyncio.get_running_loop()

    def grow(url: str) -> None:
        browser.open(f"{url}?room=reader")
        browser.type_lines("#text", *answer.text.splitlines())
        browser.press_enter("#text")
        browser.wait_text(".part.is-working .md", BEGUN)
        assert [len(browser.all(f".part.is-{s}")) for s in ("answered", "working")] == [1, 2]
        browser.screenshot(tmp_path / "growing_parts.png")
        loop.call_soon_threadsafe(answer.ends.set)
        browser.wait_text(".part.is-answered .md", WHOLE)

    text = f"[2]\nNobody's of late.\n[3]\n{LONG}"
    async with answer.web(held(say(text), (600, answer.ends)), asks=False) as room:
        await asyncio.to_thread(grow, room.url)
    browser.open("about:blank")


def walk(browser: Browser, url: str, end: Callable[[], object]) -> None:
    browser.open(f"{url}?room=reader")
    browser.fill("#text", QUESTION)
    browser.press_enter("#text")
    browser.wait_text(".part.is-working .md", BEGUN)
    end()
    browser.wait_text(".part.is-answered .md", WHOLE)
    assert len(browser.all(".reply")) == 1
