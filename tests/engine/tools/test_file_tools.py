import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ToolFailed
from engine.ports.library import NO_LIBRARY
from engine.tools.files.file_get_info import FILE_GET_INFO
from engine.tools.files.file_list import FILE_LIST
from engine.tools.files.file_parse import FILE_PARSE
from engine.tools.model import ToolContext
from engine.tools.registry import call


async def parsed(name: str, ctx: ToolContext) -> dict[str, Any]:
    result = await call(FILE_PARSE, {"name": name}, ctx)
    assert json.loads(json.dumps(result)) == result
    return result


async def test_files_are_listed_with_their_sizes(ctx: ToolContext, folder: Path) -> None:
    assert FILE_LIST.tell(await call(FILE_LIST, {}, ctx), "en") == "This project has no files."
    (folder / "notes_1.txt").write_text("x" * 2048)
    (folder / "a.csv").write_text("a,b\n")
    told = FILE_LIST.tell(await call(FILE_LIST, {}, ctx), "zh")
    assert told == "本项目共有 2 个文件：\n\n- a.csv (4 B)\n- notes\\_1.txt (2.0 KiB)"


async def test_a_long_list_is_cut_and_says_so(ctx: ToolContext, folder: Path) -> None:
    for number in range(51):
        (folder / f"{number:02}.txt").touch()
    result = await call(FILE_LIST, {}, ctx)
    assert (len(result["files"]), result["total"]) == (50, 51)
    assert FILE_LIST.tell(result, "en").startswith("Files of this project: 51; the first 50 are:")


async def test_info_says_whether_the_file_can_be_read(ctx: ToolContext, folder: Path) -> None:
    (folder / "letter.pages").write_bytes(b"PK")
    (folder / "notes.md").write_text("hello")
    letter = FILE_GET_INFO.tell(await call(FILE_GET_INFO, {"name": "letter.pages"}, ctx), "en")
    assert letter.endswith("I cannot read the content of this kind of file.")
    notes = FILE_GET_INFO.tell(await call(FILE_GET_INFO, {"name": "notes.md"}, ctx), "zh")
    assert notes.startswith("notes.md：类型 text/markdown，大小 **5 B**，最后修改于 20")


@pytest.mark.parametrize("tool", [FILE_GET_INFO, FILE_PARSE], ids=lambda tool: tool.name)
async def test_unknown_name_gets_the_close_ones(tool: Any, ctx: ToolContext, folder: Path) -> None:
    result = await call(tool, {"name": "../visits.csv"}, ctx)
    assert tool.tell(result, "en") == "This project has no file ../visits.csv."
    (folder / "visits.csv").touch()
    result = await call(tool, {"name": "visit.csv"}, ctx)
    assert tool.tell(result, "zh") == "本项目没有名为 visit.csv 的文件。名称相近的有：visits.csv。"


async def test_a_table_is_told_by_columns_and_rows(ctx: ToolContext, folder: Path) -> None:
    (folder / "ledger.csv").write_text('day;note\n1;"a\nb"\n2;*c*\n\n3;d\n4;e\n', "utf-8-sig")
    result = await parsed("ledger.csv", ctx)
    assert (result["columns"], result["rows"], len(result["sample"])) == (["day", "note"], 4, 3)
    assert FILE_PARSE.tell(result, "en") == (
        "ledger.csv: rows **4**, columns 2 (day, note).\n\nFirst rows (3):\n\n"
        "- 1 · a b\n- 2 · \\*c\\*\n- 3 · d"
    )


async def test_a_chinese_spreadsheets_encoding_is_read(ctx: ToolContext, folder: Path) -> None:
    (folder / "访视表.csv").write_bytes("受试者,体重\nP003,61\n".encode("gb18030"))
    result = await parsed("访视表.csv", ctx)
    assert (result["columns"], result["sample"]) == (["受试者", "体重"], [["P003", "61"]])


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ('[{"a": 1, "b": [2]}, {"c": "\\ud800"}]', ["a", "b", "c"], 2),
        ('{"a": null}', ["a"], 1),
        ("[1, 2, 3]", [], 3),
        ("[]", [], 0),
    ],
)
async def test_json_is_told_by_keys_and_rows(
    text: str, columns: list[str], rows: int, ctx: ToolContext, folder: Path
) -> None:
    (folder / "a.json").write_text(text)
    result = await parsed("a.json", ctx)
    assert (result["columns"], result["rows"]) == (columns, rows)
    FILE_PARSE.tell(result, "zh").encode("utf-8")


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", "[" * 100_000), ("b.json", "{no"), ("c.csv", "a,b\n" + "x" * 200_000)],
)
async def test_malformed_files_are_shown_as_text_and_said_to_be_so(
    name: str, text: str, ctx: ToolContext, folder: Path
) -> None:
    (folder / name).write_text(text)
    result = await parsed(name, ctx)
    assert (result["kind"], result["malformed"]) == ("text", True)
    assert "is malformed and shown as text" in FILE_PARSE.tell(result, "en")


async def test_a_long_text_is_cut_and_says_so(ctx: ToolContext, folder: Path) -> None:
    (folder / "notes.txt").write_text("## now\n" + "x" * 2000)
    result = await parsed("notes.txt", ctx)
    told = FILE_PARSE.tell(result, "en")
    assert told.startswith("notes.txt (2007 characters):\n\n> \\#\\# now\n> xxx")
    assert told.endswith("(These are the first 1500 of 2007 characters.)")
    assert FILE_PARSE.tell(result, "zh").endswith("（以上是前 1500 个字符，共 2007 个。）")


async def test_an_empty_file_is_said_to_be_empty(ctx: ToolContext, folder: Path) -> None:
    (folder / "a.csv").touch()
    (folder / "b.txt").touch()
    for name in ("a.csv", "b.txt"):
        assert FILE_PARSE.tell(await parsed(name, ctx), "en") == f"{name} is empty."


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("song.mp3", b"ID3", r"content of song\.mp3 cannot be read; these kinds can: txt, md,"),
        ("scan.pdf", b"%PDF-1.4 and no more", r"scan\.pdf is damaged"),
        ("scan.docx", b"\x00\x01" * 9, r"not of a kind that I can read"),
        ("scan.txt", b"\x00\x01", "is no text"),
        ("scan.md", b"\xff\xff\xff", "is no text"),
    ],
)
async def test_what_cannot_be_read_is_said_honestly(
    name: str, content: bytes, told: str, ctx: ToolContext, folder: Path
) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(ToolFailed, match=told):
        await parsed(name, ctx)


async def test_a_large_table_is_counted_without_being_held(ctx: ToolContext, folder: Path) -> None:
    rows = b"2026-03-05,1200\n" * 400_000
    (folder / "large.csv").write_bytes(b"day,amount\n" + rows)
    result = await parsed("large.csv", ctx)
    assert (result["columns"], result["rows"]) == (["day", "amount"], 400_000)


async def test_without_a_folder_of_files_it_says_so(ctx: ToolContext) -> None:
    bare = replace(ctx, library=NO_LIBRARY)
    for tool, given in (
        (FILE_LIST, {}),
        (FILE_GET_INFO, {"name": "a"}),
        (FILE_PARSE, {"name": "a"}),
    ):
        with pytest.raises(ToolFailed, match="no folder of project files"):
            await call(tool, given, bare)
