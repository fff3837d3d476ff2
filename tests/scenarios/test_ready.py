"""What `/readyz` says of a service that is well, and of one that is not."""

import json
from typing import Any

import aiohttp

from adapters.redis.embedded import EmbeddedServer
from tests.fakes.gate import Gate
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.scenarios.conftest import Service, Start


async def ready(service: Service) -> tuple[int, dict[str, Any]]:
    """The answer, once the platforms were asked."""
    await service.parts.standings.ask()
    async with aiohttp.ClientSession() as http, http.get(f"{service.url}/readyz") as answer:
        return answer.status, json.loads(await answer.text())


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
    telegram.webhook_trouble = {"last_error_date": "soon"}
    _, found = await ready(service)
    assert "not expected" in found["platforms"]["telegram"]["error"]
    telegram.webhook_trouble = {}
    _, found = await ready(service)
    assert found["degraded"] == []


async def test_what_listens_in_vain_is_told(start: Start) -> None:
    service = await start()
    service.parts.standings.listening("web", OSError("postgres://user:planted@host"))
    _, found = await ready(service)
    assert found["platforms"]["web"]["error"] == "does not listen: OSError"
    service.parts.standings.listening("web", None)
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
