"""Scenarios of runs-and-reviews on deadlines: whose clock, approvals that age, newer cards."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from adapters.clock import SystemClock
from bot.processes.web import application
from bot.processes.worker import run_worker
from bot.settings import Settings
from bot.wiring.service import Parts, open_parts
from cards.model import Card
from engine.ports.storage.store import CardWrite, Effects, Post
from tests.fakes.review_stage import HOUR_MS, MINUTE_MS, with_policy
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_web_walk import GOOD, to_review, today

NewSettings = Callable[..., Settings]
ROOM = "web:local:main"


@dataclass(frozen=True, slots=True)
class Skewed:
    """A machine's clock that is wrong by so much."""

    by: timedelta
    right: SystemClock

    def now(self) -> datetime:
        """What it shows."""
        return self.right.now() + self.by

    def today(self) -> date:
        """The day it shows."""
        return self.right.today()

    def elapsed_s(self) -> float:
        """Only differences count."""
        return self.right.elapsed_s()


@asynccontextmanager
async def worker(parts: Parts, by: timedelta = timedelta(0)) -> AsyncIterator[None]:
    """A worker over these parts whose machine's clock is wrong by so much."""
    clock = Skewed(by, parts.services.clock)
    services = replace(parts.services, clock=clock)
    skewed = replace(parts, handler=replace(parts.handler, services=services))
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(run_worker(skewed, stop))
        try:
            yield
        finally:
            stop.set()


@asynccontextmanager
async def web(settings: Settings) -> AsyncIterator[Service]:
    """The web process alone: what is tapped is recorded, and nothing else happens."""
    async with open_parts(settings) as parts, AsyncExitStack() as stack:
        server = TestServer(application(parts), host="127.0.0.1")
        await server.start_server()
        stack.push_async_callback(server.close)
        yield Service(url=f"http://127.0.0.1:{server.port}", parts=parts)


async def review_of(parts: Parts) -> Card:
    (card,) = [c for c in await parts.services.decisions.open_cards(ROOM) if c.review.roles]
    return card


@pytest.mark.parametrize("minutes", [10, -10])
async def test_a40_with_clocks_ten_minutes_apart_every_deadline_is_the_stores(
    new_settings: NewSettings, playbooks: Path, minutes: int
) -> None:
    with_policy(playbooks, "deadline: 1h, remind: {after: 30m}, escalate: {role: crc, after: 40m}")
    async with (
        web(new_settings(playbooks=playbooks)) as service,
        worker(service.parts, timedelta(minutes=minutes)),
        WebRoom(service.url) as room,
    ):
        parts = service.parts
        card = await to_review(room)
        stored = await review_of(parts)
        found = await parts.services.decisions.card(stored.token)
        assert found is not None
        assert stored.deadline is not None
        assert abs(stored.deadline - found.now - timedelta(hours=1)) < timedelta(minutes=1)
        # Neither early nor late: reminded after thirty minutes, and decided before the hour.
        parts.store.scripts.offset_ms = 29 * MINUTE_MS
        await room.say("lin", "/runs")
        await room.wait_for(lambda m: "正在等" in text_of(m))
        assert (await review_of(parts)).reminded == 0
        parts.store.scripts.offset_ms = 31 * MINUTE_MS
        await room.wait_for(lambda m: "提醒（1/3）" in text_of(m))
        parts.store.scripts.offset_ms = 58 * MINUTE_MS
        assert (await room.tap("chen", card, "approve"))[1]["ok"]
        second = await another(room)
        parts.store.scripts.offset_ms += 62 * MINUTE_MS
        answer = (await room.tap("chen", second, "approve"))[1]
        assert (answer["ok"], "过期" in answer["text"]) == (False, True)


async def another(room: WebRoom) -> Message:
    """A second review, of another subject."""
    await room.say("lin", "录入 P004 今天的访视,ECOG 1,体重 60,血压 120/80")
    found = await room.wait_for(
        lambda m: bool(m["card"]) and m["card"]["kind"] == "confirm" and "P004" in text_of(m)
    )
    card: Message = found["card"]
    return card


@asynccontextmanager
async def approved_and_then(
    settings: Settings, later_ms: int
) -> AsyncIterator[tuple[Service, WebRoom]]:
    """A visit was approved while no worker ran; this is the first one since, so much later."""
    async with web(settings) as service, WebRoom(service.url) as room:
        async with worker(service.parts):
            card = await to_review(room)
        assert (await room.tap("chen", card, "approve"))[1]["ok"]
    async with web(settings) as service, WebRoom(service.url) as room:
        service.parts.store.scripts.offset_ms = later_ms
        async with worker(service.parts):
            yield service, room


