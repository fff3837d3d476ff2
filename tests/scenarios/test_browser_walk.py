"""The walk as a person does it: clicks and keys in a real browser, against the real service."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.browser import Browser, Browsers
from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_litigation_walk import BY_HAND, Matter
from tests.scenarios.test_web_walk import ASK, GOOD


@pytest.fixture(scope="module")
def browser(browsers: Browsers) -> Iterator[Browser]:
    yield from browsers.lend("zh-CN")


async def test_a_visit_is_asked_for_and_approved_in_the_browser(
    start: Start, browser: Browser, tmp_path: Path
) -> None:
    service = await start()
    await asyncio.to_thread(walk, browser, service.url, tmp_path)
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5
    browser.open("about:blank")


def walk(browser: Browser, url: str, shots: Path) -> None:
    browser.emulate(width=1100, height=900)
    browser.open(url)
    browser.click('.person:has([value="lin"])')
    browser.fill("#text", ASK["zh"])
    browser.press_enter("#text")
    browser.wait_text(".part.is-answered", "2026-10-28")
    browser.wait_text(".part.is-needs_you", "录入")
    browser.screenshot(shots / "asked.png")
    for name, value in GOOD.items():
        browser.fill(f'[data-field="{name}"] input', value)
    browser.click(".form [type=submit]")
    browser.wait_text(".card h3", "请审核")
    browser.find(".button.danger")
    browser.screenshot(shots / "review.png")
    approve = ".card:not(.tone-good) .button.primary"
    browser.click(approve)
    browser.wait_text(".notice.no", "须由他人审批")
    browser.click('.person:has([value="zhao"])')
    browser.click(approve)
    browser.wait_text(".notice.no", "不是这张卡片的审批人")
    browser.click('.person:has([value="chen"])')
    browser.click(approve)
    browser.click(".question .button.primary")
    browser.wait_text(".card.tone-good .outcome", "陈博")
    browser.wait_text(".card h3", "访视已录入")
    browser.wait_text(".part.is-done", "已完成")
    browser.screenshot(shots / "done.png")
    browser.emulate(width=360, height=740)
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    assert browser.console_errors() == []


async def test_rows_are_typed_a_line_each_in_a_form_of_several_fields(
    start: Start, browser: Browser
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        matter = Matter(service, room)
        await room.say("lin", "列一份证据清单")
        _, card = await matter.next_card()
        await matter.fill(card, **BY_HAND["skill:litigation-intake"])
        await matter.answer("", await matter.until("phase_done:intake"))
        await matter.next_card()
        await asyncio.to_thread(list_evidence, browser, service.url)
        done = await matter.until("phase_done:evidence")
        assert len(re.findall("<td[^>]*>合同</td>", done["html"])) == 1
        assert len(re.findall("<td[^>]*>签收单</td>", done["html"])) == 1
    browser.open("about:blank")


def list_evidence(browser: Browser, url: str) -> None:
    browser.open(url)
    browser.click('.person:has([value="lin"])')
    rows = "合同 | 书证 | 约定 | 已有\n签收单 | 书证 | 交货 | 已有"
    browser.fill('[data-field="evidence_list"] textarea', rows)
    browser.click(".form [type=submit]")
    browser.wait_text(".card h3", "证据已整理")
