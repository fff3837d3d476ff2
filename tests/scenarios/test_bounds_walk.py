"""Values out of bounds are refused where they are given: docs/playbooks.md's example, served."""

import json
import shutil
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.docs.reading import ROOT, pages
from tests.fakes.folders import write_files
from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

ASK = "book in a delivery of goods, shelf G-99, pieces 9000, temperature 4"
GOOD = {"shelf": "B-07", "pieces": "20"}
FORM = "This is not in the form that is asked for (as in B-07)"


@pytest.fixture
def goods_in(tmp_path: Path) -> Path:
    """The documented example beside the samples."""
    folder = Path(shutil.copytree(ROOT / "playbooks", tmp_path / "playbooks"))
    (page,) = (page for page in pages() if page.name == "docs/playbooks.md")
    write_files(folder / "goods_in", page.files())
    return folder


async def booked(service: Service) -> dict[str, Any]:
    """What the one run there is has changed once it has ended, by its audit."""
    archive = service.parts.store.archive

    async def ended() -> str:
        ((run, history),) = await archive.runs(2)
        return run if history.ended else ""

    history = await archive.history(await until(ended))
    assert history is not None
    changed: dict[str, Any] = {}
    for entry in map(json.loads, history.entries):
        changed |= entry.get("changes", {})
    return changed


async def test_in_slack_the_form_stays_open_with_the_fault_at_its_field(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path, goods_in: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, playbooks=goods_in, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    await side.send(slack.message_event(ASK))
    card = await side.shown("Goods to book in")
    assert f"Shelf G-99: {FORM}" in card.body
    assert "Pieces 9000: This should be at most 500" in card.body
    await side.tap(card, "Fill in…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    hints = {b["block_id"]: b["hint"]["text"] for b in opened.view["blocks"] if "hint" in b}
    assert hints == {"shelf": "as in B-07", "pieces": "1 – 500"}
    shown = len(slack.messages)
    for pieces in ("0", "501"):
        # Slack's own input of numbers refuses it before it is sent.
        with pytest.raises(ValueError, match="out of range"):
            slack.view_submission(opened, GOOD | {"pieces": pieces})
    answer = await side.send(slack.view_submission(opened, GOOD | {"shelf": "G-07"}))
    assert answer == {"response_action": "errors", "errors": {"shelf": FORM}}
    assert len(slack.messages) == shown
    await side.send(slack.view_submission(opened, GOOD))
    await slack.wait_for(lambda: not card.buttons)
    assert await booked(service) == {
        "shelf": "B-07",
        "pieces": 20,
        "temperature": 4.0,
        "profile.booked": "yes",
    }


async def test_in_telegram_the_next_question_comes_once_the_value_fits(
    start: Start,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    goods_in: Path,
) -> None:
    people = with_accounts(people_file, "T0")
    settings = telegram_settings(telegram)
    service = await start(people=people, playbooks=goods_in, webchat=False, **settings)
    chat = TelegramSide(service, telegram, http)
    await chat.send(telegram.message_update("登记一批货物入库", chat_id=REQUESTER_ID))
    card = await chat.shown(REQUESTER_ID, "入库登记")
    await chat.send(telegram.tap_update(card, "填写…"))
    for asked, wrong, right, told in (
        ("货位：如 B-07", "G-99", "B-07", "格式不符合要求（如 B-07）"),
        ("件数：1 – 500", "9000", "20", "应不大于 500"),
        ("温度（℃）：≤ 8.5", "9", "8.5", "应不大于 8.5"),
    ):
        prompt = telegram.chat(REQUESTER_ID)[-1]
        assert asked in prompt.text
        await chat.send(telegram.reply_update(prompt, wrong))
        again = telegram.chat(REQUESTER_ID)[-1]
        assert (asked in again.text, told in again.text, again.force_reply) == (True, True, True)
        await chat.send(telegram.reply_update(again, right))
    whole = telegram.chat(REQUESTER_ID)[-1]
    await chat.send(telegram.tap_update(whole, "提交"))
    await telegram.wait_for(lambda: not card.labels)
    assert await booked(service) == {
        "shelf": "B-07",
        "pieces": 20,
        "temperature": 8.5,
        "profile.booked": "yes",
    }


async def test_in_the_web_chat_neither_a_form_nor_a_text_gets_a_wrong_value_in(
    start: Start, goods_in: Path
) -> None:
    service = await start(playbooks=goods_in)
    async with WebRoom(service.url) as room:
        await room.say("lin", "book in a delivery of goods, shelf B-07")
        card = await room.card("clarify")
        status, answer = await room.fill("lin", card, "submit", pieces="9000", temperature="4")
        assert (status, answer["errors"]) == (422, {"pieces": "This should be at most 500"})
        await room.say("lin", "pieces 501, temperature 4 ℃")
        told = await room.wait_for(lambda m: "at most 500" in text_of(m["parts"]))
        assert "Temperature 4" in text_of(told["parts"])
        await room.say("lin", "shelf G-07, pieces 20")
        await room.wait_for(lambda m: FORM in text_of(m["parts"]))
        await room.say("lin", "shelf C-08")
        # What is put right is not sent by that.
        right = await room.wait_for(lambda m: bool(m["card"]) and "C-08" in json.dumps(m["card"]))
        filled = {"shelf": "C-08", "pieces": "20", "temperature": "4"}
        assert (await room.fill("lin", right["card"], "submit", **filled))[0] == 200
        await room.card("clarify", closed=True)
    assert await booked(service) == {
        "shelf": "C-08",
        "pieces": 20,
        "temperature": 4.0,
        "profile.booked": "yes",
    }