async def asked_again(room: WebRoom) -> Message:
    """The review that stands there anew, which says why."""
    told = "批准已经超过有效期"
    found = await room.wait_for(lambda m: bool(m["card"]) and told in text_of(m["card"]))
    card: Message = found["card"]
    return card


async def written_today(service: Service) -> int:
    visits = visits_in(service.parts.settings.data_dir, "P003")
    return [visit.visit_date.isoformat() for visit in visits].count(today())


async def test_an_approval_that_is_too_old_when_its_write_would_run_is_asked_again(
    new_settings: NewSettings, playbooks: Path
) -> None:
    with_policy(playbooks, "execute_within: 2h")
    async with approved_and_then(new_settings(playbooks=playbooks), 2 * HOUR_MS) as (service, room):
        again = await asked_again(room)
        assert await written_today(service) == 0
        assert (await room.tap("wu", again, "approve"))[1]["ok"]
        assert (await room.card("phase_done"))["title"] == "访视已录入"
        assert await written_today(service) == 1


async def test_when_it_is_asked_again_and_rejected_nothing_is_written(
    new_settings: NewSettings, playbooks: Path
) -> None:
    with_policy(playbooks, "execute_within: 2h")
    async with approved_and_then(new_settings(playbooks=playbooks), 3 * HOUR_MS) as (service, room):
        again = await asked_again(room)
        status, answer = await room.fill("wu", again, "reject", reason="体重请复核")
        assert (status, answer["ok"]) == (200, True)
        back = await room.wait_for(lambda m: bool(m["card"]) and "请修改" in m["card"]["title"])
        assert "体重请复核" in text_of(back)
        assert await written_today(service) == 0


async def test_an_approval_that_is_young_enough_is_written_on(
    new_settings: NewSettings, playbooks: Path
) -> None:
    with_policy(playbooks, "execute_within: 2h")
    async with approved_and_then(new_settings(playbooks=playbooks), HOUR_MS) as (service, room):
        assert (await room.card("phase_done"))["title"] == "访视已录入"
        assert await written_today(service) == 1


async def test_a_newer_card_of_the_same_key_in_a_run_replaces_the_older_wherever_it_stands(
    start: Start,
) -> None:
    """As when a run was asked anew by a build that did not close what it had asked before."""
    service = await start()
    decisions = service.parts.services.decisions
    async with WebRoom(service.url) as room:
        first = await to_review(room)
        stored = await review_of(service.parts)
        left = stored.model_copy(update={"token": f"{stored.token}x", "title": "Left over"})
        shown = Post(f"{left.token}@{ROOM}", ROOM, "card", left.token)
        effects = Effects(cards=(CardWrite(left),), posts=(shown,))
        await decisions.decide(left.token, update_id="left", answer="", effects=effects)
        old = await room.wait_for(lambda m: bool(m["card"]) and m["card"]["title"] == "Left over")
        await room.fill("chen", first, "reject", reason="体重请复核")
        asked = await room.wait_for(lambda m: bool(m["card"]) and "请修改" in m["card"]["title"])
        values = {**GOOD, "subject_id": "P003", "visit_date": today(), "weight_kg": "62"}
        await room.fill("lin", asked["card"], "submit", **values)
        newer = await room.wait_for(
            lambda m: bool(m["card"]) and m["card"]["kind"] == "confirm" and "62 kg" in text_of(m)
        )
        closed = await room.wait_for(
            lambda m: (
                bool(m["card"])
                and m["card"]["title"] == "Left over"
                and "取代" in m["card"]["outcome"]
            )
        )
        assert closed["card"]["buttons"] == []
        answer = (await room.tap("chen", old["card"], "approve"))[1]
        assert (answer["ok"], "请在新卡片上操作" in answer["text"]) == (False, True)
        assert (await room.tap("chen", newer["card"], "approve"))[1]["ok"]


def test_the_clock_of_a_machine_is_wrong_as_told() -> None:
    clock = Skewed(timedelta(minutes=10), SystemClock("UTC"))
    assert clock.now() - datetime.now(UTC) > timedelta(minutes=9)
