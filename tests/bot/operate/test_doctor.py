"""`signoff doctor` against local servers: what is wrong is named, with what mends it."""

import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.fernet import Fernet
from redis.asyncio import Redis

from adapters.clock import SystemClock
from adapters.redis.repositories.platform_texts import RedisPlatformTexts
from adapters.redis.server.embedded import EmbeddedServer
from adapters.slack.workspace.install import REDIRECT, Install, SlackApp
from adapters.slack.workspace.installations import Installations, OAuthStates
from adapters.slack.workspace.workspaces import ManyWorkspaces
from engine.events import Accepted, Outcome, Update
from tests.bot.signoff_process import FILES, ROOT, Ended, ended
from tests.fakes.model_server import ModelServer, fail, say
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.installer import Installer
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.slack_app import connected, local_slack
from tests.scenarios.conftest import admitting, slack, telegram

__all__ = ["slack", "telegram"]


@pytest.fixture
async def public(slack: SlackServer) -> AsyncIterator[str]:
    """The address of a web process that is connected to the local Slack."""

    async def intake(update: Update) -> Outcome:
        return Accepted()

    platform = connected(slack, app_token="")
    app = web.Application()
    app.add_routes(platform.routes(intake))
    async with TestServer(app, host="127.0.0.1") as server:
        yield f"http://127.0.0.1:{server.port}"
    await platform.close()


def slack_is(server: SlackServer) -> dict[str, str]:
    return {
        "SLACK_BOT_TOKEN": server.bot_token,
        "SLACK_SIGNING_SECRET": server.signing_secret,
        "SLACK_API_URL": server.api_url,
    }


def telegram_is(server: TelegramServer) -> dict[str, str]:
    return {"TELEGRAM_BOT_TOKEN": server.token, "TELEGRAM_API_URL": server.url}


def model_is(server: ModelServer) -> dict[str, str]:
    given = {"OPENAI_API_KEY": server.api_key, "OPENAI_BASE_URL": server.base_url}
    return given | {"LLM_MODEL": "m-1"}


def sample(folder: Path) -> dict[str, str]:
    """The sample playbooks, and people of whom everybody on the platforms is one."""
    people = admitting(folder, "{platforms: [slack, telegram]}")
    return {**FILES, "SIGNOFF_PEOPLE": str(people)}


async def told(folder: Path, status: int, **variables: str) -> dict[str, Any]:
    """What the doctor found, by check."""
    result: Ended = await ended(folder, "doctor", "--json", **{**sample(folder), **variables})
    assert (result.status, result.err) == (status, ""), result.out
    return {one["check"]: one for one in json.loads(result.out)}


async def test_a_service_that_can_do_all_it_needs_is_well(
    tmp_path: Path,
    slack: SlackServer,
    telegram: TelegramServer,
    public: str,
    redis: Redis,
    redis_server: EmbeddedServer,
) -> None:
    async with ModelServer([say("ready")]) as model:
        result = await ended(
            tmp_path,
            "doctor",
            **sample(tmp_path),
            **slack_is(slack),
            **telegram_is(telegram),
            **model_is(model),
            REDIS_URL=redis_server.url,
            SLACK_APP_TOKEN=slack.app_token,
            SIGNOFF_PUBLIC_URL=public,
        )
    assert (result.status, result.err) == (0, ""), result.out
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert lines[0] == "check state told"
    assert lines[1].startswith("redis ok append-only file")
    assert lines[2:5] == [
        "redis write ok taken",
        "workers ok none takes mail now",
        "set aside ok 0 messages set aside, 0 runs blocked",
    ]
    assert "slack token ok signoff in Trial (T0TRIAL)" in lines
    assert "slack scopes ok all, and no more" in lines
    assert "slack app token ok Socket Mode is on" in lines
    assert f"slack event URL ok {public}/slack/events" in lines
    assert any(line.startswith("telegram token ok @") for line in lines)
    assert "telegram webhook ok none; updates are polled" in lines
    assert any(line.startswith("model m-1 ok answered") for line in lines)
    assert slack.sockets == []


@asynccontextmanager
async def nowhere() -> AsyncIterator[str]:
    """The address of a server that has none of our pages."""
    async with TestServer(web.Application(), host="127.0.0.1") as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.fixture
