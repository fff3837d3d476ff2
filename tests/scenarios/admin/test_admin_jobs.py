"""An operator sees a run's jobs on its page, and stops, fails and recovers their graph there."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.fakes.admin_client import TOKEN, AdminClient, Page
from tests.fakes.admin_sight import audit, page_with
from tests.fakes.job_playbook import says
from tests.fakes.model_server import ModelServer
from tests.fakes.team_server import TeamScript, held
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.admin.test_admin_actions import BY
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_jobs_walk import ASK, finished, graph, parent
from tests.scenarios.test_model_walk import settings


@pytest.fixture
def gate() -> asyncio.Event:
    """Until it is set, one of the jobs has no result."""
    return asyncio.Event()


@pytest.fixture
async def service(start: Start, gate: asyncio.Event) -> AsyncIterator[Service]:
    """A service with admin pages, and with a team one of which takes its time."""
    slow = [held(gate, says("SUCCESS", "too late")), held(gate, says("SUCCESS", "too late"))]
    async with ModelServer(TeamScript({"visits": slow})) as model:
        yield await start(admin_token=TOKEN, **settings(model))
        gate.set()


async def page_of(service: Service, admin: AdminClient, text: str) -> tuple[str, Page]:
    """The run's id, and its page once the text stands there."""
    run = await parent(service)
    assert run is not None
    return run.id, await page_with(lambda: admin.get(f"/runs/{run.id}?lang=en"), text)


async def test_the_jobs_are_drawn_and_the_graph_is_stopped_and_goes_on(
    service: Service, admin: AdminClient, gate: asyncio.Event
) -> None:
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK["en"])
        await graph(service, lambda g: any(j.status == "finished" for j in g.jobs))
        run, page = await page_of(service, admin, "✔ done · goal of windows")
        assert page.html.count("<svg") == 2
        assert "▶ under way · goal of visits" in page.text
        assert "Let it go on" not in page.text
        after = await admin.press(page, f"/runs/{run}/stop", text="  wrong <b>subject</b> ")
        assert "does so in its turn" in after.text
        stopped = await graph(service, lambda g: g.status == "stopped")
        assert f"{BY} stopped it: wrong <b>subject</b>" in stopped.error
        gate.set()
        card = await room.card("select")
        assert "wrong &lt;b&gt;subject&lt;/b&gt;" in text_of(card)
        _, page = await page_of(service, admin, "Let it go on")
        assert "Stop the job graph" not in page.text
        again = await admin.press(page, f"/runs/{run}/stop")
        assert "cannot do that now" in again.text
        await admin.press(page, f"/runs/{run}/recover", text="shorter")
        closed = await room.card("select", closed=True)
        assert closed["token"] == card["token"]
        going = await graph(service, lambda g: g.status == "running")
        assert going.feedback == ("shorter",)
        await finished(room, service)
    orders = [e for e in await audit(service, run) if e.get("input") == "graph_ordered"]
    assert [(e["by"], e["via"], e["mail"]["what"]) for e in orders] == [
        (BY, "pages", "stop"),
        (BY, "pages", "recover"),
    ]
    (gone,) = [e for e in await audit(service, run) if e.get("event") == "taken_back"]
    assert [each["token"] for each in gone["changed_cards"]] == [card["token"]]
    ended = await admin.press(page, f"/runs/{run}/recover")
    assert "has ended already" in ended.text


async def test_a_job_is_failed_by_its_name_and_no_other(
    service: Service, admin: AdminClient
) -> None:
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK["en"])
        await graph(service, lambda g: any(j.status == "finished" for j in g.jobs))
        run, page = await page_of(service, admin, "Have a job fail")
        assert '<option value="visits">' in page.html
        assert '<option value="windows">' not in page.html
        nobody = await admin.press(page, f"/runs/{run}/fail", job="nobody")
        assert "cannot do that now" in nobody.text
        await admin.press(page, f"/runs/{run}/fail", job="visits", text="no such records")
        failed = await graph(service, lambda g: g.status == "failed")
        assert {job.id: job.status for job in failed.jobs}["visits"] == "failed"
        card = await room.card("select")
        assert "no such records" in text_of(card)
    above = await parent(service)
    assert above is not None
    (child,) = above.children.values()
    told = await admin.press(page, f"/runs/{child}/stop")
    assert "cannot do that now" in told.text
    gone = await admin.press(page, "/runs/0-nobody/stop")
    assert gone.status == 404
