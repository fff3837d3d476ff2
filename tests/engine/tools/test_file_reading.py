"""Reading a file page by page, and finding words in all files, each place with its position."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ToolRetry
from engine.ports.model import ToolCall
from engine.text.excerpts.excerpt import excerpt
from engine.tools.files.file_list import FILE_LIST
from engine.tools.files.file_parse import FILE_PARSE
from engine.tools.files.file_search import FILE_SEARCH
from engine.tools.model import QUESTION_ROOM, RUN_ROOM, ToolContext
from engine.tools.read_only import ReadOnlyTools
from engine.tools.registry import call
from tests.fakes import file_makers as made

CLAUSE = "Clause {n}. The supplier keeps the “goods” of part {n} dry, and pays for what gets wet.\n"
CONTRACT = "".join(CLAUSE.format(n=n) for n in range(430))
"""More than 35,000 characters."""


async def pages(name: str, ctx: ToolContext) -> list[dict[str, Any]]:
    result = await call(FILE_PARSE, {"name": name, "from": 0}, ctx)
    read = [result]
    while result["next"] is not None:
        result = await call(FILE_PARSE, {"name": name, "from": result["next"]}, ctx)
        read.append(result)
    return read


@pytest.mark.parametrize("room", [QUESTION_ROOM, RUN_ROOM])
async def test_a_long_text_is_read_to_its_end_page_by_page(
    room: int, ctx: ToolContext, folder: Path
) -> None:
    (folder / "contract.txt").write_text(CONTRACT)
    ctx = replace(ctx, room=room)
    read = await pages("contract.txt", ctx)
    assert len(CONTRACT) > 35_000
    assert "".join(page["text"] for page in read) == CONTRACT
    assert [page["cut"] for page in read] == [True] * (len(read) - 1) + [False]
    # A page ends with a sentence, and is shown to a model as it is.
    assert all(page["text"].endswith((".", "\n")) for page in read)
    assert all(not excerpt(page, room).left_out for page in read)


async def test_text_that_takes_more_room_as_json_still_comes_whole(
    ctx: ToolContext, folder: Path
) -> None:
    (folder / "odd.txt").write_text('"\\\x07' * 3000)
    read = await pages("odd.txt", ctx)
    assert "".join(page["text"] for page in read) == '"\\\x07' * 3000
    assert all(not excerpt(page, QUESTION_ROOM).left_out for page in read)


async def test_a_page_of_a_pdf_says_which_page_it_is(ctx: ToolContext, folder: Path) -> None:
    (folder / "scan.pdf").write_bytes(made.pdf(["first page", "second page", "third page"]))
    whole = await call(FILE_PARSE, {"name": "scan.pdf"}, ctx)
    at = whole["text"].index("third")
    assert (whole["part"], whole["next"]) == (1, None)
    later = await call(FILE_PARSE, {"name": "scan.pdf", "from": at}, ctx)
    assert (later["part"], later["from"], later["text"].strip()) == (3, at, "third page")
    told = FILE_PARSE.tell(later, "en")
    assert told.endswith(
        f"(These are characters {at + 1} to {whole['chars']} of {whole['chars']}.)"
    )


async def test_a_table_can_be_read_to_its_last_row(ctx: ToolContext, folder: Path) -> None:
    rows = "".join(f"{n},row {n}\n" for n in range(900))
    (folder / "ledger.csv").write_text(f"no,what\n{rows}")
    table = await call(FILE_PARSE, {"name": "ledger.csv"}, ctx)
    assert (table["kind"], table["rows"], table["next"]) == ("csv", 900, 0)
    read = await pages("ledger.csv", ctx)
    assert "".join(page["text"] for page in read) == f"no,what\n{rows}"
    assert not any(page["malformed"] for page in read)


async def test_reading_on_behind_the_end_gives_nothing(ctx: ToolContext, folder: Path) -> None:
    (folder / "a.txt").write_text("short")
    result = await call(FILE_PARSE, {"name": "a.txt", "from": 900}, ctx)
    assert (result["text"], result["from"], result["next"]) == ("", 5, None)


async def test_words_are_found_in_every_file_with_their_places(
    ctx: ToolContext, folder: Path
) -> None:
    (folder / "contract.txt").write_text(CONTRACT + "Late deliveries cost LIQUIDATED\n  damages.\n")
    (folder / "letter.pdf").write_bytes(made.pdf(["Dear all", "liquidated damages are due"]))
    (folder / "合同.md").write_text("第一条 逾期交货的，支付违\n约金。", "utf-8")
    (folder / "photo.png").write_bytes(made.png())
    found = await call(FILE_SEARCH, {"query": "liquidated damages"}, ctx)
    assert [m["name"] for m in found["matches"]] == ["contract.txt", "letter.pdf"]
    assert (found["exact"], found["total"], found["next"]) == (True, 2, None)
    assert found["matches"][1]["part"] == 2
    assert found["not_searched"] == ["photo.png"]
    for match in found["matches"]:
        page = await call(FILE_PARSE, {"name": match["name"], "from": match["at"]}, ctx)
        assert page["text"].lower().startswith("liquidated")
    (chinese,) = (await call(FILE_SEARCH, {"query": "违约金"}, ctx))["matches"]
    assert (chinese["name"], chinese["at"]) == ("合同.md", 12)
    told = FILE_SEARCH.tell(found, "en")
    assert "“liquidated damages” stands in 2 places" in told
    assert "**letter.pdf**, page 2, from character" in told
    assert "photo.png" in told


async def test_further_places_come_with_next(ctx: ToolContext, folder: Path) -> None:
    (folder / "contract.txt").write_text(CONTRACT)
    places, start = [], 0
    while start is not None:
        found = await call(FILE_SEARCH, {"query": "the supplier", "from": start}, ctx)
        assert not excerpt(found, QUESTION_ROOM).left_out
        places += [match["at"] for match in found["matches"]]
        start = found["next"]
    assert len(places) == found["total"] == 430
    assert places == sorted(set(places))


async def test_without_the_exact_words_the_passages_with_most_of_them_are_found(
    ctx: ToolContext, folder: Path
) -> None:
    (folder / "a.txt").write_text("The lamp is red.\nThe deposit is paid back within ten days.\n")
    found = await call(FILE_SEARCH, {"query": "when is the deposit paid back?"}, ctx)
    assert (found["exact"], found["total"]) == (False, 1)
    assert "ten days" in found["matches"][0]["text"]
    assert "have most of its words" in FILE_SEARCH.tell(found, "en")


async def test_one_file_can_be_searched_and_an_unknown_one_is_told(
    ctx: ToolContext, folder: Path
) -> None:
    (folder / "a.txt").write_text("deposit")
    (folder / "b.txt").write_text("deposit")
    found = await call(FILE_SEARCH, {"query": "deposit", "name": "b.txt"}, ctx)
    assert [m["name"] for m in found["matches"]] == ["b.txt"]
    unknown = await call(FILE_SEARCH, {"query": "deposit", "name": "c.txt"}, ctx)
    assert FILE_SEARCH.tell(unknown, "en").startswith("This project has no file c.txt.")
    nothing = await call(FILE_SEARCH, {"query": "zebra"}, ctx)
    assert FILE_SEARCH.tell(nothing, "zh") == "在可以搜索的 2 个文件里没有找到「zebra」。"
    with pytest.raises(ToolRetry, match="Say what to look for"):
        await call(FILE_SEARCH, {"query": "  "}, ctx)


@pytest.mark.parametrize("query", [".*", "(", "a|b", "[", "\\d+"])
async def test_a_query_is_text_and_no_pattern(query: str, ctx: ToolContext, folder: Path) -> None:
    (folder / "a.txt").write_text("a1b")
    assert (await call(FILE_SEARCH, {"query": query}, ctx))["exact"] is False


async def test_what_a_model_is_not_shown_of_a_result_is_named(
    ctx: ToolContext, folder: Path
) -> None:
    for number in range(50):
        (folder / f"a-rather-long-name-for-a-file-{number:02}.txt").touch()
    tools = ReadOnlyTools([FILE_LIST], ctx)
    seen = await tools.call(ToolCall(id="1", name="file__list", arguments="{}"))
    shown, _, note = seen.content.partition("</data>")
    assert shown.startswith('<data>{"files": [{"name": "a-rather')
    assert shown.endswith('"total": 50}')
    assert "files (only the first 2" in note
    assert "of 50 entries are here" in note
