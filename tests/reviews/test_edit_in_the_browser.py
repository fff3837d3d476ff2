"""A reviewer changes a value in the page's form, and another one approves what is shown then."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.browser import Browser, Browsers
from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_web_walk import to_review


@pytest.fixture(scope="module")
def browser(browsers: Browsers) -> Iterator[Browser]:
    yield from browsers.lend("zh-CN")


async def test_a_value_is_changed_in_the_form_and_the_card_says_so(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await to_review(room)
        await asyncio.to_thread(edit_and_approve, browser, service.url, tmp_path)
        await room.card("phase_done")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert (visits[-1].weight_kg, visits[-1].adverse_event) == (72, "皮疹")
    browser.open("about:blank")


def edit_and_approve(browser: Browser, url: str, shots: Path) -> None:
    browser.emulate(width=1100, height=1000)
    browser.open(url)
    browser.click('.person:has([value="wu"])')
    card = ".card.kind-confirm"
    browser.click(f"{card} .button.plain", "修改内容")
    browser.wait_text(f"{card} .form .intro", "不是批准")
    weight = f'{card} [data-field="weight_kg"] input'
    assert browser.find(weight).get_attribute("value") == "61.5"
    browser.fill(weight, "七十")
    browser.fill(f'{card} [data-field="adverse_event"] input', "皮疹")
    browser.click(f"{card} .form [type=submit]")
    browser.wait_text(f"{card} .fault", "请填写数字")
    # The console tells of every answer that is no success.
    assert [e for e in browser.console_errors() if "422" not in e] == []
    browser.screenshot(shots / "form.png")
    browser.fill(weight, "72")
    browser.click(f"{card} .form [type=submit]")
    browser.wait_text(f"{card} .notice.ok", "已修改")
    browser.wait_text(f"{card} .md", "61.5 kg → 72 kg")
    browser.wait_text(f"{card} .notice.ok", "须由他人批准")
    browser.wait_text(f"{card} .rows td", "72 kg")
    browser.screenshot(shots / "edited.png")
    browser.click(f"{card} .button.primary")
    browser.wait_text(f"{card} .notice.no", "您修改过其中的内容")
    browser.click('.person:has([value="chen"])')
    browser.click(f"{card} .button.primary")
    browser.click(f"{card} .question .button.primary")
    browser.wait_text(f"{card}.tone-good .outcome", "陈博")
    browser.emulate(width=360, height=740)
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    assert browser.console_errors() == []
