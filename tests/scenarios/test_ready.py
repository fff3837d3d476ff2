"""What `/readyz` says of a service that is well, and of one that is not."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer
from redis.asyncio import Redis
from structlog.testing import capture_logs

from adapters.clock import SystemClock
from adapters.redis import keys
from adapters.redis.server.embedded import EmbeddedServer
from adapters.slack.platform import CONNECTIONS
from bot.kept_note import KeptNote
from bot.processes.web import application
from bot.settings import Settings
from bot.telemetry.store_watch import ANOTHER, StoreWatch
from bot.wiring.service import open_parts
from engine.errors import StoreError
from engine.ports.storage.operations import StoreState
from tests.fakes.gate import Gate
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.redis_servers import SAFE, server
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_web_walk import to_review


async def working(service: Service) -> int:
    return (await service.parts.store.operations.backlog()).workers


async def ready(service: Service) -> tuple[int, dict[str, Any]]:
    """The answer, once the platforms were asked, and the worker has begun."""
    await service.parts.telemetry.platform_health.probe()
    with suppress(StoreError):
        await until(lambda: working(service))
    async with aiohttp.ClientSession() as http, http.get(f"{service.url}/readyz") as answer:
        return answer.status, json.loads(await answer.text())


async def is_ready(service: Service) -> bool:
    return (await ready(service))[0] == 200


def over(slack: SlackServer, telegram: TelegramServer, **changed: Any) -> dict[str, Any]:
    return {
        "slack_bot_token": slack.bot_token,
        "slack_signing_secret": slack.signing_secret,
        "slack_api_url": slack.api_url,
        "telegram_bot_token": telegram.token,
        "telegram_api_url": telegram.url,
        **changed,
    }


async def test_each_platform_that_takes_the_token_is_well(
    start: Start, slack: SlackServer, telegram: TelegramServer
) -> None:
    service = await start(**over(slack, telegram))
    async with aiohttp.ClientSession() as http, http.get(f"{service.url}/readyz") as answer:
        first = json.loads(await answer.text())
    assert first["platforms"]["slack"] == {"state": "unknown"}
    await until(lambda: is_ready(service))
    status, found = await ready(service)
    assert (status, found["ready"], found["redis"], found["degraded"]) == (200, True, "ok", [])
    assert {name: each["state"] for name, each in found["platforms"].items()} == {
        "slack": "ok",
        "telegram": "ok",
        "web": "ok",
    }
    assert "appendonly" in found["store"] or "fsync" in found["store"]


async def test_a_token_that_is_refused_is_told_without_it_and_others_go_on(
    start: Start, slack: SlackServer, telegram: TelegramServer
) -> None:
    wrong = "xoxb-planted-secret"
    service = await start(**over(slack, telegram, slack_bot_token=wrong))
    await until(lambda: is_ready(service))
    status, found = await ready(service)
    # People elsewhere are served still, so the process stays where it is.
    assert (status, found["ready"], found["degraded"]) == (200, True, ["slack"])
    told = found["platforms"]["slack"]
    assert (told["state"], told["error"]) == ("failing", "refuses us; see signoff doctor")
    assert "planted" not in json.dumps(found)
    slack.faults.clear()


async def test_a_platform_that_is_away_is_told_until_it_is_back(
    start: Start, slack: SlackServer, telegram: TelegramServer
) -> None:
    service = await start(**over(slack, telegram, telegram_webhook_secret=telegram.secret))
    # By hand, without a public address: nobody has set the webhook.
    _, found = await ready(service)
    assert found["platforms"]["telegram"]["error"] == "no webhook is set"
    telegram.webhook = {"url": "https://bot.example.org/telegram/webhook"}
    telegram.fail_next("getMe", Fault.broken())
    _, found = await ready(service)
    assert found["degraded"] == ["telegram"]
    assert found["platforms"]["telegram"]["error"] == "does not answer"
    assert telegram.token not in json.dumps(found)
    # What the library cannot read is as good as lost.
    telegram.webhook_trouble = {"last_error_date": "soon"}
    _, found = await ready(service)
    assert found["platforms"]["telegram"]["error"] == "does not answer"
    telegram.webhook_trouble = {}
    _, found = await ready(service)
    assert found["degraded"] == []


async def test_with_sockets_nothing_is_ready_unless_one_is_open(
    start: Start, slack: SlackServer, telegram: TelegramServer
) -> None:
    opening = asyncio.Event()
    slack.before["apps.connections.open"] = opening.wait
    given = over(slack, telegram, telegram_webhook_secret=telegram.secret)
    telegram.webhook = {"url": "https://bot.example.org/telegram/webhook"}
    service = await start(**given, slack_app_token=slack.app_token)
    for _ in range(2):
        status, found = await ready(service)
        assert (status, found["ready"], found["redis"]) == (503, False, "ok")
        assert found["degraded"] == ["slack"]
        assert found["platforms"]["slack"]["error"] == "no socket is open"
        opening.set()
        await until(lambda: is_ready(service))
        # One is enough while the other is renewed.
        first, *_ = [*slack.sockets]
        await first.close()
        assert await is_ready(service)
        await slack.wait_for(lambda: slack.calls["apps.connections.open"] % (CONNECTIONS + 1) == 0)
        await slack.wait_for(lambda: len(slack.sockets) == CONNECTIONS)
        opening.clear()
        for socket in [*slack.sockets]:
            await socket.close()
        await until(lambda: is_deaf(service))


async def is_deaf(service: Service) -> bool:
    return not await is_ready(service)


async def test_who_polls_is_ready_once_telegram_gave_updates(
    start: Start, slack: SlackServer, telegram: TelegramServer
) -> None:
    telegram.fail_next("getUpdates", Fault.broken(), times=100)
    service = await start(**over(slack, telegram))
    await telegram.wait_for(lambda: telegram.count("getUpdates") > 0)
    status, found = await ready(service)
    assert (status, found["ready"], found["degraded"]) == (503, False, ["telegram"])
    telegram.planned.clear()
    await until(lambda: is_ready(service))
    # Where another process polls, this one waits for its turn.
    other = await start(**over(slack, telegram))
    await until(lambda: is_ready(other))


async def test_what_listens_in_vain_is_told(start: Start) -> None:
    service = await start()
    service.parts.telemetry.platform_health.set_listen_error(
        "web", OSError("postgres://user:planted@host")
    )
    _, found = await ready(service)
    assert found["platforms"]["web"]["error"] == "does not listen: OSError"
    service.parts.telemetry.platform_health.set_listen_error("web", None)
    assert (await ready(service))[1]["degraded"] == []


async def test_without_the_store_nothing_is_ready_and_no_address_is_told(
    start: Start, redis_server: EmbeddedServer
) -> None:
    async with Gate(redis_server.url.removeprefix("unix://")) as gate:
        service = await start(redis_url=f"redis://127.0.0.1:{gate.port}/0")
        gate.shut()
        assert await ready(service) == (503, {"ready": False, "redis": "away"})
        gate.open()
        assert (await ready(service))[0] == 200


FULL = {"maxmemory": "1"}
ALONE = {"min-replicas-to-write": "1"}


@pytest.mark.parametrize(
    ("set_to", "told"), [(FULL, "full"), (ALONE, "read only"), (None, "read only")]
)
async def test_a_store_that_takes_no_writes_is_not_ready_and_says_so(
    start: Start, tmp_path: Path, set_to: dict[str, str] | None, told: str
) -> None:
    with server(tmp_path / "own", **SAFE) as port:
        service = await start(redis_url=f"redis://127.0.0.1:{port}/0")
        assert (await ready(service))[0] == 200
        async with Redis(host="127.0.0.1", port=port) as client:
            if set_to is None:
                # As after a failover that nobody told us of; the primary is nowhere.
                await client.replicaof("127.0.0.1", "1")
            for name, value in (set_to or {}).items():
                await client.config_set(name, value)
            assert await ready(service) == (503, {"ready": False, "redis": told})
            await client.replicaof("NO", "ONE")
            for name in set_to or {}:
                await client.config_set(name, "0")
        assert (await ready(service))[0] == 200


async def test_a_store_that_is_frozen_is_told_before_who_asks_gives_up(
    start: Start, tmp_path: Path
) -> None:
    with server(tmp_path / "own", **SAFE) as port:
        service = await start(redis_url=f"redis://127.0.0.1:{port}/0")
        await ready(service)
        async with Redis(host="127.0.0.1", port=port) as client:
            await client.client_pause(60_000, all=False)
            timeout = aiohttp.ClientTimeout(total=3)
            async with (
                aiohttp.ClientSession(timeout=timeout) as http,
                http.get(f"{service.url}/readyz") as answer,
            ):
                assert (answer.status, (await answer.json())["redis"]) == (503, "away")
            await client.client_unpause()


async def test_it_tells_how_many_work_how_old_the_oldest_mail_is_and_what_is_not_well(
    new_settings: Callable[..., Settings],
) -> None:
    async with (
        open_parts(new_settings()) as parts,
        TestClient(TestServer(application(parts))) as client,
    ):

        async def found() -> tuple[Any, ...]:
            told = await (await client.get("/readyz")).json()
            return told["workers"], round(told["oldest_mail_s"]), told["degraded"]

        assert await found() == (0, 0, ["workers"])
        for n in range(2):
            await parts.store.operations.attend(f"worker-{n}", for_s=600)
        assert await found() == (2, 0, [])
        parts.store.scripts.offset_ms = -600_000
        await parts.store.mailbox.put("talk:web:local:main", "mail", update_id="mail")
        parts.store.scripts.offset_ms = 0
        assert await found() == (2, 600, ["oldest_mail_s"])
        parts.telemetry.lag._late_s.append(7.0)
        assert (await found())[2] == ["loop_lag_s", "oldest_mail_s"]


async def test_what_an_emptied_store_lost_is_published_anew(start: Start, redis: Redis) -> None:
    service = await start()
    current = service.parts.reloader.current.snapshot
    before = await redis.get(keys.CURRENT)
    await redis.flushall()
    await service.parts.reloader.check()
    assert (await ready(service))[0] == 200
    assert await redis.get(keys.CURRENT) == before
    kept = [await redis.exists(keys.published(digest)) for digest in current.bodies()]
    assert all(kept)
    assert await redis.exists(keys.learned(current.table.lessons.digest))
    assert await redis.get(keys.PARTITIONS) == str(service.parts.settings.partitions)


async def test_another_store_in_the_place_of_the_one_that_was_known_is_told(
    start: Start, tmp_path: Path
) -> None:
    with server(tmp_path / "own", **SAFE) as port:
        service = await start(redis_url=f"redis://127.0.0.1:{port}/0")
        assert (await ready(service))[1]["store_problems"] == []
        async with Redis(host="127.0.0.1", port=port) as client:
            known = await client.get(keys.IDENTITY)
            await client.flushall()
            status, found = await ready(service)
            assert (status, "store" in found["degraded"]) == (200, True)
            assert found["store_problems"] == [ANOTHER.format(file="store.id")]
            await client.set(keys.IDENTITY, known)
        assert (await ready(service))[1]["store_problems"] == []


async def test_a_store_that_was_exchanged_while_nothing_ran_is_told_until_it_is_meant(
    start: Start, tmp_path: Path
) -> None:
    data, found = tmp_path / "data", []
    for name in ("first", "other"):
        with server(tmp_path / name, **SAFE) as port:
            service = await start(redis_url=f"redis://127.0.0.1:{port}/0")
            found.append((await ready(service))[1]["store_problems"])
            if found[1:]:
                (data / "store.id").unlink()
                found.append((await ready(service))[1]["store_problems"])
    assert found == [[], [ANOTHER.format(file="store.id")], []]


async def test_open_cards_that_this_version_cannot_read_are_counted(
    start: Start, redis: Redis
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await to_review(room)
    assert (await ready(service))[1]["unreadable_cards"] == 0
    for key in [key async for key in redis.scan_iter("*card:*")]:
        if await redis.type(key) == "hash":
            await redis.hset(key, "body", '{"of_another_version": 1}')
    await service.parts.telemetry.cards.check()
    found = (await ready(service))[1]
    assert found["unreadable_cards"] == 1, "the form that was filled in is not open"
    assert "unreadable_cards" in found["degraded"]


async def test_a_store_that_is_not_safe_any_more_is_told(start: Start, tmp_path: Path) -> None:
    with server(tmp_path / "own", **SAFE) as port:
        service = await start(redis_url=f"redis://127.0.0.1:{port}/0")
        async with Redis(host="127.0.0.1", port=port) as client:
            await client.config_set("appendonly", "no")
            await client.config_set("maxmemory-policy", "allkeys-lru")
            _, found = await ready(service)
            assert found["store"].startswith("memory only")
            assert "store" in found["degraded"]
            assert ["append-only" in found["store_problems"][0]] == [True]
            assert "evicts keys" in found["store_problems"][1]
            await client.config_set("maxmemory-policy", "noeviction")
            await client.config_set("appendonly", "yes")


@pytest.mark.parametrize(("ahead_s", "told"), [(59, []), (3600, ["ahead of"]), (-3600, ["behind"])])
async def test_a_clock_that_is_far_from_ours_is_told(
    ahead_s: float, told: list[str], tmp_path: Path
) -> None:
    clock = SystemClock("UTC")

    async def read() -> StoreState:
        return StoreState("kept", (), "one", clock.now().timestamp() + ahead_s)

    note = KeptNote(tmp_path / "store.id")
    watch = StoreWatch(read, clock, note, durability="", allows_unsafe=False)
    with capture_logs() as logged:
        await watch.check()
        await watch.check()
    words = [f"s {way} this machine's" for way in told]
    assert [word in one for word, one in zip(words, watch.problems, strict=True)] == [True] * len(
        told
    )
    assert [line["event"] for line in logged] == ["store_unsound"] * len(told)