async def many(slack: SlackServer, redis: Redis) -> AsyncIterator[dict[str, str]]:
    """The settings of a service that runs and where workspaces installed the app."""
    key = Fernet.generate_key().decode()
    stored = Installations(RedisPlatformTexts.over(redis, "slack"), [key])

    async def intake(update: Update) -> Outcome:
        return Accepted()

    async with TestServer(web.Application(), host="127.0.0.1") as probe:
        port = probe.port
    url = f"http://127.0.0.1:{port}"
    slack.authority.redirect_uris = [url + REDIRECT]
    made = Install(
        SlackApp("111.222", "stub-client-secret", url, slack.api_url),
        stored,
        OAuthStates(RedisPlatformTexts.over(redis, "slack")),
        SystemClock("UTC"),
    )
    workspaces = ManyWorkspaces(api_url=slack.api_url, installations=stored)
    platform = connected(slack, workspaces=workspaces, install=made)
    app = web.Application()
    app.add_routes(platform.routes(intake))
    async with TestServer(app, host="127.0.0.1", port=port):
        yield {
            "SLACK_CLIENT_ID": "111.222",
            "SLACK_CLIENT_SECRET": "stub-client-secret",
            "SLACK_TOKEN_KEYS": key,
            "SLACK_SIGNING_SECRET": slack.signing_secret,
            "SLACK_API_URL": slack.api_url,
            "SIGNOFF_PUBLIC_URL": url,
        }
    await platform.close()


async def test_each_workspace_that_installed_the_app_is_looked_at(
    tmp_path: Path, slack: SlackServer, many: dict[str, str], redis_server: EmbeddedServer
) -> None:
    given = {**many, "REDIS_URL": redis_server.url}
    assert (await told(tmp_path, 0, **given))["slack workspaces"]["told"] == "installed in 0"
    other = slack.join(local_slack(team="T0OTHER", bot_token="xoxb-other"))
    for workspace in (slack, other):
        assert (await Installer(many["SIGNOFF_PUBLIC_URL"]).install(workspace))[0] == 200
    found = await told(tmp_path, 0, **given)
    assert found["slack workspaces"]["told"] == "installed in 2"
    assert found["slack token T0OTHER"]["told"] == "signoff in Trial (T0OTHER)"
    assert found["slack scopes T0TRIAL"]["told"] == "all, and no more"
    assert found["slack redirect URL"]["state"] == "ok"
    assert found["slack event URL"]["state"] == "ok"
    other.uninstall()
    found = await told(tmp_path, 1, **given)
    assert found["slack token T0OTHER"]["state"] == "wrong"
    assert "/slack/install" in found["slack token T0OTHER"]["fix"]
    another = Fernet.generate_key().decode()
    async with nowhere() as elsewhere:
        found = await told(
            tmp_path, 1, **{**given, "SLACK_TOKEN_KEYS": another, "SIGNOFF_PUBLIC_URL": elsewhere}
        )
    assert "SLACK_TOKEN_KEYS" in found["slack token T0TRIAL"]["fix"]
    assert "status 404" in found["slack redirect URL"]["told"]
    found = await told(tmp_path, 3, **many)
    assert found["slack workspaces"]["state"] == "unknown"


async def test_what_is_not_set_is_off(tmp_path: Path) -> None:
    found = await told(tmp_path, 0)
    states = {check: one["state"] for check, one in found.items() if one["state"] != "ok"}
    assert states == {
        "slack": "off",
        "telegram": "off",
        "model": "off",
    }
    # It only looks: the embedded server is not started.
    assert not (tmp_path / "data").exists()


