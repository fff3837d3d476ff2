"""A file is a field on each platform: sent in the form, read by a rule, seen by who decides."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from bot.settings import Settings
from bot.terminal.client import Speaker, enter_room
from bot.terminal.forms import Form, fill_form
from tests.fakes import file_makers as made
from tests.fakes.admin_client import TOKEN, AdminClient
from tests.fakes.depot import write_depot
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import Message, WebRoom, button, new_id, text_of
from tests.scenarios.conftest import Start, running
from tests.scenarios.test_platform_walk import (
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
)

NOTE = b"Delivery note for W-7: 3 boxes of bolts"
CLEO, HUGO = 1001, 2002
OURS = "https://depot.example"


def rows_of(card: Message) -> dict[str, Message]:
    return {row["label"]: row for row in card["rows"]}


async def send_note(room: WebRoom, form: Message, content: bytes, name: str) -> tuple[int, Message]:
    """Cleo fills in the form, with that file as the delivery note."""
    _, sent = await room.upload("cleo", content)
    asked = {field["name"] for each in form["buttons"] for field in each["form"]}
    values = {"order": "W-7", "note": name}
    return await room.post(
        "forms",
        "cleo",
        button=button(form, "submit"),
        values={name: value for name, value in values.items() if name in asked},
        files={"note": {"id": sent["id"], "name": name}},
        id=new_id(),
    )


async def test_over_the_web_chat_and_after_a_restart(
    new_settings: Callable[..., Settings], tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    folder = write_depot(tmp_path / "depot")
    settings = new_settings(
        playbooks=folder, people=folder / "people.yaml", admin_token=TOKEN, file_max_mb=1
    )
    async with running(settings) as service, WebRoom(service.url) as room:
        await room.say("cleo", "take goods in")
        form = await room.card("clarify")
        status, told = await room.fill("cleo", form, "submit", order="W-7", note="lost.pdf")
        assert status == 422
        assert "There is no file lost.pdf here" in told["errors"]["note"]
        status, told = await send_note(room, form, NOTE, "note.csv")
        wanted = "Please send a file of one of these kinds: pdf, txt, png"
        assert (status, told["errors"]) == (422, {"note": wanted})
        # What it is, only its content says: it is asked for again, and all else stays.
        assert (await send_note(room, form, made.xlsx([["a"]]), "note.txt"))[1]["ok"]
        again = await room.wait_for(
            lambda m: "kinds: pdf, txt, png" in text_of(m) and bool(m["card"]["buttons"])
        )
        assert [field["name"] for field in again["card"]["buttons"][0]["form"]] == ["note"]
        note = made.pdf(["Delivery note", "for W-7"])
        assert (await send_note(room, again["card"], note, "note.pdf"))[1]["ok"]
        review = await room.card("confirm")
        assert review["problems"] == []
        link = rows_of(review)["Delivery note"]["link"]
        assert rows_of(review)["Delivery note"]["value"] == "note.pdf"
        assert "link" not in rows_of(review)["Order"]
    async with running(settings) as service, WebRoom(service.url) as room:
        await see(http, service.url + link, note)
        review = await room.card("confirm")
        inbox = await (await http.get(f"{service.url}/chat/inbox?person=hugo")).json()
        assert rows_of(inbox["cards"][0])["Delivery note"]["link"] == link
        await room.share("hugo", "", better__txt=NOTE)
        await room.wait_for(lambda m: "better.txt: taken" in text_of(m))
        status, told = await room.fill("hugo", review, "edit", order="W-7", note="none.txt")
        assert (status, "no file none.txt here" in told["errors"]["note"]) == (422, True)
        await room.fill("hugo", review, "edit", order="W-7", note="better.txt")
        changed = await room.wait_for(
            lambda m: bool(m["card"]) and "better.txt" in str(m["card"]["rows"])
        )
        better = rows_of(changed["card"])["Delivery note"]["link"]
        await see(http, service.url + better, NOTE)
        assert (await http.get(service.url + link)).status == 404, "the card shows another one"
        assert (await http.get(service.url + better.replace("better", "note"))).status == 404
        other = {"Host": "elsewhere.example"}
        assert (await http.get(service.url + better, headers=other)).status == 403
        async with AdminClient(service.url) as admin:
            await admin.sign_in()
            assert (await admin.get("/pending")).links("/runs/")
            run = (await admin.get("/pending")).links("/runs/")[0]
            assert (await admin.get(run)).links("/files/")
        assert (await room.tap("hugo", changed["card"], "approve"))[1]["ok"]
        done = await room.wait_for(lambda m: "They are taken in." in text_of(m))
        await see(http, service.url + rows_of(done["card"])["Delivery note"]["link"], NOTE)


async def test_the_files_of_a_list_are_links_too(
    start: Start, tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    folder = write_depot(tmp_path / "depot")
    goods = folder / "goods"
    for path, old, new in (
        (
            goods / "playbook.yaml",
            "  order: {",
            "  papers:\n    label: {zh: 单据, en: Papers}\n    type: list\n    columns:\n"
            "      what: {label: {zh: 种类, en: What}}\n"
            "      paper: {label: {zh: 文件, en: Paper}, type: file}\n  order: {",
        ),
        (goods / "skills" / "ask.yaml", "fields: [order, note]", "fields: [order, note, papers]"),
        (
            goods / "skills" / "ask.yaml",
            "provides: [order, note]",
            "provides: [order, note, papers]",
        ),
        (
            goods / "skills" / "accept.yaml",
            "presents: [order, note,",
            "presents: [papers, order, note,",
        ),
    ):
        text = path.read_text("utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    service = await start(playbooks=folder, people=folder / "people.yaml")
    async with WebRoom(service.url) as room:
        await room.share("cleo", "", note__txt=NOTE, bill__txt=b"a bill")
        await room.wait_for(lambda m: "bill.txt" in text_of(m))
        await room.say("cleo", "take goods in")
        form = await room.card("clarify")
        papers = "bill | bill.txt\nlost | lost.txt"
        status, told = await room.fill(
            "cleo", form, "submit", order="W-7", note="note.txt", papers=papers
        )
        assert status == 200, told
        review = await room.card("confirm")
        shown = [row for row in review["rows"] if row["label"] == "Papers · Paper"]
        assert [row["value"] for row in shown] == ["bill.txt", "lost.txt"]
        await see(http, service.url + shown[0]["link"], b"a bill")
        assert (await http.get(service.url + shown[1]["link"])).status == 404
        forged = shown[0]["link"].replace("bill.txt", "note.txt")
        assert (await http.get(service.url + forged)).status == 404


async def see(http: aiohttp.ClientSession, url: str, content: bytes) -> None:
    """The link shows the file, as what it is and nothing else."""
    async with http.get(url) as answer:
        assert (answer.status, await answer.read()) == (200, content)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


async def test_a_file_that_comes_with_a_text_or_alone_is_the_one_that_is_asked_for(
    start: Start, tmp_path: Path
) -> None:
    folder = write_depot(tmp_path / "depot")
    service = await start(playbooks=folder, people=folder / "people.yaml")
    async with WebRoom(service.url) as room:
        await room.say("cleo", "take goods in")
        await room.card("clarify")
        await room.share("hugo", "", other__txt=b"not Cleo's")
        await room.wait_for(lambda m: "Ask me what is in it" in text_of(m))
        await room.share("cleo", "", note__txt=NOTE)
        await room.wait_for(lambda m: "Still missing: Order" in text_of(m))
        await room.say("cleo", "order W-7")
        review = await room.card("confirm")
        assert rows_of(review)["Delivery note"]["value"] == "note.txt"
        assert review["problems"] == []
        await room.tap("hugo", review, "approve")
        await room.wait_for(lambda m: "They are taken in." in text_of(m))
        await room.say("cleo", "take goods in")
        await room.card("clarify")
        await room.share("cleo", "order W-7", again__txt=NOTE + b".")
        await room.wait_for(lambda m: bool(m["card"]) and "again.txt" in str(m["card"]["rows"]))
        await room.say("cleo", "take goods in with lost.txt")
        named = await room.wait_for(lambda m: bool(m["card"]) and "lost.txt" in str(m["card"]))
        assert named["card"]["kind"] == "clarify", "what is only named is shown, and sent by nobody"
        await room.say("cleo", "what is in again.txt?")
        await room.wait_for(lambda m: "3 boxes of bolts." in text_of(m))
        await room.say("cleo", "order W-7, delivery note lost.txt")
        await room.wait_for(lambda m: "no file lost.txt" in text_of(m))
        await room.say("cleo", "delivery note note.txt")
        await room.wait_for(
            lambda m: bool(m["card"]) and m["card"]["kind"] == "confirm" and "note.txt" in str(m)
        )


class Lines:
    """A screen whose person has these lines to type, and what they were shown."""

    def __init__(self, *lines: str) -> None:
        self.lines = [*lines]
        self.shown: list[str] = []

    async def line(self, prompt: str) -> str:
        self.shown.append(prompt)
        return self.lines.pop(0)

    def show(self, *lines: str) -> None:
        self.shown += lines


async def test_in_the_terminal_a_path_is_sent_and_a_name_is_a_name(
    start: Start, tmp_path: Path
) -> None:
    folder = write_depot(tmp_path / "depot")
    service = await start(playbooks=folder, people=folder / "people.yaml")
    (tmp_path / "note.txt").write_bytes(NOTE)
    async with WebRoom(service.url) as room:
        await room.say("cleo", "take goods in")
        shown = (await room.card("clarify"))["buttons"][0]
        form = Form(shown["data"], "Goods", "", tuple(shown["form"]), "en")
        screen: Any = Lines("W-7", "none.txt", f"{tmp_path}/none.txt", f"{tmp_path}/note.txt")
        async with enter_room(Speaker(service.url, "main", "cleo")) as client:
            answer = await fill_form(form, client, screen)
        assert answer is not None
        assert answer.body["ok"], answer
        told = " ".join(screen.shown)
        for said in (
            "a path such as ./a.pdf",
            "There is no file none.txt here",
            "that can be read",
        ):
            assert said in told
        review = await room.card("confirm")
        assert rows_of(review)["Delivery note"]["value"] == "note.txt"


async def test_over_slack(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    folder = write_depot(tmp_path / "depot", slack.team)
    service = await start(
        playbooks=folder,
        people=folder / "people.yaml",
        webchat=False,
        public_url=OURS,
        file_max_mb=1,
        **slack_settings(slack),
    )
    side = SlackSide(service, slack, http)
    await side.send(slack.message_event("take goods in", user="U0CLEO", channel="D0CLEO"))
    asked = await side.shown("Which order")
    await side.tap(asked, "Fill in…", user="U0CLEO")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    note = slack.file_of("note.txt", Hosted(NOTE))
    large = slack.file_of("note.txt", Hosted(NOTE), size=2 * 1024**2)
    for files, fault in (
        ([], "Please fill this in"),
        ([large], "Please send a file of at most 1 MB"),
    ):
        told = await side.send(slack.view_submission(opened, {"order": "W-7", "note": files}))
        assert (told["response_action"], told["errors"]) == ("errors", {"note": fault})
    await side.send(slack.view_submission(opened, {"order": "W-7", "note": [note]}))
    card = await side.shown("Please accept")
    assert "does not name the order" not in card.body
    (link,) = re.findall(rf"<{OURS}(/files/[^|>]+)\|note.txt>", card.body)
    await see(http, service.url + link, NOTE)


async def test_over_telegram(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    folder = write_depot(tmp_path / "depot")
    service = await start(
        playbooks=folder,
        people=folder / "people.yaml",
        webchat=False,
        public_url=OURS,
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
    await side.send(telegram.message_update("lost.txt", chat_id=CLEO, reply_to=prompt))
    await side.shown(CLEO, "There is no file lost.txt here")
    # Without a word, and not as a reply: the question is the last thing that was said there.
    await side.send(telegram.document_update("", "note.txt", Hosted(NOTE), chat_id=CLEO))
    summary = await side.shown(CLEO, "note.txt")
    await side.send(telegram.tap_update(summary, "Submit"))
    card = await side.shown(HUGO, "Please accept")
    assert "note.txt" in card.text
    assert "does not name the order" not in card.text
    (link,) = [link for link in card.links if link.startswith(f"{OURS}/files/")]
    await see(http, service.url + link.removeprefix(OURS), NOTE)
