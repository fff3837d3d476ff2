"""What every system of study data keeps to: the sample in SQLite, and a REDCap server."""

from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest
from pydantic import SecretStr

from adapters.edc.redcap.api import RedcapApi
from adapters.edc.redcap.fields import load_fields
from adapters.edc.redcap.records import RedcapRecords
from adapters.edc.sample import load_protocol, load_sample
from engine.errors import ToolFailed
from engine.ports.systems.records import Records, Visit
from tests.adapters.edc.study import SAMPLE, StoppedClock
from tests.fakes.redcap_server import TOKEN, RedcapServer
from tests.fakes.redcap_study import sample_project
from tests.fakes.study_folder import open_copy

VISIT = Visit(
    subject_id="P003",
    visit_date=date(2026, 11, 21),
    ecog=1,
    weight_kg=61.35,
    systolic=120,
    diastolic=77,
    adverse_event="干咳 / dry cough; '\"--<b>&\\ü",
)


@pytest.fixture(params=["sqlite", "redcap"])
async def records(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Records]:
    """Each system, with the sample study in it."""
    if request.param == "sqlite":
        sample = open_copy(tmp_path, StoppedClock())
        yield sample
        sample.close()
        return
    async with RedcapServer(sample_project(SAMPLE)) as server:
        api = RedcapApi(server.url, SecretStr(TOKEN))
        redcap = RedcapRecords(
            api, load_fields(SAMPLE / "redcap.yaml"), load_protocol(SAMPLE), project="SIGNOFF-101"
        )
        yield redcap
        await redcap.close()
    assert server.faults == []


async def test_all_of_the_sample_is_read_as_it_is(records: Records) -> None:
    sample = load_sample(SAMPLE)
    assert tuple(await records.subjects()) == sample.subjects
    found = [v for s in sample.subjects for v in await records.visits(s.subject_id)]
    assert tuple(found) == sample.visits
    assert await records.subject("P003") == sample.subjects[2]
    passages, windows = await records.protocol()
    assert (tuple(passages), tuple(windows)) == (sample.passages, sample.windows)


@pytest.mark.parametrize("subject_id", ["P999", "p003", "", "P003,P004"])
async def test_subject_that_nobody_is_comes_as_none(subject_id: str, records: Records) -> None:
    assert await records.subject(subject_id) is None
    assert list(await records.visits(subject_id)) == []


async def test_value_that_was_not_recorded_stays_missing(records: Records) -> None:
    last = (await records.visits("P007"))[-1]
    assert last.weight_kg is None
    assert last.systolic == 127


async def test_written_visit_is_read_as_it_was_given(records: Records) -> None:
    before = list(await records.visits("P003"))
    assert await records.record_visit(VISIT, key="run1:s1", by="chen") == "new"
    assert list(await records.visits("P003")) == [*before, VISIT]


async def test_visit_with_nothing_but_its_day_is_kept(records: Records) -> None:
    bare = Visit(subject_id="P003", visit_date=VISIT.visit_date)
    assert await records.record_visit(bare, key="run1:s1", by="chen") == "new"
    assert (await records.visits("P003"))[-1] == bare
    assert await records.record_visit(bare, key="run1:s1", by="chen") == "repeat"


async def test_visits_come_oldest_first_whatever_was_written_when(records: Records) -> None:
    early = VISIT.model_copy(update={"visit_date": date(2026, 8, 20)})
    await records.record_visit(VISIT, key="run1:s1", by="chen")
    await records.record_visit(early, key="run2:s1", by="chen")
    days = [visit.visit_date for visit in await records.visits("P003")]
    assert days == sorted(days)
    assert early.visit_date in days


async def test_same_key_writes_once(records: Records) -> None:
    before = len(await records.visits("P003"))
    assert await records.record_visit(VISIT, key="run1:s1", by="chen") == "new"
    assert await records.record_visit(VISIT, key="run1:s1", by="zhao") == "repeat"
    assert len(await records.visits("P003")) == before + 1


async def test_visit_of_a_taken_date_is_refused(records: Records) -> None:
    await records.record_visit(VISIT, key="run1:s1", by="chen")
    with pytest.raises(ToolFailed, match=r"P003 already has a visit of 2026-11-21"):
        await records.record_visit(VISIT, key="run2:s1", by="chen")
    assert [v.visit_date for v in await records.visits("P003")].count(VISIT.visit_date) == 1


@pytest.mark.parametrize(
    "change", [{"ecog": 2}, {"adverse_event": ""}, {"weight_kg": None}, {"subject_id": "P004"}]
)
async def test_key_of_another_visit_is_refused(change: dict[str, object], records: Records) -> None:
    await records.record_visit(VISIT, key="run1:s1", by="chen")
    other = VISIT.model_copy(update=change)
    before = await records.visits(other.subject_id)
    with pytest.raises(ToolFailed, match=r"another visit"):
        await records.record_visit(other, key="run1:s1", by="chen")
    assert await records.visits(other.subject_id) == before


async def test_visit_of_an_unknown_subject_is_refused(records: Records) -> None:
    stranger = VISIT.model_copy(update={"subject_id": "P999"})
    with pytest.raises(ToolFailed, match=r"no subject P999"):
        await records.record_visit(stranger, key="run1:s1", by="chen")
    assert list(await records.visits("P999")) == []
    assert await records.subject("P999") is None


@pytest.mark.parametrize(("key", "by"), [("", "chen"), ("run1:s1", "")])
async def test_visit_without_key_or_approver_is_refused(
    records: Records, key: str, by: str
) -> None:
    before = await records.visits("P003")
    with pytest.raises(ToolFailed):
        await records.record_visit(VISIT, key=key, by=by)
    assert await records.visits("P003") == before


async def test_refused_write_stands_in_nobodys_way(records: Records) -> None:
    stranger = VISIT.model_copy(update={"subject_id": "P999"})
    with pytest.raises(ToolFailed):
        await records.record_visit(stranger, key="run1:s1", by="chen")
    assert await records.record_visit(VISIT, key="run1:s1", by="chen") == "new"
