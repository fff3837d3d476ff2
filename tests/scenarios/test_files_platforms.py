"""People share files with a message on Slack and Telegram."""

from pathlib import Path

import aiohttp

from tests.fakes import file_makers as made
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

LEDGER = b"day,amount\n2026-03-05,1200\n2026-03-06,80\n"


async def test_files_over_slack(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    near = slack.file_of("ledger.csv", Hosted(LEDGER))
    await side.send(slack.file_event("What is in this file?", near))
    await side.shown("columns 2 (day, amount)")
    far = slack.file_of("", Hosted(made.pdf(["Paid on 2026-03-05"])), remote=True)
    await side.send(slack.file_event("", far))
    await side.shown("taken (PDF")
    assert slack.calls["files.info"] == 1
    page = slack.file_of("page.csv", Hosted(page=True))
    await side.send(slack.file_event("", page))
    await side.shown("the platform does not let me have this file")


async def test_files_over_telegram(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, "T0")
    service = await start(people=people, webchat=False, **telegram_settings(telegram))
    side = TelegramSide(service, telegram, http)
    sent = telegram.document_update("What is in this file?", "ledger.csv", Hosted(LEDGER))
    await side.send(sent)
    await side.shown(REQUESTER_ID, "columns 2 (day, amount)")
    large = telegram.document_update("", "film.csv", Hosted(LEDGER), size=30 * 1024**2)
    await side.send(large)
    await side.shown(REQUESTER_ID, "film.csv: larger than 20 MB, not taken.")
    unknown = telegram.document_update("", "late.csv", Hosted(LEDGER))
    telegram.too_big.add(unknown["message"]["document"]["file_id"])
    await side.send(unknown)
    await side.shown(REQUESTER_ID, "late.csv: larger than 20 MB, not taken.")
