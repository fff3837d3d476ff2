"""A3, A5, A6, A7, A10: what was said to be recorded is, once, whatever is lost on the way."""

import asyncio
import json
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from adapters.redis import keys
from adapters.redis.arrivals import RedisArrivals
from adapters.redis.scripts import Scripts
from adapters.redis.server.embedded import EmbeddedServer
from adapters.redis.store import RedisDecisions, RedisMailbox
from bot.serve.intake.intake import Intake
from bot.waits import pause
from cards.model import Card
from engine.errors import StoreUnavailable
from engine.events import NotRecorded
from engine.frames import audit
from engine.ports.storage.store import Effects
from tests.contracts.given import decided, deciding, open_card
from tests.fakes.crank import Crank, cranked, pressed, told
from tests.fakes.platforms.patience import START_S, within
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.redis_servers import SAFE, server
from tests.fakes.stored import read_entries
from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom, new_id
from tests.reviews.test_cancelled import to_review, today_visits
from tests.scenarios.conftest import running, settings_over
from tests.scenarios.test_failpoints import dying, insist, settings_in
from tests.scenarios.test_platform_walk import (
    ASK_ZH,
    REQUESTER_ID,
    REVIEWER_ID,
    TelegramSide,
    telegram_settings,
    with_accounts,
)

STORM, KILL_AFTER = 200, 40


async def test_a3_one_delivery_five_times_also_after_a_restart_is_one_decision_and_one_answer(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, people_copy: Path
) -> None:
    async with TelegramServer() as telegram, aiohttp.ClientSession() as http:
        given = {"webchat": False, **telegram_settings(telegram)}
        people = with_accounts(people_copy, "T0")
        settings = settings_over(redis_server, tmp_path, people=people, **given)
        async with running(settings) as service:
            chat = TelegramSide(service, telegram, http)
            await chat.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
            await chat.shown(REQUESTER_ID, "录入访视")
            answer = "ECOG 2,体重 61.5,血压 121/77"
            await chat.send(telegram.message_update(answer, chat_id=REQUESTER_ID))
            card = await chat.shown(REVIEWER_ID, "请审核")
            tap = await chat.confirm(card, "批准", name="Bo")
            for _ in range(2):
                await chat.send(tap)
            await chat.shown(REQUESTER_ID, "访视已录入")
        async with running(settings) as service:
            chat = TelegramSide(service, telegram, http)
            for _ in range(2):
                await chat.send(tap)
            visits = visits_in(service.parts.settings.data_dir, "P003")
        calls = [given for name, given in telegram.calls if name.lower() == "answercallbackquery"]
        told_each = {(call["text"], call.get("show_alert", "false")) for call in calls}
        assert (len(calls), len(told_each)) == (6, 2), "asked once, told the same five times"
        assert telegram.faults == []
    assert [visit.weight_kg for visit in visits].count(61.5) == 1
    (log,) = await redis.keys("*:log:*")
    entries = await read_entries(redis, log)
    taps = [entry["result"] for entry in entries if entry.get("event") == "tap"]
    assert taps.count("decided") == 1
    assert set(taps) == {"confirm", "decided"}


@pytest.fixture
def people_copy(tmp_path: Path) -> Path:
    """A copy of the sample people that a test may change."""
    path = tmp_path / "people.yaml"
    sample = Path(__file__).parents[2] / "playbooks" / "people.yaml"
    path.write_text(sample.read_text(encoding="utf-8"), encoding="utf-8")
    return path


