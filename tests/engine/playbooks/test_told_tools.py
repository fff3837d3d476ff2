"""What a tool of a playbook tells, and why it cannot: templates for certain results, refusals."""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import yaml
from pydantic import JsonValue

from cards.model import Principal
from engine.errors import ToolFailed
from engine.playbooks.checks.tools import call_request, read_tools, refusal_request
from engine.ports.systems.connections import PreparedCall
from engine.text.entity_kinds import PatternKind, entities_of
from engine.toolbox.connected import connect_tool
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call, rehearse
from engine.yaml.source import Problems, read_yaml
from tests.docs.reading import blocks, pages
from tests.fakes.study import MemoryDatabase
from tests.fakes.tables import table

TABLES = """
CREATE TABLE hoists (bay TEXT PRIMARY KEY, lifts REAL, state TEXT);
INSERT INTO hoists VALUES ('A1', 3500, 'free'), ('B2', NULL, 'booked'), ('C3', 900, 'broken');
CREATE TABLE bookings (bay TEXT REFERENCES hoists, day TEXT, key TEXT UNIQUE, UNIQUE (bay, day));
"""
TOOLS = """\
find_hoist:
  description: The hoist of a bay.
  reads: {connection: workshop, sql: "SELECT bay, lifts, state FROM hoists WHERE bay = :bay"}
  arguments:
    bay: {label: Bay, entity: bay}
  columns:
    bay: {label: Bay}
    lifts: {label: Lifts, type: number, unit: kg, missing: {de: unbekannt, en: not known}}
    state: {label: State}
  tell_when:
    - {when: {state: free}, text: "{bay} is free and lifts **{lifts}**."}
    - {when: {state: [booked, reserved], lifts: null}, text: "{bay} is taken; lifts **{lifts}**."}
  tell: "{bay} is {state}."
  refused_when:
    - finds: {connection: workshop, sql: "SELECT group_concat(bay, ', ') AS there FROM hoists"}
      text: {de: "Kein {bay}; es gibt {there}.", en: "There is no {bay}, only {there}."}
book_hoist:
  description: Books the hoist of a bay for a day.
  writes:
    connection: workshop
    sql: "INSERT INTO bookings (bay, day, key) VALUES (:bay, :day, :key)"
    key: {table: bookings, column: key}
  arguments:
    bay: {label: Bay, entity: bay}
    day: {label: Day, type: date}
  columns: {repeated: {label: Done before, type: boolean}}
  tell_when:
    - {when: {repeated: true}, text: "{bay} was booked before."}
  tell: "{bay} is booked for {day}."
  refused_when:
    - finds: {connection: workshop, sql: "SELECT 1 FROM bookings WHERE bay = :bay AND day = :day"}
      text: "{bay} is booked on {day} already."
"""
FREE = """\
list_free:
  description: Which hoists lift that much.
  reads: {connection: workshop, sql: "SELECT bay, lifts FROM hoists WHERE lifts >= :least"}
  result: many
  arguments:
    least: {label: At least, type: number}
  columns:
    bay: {label: Bay}
    lifts: {label: Lifts, type: number}
  tell: "{bay} lifts {lifts}, and {least} is asked for"
"""
DAY = {"bay": "a1", "day": "2026-12-01"}
ASKING = ToolContext(today=date(2026, 11, 23))
APPROVED = ToolContext(today=date(2026, 11, 23), key="run1:book", by="fred")


@pytest.fixture
def workshop() -> MemoryDatabase:
    return MemoryDatabase("workshop", TABLES)


def tool(name: str, workshop: MemoryDatabase, text: str = TOOLS) -> Tool[Any]:
    problems = Problems()
    known = {workshop.name: workshop}
    made = read_tools(read_yaml(text, file="t"), problems, taken=(), connections=known)[name]
    assert problems == []
    return connect_tool(
        name,
        made,
        workshop.prepare(call_request(made)),
        "",
        [workshop.prepare(refusal_request(made, each)) for each in made.refused_when],
        entities=entities_of((PatternKind("bay", "[A-Z][0-9]", "upper", "", None),)),
    )


