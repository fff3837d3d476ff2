"""Tables in files are read as they are now, and appended to once for each key."""

import asyncio
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from adapters.connections.sheet.connection import SheetConnection
from adapters.connections.sheet.model import SheetSettings
from engine.errors import ToolFailed
from engine.ports.systems.connections import BadCall, CallRequest

CSV = "﻿Room,Floor,Booked by,Key\r\nBerlin,2,Ana Li,\r\n\r\n Oslo ,3,,k0\r\nBerlin,4,Bo"


def connect(folder: Path, file: str = "rooms.csv", **more: Any) -> SheetConnection:
    return SheetConnection("rooms", SheetSettings(file=Path(file), **more), folder)


@pytest.fixture
def rooms(tmp_path: Path) -> SheetConnection:
    (tmp_path / "rooms.csv").write_bytes(CSV.encode())
    return connect(tmp_path)


def prepared(
    connection: SheetConnection,
    body: dict[str, Any],
    *arguments: str,
    writes: bool = False,
    result: str = "many",
) -> Any:
    return connection.prepare(CallRequest(body, frozenset(arguments), writes, result))


async def test_rows_are_found_by_their_cells(rooms: SheetConnection) -> None:
    call = prepared(rooms, {"where": {"Room": "{room}", "Floor": "{floor}"}}, "room", "floor")
    assert await call({"room": "berlin"}) == [
        {"Room": "Berlin", "Floor": "2", "Booked by": "Ana Li", "Key": None},
        {"Room": "Berlin", "Floor": "4", "Booked by": "Bo", "Key": None},
    ]
    assert [row["Booked by"] for row in await call({"room": "Berlin ", "floor": 4})] == ["Bo"]
    one = prepared(rooms, {"where": {"Room": "{room}"}}, "room", result="one")
    assert (await one({"room": "oslo"}))["Floor"] == "3"
    assert await one({"room": "Rome"}) is None


async def test_a_file_that_changed_is_read_anew(rooms: SheetConnection) -> None:
    call = prepared(rooms, {"where": {"Room": "Rome"}})
    assert await call({}) == []
    rooms.path.write_bytes(CSV.encode() + b"\nRome,1,Cy,\n")
    assert len(await call({})) == 1


async def test_a_row_is_appended_once_for_its_key(rooms: SheetConnection) -> None:
    body = {"append": {"Room": "{room}", "Booked by": "{who}"}, "key": "Key"}
    call = prepared(rooms, body, "room", "who", writes=True)
    values = {"room": "Rome", "who": 'Lin "the, Great"\nof Oslo'}
    told = await asyncio.gather(*(call(values, key="run-1") for _ in range(4)))
    assert sorted(each["repeated"] for each in told) == [False, True, True, True]
    rows = await prepared(rooms, {"where": {"Room": "Rome"}})({})
    assert rows == [{"Room": "Rome", "Floor": None, "Booked by": values["who"], "Key": "run-1"}]
    assert len(await prepared(rooms, {})({})) == 4


async def test_what_would_be_computed_is_not_written(rooms: SheetConnection) -> None:
    call = prepared(rooms, {"append": {"Room": "{room}"}}, "room", writes=True)
    with pytest.raises(ToolFailed, match="would be computed"):
        await call({"room": "=1+1"})
    assert rooms.path.read_bytes() == CSV.encode()


async def test_a_workbook_keeps_its_types(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Leave")
    for row in (["Who", "Days", "From"], ["Ana", 12.5, date(2026, 3, 2)], [None, None, None]):
        sheet.append(row)
    book.save(tmp_path / "leave.xlsx")
    connection = connect(tmp_path, "leave.xlsx", sheet="Leave")
    rows = await prepared(connection, {"where": {"Days": 12.5}})({})
    assert rows == [{"Who": "Ana", "Days": 12.5, "From": "2026-03-02"}]
    missing = connect(tmp_path, "leave.xlsx", sheet="Sick")
    assert await missing.probe() == ["leave.xlsx has no sheet 'Sick'; there are Sheet, Leave"]
    with pytest.raises(BadCall, match="only read"):
        prepared(connection, {"append": {"Who": "x"}}, writes=True)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "FileNotFoundError"),
        (b"", "names each column"),
        (b"a,a\n", "names each column"),
        (b"a,,b\n", "names each column"),
        (b'a,b\n"x', "cannot be read: Error"),
        (b"a\n\xff\xfe\n", "UnicodeDecodeError"),
    ],
)
async def test_what_is_no_table_says_so(tmp_path: Path, content: bytes | None, fault: str) -> None:
    connection = connect(tmp_path)
    if content is not None:
        connection.path.write_bytes(content)
    assert fault in (await connection.probe())[0]
    for body, writes in (({}, False), ({"append": {"a": "x"}}, True)):
        with pytest.raises(ToolFailed, match="cannot be reached"):
            await prepared(connection, body, writes=writes)({})


async def test_a_column_that_is_not_there_is_named(rooms: SheetConnection) -> None:
    for body, writes in (({"where": {"Town": "x"}}, False), ({"append": {"Town": "x"}}, True)):
        with pytest.raises(ToolFailed, match="no column 'Town'"):
            await prepared(rooms, body, writes=writes)({})


@pytest.mark.parametrize(
    ("body", "writes", "fault"),
    [
        ({"where": {"a": "{who}"}}, False, "{who} is no argument"),
        ({"where": {"a": "{"}}, False, "stands alone"),
        ({"append": {"a": "x"}}, False, "a tool that writes has `append`"),
        ({"where": {"a": "x"}}, True, "a tool that writes has `append`"),
        ({"append": {}, "where": {"a": "x"}}, True, "not both"),
        ({"key": "a"}, False, "of a row that is appended"),
    ],
)
def test_a_wrong_call_is_refused_when_it_is_loaded(
    rooms: SheetConnection, body: dict[str, Any], writes: bool, fault: str
) -> None:
    with pytest.raises(BadCall, match=fault.replace("{", r"\{")):
        prepared(rooms, body, writes=writes)


@pytest.mark.parametrize("file", ["rooms.txt", "/etc/rooms.csv", "../rooms.csv"])
def test_only_tables_in_the_folder(file: str) -> None:
    with pytest.raises(ValueError, match="file should"):
        SheetSettings(file=Path(file))
