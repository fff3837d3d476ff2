"""Sharing files in the page itself: by the button, by dropping, and what goes wrong is shown."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.browser import Browser, browser_or_skip
from tests.scenarios.conftest import Start

_DROP = """
const data = new DataTransfer();
data.items.add(new File([arguments[1]], arguments[0]));
for (const kind of ["dragover", "drop"]) {
  const told = {dataTransfer: data, bubbles: true, cancelable: true};
  document.body.dispatchEvent(new DragEvent(kind, told));
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser_or_skip()
    with Browser() as opened:
        yield opened


async def test_files_are_chosen_dropped_removed_and_sent(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start(file_max_mb=1)
    await asyncio.to_thread(walk, browser, service.url, tmp_path)
    browser.open("about:blank")


def walk(browser: Browser, url: str, folder: Path) -> None:
    ledger = folder / "ledger.csv"
    ledger.write_text("day,amount\n2026-03-05,1200\n")
    browser.emulate(width=1000, height=760)
    browser.open(url)
    browser.find("#attach")
    # The field itself is hidden; the button opens it, by mouse or by keyboard.
    browser.driver.find_element("css selector", "#file").send_keys(str(ledger))
    browser.wait_text(".files .is-ready", "ledger.csv")
    browser.run(_DROP, "second.csv", "a,b\n")
    browser.wait_text(".files .is-ready:nth-child(2)", "second.csv")
    browser.run(_DROP, "huge.csv", "x" * (1024 * 1024 + 1))
    browser.wait_text("#trouble", "huge.csv is larger than 1 MB")
    browser.screenshot(folder / "attached.png")
    browser.click('.remove[aria-label="Remove second.csv"]')
    assert browser.run("return document.activeElement.id") == "attach"
    browser.fill("#text", "What is in this file?")
    browser.press_enter("#text")
    browser.wait_text(".part", "ledger.csv: taken")
    browser.wait_text(".part", "columns 2 (day, amount)")
    browser.wait_text(".said .names", "ledger.csv")
    assert not browser.all(".files li")
    browser.screenshot(folder / "answered.png")
    assert browser.console_errors() == []
