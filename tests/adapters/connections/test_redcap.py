"""What a tool reads of a REDCap project: its own fields, events, arms and repeating forms."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from adapters.connections.redcap.connection import RedcapConnection
from adapters.connections.redcap.model import RedcapSettings
from engine.errors import ToolFailed, ToolRetry
from engine.ports.systems.connections import BadCall, CallRequest
from tests.adapters.connections.redcap_part import Edc, opened
from tests.fakes.redcap_project import Project, ProjectField
from tests.fakes.redcap_server import RedcapServer
from tests.fakes.tables import table

# A school that follows its pupils: two arms, events, a repeating form, every kind of field.
FIELDS = [
    ProjectField("pupil", "intake"),
    ProjectField("class_name", "intake", choices="1, Year 7 | 2, Year 8"),
    ProjectField("lunch", "intake", kind="yesno"),
    ProjectField("clubs", "intake", kind="checkbox", choices="c, Chess | r, Rowing"),
    ProjectField("reading", "test", validation="integer"),
    ProjectField("speed", "test", validation="number"),
    ProjectField("absent_on", "absence", validation="date_ymd"),
    ProjectField("absence_key", "absence"),
]
EVENTS = ("autumn_arm_1", "spring_arm_1", "autumn_arm_2")


def school() -> Project:
    project = Project(fields=list(FIELDS), repeating={"absence"}, events=EVENTS)
    rows: list[dict[str, Any]] = [
        {"pupil": "001-0023", "redcap_event_name": EVENTS[0], "class_name": "1", "lunch": "1"},
        {"pupil": "001-0023", "redcap_event_name": EVENTS[1], "reading": "31", "speed": "1.5"},
        {"pupil": "002-0001", "redcap_event_name": EVENTS[2], "class_name": "2", "reading": "28"},
    ]
    project.import_rows(rows, overwrite=False)
    project.rows["001-0023", "", 0, EVENTS[0]]["clubs___r"] = "1"
    for day in ("2026-10-02", "2026-09-07"):
        place = {"redcap_repeat_instrument": "absence", "redcap_repeat_instance": "new"}
        absence = {"pupil": "001-0023", "redcap_event_name": EVENTS[0], **place, "absent_on": day}
        project.import_rows([absence], overwrite=False)
    return project


@pytest.fixture
async def pupils() -> AsyncIterator[RedcapServer]:
    async with RedcapServer(school()) as server:
        yield server
    assert server.faults == []


@pytest.fixture
async def edc(pupils: RedcapServer) -> AsyncIterator[Edc]:
    async with opened(pupils.url) as edc:
        yield edc


async def test_values_are_what_the_dictionary_says(edc: Edc) -> None:
    fields = ["class_name", "lunch", "clubs", "reading", "speed"]
    first, second, third = await edc.read({"fields": fields})
    assert first == {
        "class_name": 1,
        "lunch": 1,
        "clubs": ["r"],
        "reading": None,
        "speed": None,
        "record": "001-0023",
        "event": "autumn_arm_1",
        "instance": None,
    }
    assert (second["reading"], second["speed"], second["event"]) == (31, 1.5, "spring_arm_1")
    assert (third["record"], third["reading"]) == ("002-0001", 28)


async def test_choices_come_as_their_labels_where_a_tool_wants_them(edc: Edc) -> None:
    fields = ["class_name", "lunch", "clubs"]
    first, second = await edc.read({"fields": fields, "labels": fields})
    assert [first[name] for name in fields] == ["Year 7", "Yes", ["Rowing"]]
    assert [second[name] for name in fields] == ["Year 8", None, []]


@pytest.mark.parametrize(
    ("call", "records"),
    [
        ({"event": "spring_arm_1"}, ["001-0023"]),
        ({"arm": 2}, ["002-0001"]),
        ({"arm": 1}, ["001-0023"]),
        ({"record": "{pupil}"}, ["001-0023"]),
        ({"where": {"reading": 28}}, ["002-0001"]),
        ({"where": {"reading": "{nothing}"}}, ["001-0023", "002-0001"]),
        ({"sort": ["-reading"]}, ["001-0023", "002-0001"]),
        ({"sort": ["reading"]}, ["002-0001", "001-0023"]),
    ],
)
async def test_rows_are_those_that_are_meant(
    call: dict[str, Any], records: list[str], edc: Edc
) -> None:
    body = {"fields": ["reading"], **call}
    prepared = edc.connection.prepare(
        CallRequest(body, frozenset({"pupil", "nothing"}), False, "many")
    )
    rows: Any = await prepared({"pupil": "001-0023"})
    assert [row["record"] for row in rows] == records


async def test_a_repeating_form_gives_its_instances(edc: Edc) -> None:
    body = {"fields": ["absent_on"], "form": "absence", "sort": ["absent_on"]}
    rows = await edc.read(body)
    assert [(row["absent_on"], row["instance"]) for row in rows] == [
        ("2026-09-07", 2),
        ("2026-10-02", 1),
    ]
    newest = await edc.read({**body, "sort": ["-absent_on"]}, result="one")
    assert newest["absent_on"] == "2026-10-02"


async def test_more_rows_than_wanted_are_refused(edc: Edc) -> None:
    with pytest.raises(ToolFailed, match="more than 1 rows"):
        await edc.read({"fields": ["absent_on"], "form": "absence", "most": 1})


async def test_a_form_of_an_event_is_written_once_by_its_key(
    edc: Edc, pupils: RedcapServer
) -> None:
    changed = {
        "record": "{pupil}",
        "event": "spring_arm_1",
        "form": "absence",
        "key": "absence_key",
        "write": {"absent_on": "{day}"},
        "unique": ["absent_on"],
        "status": None,
    }
    absence = {"pupil": "001-0023", "day": "2026-11-02"}
    assert await edc.write(absence, key="k1", call=changed) == "new"
    assert await edc.write(absence, key="k1", call=changed) == "repeat"
    with pytest.raises(ToolFailed, match="already has this of 001-0023"):
        await edc.write(absence, key="k2", call=changed)
    with pytest.raises(ToolFailed, match="has no record 003-0001"):
        await edc.write({**absence, "pupil": "003-0001"}, key="k3", call=changed)
    with pytest.raises(ToolFailed, match="already stands for something else"):
        await edc.write({**absence, "pupil": "002-0001"}, key="k1", call=changed)
    assert pupils.project.rows["001-0023", "absence", 1, "spring_arm_1"]["absence_key"] == "k1"


async def test_a_choice_is_written_by_its_label_or_code(edc: Edc, pupils: RedcapServer) -> None:
    changed = {
        "record": "{pupil}",
        "event": "autumn_arm_2",
        "form": "",
        "key": "",
        "unique": [],
        "write": {"class_name": "{name}"},
        "status": None,
    }
    row = pupils.project.rows["002-0001", "", 0, "autumn_arm_2"]
    for name, code in (("Year 7", "1"), (2, "2")):
        await edc.write({"pupil": "002-0001", "name": name}, key="", call=changed)
        assert row["class_name"] == code
    with pytest.raises(ToolFailed, match="value of the field class_name"):
        await edc.write({"pupil": "002-0001", "name": "Year 9"}, key="", call=changed)


async def test_a_new_field_of_the_project_is_found(edc: Edc, pupils: RedcapServer) -> None:
    await edc.read({"fields": ["reading"]})
    pupils.project.fields.append(ProjectField("maths", "test", validation="integer"))
    assert await edc.read({"fields": ["maths"]}) == []
    with pytest.raises(ToolFailed, match="has no field physics"):
        await edc.read({"fields": ["physics"]})


async def test_a_value_that_the_dictionary_does_not_know_is_never_guessed(
    edc: Edc, pupils: RedcapServer
) -> None:
    pupils.project.rows["001-0023", "", 0, "spring_arm_1"]["reading"] = "many"
    with pytest.raises(ToolFailed, match="value of the field reading of edc does not fit"):
        await edc.read({"fields": ["reading"]})


async def test_the_doctor_is_told_what_is_wrong(edc: Edc, pupils: RedcapServer) -> None:
    assert await edc.connection.probe() == []
    pupils.may_export = False
    (told,) = await edc.connection.probe()
    assert "lacks the rights" in told


@table(
    ("body", "writes", "told"),
    [
        ({}, False, "should have either `fields` to read or values to `write`"),
        ({"fields": ["a"], "record": "{who}"}, False, "{who} is no argument"),
        ({"fields": ["a"], "key": "k"}, False, "belong to a write"),
        ({"fields": ["redcap_event_name"]}, False, "are REDCap's own"),
        ({"fields": ["a"]}, True, "a tool that writes has `write`"),
        ({"write": {"a": "1"}}, True, "a write needs the `record`"),
        ({"write": {"a": "1"}, "record": "1", "unique": ["b"]}, True, "`unique` names b"),
    ],
)
def test_a_faulty_call_is_told_when_it_is_loaded(
    body: dict[str, Any], writes: bool, told: str
) -> None:
    address = "https://redcap.example.com/api"
    made = RedcapSettings(address=address, token=SecretStr("x"))
    assert made.address.endswith("/api/")
    with pytest.raises(BadCall) as caught:
        RedcapConnection("edc", made).prepare(CallRequest(body, frozenset(), writes, "many"))
    assert told in str(caught.value)


async def test_a_write_without_a_record_is_not_made(edc: Edc) -> None:
    changed = {"record": "{pupil}", "write": {"reading": "{n}"}, "form": "", "key": ""}
    with pytest.raises(ToolRetry):
        await edc.write(
            {"pupil": "", "n": 1}, key="", call={**changed, "unique": [], "status": None}
        )
