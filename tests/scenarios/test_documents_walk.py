"""Documents come out of runs in the web chat: shown, downloaded, and known to the case."""

from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
from structlog.testing import capture_logs

from tests.fakes.harbour import CASE_MAIN, SKILL, TEMPLATE_ONLY
from tests.fakes.templates import template, words_of
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import ROOT, Start


def harbour(folder: Path) -> Path:
    """The harbour, which fills in its template."""
    playbook = folder / "playbooks" / "harbour"
    for name in ("skills", "documents"):
        (playbook / name).mkdir(parents=True)
    (playbook / "playbook.yaml").write_text(CASE_MAIN, encoding="utf-8")
    (playbook / "skills" / "write.yaml").write_text(SKILL + TEMPLATE_ONLY, encoding="utf-8")
    letter = template(("To {{tenant}}", "By {{profile.master}}"))
    (playbook / "documents" / "letter.docx").write_bytes(letter)
    return folder / "playbooks"


def card_with_file(message: Message) -> bool:
    card = message["card"]
    return bool(card) and any(row.get("link") for row in card["rows"])


async def test_a_document_is_on_the_card_and_another_room_of_the_case_has_it(
    start: Start, tmp_path: Path
) -> None:
    service = await start(
        playbooks=harbour(tmp_path), people=ROOT / "playbooks" / "people.yaml", project="HARBOUR-1"
    )
    async with WebRoom(service.url) as room:
        await room.say("lin", "make an offer")
        shown = await room.wait_for(card_with_file)
        (row,) = [row for row in shown["card"]["rows"] if row.get("link")]
        assert row["value"].startswith("Draft_the_offer-v1-")
        async with aiohttp.ClientSession() as http:
            answer = await http.get(service.url + row["link"])
            assert answer.headers["Content-Disposition"] == "attachment"
            words = words_of(await answer.read())
        assert words.split("\n") == [
            "Harbour office · Draft the offer v1",
            "To [Tenant]",
            "By [Harbour master]",
        ]
        done = await room.wait_for(lambda m: [p["state"] for p in m["parts"]] == ["done"])
        assert "version 1, digest" in text_of(done["parts"])
    async with WebRoom(service.url, "elsewhere") as other:
        await other.say("lin", "make an offer")
        again = await other.card("select")
        (row,) = [row for row in again["rows"] if row.get("link")]
        async with aiohttp.ClientSession() as http:
            answer = await http.get(service.url + row["link"])
            assert words_of(await answer.read()) == words
        # Done again with nothing new it is the same version.
        await other.tap("lin", again, "again")
        done = await other.wait_for(lambda m: [p["state"] for p in m["parts"]] == ["done"])
        assert "version 1, digest" in text_of(done["parts"])


async def test_who_shares_the_case_may_ask_for_its_files_and_a_stranger_may_not(
    start: Start, tmp_path: Path
) -> None:
    service = await start(
        playbooks=harbour(tmp_path),
        people=ROOT / "playbooks" / "people.yaml",
        project="HARBOUR-1",
        projects=(("web:local:strange", "HARBOUR-2"),),
    )
    rooms = (WebRoom(service.url, name) for name in ("main", "elsewhere", "strange"))
    async with AsyncExitStack() as stack:
        room, other, strange = [await stack.enter_async_context(each) for each in rooms]
        await room.say("lin", "make an offer")
        shown = await room.wait_for(card_with_file)
        await room.wait_for(lambda m: [p["state"] for p in m["parts"]] == ["done"])
        (row,) = [row for row in shown["card"]["rows"] if row.get("link")]
        question = f"What is in {row['value']}?"
        await other.say("chen", question)
        await other.wait_for(lambda m: "To [Tenant]" in text_of(m["parts"]))
        await strange.say("lin", question)
        await strange.wait_for(lambda m: "has no file" in text_of(m["parts"]))


async def test_a_version_that_was_changed_on_disk_is_refused_and_logged(
    start: Start, tmp_path: Path
) -> None:
    service = await start(
        playbooks=harbour(tmp_path), people=ROOT / "playbooks" / "people.yaml", project="HARBOUR-1"
    )
    async with WebRoom(service.url) as room, aiohttp.ClientSession() as http:
        await room.say("lin", "make an offer")
        shown = await room.wait_for(card_with_file)
        (row,) = [row for row in shown["card"]["rows"] if row.get("link")]
        (path,) = service.parts.settings.data_dir.rglob(row["value"])
        made = path.read_bytes()
        path.chmod(0o600)
        path.write_bytes(made + b" ")
        with capture_logs() as logs:
            answer = await http.get(service.url + row["link"])
            assert answer.status == 409
            assert "was changed after it was made" in await answer.text()
        (told,) = [each for each in logs if each["event"] == "document_altered"]
        assert told["name"] == row["value"]
        await room.say("lin", f"What is in {row['value']}?")
        await room.wait_for(lambda m: "was changed after it was made" in text_of(m["parts"]))
        path.write_bytes(made)
        answer = await http.get(service.url + row["link"])
        assert (answer.status, await answer.read()) == (200, made)
