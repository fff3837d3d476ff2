"""Sharing files in the page itself: by the button, by dropping, and what goes wrong is shown."""

import asyncio
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from tests.fakes.browser import Browser
from tests.fakes.depot import write_depot
from tests.scenarios.conftest import Start

_DROP = """
const data = new DataTransfer();
data.items.add(new File([arguments[1]], arguments[0]));
for (const kind of ["dragover", "drop"]) {
  const told = {dataTransfer: data, bubbles: true, cancelable: true};
  document.body.dispatchEvent(new DragEvent(kind, told));
}
"""


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


async def test_a_form_takes_a_file_and_its_card_links_to_it(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    folder = write_depot(tmp_path / "depot")
    service = await start(playbooks=folder, people=folder / "people.yaml", file_max_mb=1)
    await asyncio.to_thread(take_goods, browser, service.url, tmp_path)
    browser.open("about:blank")


def take_goods(browser: Browser, url: str, folder: Path) -> None:
    note, table = folder / "note.txt", folder / "table.csv"
    note.write_text("Delivery note for W-7")
    table.write_text("a,b\n")
    browser.emulate(width=1000, height=900)
    browser.open(url)
    browser.fill("#text", "take goods in")
    browser.press_enter("#text")
    browser.wait_text(".card h3", "Goods")
    browser.fill('[data-field="order"] input', "W-7")
    # By keyboard: the button follows the field that names it, and opens what chooses.
    browser.run("""document.querySelector('[data-field="note"] .control > input').focus()""")
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    button = browser.run("return document.activeElement.getAttribute('aria-label')")
    assert button == "Choose a file… Delivery note"
    picker = browser.driver.find_element("css selector", '[data-field="note"] [type=file]')
    assert picker.get_attribute("accept") == ".pdf,.txt,.png"
    picker.send_keys(str(table))
    # A text of any ending may be one of its kinds: the service says which.
    browser.wait_text('[data-field="note"] [role=status]', "Uploaded")
    browser.click(".form [type=submit]")
    browser.wait_text('[data-field="note"] .fault', "one of these kinds: pdf, txt, png")
    assert all("status of 422" in error for error in browser.console_errors())
    picker.send_keys(str(note))
    browser.wait_text('[data-field="note"] [role=status]', "Uploaded")
    assert browser.find('[data-field="note"] input').get_attribute("aria-invalid") == "false"
    assert browser.find('[data-field="note"] input').get_property("value") == "note.txt"
    described = "return document.querySelector('[data-field=\"note\"] input')"
    described += ".getAttribute('aria-describedby').split(' ').length"
    assert browser.run(described) == 3
    browser.screenshot(folder / "filled.png")
    browser.click(".form [type=submit]")
    browser.wait_text(".card h3", "Please accept the goods")
    browser.wait_text(".rows a", "note.txt")
    browser.screenshot(folder / "review.png")
    browser.open(browser.find(".rows a").get_attribute("href"))
    browser.wait_text("body", "Delivery note for W-7")
    assert browser.console_errors() == []
