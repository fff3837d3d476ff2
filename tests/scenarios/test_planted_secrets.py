"""No secret of the service stands in its logs, its store, its traces or its numbers."""

import json
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.bot.signoff_process import ended
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.installer import Installer
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.ports import free_port
from tests.fakes.slack_app import local_slack
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import admitting
from tests.scenarios.test_crash_walk import environment, kill_all, run
from tests.scenarios.test_web_walk import to_review

PLANTED = {
    "slack bot token": "xoxb-PLANTED-bot-0001",
    "slack signing secret": "PLANTED-signing-0002",
    "telegram token": "7000000009:PLANTED-telegram-0003",
    "telegram secret": "PLANTED-webhook-0004",
    "model key": "sk-PLANTED-model-0005",
    "admin token": "PLANTED-admin-0006",
    "sync secret": "PLANTED-sync-0007",
    "redcap token": "PLANTED0REDCAP0008",
}
QUESTION = "P003 和 P004 最近谁的体能状态更差?"


OF_WORKSPACES = {
    "client secret": "PLANTED-client-secret-0011",
    "workspace's bot token": "xoxb-PLANTED-workspace-0012",
    "key of tokens": "UExBTlRFRC1rZXktMDAxMy1QTEFOVEVELWtleS0wMDE=",
    "signing secret": "PLANTED-signing-0014",
}


async def quoting(request: web.Request) -> web.Response:
    """A server that answers everything with an error that repeats what it was sent."""
    said = {**request.headers, "path": str(request.rel_url), "body": await request.text()}
    return web.json_response({"error": {"message": json.dumps(said)}}, status=401)


async def test_planted_secrets_stand_nowhere_but_in_the_settings(tmp_path: Path) -> None:
    port = free_port()
    echo = web.Application()
    echo.router.add_route("*", "/{tail:.*}", quoting)
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(
            local_slack(
                bot_token=PLANTED["slack bot token"],
                signing_secret=PLANTED["slack signing secret"],
            )
        )
        telegram = await stack.enter_async_context(
            TelegramServer(token=PLANTED["telegram token"], secret=PLANTED["telegram secret"])
        )
        quotes = await stack.enter_async_context(TestServer(echo, host="127.0.0.1"))
        more = {
            "SIGNOFF_PEOPLE": str(admitting(tmp_path, "{platforms: [slack, telegram]}")),
            "SLACK_BOT_TOKEN": PLANTED["slack bot token"],
            "SLACK_SIGNING_SECRET": PLANTED["slack signing secret"],
            "SLACK_API_URL": slack.api_url,
            "TELEGRAM_BOT_TOKEN": PLANTED["telegram token"],
            "TELEGRAM_WEBHOOK_SECRET": PLANTED["telegram secret"],
            "TELEGRAM_API_URL": telegram.url,
            "OPENAI_API_KEY": PLANTED["model key"],
            "OPENAI_BASE_URL": str(quotes.make_url("/v1")),
            "LLM_MODEL": "stub-model",
            "SIGNOFF_ADMIN_TOKEN": PLANTED["admin token"],
            "SIGNOFF_SYNC_SECRET": PLANTED["sync secret"],
            "SIGNOFF_LOG_TEXTS": "on",
        }
        process, url = await run(tmp_path, port, **more)
        try:
            told = await lived(url, slack, telegram)
            variables = environment(tmp_path, port)
            for command in (["runs", "list"], ["traces"], ["aside"]):
                shown = await ended(tmp_path, *command, **{**variables, **more})
                told += shown.out + shown.err
        finally:
            await kill_all(tmp_path, process)
    kept = held(tmp_path)
    assert any("append" in file.name for file in kept), "the store's file is among them"
    found = [
        (name, str(file.relative_to(tmp_path)))
        for name, secret in PLANTED.items()
        for file, held in kept.items()
        if secret.encode() in held
    ]
    assert found == []
    assert [name for name, secret in PLANTED.items() if secret in told] == []
    log = (tmp_path / "log").read_text()
    assert QUESTION in log, "the log has what was said, so it is the whole log"
    assert b"P003" in b"".join(kept.values())