class LosesAnswers:
    """The store's decisions; what each `decide` answers is lost on the way back."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def decide(self, *given: Any, **named: Any) -> str:
        await self._inner.decide(*given, **named)
        raise StoreUnavailable("the connection was lost")


async def test_a5_a_tap_whose_answer_was_lost_is_repeated_with_success_and_wakes_the_run_once(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path)) as crank:
        await to_review(crank)
        card = await crank.card()
        parts = crank.parts
        decisions = LosesAnswers(parts.services.decisions)
        arrivals = RedisArrivals(parts.store.scripts, keys.Partitions(parts.settings.partitions))
        intake = Intake(
            parts.store.mailbox,
            decisions,
            parts.resources.people,
            "UTC",
            parts.store.inbox,
            arrivals,
            parts.services.clock.now,
        )
        loses = Crank(replace(parts, intake=intake))
        lost = await loses.tap("chen", card, "approve", id="tap-1")
        assert isinstance(lost, NotRecorded)
        assert (await crank.now(card)).status == "decided"
        first = told(await crank.tap("chen", card, "approve", id="tap-1"))
        assert first == told(await crank.tap("chen", card, "approve", id="tap-1"))
        assert first[0]
        assert "陈博" in first[1]
        (inbox,) = await redis.keys("*:l:run:*:in")
        assert [json.loads(mail)["kind"] for mail in await redis.lrange(inbox, 0, -1)] == [
            "card_decided"
        ]
        await crank.still()
        assert await today_visits(crank) == 1


async def _tap(room: WebRoom, card: Card, update: str) -> None:
    """A tap on a web process that is not there yet, or goes away with it."""
    with suppress(aiohttp.ClientError):
        button = pressed(card, "approve")
        status, answer = await room.post("taps", "chen", button=button, id=update)
        raise AssertionError(f"answered with {status}: {answer}")


async def test_a6_a_web_process_killed_after_the_decision_has_decided_and_says_so_when_asked(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    settings = settings_in(tmp_path, redis_server)
    async with (
        cranked(settings) as crank,
        dying("web", settings, "after decisions.decide") as ends,
        WebRoom(f"http://127.0.0.1:{settings.port}") as room,
    ):
        await to_review(crank)
        card = await crank.card()
        update = await _until_it_dies(room, card, ends)
        assert (await crank.now(card)).status == "decided"
        answer = await _answered(room, card, new_id())
        assert answer["ok"] is True
        assert answer["text"].startswith("已经记录过了")
        assert (await _answered(room, card, update))["ok"] is True
        await crank.still()
        assert await today_visits(crank) == 1


async def test_a7_a_web_process_killed_before_the_decision_has_decided_and_shown_nothing(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    settings = settings_in(tmp_path, redis_server)
    async with (
        cranked(settings) as crank,
        dying("web", settings, "before decisions.decide") as ends,
        WebRoom(f"http://127.0.0.1:{settings.port}") as room,
    ):
        await to_review(crank)
        card = await crank.card()
        (before,) = await crank.runs()
        await _until_it_dies(room, card, ends)
        assert (await crank.now(card)).status == "open"
        assert await crank.runs() == [before]
        answer = await _answered(room, card, new_id())
        assert answer["ok"] is True
        assert (await crank.now(card)).status == "decided"


async def _until_it_dies(room: WebRoom, card: Card, ends: list[int]) -> str:
    """Tap until the process is up, takes the tap, and dies of it unanswered; the tap's id."""
    update = new_id()
    async with within(START_S, "the process dies of the tap"):
        while not ends:
            await _tap(room, card, update)
            await pause(asyncio.Event(), 0.02)
    assert ends == [-signal.SIGKILL]
    return update


async def _answered(room: WebRoom, card: Card, update: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []

    async def post() -> tuple[int, dict[str, Any]]:
        status, answer = await room.post("taps", "chen", button=pressed(card, "approve"), id=update)
        found.append(answer)
        return status, answer

    await insist(post)
    return found[-1]


async def test_a10_a_store_killed_in_a_storm_of_decisions_has_every_acknowledged_one_whole(
    tmp_path: Path,
) -> None:
    partitions, conversation = keys.Partitions(4), "web:local:storm"
    acknowledged: list[str] = []
    enough = asyncio.Event()
    with server(tmp_path / "redis", **SAFE) as port:
        async with _client(port) as client:
            scripts = Scripts(client)
            mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=client)
            cards = [await open_card(mailbox, partitions, conversation) for _ in range(STORM)]
            decisions = RedisDecisions(scripts, partitions)

            async def tap(card: Card) -> None:
                with suppress(StoreUnavailable):
                    held = await decisions.decide(
                        card.token, update_id=f"tap-{card.token}", answer="won", effects=_won(card)
                    )
                    assert held == "won"
                    acknowledged.append(card.token)
                    if len(acknowledged) == KILL_AFTER:
                        enough.set()

            storm = [asyncio.create_task(tap(card)) for card in cards]
            await enough.wait()
    # The server was killed by leaving its block; what was under way fails.
    await asyncio.gather(*storm)
    assert len(acknowledged) >= KILL_AFTER
    with server(tmp_path / "redis", **SAFE) as port:
        async with _client(port) as client:
            landed = [card.token for card in cards if await _whole(client, partitions, card)]
    assert set(acknowledged) <= set(landed)


def _won(card: Card) -> Effects:
    entry = audit.card_entry(card, decided(card).decision.at, "tap", {}, after=decided(card))  # type: ignore[union-attr]
    return replace(deciding(card), log=(entry,))


def _client(port: int) -> Redis:
    # What is lost must not be repeated: the answer decides what was acknowledged.
    once = Retry(NoBackoff(), 0)
    return Redis(host="127.0.0.1", port=port, decode_responses=True, retry=once)


async def _whole(client: Any, partitions: keys.Partitions, card: Card) -> bool:
    """Whether the decision is there; card, mail, log and answer all are, or none."""
    partition = partitions.of_id(card.token)
    assert partition is not None
    tag = keys.tag(partition)
    status = await client.hget(f"{tag}card:{card.token}", "status")
    mail = await client.llen(f"{tag}l:run:{card.run}:in")
    entries = await client.llen(f"{tag}log:{card.run}")
    answer = await client.get(f"{tag}e:tap-{card.token}")
    found = (status, mail, entries, answer)
    assert found in (("decided", 1, 1, "won"), ("open", 0, 0, None)), found
    return bool(status == "decided")