@pytest.mark.parametrize(
    ("bay", "told"),
    [
        ("A1", "A1 is free and lifts **3500**."),
        ("b2", "B2 is taken; lifts **not known**."),
        ("C3", "C3 is broken."),
    ],
)
async def test_the_first_template_that_fits_is_told(
    bay: str, told: str, workshop: MemoryDatabase
) -> None:
    find = tool("find_hoist", workshop)
    assert find.tell(await call(find, {"bay": bay}, ASKING), "en") == told


async def test_each_row_may_be_told_with_what_was_asked(workshop: MemoryDatabase) -> None:
    find = tool("list_free", workshop, FREE)
    result = await call(find, {"least": 800}, ASKING)
    assert result["rows"] == [{"bay": "A1", "lifts": 3500}, {"bay": "C3", "lifts": 900}]
    assert find.tell(result, "en").splitlines() == [
        "- A1 lifts 3500, and 800 is asked for",
        "- C3 lifts 900, and 800 is asked for",
    ]


SHOWN = """\
show_hoist:
  description: The hoist of a bay.
  reads: {connection: workshop, sql: "SELECT bay, lifts, NULL AS seen FROM hoists WHERE bay = :bay"}
  arguments: {bay: {label: Bay, entity: bay}}
  columns:
    bay: {label: Bay}
    lifts: {label: Lifts, type: number, unit: {de: Kilo, en: kg}, missing: not known}
    seen: {label: Seen}
"""
LISTED = SHOWN.replace("WHERE bay = :bay", "ORDER BY bay").replace(
    "arguments: {bay: {label: Bay, entity: bay}}", "result: many"
)


async def test_lists_say_what_stands_for_no_value(workshop: MemoryDatabase) -> None:
    one = tool("show_hoist", workshop, SHOWN)
    found = {bay: await call(one, {"bay": bay}, ASKING) for bay in ("A1", "B2")}
    assert one.tell(found["A1"], "en").splitlines() == ["- Bay: A1", "- Lifts: 3500 kg"]
    assert one.tell(found["A1"], "de").splitlines()[1] == "- Lifts: 3500 Kilo"
    assert one.tell(found["B2"], "en").splitlines() == ["- Bay: B2", "- Lifts: not known"]
    many = tool("show_hoist", workshop, LISTED)
    table = many.tell(await call(many, {}, ASKING), "en").splitlines()
    assert table[2:4] == ["| A1 | 3500 kg | – |", "| B2 | not known | – |"]


async def test_a_read_that_finds_nothing_says_why(workshop: MemoryDatabase) -> None:
    with pytest.raises(ToolFailed, match="There is no Z9, only A1, B2, C3") as caught:
        await call(tool("find_hoist", workshop), {"bay": "z9"}, ASKING)
    assert caught.value.text("de") == "Kein Z9; es gibt A1, B2, C3."


async def test_what_a_person_gave_is_no_markup_in_a_refusal(workshop: MemoryDatabase) -> None:
    with pytest.raises(ToolFailed) as caught:
        await call(tool("find_hoist", workshop), {"bay": "*{there}*"}, ASKING)
    assert caught.value.text("en").startswith(r"There is no \*{there}\*, only A1")


async def test_a_repeated_write_is_told_and_not_refused(workshop: MemoryDatabase) -> None:
    book = tool("book_hoist", workshop)
    first, again = await call(book, DAY, APPROVED), await call(book, DAY, APPROVED)
    assert book.tell(first, "en") == "A1 is booked for 2026-12-01."
    assert book.tell(again, "en") == "A1 was booked before."


async def test_a_write_is_refused_in_words_before_and_when_it_is_done(
    workshop: MemoryDatabase,
) -> None:
    book = tool("book_hoist", workshop)
    await rehearse(book, DAY, APPROVED)
    await call(book, DAY, APPROVED)
    other = ToolContext(today=APPROVED.today, key="run2:book", by="fred")
    for attempt in (rehearse, call):
        with pytest.raises(ToolFailed, match="A1 is booked on 2026-12-01 already"):
            await attempt(book, DAY, other)


LACKING = """\
    - lacks: {connection: workshop, sql: "SELECT 1 FROM hoists WHERE bay = :bay AND state = 'free'"}
      text: "There is no free hoist {bay}."
"""


