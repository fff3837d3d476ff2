"""People share files with a message of the web chat."""

import io
from typing import Any

import aiohttp
import pytest

from tests.fakes import file_makers as made
from tests.fakes.web_room import WebRoom, new_id, text_of
from tests.scenarios.conftest import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")
LEDGER = b"day,amount\n2026-03-05,1200\n2026-03-06,80\n"


def says(*words: str) -> Any:
    return lambda message: all(word in text_of(message) for word in words)


async def test_a_file_alone_is_taken_and_offered(own_room: WebRoom) -> None:
    await own_room.share("lin", "", ledger__csv=LEDGER)
    await own_room.wait_for(
        says("ledger.csv: taken (CSV, 41 B).", "Extract the dates from ledger.csv")
    )


async def test_a_question_about_this_file_is_answered_with_it(own_room: WebRoom) -> None:
    await own_room.share("lin", "What is in this file?", ledger__csv=LEDGER)
    shown = await own_room.wait_for(says("ledger.csv: taken", "columns 2 (day, amount)"))
    assert "2026-03-05 · 1200" in text_of(shown)


async def test_each_kind_is_read_for_later_questions(own_room: WebRoom) -> None:
    await own_room.share(
        "lin",
        "",
        letter__pdf=made.pdf(["Paid on 2026-03-05", "and 2026-03-06"]),
        note__docx=made.docx(["Signed on 2026-04-01"], [["a", "b"]]),
        table__xlsx=made.xlsx([["day", "n"], ["2026-05-01", 3]]),
        photo__png=made.png(),
    )
    await own_room.wait_for(says("letter.pdf: taken (PDF", "photo.png: taken (PNG"))
    await own_room.say("lin", "Extract the dates from letter.pdf")
    await own_room.wait_for(says("Dates (2): 2026-03-05, 2026-03-06"))
    await own_room.say("lin", "Extract the dates from note.docx")
    await own_room.wait_for(says("Dates (1): 2026-04-01"))
    await own_room.say("lin", "What is in table.xlsx?")
    await own_room.wait_for(says("rows <strong>1</strong>, columns 2 (day, n)"))
    await own_room.say("lin", "What is in photo.png?")
    await own_room.wait_for(says("a picture (png, 8 × 4 pixels)"))


async def test_another_conversation_knows_nothing_of_it(own_room: WebRoom, shared: Service) -> None:
    await own_room.share("lin", "", secret__csv=LEDGER)
    await own_room.wait_for(says("secret.csv: taken"))
    async with WebRoom(shared.url, "elsewhere") as other:
        await other.say("lin", "What is in secret.csv?")
        await other.wait_for(says("This project has no file secret.csv"))


async def test_the_same_file_is_kept_once_and_another_of_its_name_beside_it(
    own_room: WebRoom,
) -> None:
    await own_room.share("lin", "", a__csv=LEDGER)
    await own_room.share("lin", "What is in this file?", a__csv=LEDGER)
    await own_room.wait_for(says("columns 2 (day, amount)"))
    await own_room.share("lin", "What is in this file?", a__csv=b"x\n1\n")
    await own_room.wait_for(says("a.csv: taken (CSV, 4 B). It is kept as a-2.csv.", "(x)"))


async def test_a_name_that_is_a_path_stays_a_name(own_room: WebRoom, shared: Service) -> None:
    status, told = await own_room.upload("lin", LEDGER)
    assert status == 201
    file = {"id": told["id"], "name": "../../../../etc/\u202ecron.d/<b>evil</b>.csv"}
    assert (await own_room.post("messages", "lin", text="", files=[file], id=new_id()))[0] == 202
    await own_room.wait_for(says("b&gt;.csv: taken", "It is kept as b_.csv"))
    files = shared.parts.settings.data_dir / "files"
    assert [path.name for path in files.rglob("*evil*")] == []
    assert len(set(files.rglob("b_.csv"))) == 1


async def test_an_upload_is_nobody_elses(own_room: WebRoom) -> None:
    _, told = await own_room.upload("lin", LEDGER)
    file = {"id": told["id"], "name": "mine.csv"}
    assert (await own_room.post("messages", "chen", text="", files=[file], id=new_id()))[0] == 202
    await own_room.wait_for(says("mine.csv: the platform does not let me have this file"))


async def test_an_upload_beyond_the_limit_is_refused_while_it_comes(own_room: WebRoom) -> None:
    async def endless() -> Any:
        while True:
            yield b"x" * 65_536

    try:
        status, told = await own_room.upload("lin", endless())
    except aiohttp.ClientError:
        return
    assert (status, told["error"].startswith("file: at most ")) == (413, True)


async def test_a_foreign_page_cannot_upload(own_room: WebRoom, shared: Service) -> None:
    async with aiohttp.ClientSession() as http:
        url = f"{shared.url}/chat/files?room=main&person=lin"
        file = "application/octet-stream"
        for status, headers in (
            (415, {"Content-Type": "text/plain"}),
            (403, {"Content-Type": file, "Origin": "http://elsewhere.example"}),
        ):
            async with http.post(url, data=io.BytesIO(b"x"), headers=headers) as answer:
                assert answer.status == status
    left = shared.parts.settings.data_dir / "files" / ".uploads"
    assert not left.is_dir() or not list(left.glob("*.part"))


async def test_the_run_of_a_request_has_its_files(own_room: WebRoom, shared: Service) -> None:
    await own_room.share(
        "lin", "帮我起草一份起诉状，买卖合同纠纷", contract__pdf=made.pdf(["Contract"])
    )
    await own_room.wait_for(says("contract.pdf：已收到"))
    # The skill that reads files is the first, whatever else the phase lacks.
    assert (await own_room.card("clarify"))["title"].startswith("材料归类")
    found = await shared.parts.store.archive.runs(1000)
    bodies = [history.body for _, history in found if f":{own_room.room}" in history.body]
    assert any('"attachments":[{"name":"contract.pdf"}]' in body for body in bodies)


async def test_a_file_that_is_shared_while_work_goes_on_joins_it(own_room: WebRoom) -> None:
    await own_room.say("lin", "take in a new case")
    await own_room.wait_for(lambda message: bool(message["card"]))
    await own_room.share("lin", "", contract__txt=b"Hengyuan sells, Hongtu pays CNY 300.")
    message = await own_room.wait_for(says("contract.txt: taken"))
    assert "I passed the files on to what is under way here: Take in a case." in text_of(message)


async def test_all_files_are_searched_for_what_a_question_names(own_room: WebRoom) -> None:
    await own_room.share(
        "lin",
        "",
        lease__txt=b"1. The rent is 900.\n2. The deposit is CNY 1,800, paid back in May.\n",
        letter__pdf=made.pdf(["Dear all", "the deposit was never paid back"]),
    )
    await own_room.wait_for(says("lease.txt: taken"))
    await own_room.say("lin", "Search all files for the deposit")
    shown = await own_room.wait_for(says("lease.txt", "never paid back"))
    assert "letter.pdf</strong>, page 2" in text_of(shown)
