"""The folder that the tutorial ends with serves Telegram, as its last section says."""

import sys
from pathlib import Path

import aiohttp
import pytest

from tests.bot.signoff_process import running
from tests.docs.tutorial import write_files
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.ports import free_port
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import TelegramSide, telegram_settings

ADA, ROBIN, STRANGER = 1001, 1002, 77


async def test_the_bot_of_the_tutorial_is_asked_and_approves_on_telegram(
    start: Start,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_files(tmp_path, free_port())
    monkeypatch.setenv("EXPENSES_TOKEN", "let-me-in")
    folder = tmp_path / "my-bot"
    people = folder / "people.yaml"
    text = people.read_text("utf-8")
    for name, account in (("ada", ADA), ("robin", ROBIN)):
        text = text.replace(f"web: {name},", f'web: {name}, telegram: ["{account}"],')
    people.write_text(text, "utf-8")
    async with running(tmp_path, sys.executable, "expenses.py"):
        service = await start(
            playbooks=folder / "playbooks",
            people=people,
            connections=folder / "connections.yaml",
            languages=("en",),
            **telegram_settings(telegram),
        )
        chat = TelegramSide(service, telegram, http)
        await chat.send(telegram.message_update("hello", chat_id=STRANGER))
        await chat.shown(STRANGER, f"telegram:{STRANGER}")
        asked = "what is the status of my expense E-1001?"
        await chat.send(telegram.message_update(asked, chat_id=ADA))
        await chat.shown(ADA, "E-1001 (hotel, 240 EUR) is paid.")
        wanted = "please reimburse 20 EUR for the taxi"
        await chat.send(telegram.message_update(wanted, chat_id=ADA))
        await chat.shown(ADA, "Your expense")
        await chat.send(telegram.message_update("Spent on 2026-02-03", chat_id=ADA))
        card = await chat.shown(ROBIN, "Please review")
        await chat.confirm(card, "Approve", name="Robin")
        await chat.shown(ADA, "It has the number E-1004.")
