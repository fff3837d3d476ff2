"""The forms of a job graph on its run's page, in a real browser on a phone: stop, go on, fail."""

import asyncio

from tests.fakes.browser import Browser
from tests.fakes.web_room import WebRoom
from tests.scenarios.admin.test_admin_actions import BY
from tests.scenarios.admin.test_admin_browser import PHONE, assert_fits, sign_in
from tests.scenarios.admin.test_admin_jobs import gate, service
from tests.scenarios.conftest import Service
from tests.scenarios.test_jobs_walk import ASK, graph, parent

__all__ = ["gate", "service"]


async def test_a_graph_is_stopped_goes_on_and_has_a_job_fail_by_its_forms(
    service: Service, browser: Browser
) -> None:
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK["en"])
        await graph(service, lambda g: any(j.status == "finished" for j in g.jobs))
        run = await parent(service)
        assert run is not None
        await asyncio.to_thread(stopped, browser, service.url, run.id)
        found = await graph(service, lambda g: g.status == "stopped")
        assert f"{BY} stopped it: the wrong cycle" in found.error
        await asyncio.to_thread(let_go_on, browser)
        found = await graph(service, lambda g: g.status == "running")
        assert found.feedback == ("cycle 2 only",)
        await graph(service, lambda g: any(j.status == "running" for j in g.jobs))
        await asyncio.to_thread(failed, browser, service.url, run.id)
        found = await graph(service, lambda g: g.status == "failed")
        assert {job.id: job.status for job in found.jobs}["visits"] == "failed"
        assert "no such records" in found.error
    browser.open("about:blank")


def stopped(browser: Browser, url: str, run: str) -> None:
    browser.emulate(width=PHONE[0], height=PHONE[1])
    sign_in(browser, url)
    browser.open(f"{url}/runs/{run}")
    browser.click("#stop summary")
    assert_fits(browser, "stop")
    browser.fill("#stop-text", "the wrong cycle")
    browser.click("#stop form button")
    browser.wait_text(".notice", "does so in its turn")


def let_go_on(browser: Browser) -> None:
    # The page follows the run: nobody loads it anew.
    browser.fill("#recover-text", "cycle 2 only")
    assert_fits(browser, "recover")
    browser.click('form[action$="/recover"] button')
    browser.wait_text(".notice", "does so in its turn")


def failed(browser: Browser, url: str, run: str) -> None:
    browser.open(f"{url}/runs/{run}")
    browser.click("#fail summary")
    browser.click('#fail-job option[value="visits"]')
    browser.fill("#fail-text", "no such records")
    assert_fits(browser, "fail")
    browser.click("#fail form button")
    browser.wait_text(".notice", "does so in its turn")
    assert browser.console_errors() == []