async def test_a_write_is_refused_where_what_it_needs_is_not_there(
    workshop: MemoryDatabase,
) -> None:
    book = tool("book_hoist", workshop, TOOLS + LACKING)
    await rehearse(book, DAY, APPROVED)
    for bay in ("Z9", "C3"):
        with pytest.raises(ToolFailed, match=f"There is no free hoist {bay}"):
            await rehearse(book, {**DAY, "bay": bay}, APPROVED)


LIMITED = """\
book_hoist:
  description: Books the hoist of a bay, twice at most.
  writes:
    connection: workshop
    sql: >-
      INSERT INTO bookings (bay, day, key) SELECT :bay, :day, :key
      WHERE (SELECT count(*) FROM bookings WHERE bay = :bay) < 2
    key: {table: bookings, column: key}
  arguments:
    bay: {label: Bay, entity: bay}
    day: {label: Day, type: date}
  refused_when:
    - finds:
        connection: workshop
        sql: SELECT bay FROM bookings WHERE bay = :bay GROUP BY bay HAVING count(*) >= 2
      text: "{bay} is booked twice already."
"""


async def test_two_that_were_approved_beside_each_other_pass_no_limit_that_the_write_keeps(
    workshop: MemoryDatabase,
) -> None:
    book = tool("book_hoist", workshop, LIMITED)
    days = ("2026-12-01", "2026-12-02", "2026-12-03")
    runs = [ToolContext(today=APPROVED.today, key=f"run{n}:book", by="fred") for n in range(3)]
    await call(book, {"bay": "A1", "day": days[0]}, runs[0])
    for run, day in zip(runs[1:], days[1:], strict=True):
        # Nothing speaks against either of them when people are asked.
        await rehearse(book, {"bay": "A1", "day": day}, run)
    await call(book, {"bay": "A1", "day": days[1]}, runs[1])
    with pytest.raises(ToolFailed, match="A1 is booked twice already"):
        await call(book, {"bay": "A1", "day": days[2]}, runs[2])


LOANS = "CREATE TABLE loans (item TEXT, person TEXT, returned_on TEXT, key TEXT UNIQUE);"
ONE_EACH = "CREATE UNIQUE INDEX one_each ON loans (item) WHERE returned_on IS NULL"
GUARD = "WHERE NOT EXISTS (SELECT 1 FROM loans WHERE item = :item AND returned_on IS NULL)"


@pytest.mark.parametrize(
    ("guard", "index", "written"),
    [(GUARD, "", 1), ("", ONE_EACH, 1), ("", "", 2)],
    ids=["the statement", "a unique index", "a refusal alone"],
)
async def test_what_is_written_once_only_is_as_docs_tools_md_says(
    guard: str, index: str, written: int
) -> None:
    (shown,) = (block.text for block in blocks("yaml") if "\nlend_item:" in f"\n{block.text}")
    page = next(each.text for each in pages() if each.name == "docs/tools.md")
    assert shown.count(GUARD) == 1
    assert ONE_EACH in page
    store = MemoryDatabase("store", f"{LOANS}{index}")
    lend = tool("lend_item", store, shown.replace(GUARD, guard))
    runs = [
        replace(APPROVED, key=f"{who}:lend", person=Principal(id=who, name=who))
        for who in ("ida", "tom")
    ]
    for run in runs:
        # Nothing speaks against either of them when people are asked.
        await rehearse(lend, {"item": "C-07"}, run)
    await call(lend, {"item": "C-07"}, runs[0])
    if written == 1:
        with pytest.raises(ToolFailed, match="C-07 is out: ida has it"):
            await call(lend, {"item": "C-07"}, runs[1])
    else:
        await call(lend, {"item": "C-07"}, runs[1])
    assert store.db.execute("SELECT count(*) FROM loans").fetchone()[0] == written