async def test_a_platform_on_which_nobody_may_ask_is_wrong(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    people = tmp_path / "people.yaml"
    people.write_text("roles: []\npeople:\n  - {id: ana, name: Ana, web: ana}\n")
    found = await told(tmp_path, 1, **telegram_is(telegram), SIGNOFF_PEOPLE=str(people))
    assert found["people"]["state"] == "wrong"
    assert found["people"]["told"].startswith("telegram: nobody may ask there: people.yaml has")


async def test_an_app_of_an_earlier_manifest_is_told_what_it_does_not_hear(
    tmp_path: Path, slack: SlackServer
) -> None:
    slack.scopes -= {"channels:history", "groups:history"}
    found = await told(tmp_path, 3, **slack_is(slack))
    assert found["slack scopes"]["state"] == "ok"
    assert found["slack scopes"]["told"] == (
        "all but channels:history, groups:history: in channels only messages with @ the bot are"
        " heard"
    )


async def test_missing_scopes_and_refused_tokens_say_what_to_do(
    tmp_path: Path, slack: SlackServer
) -> None:
    slack.scopes -= {"im:write", "commands"}
    slack.revoked.add(slack.app_token)
    given = slack_is(slack) | {"SLACK_APP_TOKEN": slack.app_token}
    found = await told(tmp_path, 1, **given)
    assert found["slack scopes"]["told"] == "missing: commands, im:write"
    assert "install the app to the workspace again" in found["slack scopes"]["fix"]
    assert found["slack app token"]["state"] == "wrong"
    assert "connections:write" in found["slack app token"]["fix"]
    slack.revoked.add(slack.bot_token)
    found = await told(tmp_path, 1, **given)
    assert found["slack token"]["told"] == "auth.test: token_revoked"
    assert "slack scopes" not in found


async def test_an_event_url_is_tried_as_slack_tries_it(
    tmp_path: Path, slack: SlackServer, public: str
) -> None:
    given = slack_is(slack)
    assert (await told(tmp_path, 3, **given))["slack event URL"]["state"] == "unknown"
    other = given | {"SLACK_SIGNING_SECRET": "another", "SIGNOFF_PUBLIC_URL": public}
    found = (await told(tmp_path, 1, **other))["slack event URL"]
    assert "status 401" in found["told"]
    assert "SLACK_SIGNING_SECRET" in found["fix"]
    async with nowhere() as elsewhere:
        found = (await told(tmp_path, 1, **given, SIGNOFF_PUBLIC_URL=elsewhere))["slack event URL"]
    assert "status 404" in found["told"]
    found = (await told(tmp_path, 1, **given, SIGNOFF_PUBLIC_URL="http://127.0.0.1:9"))[
        "slack event URL"
    ]
    assert "does not answer" in found["told"]


async def test_what_cannot_be_asked_now_is_not_called_wrong(
    tmp_path: Path, slack: SlackServer, telegram: TelegramServer
) -> None:
    slack.fail_next("auth.test", Fault.broken())
    telegram.fail_next("getMe", Fault.broken())
    given = {"SLACK_APP_TOKEN": slack.app_token, "REDIS_URL": "redis://127.0.0.1:9/0"}
    found = await told(tmp_path, 3, **slack_is(slack), **telegram_is(telegram), **given)
    for check in ("slack token", "telegram token", "redis"):
        assert found[check]["state"] == "unknown", check
        assert found[check]["fix"]


async def test_a_webhook_that_does_not_lead_here_is_wrong(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    given = telegram_is(telegram) | {
        "TELEGRAM_WEBHOOK_SECRET": "s3cret",
        "SIGNOFF_PUBLIC_URL": "https://bot.example",
        "SIGNOFF_WEBCHAT": "off",
    }
    found = (await told(tmp_path, 1, **given))["telegram webhook"]
    assert found["told"] == "it is not set, not https://bot.example/telegram/webhook"
    url = "https://bot.example/telegram/webhook"
    telegram.webhook = {"url": url, "allowed_updates": ["message"]}
    found = (await told(tmp_path, 1, **given))["telegram webhook"]
    assert "does not send: " in found["told"]
    now = int(SystemClock("UTC").now().timestamp())
    telegram.webhook_trouble = {"last_error_date": now, "last_error_message": "SSL error"}
    found = (await told(tmp_path, 1, **given))["telegram webhook"]
    assert found["told"] == "Telegram could not deliver: SSL error (0 updates wait)"


async def test_a_model_that_refuses_the_key_is_wrong(tmp_path: Path) -> None:
    async with ModelServer([fail(401)]) as model:
        found = (await told(tmp_path, 1, **model_is(model)))["model m-1"]
    assert "401" in found["told"]
    assert "OPENAI_API_KEY" in found["fix"]


async def test_statements_of_tools_are_tried_at_their_database(tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "examples" / "leave", tmp_path / "leave")
    data = {"SIGNOFF_DATA_DIR": str(tmp_path / "data")}
    well = await ended(tmp_path, "doctor", "--json", str(folder), **data)
    (calls,) = (one for one in json.loads(well.out) if one["check"] == "calls")
    assert calls["state"] == "ok"
    assert calls["told"].endswith(" statements are taken")
    tools = folder / "playbooks" / "leave" / "tools.yaml"
    text = tools.read_text("utf-8")
    broken = text.replace("FROM balances", "FROM persons", 1)
    assert broken != text
    tools.write_text(broken, "utf-8")
    assert (await ended(tmp_path, "validate", str(folder), **data)).out == "ok\n"
    told = await ended(tmp_path, "doctor", "--json", str(folder), **data)
    assert told.status == 1
    (calls,) = (one for one in json.loads(told.out) if one["check"] == "calls")
    assert calls["state"] == "wrong"
    where, _, fault = calls["told"].partition(": ")
    assert re.fullmatch(r"playbooks/leave/tools.yaml:[0-9]+", where)
    assert fault.endswith(": no such table: persons")


async def test_what_validate_finds_is_no_clean_bill(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "leave", tmp_path / "leave")
    main = tmp_path / "leave" / "playbooks" / "leave" / "playbook.yaml"
    main.write_text(main.read_text("utf-8").replace("phases:", "phase:", 1), "utf-8")
    looked = await ended(tmp_path, "doctor", "leave")
    assert looked.status == 1
    assert re.search(r"files +wrong +.*playbook.yaml:[0-9]+: ", looked.out)
    assert "files: `signoff validate` tells them all" in looked.out
