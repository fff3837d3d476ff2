"""People share files with a message on Slack and Telegram."""

from pathlib import Path

import aiohttp
import pytest

from tests.fakes import file_makers as made
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    ASK_EN,
    REQUESTER_ID,
    REVIEWER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

LEDGER = b"day,amount\n2026-03-05,1200\n2026-03-06,80\n"


@pytest.fixture
async def chat(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, people_file: Path
) -> TelegramSide:
    """What people do in Telegram with a service of its own."""
    people = with_accounts(people_file, "T0")
    service = await start(people=people, webchat=False, **telegram_settings(telegram))
    return TelegramSide(service, telegram, http)


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


async def test_a_file_that_comes_with_an_answer_to_a_form_is_taken_too(
    chat: TelegramSide,
) -> None:
    telegram = chat.server
    await chat.send(telegram.message_update(ASK_EN, chat_id=REQUESTER_ID))
    card = await chat.shown(REQUESTER_ID, "Record a visit")
    await chat.send(telegram.tap_update(card, "Fill in…"))
    # The second answer is none that the field takes: its file is no worse for it.
    for name, answer in (("ledger.csv", "2"), ("again.csv", "much")):
        prompt = next(m for m in reversed(telegram.chat(REQUESTER_ID)) if m.force_reply)
        held = Hosted(LEDGER + name.encode())
        sent = telegram.document_update(answer, name, held, chat_id=REQUESTER_ID, reply_to=prompt)
        await chat.send(sent)
        await chat.send(sent)
        await chat.shown(REQUESTER_ID, f"{name}: taken")
    asked = [m.text for m in telegram.chat(REQUESTER_ID) if m.force_reply]
    assert len(set(asked)) == 3, "each answer was read, once"
    assert len([m for m in telegram.chat(REQUESTER_ID) if ".csv: taken" in m.text]) == 2


async def test_a_file_with_a_reason_for_a_rejection_is_taken_too(
    chat: TelegramSide,
) -> None:
    telegram = chat.server
    await chat.send(telegram.message_update(ASK_EN, chat_id=REQUESTER_ID))
    await chat.shown(REQUESTER_ID, "Record a visit")
    given = "ECOG 2, weight 61.5, blood pressure 121/77"
    await chat.send(telegram.message_update(given, chat_id=REQUESTER_ID))
    card = await chat.shown(REVIEWER_ID, "Please review")
    await chat.send(telegram.tap_update(card, "Reject", name="Bo"))
    prompt = await chat.shown(REVIEWER_ID, "Reason")
    assert prompt.force_reply
    proof = telegram.document_update(
        "weigh again", "proof.csv", Hosted(LEDGER), chat_id=REVIEWER_ID, reply_to=prompt
    )
    await chat.send(proof)
    await chat.shown(REQUESTER_ID, "weigh again")
    await chat.shown(REVIEWER_ID, "proof.csv: taken")


async def test_files_with_a_command_or_an_answer_in_slack_are_taken_too(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    for name, text in (("a.csv", "/help"), ("b.csv", "pending")):
        await side.send(slack.file_event(text, slack.file_of(name, Hosted(LEDGER + name.encode()))))
        await side.shown(f"{name}: taken")
    await side.send(slack.message_event(ASK_EN))
    await side.shown("Record a visit")
    form = slack.file_of("c.csv", Hosted(LEDGER + b"c"))
    await side.send(slack.file_event("ECOG 2, weight 61.5, blood pressure 121/77", form))
    await side.shown("Please review")
    await side.shown("c.csv: taken")