async def test_nothing_is_written_that_nobody_approved(workshop: MemoryDatabase) -> None:
    book = tool("book_hoist", workshop)
    for context in (ASKING, ToolContext(today=ASKING.today, key="run1:book")):
        with pytest.raises(ToolFailed, match="only in a run that was approved"):
            await call(book, DAY, context)
    with workshop.db as db:
        assert db.execute("SELECT count(*) FROM bookings").fetchone()[0] == 0
    assert isinstance(workshop.db, sqlite3.Connection)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{bay} is {state}.", "{bay} is {colour}.", "find_hoist.tell: names colour; there are"),
        ("when: {state: free}", "when: {colour: red}", "find_hoist.tell_when.0.when: names colour"),
        (
            '**{lifts}**."}\n    - {when: {state: [',
            '{lifts"}\n    - {when: {state: [',
            "tell_when.0",
        ),
        (
            'connection: workshop, sql: "SELECT group',
            'connection: shed, sql: "SELECT group',
            "shed",
        ),
        ("SELECT 1 FROM bookings", "DELETE FROM bookings", "should begin with SELECT"),
        (
            "{bay} is booked on {day} already",
            "{bey} is booked on {day} already",
            "t:32: book_hoist.refused_when.0.text: names bey; there are bay, day",
        ),
        ("free hoist {bay}", "free hoist {state}", "refused_when.1.text: names state; there are"),
        ("lacks: {connection: workshop", "lacks: {connection: shed", "refused_when.1.lacks"),
        (LACKING.split("\n      text")[0], "    -", "should have either `finds` or `lacks`"),
        (
            "only {there}.",
            "only {these}.",
            "t:16: find_hoist.refused_when.0.text: names these; there are bay, there",
        ),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(
    old: str, new: str, told: str, workshop: MemoryDatabase
) -> None:
    text = TOOLS + LACKING
    assert old in text
    problems = Problems()
    source = read_yaml(text.replace(old, new, 1), file="t")
    read_tools(source, problems, taken=(), connections={"workshop": workshop})
    assert any(told in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT * FROM bookings", "{anything} at all"),
        ("SELECT b.* FROM bookings b", "{anything} at all"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "{anything} at all"),
        (
            "SELECT DISTINCT b.day, max(who, 'a,b') AS \"last\", 1 n FROM b",
            "{day} {last} {n} {bay}",
        ),
        ("SELECT coalesce(who, (SELECT 1 FROM b)) who -- , x FROM\n FROM b", "{who}"),
    ],
)
def test_what_a_refusal_finds_may_be_named(sql: str, text: str, workshop: MemoryDatabase) -> None:
    problems = Problems()
    found = {"connection": "workshop", "sql": sql}
    tools = yaml.safe_load(TOOLS)
    tools["book_hoist"]["refused_when"] = [{"finds": found, "text": text}]
    source = read_yaml(yaml.safe_dump(tools, sort_keys=False), file="t")
    read_tools(source, problems, taken=(), connections={"workshop": workshop})
    assert problems == []


class Answers(PreparedCall):
    """A call of a system that always answers the same."""

    keyed = False

    def __init__(self, answer: JsonValue) -> None:
        self._answer = answer

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        return self._answer


LIST_HOISTS = """\
list_hoists:
  description: The hoists of a hall.
  reads: {connection: workshop, path: /hoists}
  result: RESULT
  arguments: {hall: {label: Hall}}
  refused_when:
    - finds: {connection: workshop, path: /halls}
      text: "{hall} ({name}, since {state.since}, {state}, {nonsense}, {name|number}) is closed."
"""


@table(
    ("result", "answer"),
    [
        ("many", None),
        ("many", []),
        ("many\n  rows: hoists", {"hoists": []}),
        ("many\n  rows: hoists", {}),
        ("one", []),
        ("text", ""),
    ],
)
@table("as_list", [True, False])
async def test_an_empty_result_of_any_shape_is_explained_and_no_hole_stays_raw(
    result: str, answer: JsonValue, *, as_list: bool
) -> None:
    row: JsonValue = {"name": "*North*", "state": {"since": "May"}}
    problems = Problems()
    text = LIST_HOISTS.replace("RESULT", result)
    made = read_tools(read_yaml(text, file="t"), problems, taken=(), connections=None)
    definition = made["list_hoists"]
    found = Answers([row, {"name": "South"}] if as_list else row)
    told = connect_tool("list_hoists", definition, Answers(answer), "", [found])
    with pytest.raises(ToolFailed) as caught:
        await call(told, {"hall": "H1"}, ASKING)
    assert caught.value.text("en") == r"H1 (\*North\*, since May, –, –, –) is closed."
    assert "{" not in str(caught.value)
    assert problems == []
