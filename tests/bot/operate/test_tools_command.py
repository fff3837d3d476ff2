"""`signoff tools` over a folder of one's own: what there is, what a call gives, what is refused."""

import json
from pathlib import Path

import pytest

from tests.bot.signoff_process import Ended, ended
from tests.fakes.garage import bookings, write_garage, write_project


@pytest.fixture
def garage(tmp_path: Path) -> Path:
    return write_garage(tmp_path / "garage")


async def tools(folder: Path, *words: str, **more: str) -> Ended:
    variables = {"SIGNOFF_PLAYBOOKS": str(folder), "SIGNOFF_PEOPLE": str(folder / "people.yaml")}
    return await ended(folder, "tools", *words, **variables, **more)


async def test_every_tool_is_listed_with_its_arguments(garage: Path) -> None:
    listed = await tools(garage, "list", "--json")
    found = {each["tool"]: each for each in json.loads(listed.out)}
    assert list(found) == ["find_hoist", "list_hoists", "book_hoist"]
    assert (found["book_hoist"]["does"], found["book_hoist"]["arguments"]) == ("writes", "bay day")
    assert "Every hoist of the garage." in (await tools(garage, "list")).out


async def test_a_reading_tool_is_called_as_people_see_it(garage: Path) -> None:
    called = await tools(garage, "call", "find_hoist", "--arg", "bay=A1")
    assert (called.status, called.err) == (0, "")
    assert called.out == "- Bay: A1\n- Lifts: 3500 kg\n- Inspected: 2026-05-02\n"
    probed = await tools(garage, "probe", "find_hoist", "--arg", "bay=B2", "--lang", "zh")
    assert 'asked: {"bay": "B2"}' in probed.out
    assert '"lifts_kg": 5000' in probed.out
    assert "- 载重: 5000 kg" in probed.out
    nothing = await tools(garage, "call", "find_hoist", "--arg", "bay=Z9")
    assert (nothing.status, nothing.out) == (0, "Nothing was found.\n")


async def test_a_folder_of_one_language_tells_results_in_it(garage: Path) -> None:
    called = await tools(garage, "call", "find_hoist", "--arg", "bay=A1", SIGNOFF_LANGUAGES="zh")
    assert "- 载重: 3500 kg\n" in called.out, called.err


async def test_a_folder_may_be_named_as_for_the_neighbours(tmp_path: Path) -> None:
    write_project(tmp_path / "garage")
    listed = await ended(tmp_path, "tools", "list", "garage", "--json")
    assert [each["tool"] for each in json.loads(listed.out)][:2] == ["find_hoist", "list_hoists"]
    called = await ended(tmp_path, "tools", "call", "find_hoist", "garage", "--arg", "bay=A1")
    assert (called.status, called.err) == (0, "")
    assert called.out.startswith("- Bay: A1\n")
    probed = await ended(tmp_path, "tools", "probe", "find_hoist", "garage", "--arg", "bay=B2")
    assert "5000" in probed.out
    inside = await ended(tmp_path / "garage", "tools", "call", "find_hoist", "--arg", "bay=A1")
    assert inside.out == called.out
    nowhere = await ended(tmp_path, "tools", "list", "garaje")
    assert (nowhere.status, nowhere.out) == (2, "")
    assert nowhere.err == "garaje: there is no such folder\n"


ROOMS = """\
id: rooms
name: {zh: 房间, en: Rooms}
project: X-1
entities: {room: {name: {zh: 房间, en: Room}, tool: list_rooms, id: no, names: [called]}}
"""
LISTED = """\
list_rooms:
  description: Rooms
  reads: {connection: house}
  for_questions: false
  result: many
  columns: {no: {label: {zh: 编号, en: No}}, called: {label: {zh: 名称, en: Called}}}
find_room:
  description: A room
  reads: {connection: house, where: {no: "{room}"}}
  arguments: {room: {label: {zh: 房间, en: Room}, type: entity, entity: room}}
  columns: {floor: {label: {zh: 楼层, en: Floor}}}
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder whose rooms have numbers and names; two have the same name."""
    folder = tmp_path / "house"
    (folder / "playbooks" / "rooms").mkdir(parents=True)
    (folder / "signoff.yaml").write_text("timezone: Europe/Berlin\n", "utf-8")
    people = "roles: [{id: keeper, zh: 管理员, en: keeper}]\npeople: [{id: ann, name: Ann}]\n"
    (folder / "people.yaml").write_text(people, "utf-8")
    (folder / "connections.yaml").write_text("house: {kind: sheet, file: rooms.csv}\n", "utf-8")
    rows = "no,called,floor\nR-1,Elbe,2\nR-2,Rhine,3\nR-3,Rhine,4\n"
    (folder / "rooms.csv").write_text(rows, "utf-8")
    (folder / "playbooks" / "rooms" / "playbook.yaml").write_text(ROOMS, "utf-8")
    (folder / "playbooks" / "rooms" / "tools.yaml").write_text(LISTED, "utf-8")
    return folder


async def test_a_name_is_taken_for_the_id_that_a_chat_would_take_it_for(house: Path) -> None:
    for said in ("Elbe", "elbe", "r-1"):
        called = await ended(house, "tools", "call", "find_room", "--arg", f"room={said}")
        assert (called.status, called.out) == (0, "- Floor: 2\n"), called.err
        assert called.err == f"room: {said} is R-1\n"
    by_id = await ended(house, "tools", "call", "find_room", "--arg", "room=R-1")
    assert (by_id.out, by_id.err) == ("- Floor: 2\n", "")
    probed = await ended(house, "tools", "probe", "find_room", "--arg", "room=Elbe")
    assert probed.out.startswith('asked: {"room": "R-1"}')


@pytest.mark.parametrize("said", ["Danube", "Rhine"])
async def test_what_names_nothing_or_several_says_what_there_is(house: Path, said: str) -> None:
    called = await ended(house, "tools", "call", "find_room", "--arg", f"room={said}")
    assert called.out == "Nothing was found.\n"
    assert called.err == (
        f"room: {said!r} is no room that list_rooms lists, or several; "
        "there are R-1 (Elbe), R-2 (Rhine), R-3 (Rhine)\n"
    )


async def test_a_writing_tool_needs_to_be_meant(garage: Path) -> None:
    words = ("call", "book_hoist", "--arg", "bay=A1", "--arg", "day=2026-12-12")
    refused = await tools(garage, *words)
    assert (refused.status, bookings(garage)) == (2, [])
    assert "--really" in refused.out
    assert (await tools(garage, *words, "--really")).status == 0
    assert bookings(garage) == [("A1", "2026-12-12", "operator")]
    assert (await tools(garage, "probe", *words[1:])).status == 2


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("call", "find_hoist", "--arg", "bay=zz"), 1, "bay: should be as [A-Z][0-9] says"),
        (("call", "find_hoist"), 1, "Wrong arguments bay"),
        (("call", "find_hoist", "--arg", "bay"), 1, "should be NAME=VALUE"),
        (("call", "find_house"), 2, "there are: find_hoist, list_hoists, book_hoist"),
    ],
)
async def test_what_cannot_be_called_says_why(
    garage: Path, words: tuple[str, ...], status: int, told: str
) -> None:
    called = await tools(garage, *words)
    assert (called.status, called.out) == (status, "")
    assert told in called.err
