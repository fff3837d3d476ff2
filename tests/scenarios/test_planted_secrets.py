"""No secret of the service stands in its logs, its store, its traces or its numbers."""

import json
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.bot.signoff_process import ended
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.slack_app import local_slack
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.test_crash_walk import environment, free_port, kill_all, run
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
        await room.wait_for(lambda m: bool(m["parts"]) and m["parts"][0]["state"] == "failed")
        slack.fail_next("chat.postMessage", Fault.broken(), times=1)
        body, headers = slack.signed_request(slack.message_event("ECOG of P003?"))
        for given in (headers, {**headers, "X-Slack-Signature": "v0=" + "0" * 64}):
            await http.post(f"{url}/slack/events", data=body, headers=given)
        await slack.wait_for(lambda: any("ECOG" in m.body for m in slack.messages.values()), 60)
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
