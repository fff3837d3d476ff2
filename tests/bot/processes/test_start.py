"""The start: a store that is away, one that cannot be used, and platforms half connected."""

import asyncio
import json
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.connect import connect
from bot.waits import PATIENCE_S, Stopped, retry_until_available
from bot.wiring.service import open_parts
from engine.errors import StoreUnavailable
from tests.bot.signoff_process import FILES, ROOT, ended, serving
from tests.fakes.platforms.patience import START_S, until, within
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.ports import free_port
from tests.fakes.redis_servers import SAFE, server
from tests.fakes.settings import make_settings
from tests.fakes.slack_app import local_slack

PROMPT_S = PATIENCE_S - 10
"""Less than a store that is away is waited for."""


def nowhere() -> str:
    return f"redis://:hush@127.0.0.1:{free_port()}/0"


def logged(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "stderr.log").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


async def until_logged(folder: Path, event: str) -> dict[str, Any]:
    found = await until(
        lambda: [line for line in logged(folder) if line["event"] == event], START_S
    )
    first: dict[str, Any] = found[0]
    return first


async def test_a_store_that_stays_away_ends_the_wait() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        async with within(START_S, "the wait for the store is given up"):
            await retry_until_available(partial(connect, nowhere()), patience_s=0.6)

    assert "does not answer" in str(caught.value)
    assert "hush" not in str(caught.value)


async def test_a_stop_ends_the_wait_for_the_store_at_once(tmp_path: Path) -> None:
    settings = make_settings(
        redis_url=nowhere(),
        data_dir=tmp_path / "data",
        playbooks=ROOT / "playbooks",
        people=ROOT / "playbooks" / "people.yaml",
    )
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(0.1, stop.set)

    with pytest.raises(Stopped):
        async with (
            within(PROMPT_S, "the stop ends the wait for the store"),
            open_parts(settings, stop),
        ):
            pytest.fail("there is no store")


@pytest.mark.parametrize("word", ["run", "web", "worker"])
async def test_it_stops_at_once_while_it_waits_for_the_store(tmp_path: Path, word: str) -> None:
    given = {**FILES, "REDIS_URL": nowhere(), "PORT": str(free_port())}
    async with serving(tmp_path, word, **given) as process:
        told = await until_logged(tmp_path, "store_away")
        process.send_signal(signal.SIGTERM)
        async with within(PROMPT_S, "the process ends at SIGTERM"):
            status = await process.wait()

    assert status == 0
    assert told["again_in_s"] == 0.5
    assert "hush" not in (tmp_path / "stderr.log").read_text("utf-8")


@pytest.mark.parametrize("command", ["run", "worker"])
@pytest.mark.parametrize(
    ("where", "settings", "reason"),
    [
        ("redis://127.0.0.1:{port}/99", {}, "DB index is out of range"),
        ("redis://127.0.0.1:{port}/0", {"requirepass": "pw"}, "must be called with"),
        ("redis://:hush@127.0.0.1:{port}/0", {"requirepass": "pw"}, "invalid username-password"),
        ("redis://:hush@127.0.0.1:{port}/0?protocol=7", {}, "has a wrong option after the ?"),
        ("redis://:hush@127.0.0.1:{port}/0?nope=7", {}, "has a wrong option after the ?"),
        ("redis://127.0.0.1:{port}/0", {"appendonly": "no"}, "keeps no append-only file"),
    ],
)
async def test_a_store_that_refuses_us_is_one_line_and_status_2(
    command: str, where: str, settings: dict[str, str], reason: str, tmp_path: Path
) -> None:
    given = {name: value for name, value in settings.items() if name != "requirepass"}
    with server(tmp_path / "redis", **{**SAFE, **given}) as port:
        if "requirepass" in settings:
            await locked(port, settings["requirepass"])
        url = where.format(port=port)
        told = await ended(tmp_path, command, REDIS_URL=url, PORT=str(free_port()), **FILES)

    assert (told.status, told.out, told.err.count("\n")) == (2, "", 1)
    assert told.err.startswith("REDIS_URL: ")
    assert reason in told.err
    assert "hush" not in told.err


async def locked(port: int, password: str) -> None:
    async with Redis(host="127.0.0.1", port=port) as client:
        await client.config_set("requirepass", password)


async def test_a_webhook_that_nobody_sets_is_warned_of_and_bolt_is_quiet(tmp_path: Path) -> None:
    async with local_slack() as slack, TelegramServer() as telegram:
        given = {
            "SIGNOFF_WEBCHAT": "off",
            "PORT": str(free_port()),
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_SIGNING_SECRET": slack.signing_secret,
            "SLACK_API_URL": slack.api_url,
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "TELEGRAM_WEBHOOK_SECRET": telegram.secret,
            "TELEGRAM_API_URL": telegram.url,
        }
        async with serving(tmp_path, "web", **FILES, **given) as process:
            told = await until_logged(tmp_path, "telegram_webhook_not_set")
            process.send_signal(signal.SIGTERM)
            async with within(START_S, "the process ends at SIGTERM"):
                await process.wait()

    assert "SIGNOFF_PUBLIC_URL" in told["warning"]
    assert "token" not in "".join(line["event"] for line in logged(tmp_path))