async def test_planted_tokens_of_workspaces_are_nowhere_to_be_read(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    async with local_slack(
        bot_token=OF_WORKSPACES["workspace's bot token"],
        signing_secret=OF_WORKSPACES["signing secret"],
    ) as slack:
        slack.authority.client_secret = OF_WORKSPACES["client secret"]
        slack.authority.redirect_uris = [f"{url}/slack/oauth_redirect"]
        more = {
            "SIGNOFF_PEOPLE": str(admitting(tmp_path, "{workspaces: [T0TRIAL]}")),
            "SLACK_CLIENT_ID": slack.authority.client_id,
            "SLACK_CLIENT_SECRET": OF_WORKSPACES["client secret"],
            "SLACK_TOKEN_KEYS": OF_WORKSPACES["key of tokens"],
            "SLACK_SIGNING_SECRET": OF_WORKSPACES["signing secret"],
            "SLACK_API_URL": slack.api_url,
            "SIGNOFF_PUBLIC_URL": url,
            "SIGNOFF_LOG_TEXTS": "on",
        }
        process, _ = await run(tmp_path, port, **more)
        try:
            told = await installed(url, slack)
            shown = await ended(tmp_path, "doctor", **{**environment(tmp_path, port), **more})
            told += shown.out + shown.err
        finally:
            await kill_all(tmp_path, process)
    kept = held(tmp_path)
    stored = b"".join(content for file, content in kept.items() if "append" in file.name)
    assert b"signoff:slack:bot:T0TRIAL" in stored, "the installation is in the store's file"
    said = (tmp_path / "log").read_text()
    assert "slack_installed" in said
    assert "slack_install_failed" in said
    # The code and the state of an installation are secrets for as long as it takes.
    asked = {"state": told.partition("state=")[2].partition("&")[0], "code": "code-1"}
    assert asked["state"]
    for name, secret in {**OF_WORKSPACES, **asked}.items():
        found = [str(file) for file, content in kept.items() if secret.encode() in content]
        assert (name, found) == (name, [])
    assert [name for name, secret in OF_WORKSPACES.items() if secret in told] == []


async def installed(url: str, slack: SlackServer) -> str:
    """A workspace installs the app, once in vain, and is answered; what all pages said."""
    person = Installer(url)
    begun = await person.begin()
    slack.fail_next("oauth.v2.access", Fault.refused("invalid_code"))
    pages = [begun, (await person.open(slack.authority.allowed(begun, slack)))[1]]
    pages.append((await person.install(slack))[1])
    slack.fail_next("chat.postMessage", Fault.broken())
    async with aiohttp.ClientSession() as http:
        body, headers = slack.signed_request(slack.message_event("/help"))
        async with http.post(f"{url}/slack/events", data=body, headers=headers) as answer:
            assert answer.status == 200
        await slack.wait_for(lambda: any("/pending" in m.body for m in slack.messages.values()))
    return "\n".join(pages)


def held(folder: Path) -> dict[Path, bytes]:
    """Every file that the service left."""
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


async def lived(url: str, slack: SlackServer, telegram: TelegramServer) -> str:
    """A visit is recorded, a model refuses, platforms fail, forged requests come in."""
    async with WebRoom(url) as room, aiohttp.ClientSession() as http:
        card = await to_review(room)
        assert (await room.tap("chen", card, "approve"))[1]["ok"]
        await room.card("phase_done")
        await room.say("lin", QUESTION)
        await room.wait_for(lambda m: any("语言模型暂时不可用" in p["html"] for p in m["parts"]))
        slack.fail_next("chat.postMessage", Fault.broken(), times=1)
        body, headers = slack.signed_request(slack.message_event("ECOG of P003?"))
        for given in (headers, {**headers, "X-Slack-Signature": "v0=" + "0" * 64}):
            await http.post(f"{url}/slack/events", data=body, headers=given)
        await slack.wait_for(lambda: any("ECOG" in m.body for m in slack.messages.values()))
        telegram.fail_next("sendMessage", Fault.broken())
        sent = telegram.message_update("ECOG of P003?")
        for headers in (telegram.secret_headers(), {"X-Telegram-Bot-Api-Secret-Token": "no"}):
            await http.post(f"{url}/telegram/webhook", json=sent, headers=headers)
        await telegram.wait_for(
            lambda: any("ECOG" in m.text for m in telegram.messages.values()), 60
        )
        bearing = {"Authorization": f"Bearer {PLANTED['admin token']}"}
        pages = []
        for path in ("/metrics", "/readyz", "/healthz", "/internal/ai/openapi.json"):
            async with http.get(url + path, headers=bearing) as answer:
                pages.append(await answer.text())
        pages += [text_of(message) for message in room.shown.values()]
    return "\n".join(pages)
