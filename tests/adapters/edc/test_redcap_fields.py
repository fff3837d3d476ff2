"""The mapping file, and values that do not fit it."""

import re
from pathlib import Path

import pytest

from adapters.edc.redcap.fields import load_fields
from adapters.edc.redcap.records import RedcapRecords
from engine.errors import DefinitionError, ToolFailed
from tests.adapters.edc.redcap_part import MAPPING
from tests.fakes.redcap_server import RedcapServer
from tests.fakes.redcap_study import enter

FIRST = ("P003", "visit", 1)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("sex: {", "gender: {", r"redcap.yaml:5: subject.sex: Field required"),
        ("birth_year: birth_year", "birth_year: Birth Year", r"redcap.yaml:7: subject.birth_year"),
        ("ecog: ecog", "ecog: redcap_event_name", r"visit.ecog.field: .*REDCap's own"),
        ("ecog: ecog", "ecog: weight_kg", r"weight_kg is named twice"),
        ("key: signoff_key", "key: record_id", r"record_id is named twice"),
        ('"2": M', '"2": X', r"sex: 'X' is neither F nor M"),
        ("ecog: ecog", 'ecog: {field: ecog, codes: {"1": one}}', r"'one' is not a whole number"),
        ("ecog: ecog", "ecog: {field: ecog, codes: {1: 0, 2: 0}}", r"two codes have the same"),
        ("ecog: ecog", "ecog: {field: ecog, codes: {yes: 0}}", r"ecog.codes: .*in quotes"),
        ("ecog: ecog", "ecog: {field: ecog, codes: {}}", r"visit.ecog.codes"),
        ("complete: 2", "complete: 3", r"visit.complete"),
        ("visit:", "visit: [", r"redcap.yaml:\d+: -: "),
    ],
)
def test_faulty_mapping_is_named_with_file_line_and_path(
    old: str, new: str, problem: str, tmp_path: Path
) -> None:
    text = MAPPING.read_text("utf-8")
    assert old in text
    (tmp_path / "redcap.yaml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DefinitionError, match=problem):
        load_fields(tmp_path / "redcap.yaml")


def test_missing_mapping_is_named(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"none.yaml:1: -: cannot be read"):
        load_fields(tmp_path / "none.yaml")


def test_codes_may_be_numbers_and_names_stand_for_fields(tmp_path: Path) -> None:
    text = MAPPING.read_text("utf-8").replace('"1": F, "2": M', "1: F, 2: M")
    (tmp_path / "redcap.yaml").write_text(text, "utf-8")
    sex = load_fields(tmp_path / "redcap.yaml").subject.sex
    assert (sex.field, sex.ours("2"), sex.theirs("F"), sex.ours("")) == ("sex", "M", "1", "")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("visit_date", "20261128"),
        ("visit_date", "28/10/2026"),
        ("visit_date", "2026-13-01"),
        ("visit_date", ""),
        ("ecog", "1.0"),
        ("ecog", "one"),
        ("ecog", "1_0"),
        ("ecog", "١"),
        ("weight_kg", "61,2"),
        ("weight_kg", "inf"),
        ("weight_kg", "1e3"),
        ("systolic", " 120"),
    ],
)
async def test_value_of_a_visit_that_cannot_be_read_is_told_and_not_guessed(
    field: str, value: str, redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.project.rows[FIRST][field] = value
    with pytest.raises(ToolFailed, match=f"REDCap field {field} does not fit") as caught:
        await redcap.visits("P003")
    assert caught.value.text("zh").startswith(f"REDCap 字段 {field} ")


@pytest.mark.parametrize(
    ("field", "value"), [("sex", "3"), ("sex", ""), ("arm", "9"), ("birth_year", "about 1970")]
)
async def test_value_of_a_subject_that_cannot_be_read_is_told_and_not_guessed(
    field: str, value: str, redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.project.rows["P003", "", 0][field] = value
    with pytest.raises(ToolFailed, match=re.escape(f"field {field} does not fit")):
        await redcap.subjects()


async def test_record_that_is_not_enrolled_yet_is_no_subject(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.project.rows["P100", "", 0] = {"birth_year": "1970"}
    assert await redcap.subject("P100") is None
    assert len(await redcap.subjects()) == 12


async def test_instance_in_which_nothing_was_entered_is_no_visit(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    before = await redcap.visits("P003")
    enter(server.project, "P003", visit_complete="0")
    assert await redcap.visits("P003") == before


async def test_instances_of_another_instrument_are_no_visits(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    before = await redcap.visits("P003")
    server.project.repeating.add("lab")
    server.project.rows["P003", "lab", 1] = {"visit_date": "2026-11-01"}
    assert await redcap.visits("P003") == before


async def test_project_without_repeating_instruments_is_told(
    redcap: RedcapRecords, server: RedcapServer
) -> None:
    server.project.repeating.clear()
    with pytest.raises(ToolFailed, match="not as the mapping says"):
        await redcap.subjects()


async def test_longitudinal_project_is_told(redcap: RedcapRecords, server: RedcapServer) -> None:
    export = server.project.export
    event = {"redcap_event_name": "visit_1_arm_1"}
    server.project.export = lambda names, records: [  # type: ignore[method-assign]
        row | event for row in export(names, records)
    ]
    with pytest.raises(ToolFailed, match="not as the mapping says"):
        await redcap.visits("P003")
