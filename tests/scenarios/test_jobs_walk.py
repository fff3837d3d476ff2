"""A monitoring report by a team of experts: in the web chat, through restarts, stops and words."""

import asyncio
from collections.abc import Callable

import aiohttp
import pytest

from bot.settings import Settings
from engine.frames.job_graph import JobGraph, JobsFrame
from engine.frames.state import Run
from tests.fakes.job_playbook import says
from tests.fakes.model_server import ModelServer, refuse
from tests.fakes.platforms.patience import until
from tests.fakes.team_server import TeamScript, held
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start, nothing_goes_on, running
from tests.scenarios.test_model_walk import settings

ASK = {"zh": "准备 P003 的监查报告", "en": "prepare a monitoring report for P003"}


async def parent(service: Service) -> Run | None:
    """The run of the graph, while it goes on."""
    found = await service.parts.services.decisions.active_runs("web:local:main")
    runs = [Run.model_validate_json(body) for _, body in found]
    return next((run for run in runs if not run.parent), None)


async def graph(service: Service, wanted: Callable[[JobGraph], bool]) -> JobGraph:
    """The run's jobs, as soon as they are as wanted."""

    async def found() -> JobGraph | None:
        run = await parent(service)
        frame = run.frames[-1] if run else None
        jobs = frame.graph if isinstance(frame, JobsFrame) else None
        return jobs if jobs and wanted(jobs) else None

    jobs: JobGraph = await until(found)
    return jobs


def says_in(text: str, state: str = "") -> Callable[[Message], bool]:
    """A reply that says so in one of its parts."""

    def matches(message: Message) -> bool:
        told = any(not state or part["state"] == state for part in message["parts"])
        return told and text in text_of(message)

    return matches


async def finished(room: WebRoom, service: Service) -> None:
    """The report is there, and the requester is told."""
    await room.card("phase_done")
    await room.wait_for(says_in("result of report", "done"))
    await nothing_goes_on(service)


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_team_prepares_the_report_in_one_message(start: Start, lang: str) -> None:
    script, gate = TeamScript(), asyncio.Event()
    script = TeamScript({"report": [held(gate, says("SUCCESS", "result of report"))]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", ASK[lang])
            some = {"zh": "2/3", "en": "2 of 3"}[lang]
            progress = await room.wait_for(says_in(some))
            assert "goal of report" in text_of(progress)
            gate.set()
            await finished(room, service)
        assert model.faults == []
    assert script.asked[0] == "leader"
    assert "P003" in script.told["leader"]
    assert "result of visits" in script.told["report"]


async def test_without_a_model_it_is_said_what_is_missing(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK["en"])
        card = await room.card("select")
        assert "OPENAI" in text_of(card)
        await room.tap("lin", card, "end")
        await room.wait_for(says_in("no language model is configured", "failed"))
    await nothing_goes_on(service)


async def test_a_stop_and_a_recovery_by_words(start: Start) -> None:
    gate = asyncio.Event()
    script = TeamScript({"visits": [held(gate, says("SUCCESS", "too late"))]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", ASK["en"])
            await graph(service, lambda g: any(j.status == "finished" for j in g.jobs))
            await room.say("zhao", "/stop")
            await room.wait_for(says_in("no job graph under way that you can stop"))
            await room.say("lin", "/stop the wrong subject")
            stopped = await graph(service, lambda g: g.status == "stopped")
            assert "the wrong subject" in stopped.error
            gate.set()
            card = await room.card("select")
            assert "the wrong subject" in text_of(card)
            await room.say("lin", "/recover")
            await room.card("select", closed=True)
            await finished(room, service)
            _, answer = await room.tap("lin", card, "recover")
            assert answer["ok"] is False
    assert script.asked.count("windows") == 1
    assert script.asked.count("visits") == 2
    assert "too late" not in script.told["report"]


async def test_cancel_ends_the_jobs_too(start: Start) -> None:
    script = TeamScript({"visits": [says(None, question="Which cycles?")]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", ASK["en"])
            card = await room.card("clarify")
            assert "Which cycles?" in text_of(card)
            await room.say("lin", "/cancel")
            await room.card("clarify", closed=True)
    await nothing_goes_on(service)


async def test_what_a_job_asks_is_of_the_reply_of_its_run(start: Start) -> None:
    script = TeamScript({"visits": [says(None, question="Which cycles?")]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room, aiohttp.ClientSession(service.url) as http:

            async def cards(**query: str) -> list[Message]:
                async with http.get("/chat/cards", params={"person": "lin"} | query) as answer:
                    assert answer.status == 200
                    found: list[Message] = (await answer.json())["cards"]
                    return found

            await room.say("lin", ASK["en"])
            asks = await room.card("clarify")
            await room.wait_for(says_in("", "needs_you"))
            (reply,) = (name for name, message in room.shown.items() if message["parts"])
            assert [card["token"] for card in await cards(reply=reply)] == [asks["token"]]
            assert await cards(reply=reply, room="other") == []
            assert await cards(reply="0-none") == []
            await room.say("lin", "/cancel")
            await room.card("clarify", closed=True)
            assert await cards(reply=reply) == []
    await nothing_goes_on(service)


async def test_after_restarts_no_finished_job_runs_again(
    new_settings: Callable[..., Settings],
) -> None:
    script = TeamScript({"report": [says(None, question="How long?")]})
    async with ModelServer(script) as model:
        given = new_settings(**settings(model))
        async with running(given) as one, WebRoom(one.url) as room:
            await room.say("lin", ASK["en"])
            await room.card("clarify")
        async with running(given) as two, WebRoom(two.url) as room:
            card = await room.card("clarify")
            await room.fill("lin", card, "submit", answer="one page")
            await finished(room, two)
    assert script.asked == ["leader", *sorted(script.asked[1:3]), "report", "report"] or (
        sorted(script.asked) == ["leader", "report", "report", "visits", "windows"]
    )
    assert "one page" in script.told["report"]


async def test_a_back_off_is_a_timer_and_holds_nothing_up(start: Start) -> None:
    script = TeamScript({"visits": [says("EXECUTION_ERROR", lesson="the tool is away")]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", ASK["en"])
            waits = await graph(service, lambda g: any(j.not_before for j in g.jobs))
            assert waits.status == "running"
            await room.wait_for(says_in("tried again soon"))
            await finished(room, service)
    assert script.asked.count("visits") == 2


async def test_a_model_that_fails_again_and_again_leaves_a_run_that_can_go_on(
    start: Start,
) -> None:
    script = TeamScript({"leader": [refuse()] * 3})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", ASK["en"])
            card = await room.card("select")
            assert "the language model is away" in text_of(card)
            await room.tap("lin", card, "recover")
            await finished(room, service)
