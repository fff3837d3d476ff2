"""A file is a field on each platform: sent in the form, read by a rule, seen by who decides."""

from pathlib import Path

import aiohttp

from tests.fakes import file_makers as made
from tests.fakes.depot import write_depot
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom, button, new_id, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
)

NOTE = b"Delivery note for W-7: 3 boxes of bolts"
CLEO, HUGO = 1001, 2002


async def test_over_the_web_chat(start: Start, tmp_path: Path) -> None:
    folder = write_depot(tmp_path / "depot")
    service = await start(playbooks=folder, people=folder / "people.yaml")
    async with WebRoom(service.url) as room:
        await room.say("cleo", "take goods in")
        form = await room.card("clarify")
        send = button(form, "submit")

        async def fill(content: bytes, name: str) -> tuple[int, dict[str, object]]:
            _, sent = await room.upload("cleo", content)
            return await room.post(
                "forms",
                "cleo",
                button=send,
                values={"order": "W-7", "note": name},
                files={"note": {"id": sent["id"], "name": name}},
                id=new_id(),
            )

        status, told = await room.fill("cleo", form, "submit", order="W-7", note="lost.pdf")
        assert status == 422
        assert "There is no file lost.pdf here" in told["errors"]["note"]
        status, told = await fill(NOTE, "note.csv")
        assert (status, told["errors"]) == (
            422,
            {"note": "Please send a file of one of these kinds: pdf, txt, png"},
        )
        # What it is, only its content says: it is asked for again.
        assert (await fill(made.xlsx([["a"]]), "note.txt"))[1]["ok"]
        again = await room.wait_for(
            lambda m: "kinds: pdf, txt, png" in text_of(m) and bool(m["card"]["buttons"])
        )
        send = button(again["card"], "submit")
        assert (await fill(made.pdf(["Delivery note", "for W-7"]), "note.pdf"))[1]["ok"]
        review = await room.card("confirm")
        assert "note.pdf" in text_of({"card": review, "parts": []})
        assert "does not name the order" not in str(review)


async def test_over_slack(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    folder = write_depot(tmp_path / "depot", slack.team)
    service = await start(
        playbooks=folder, people=folder / "people.yaml", webchat=False, **slack_settings(slack)
    )
    side = SlackSide(service, slack, http)
    await side.send(slack.message_event("take goods in", user="U0CLEO", channel="D0CLEO"))
    asked = await side.shown("Which order")
    await side.tap(asked, "Fill in…", user="U0CLEO")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    large = slack.file_of("note.txt", Hosted(NOTE), size=9 * 1024**2)
    note = slack.file_of("note.txt", Hosted(NOTE))
    told = await side.send(slack.view_submission(opened, {"order": "W-7"}))
    assert told["errors"] == {"note": "Please fill this in"}
    assert large["size"] > note["size"]
    await side.send(slack.view_submission(opened, {"order": "W-7", "note": [note]}))
    card = await side.shown("Please accept")
    assert "note.txt" in card.body
    assert "does not name the order" not in card.body


async def test_over_telegram(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    folder = write_depot(tmp_path / "depot")
    service = await start(
        playbooks=folder,
        people=folder / "people.yaml",
        webchat=False,
        **telegram_settings(telegram),
    )
    side = TelegramSide(service, telegram, http)
    await side.send(telegram.message_update("take goods in", chat_id=CLEO))
    asked = await side.shown(CLEO, "Which order")
    await side.send(telegram.tap_update(asked, "Fill in…"))
    prompt = await side.shown(CLEO, "Order")
    await side.send(telegram.message_update("W-7", chat_id=CLEO, reply_to=prompt))
    prompt = await side.shown(CLEO, "Send a document or a photo")
    await side.send(telegram.message_update("by post", chat_id=CLEO, reply_to=prompt))
    prompt = await side.shown(CLEO, "Please send the file, as a document")
    # Without a word, and not as a reply: the question is the last thing that was said there.
    await side.send(telegram.document_update("", "note.txt", Hosted(NOTE), chat_id=CLEO))
    summary = await side.shown(CLEO, "note.txt")
    await side.send(telegram.tap_update(summary, "Submit"))
    card = await side.shown(HUGO, "Please accept")
    assert "note.txt" in card.text
    assert "does not name the order" not in card.text
