"""On a phone the page's header is one line, above the people of a folder that may be tried."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes.browser import Browser
from tests.scenarios.conftest import Start

LINES = """
const shown = [...document.querySelectorAll('.top-inner > :not(.people)')]
  .filter((each) => each.offsetHeight);
const middles = shown.map((each) => {
  const box = each.getBoundingClientRect();
  return Math.round(box.top + box.height / 2);
});
return new Set(middles).size;
"""


def look(browser: Browser, url: str, width: int, shots: Path) -> None:
    browser.emulate(width=width, height=780)
    browser.open(url)
    for lang, waiting, mine in (
        ("en", "Waiting for you", "My requests"),
        ("zh", "待办", "我的请求"),
    ):
        if browser.run("return document.documentElement.lang") != lang:
            browser.click("#lang")
        browser.screenshot(shots / f"header-{lang}-{width}.png")
        assert browser.run(LINES) == 1
        assert browser.run("return document.documentElement.scrollWidth") <= width
        # Screen readers say what the signs stand for.
        browser.find(f'#waiting[aria-label^="{waiting}"]')
        assert browser.find("#own").accessible_name == mine
    browser.click("#own")
    browser.find("#mine[open]")


@pytest.mark.parametrize("width", [390, 360])
async def test_the_header_is_one_line_in_both_languages(
    start: Start, browser: Browser, tmp_path: Path, width: int
) -> None:
    service = await start()
    await asyncio.to_thread(look, browser, service.url, width, tmp_path)
    browser.open("about:blank")
