"""What the reading process makes of files, good and hostile, as a process with real limits."""

import asyncio
import io
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from adapters.file_reader import plain
from adapters.file_reader.result import Deadline
from adapters.reader_process import FileReader
from engine.ports.library import Extract
from tests.fakes import file_makers as made

SCAN = made.pdf([""])
# What office programs write, and what they never do.
NAMED = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'


async def read(content: bytes, ending: str = "-", *, seconds: float = 20, mb: int = 512) -> Extract:
    with open_file(content) as file:
        return await FileReader(seconds=seconds, memory_mb=mb).read(file, ending)


def open_file(content: bytes) -> io.BufferedRandom:
    file = os.fdopen(os.memfd_create("shared"), "w+b")
    file.write(content)
    file.seek(0)
    return file


async def test_a_pdf_is_read_page_by_page() -> None:
    found = await read(made.pdf(["Paid 2026-03-05", "Signed"]))
    assert (found.kind, found.parts, found.parts_read, found.problem) == ("pdf", 2, 2, "")
    assert "Paid 2026-03-05" in found.text
    assert "Signed" in found.text


async def test_of_a_long_pdf_the_first_pages_are_read() -> None:
    found = await read(made.pdf([f"page {n}" for n in range(205)]))
    assert (found.parts, found.parts_read) == (205, 200)
    assert "page 199" in found.text
    assert "page 200" not in found.text


async def test_a_word_document_is_read_in_its_order_with_tables() -> None:
    found = await read(made.docx(["甲方 2026-03-05", "second"], [["a", "b"], ["c", "d"]]))
    assert found.text == "甲方 2026-03-05\nsecond\na\tb\nc\td\n"


async def test_a_workbook_is_a_table_and_a_text() -> None:
    found = await read(
        made.xlsx([["day", "n"], ["2026-03-05", 3], [None, None], ["x", 4]], sheets=2)
    )
    assert (found.columns, found.rows, found.parts) == (("day", "n"), 2, 2)
    assert found.sample[0] == ("2026-03-05", "3")
    assert "# S2" in found.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
async def test_tables_of_any_usual_encoding_are_read(encoding: str) -> None:
    found = await read("受试者;体重\nP003;61\n".encode(encoding), "csv")
    assert (found.kind, found.columns, found.rows) == ("csv", ("受试者", "体重"), 1)


async def test_a_picture_is_told_by_its_size() -> None:
    found = await read(made.png(8, 4))
    assert (found.kind, found.width, found.height) == ("png", 8, 4)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("pdf as txt", made.pdf(), "pdf"),
        ("xlsx as csv", made.xlsx([["a"]]), "xlsx"),
        ("text as pdf", b"only words\n", "txt"),
        ("png as docx", made.png(), "png"),
    ],
)
async def test_the_content_says_what_it_is(name: str, content: bytes, kind: str) -> None:
    assert (await read(content, name.split()[-1])).kind == kind


HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "nothing": (b"", "empty"),
    "a program": (b"MZ\x90\x00" + bytes(500), "kind"),
    "noise": (bytes(range(256)) * 40, "kind"),
    "a plain zip": (made.zipped({"a.txt": b"x"}), "kind"),
    "a zip bomb": (partial(made.zip_bomb, 300), "bomb"),
    "a small zip that swells": (partial(made.zip_bomb, 20), "bomb"),
    "many entries": (
        lambda: made.zipped({"word/document.xml": b"x", **{f"{n}": b"" for n in range(10_001)}}),
        "bomb",
    ),
    "half a document": (made.docx()[:3000], "broken"),
    "a document that is none": (made.zipped({"word/document.xml": b"<x/>"}), "broken"),
    "an outer entity": (made.docx_with_entity("file:///etc/hostname"), "unsafe"),
    "entities in a workbook": (
        made.zipped({"xl/workbook.xml": NAMED, "[Content_Types].xml": b"<x/>"}),
        "unsafe",
    ),
    "half a pdf": (made.pdf()[:200], "broken"),
    "a pdf of nothing": (b"%PDF-1.7\n" + b"\x00\xff" * 5000, "broken"),
    "a huge picture": (made.png(50_000, 50_000), "bomb"),
    "half a picture": (made.png()[:40], "broken"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_cannot_be_read_is_said_and_nothing_of_it_given(name: str) -> None:
    content, problem = HOSTILE[name]
    found = await read(content if isinstance(content, bytes) else content())
    assert (found.problem, found.text) == (problem, "")


async def test_pages_without_end_are_stopped() -> None:
    # The library may notice it before the time is over.
    assert (await read(made.doubling_pdf(), seconds=2)).problem in ("heavy", "broken")
    assert (await read(made.circular_pdf())).problem == "broken"


async def test_what_takes_more_memory_than_there_is_is_stopped() -> None:
    # What cannot be packed well is no bomb by its sizes.
    text = os.urandom(15 * 1024**2).hex().encode()
    wide = made.rewritten(made.docx(["before"]), "word/document.xml", b"before", text)
    assert (await read(wide, mb=128)).problem in ("heavy", "broken")
    assert (await read(made.docx(["after"]), mb=128)).text == "after\n"


def test_rows_that_there_is_no_time_to_count_are_said_to_be_more() -> None:
    with open_file(b"day,amount\n" + b"2026-03-05,1200\n" * 20_000) as file:
        found = plain.read_table(file, Deadline(0))
    assert (found["rows"], found["rows_more"], found["cut"]) == (5000, True, True)


async def test_a_reader_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Nobody ever writes: whoever reads from it waits.
    with os.fdopen(os.open(pipe, os.O_RDWR), "rb", buffering=0) as never:
        found = await FileReader(seconds=1).read(never, "-")
    assert found.problem in ("heavy", "broken")


async def test_the_reading_process_has_no_settings_and_connects_to_nothing() -> None:
    code = (
        "import os, sys, socket\n"
        "from adapters.file_reader.__main__ import forbid_access, set_limits\n"
        "set_limits(256, 5); forbid_access()\n"
        "left = sorted(n for n in os.environ if 'TOKEN' in n or 'SIGNOFF' in n)\n"
        "tried = []\n"
        "for name, act in (\n"
        "    ('connect', lambda: socket.socket().connect(('127.0.0.1', 9))),\n"
        "    ('start', lambda: os.system('true')),\n"
        "    ('read', lambda: open('/etc/hostname').read()),\n"
        "    ('write', lambda: open('/tmp/from-a-reader', 'w').write('x')),\n"
        "):\n"
        "    try:\n        act(); tried.append(name)\n    except OSError:\n        pass\n"
        "print(left, tried)\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE, env={}, cwd=os.getcwd()
    )
    told, _ = await process.communicate()
    assert told.decode().strip() == "[] []"
