"""The local server as PyCap sees it, REDCap's public client in Python, and PyCap beside our own."""

import asyncio
from typing import Any

import pytest
from redcap import Project, RedcapError

from tests.adapters.connections.redcap_part import Edc
from tests.fakes.redcap_server import TOKEN, RedcapServer
from tests.fakes.redcap_study import VALUES

VISIT = {
    "record_id": "P003",
    "redcap_repeat_instrument": "visit",
    "redcap_repeat_instance": "new",
    "visit_date": "2026-11-21",
    "ecog": "1",
    "signoff_key": "run1:s1",
    "signoff_approved_by": "chen",
}

EMPTY = dict.fromkeys(["subject_id", *VALUES])


def project(server: RedcapServer, token: str = TOKEN) -> Any:
    # Its connections would otherwise stay open in a session that lives as long as the module.
    return Project(server.url, token, headers={"Connection": "close"})


async def test_client_reads_the_dictionary(server: RedcapServer) -> None:
    client = project(server)

    def read() -> tuple[Any, ...]:
        return (
            client.def_field,
            client.is_longitudinal,
            client.metadata,
            str(client.export_version()),
        )

    first, longitudinal, metadata, version = await asyncio.to_thread(read)
    repeating = await asyncio.to_thread(client.export_repeating_instruments_events)
    assert (first, longitudinal, version) == ("record_id", False, "15.0.0")
    assert [line["field_name"] for line in metadata][:3] == ["record_id", "sex", "birth_year"]
    assert repeating == [{"form_name": "visit", "custom_form_label": ""}]


async def test_client_reads_what_we_wrote(server: RedcapServer, redcap: Edc) -> None:
    visit = {"subject_id": "P003", "visit_date": "2026-11-21", "weight_kg": 61.35}
    await redcap.write({**EMPTY, **visit}, key="run1:s1", by="chen")

    rows = await asyncio.to_thread(
        project(server).export_records, records=["P003"], fields=["visit_date", "signoff_key"]
    )

    assert rows[-1] == {
        "record_id": "P003",
        "redcap_repeat_instrument": "visit",
        "redcap_repeat_instance": 5,
        "visit_date": "2026-11-21",
        "signoff_key": "run1:s1",
    }
    assert rows[0]["redcap_repeat_instance"] == rows[0]["visit_date"] == ""
    assert len(rows) == 6


async def test_we_read_what_the_client_wrote(server: RedcapServer, redcap: Edc) -> None:
    client = project(server)
    count = await asyncio.to_thread(client.import_records, [VISIT])
    there = VISIT | {"redcap_repeat_instance": 5, "ecog": "2"}
    ids = await asyncio.to_thread(client.import_records, [there], return_content="ids")

    visit = (await redcap.visits("P003"))[-1]
    assert (count, ids) == ({"count": 1}, ["P003"])
    assert (visit["visit_date"], visit["ecog"]) == ("2026-11-21", 2)
    same = {**EMPTY, **visit, "subject_id": "P003"}
    assert await redcap.write(same, key="run1:s1", by="chen") == "repeat"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ecog": "9"}, "not a valid category"),
        ({"visit_date": "21/11/2026"}, "not a valid date_ymd"),
        ({"redcap_repeat_instrument": "lab"}, "must be the name of a Repeating Instrument"),
        ({"redcap_repeat_instance": "next"}, "not an instance"),
        ({"pulse": "70"}, "not found in the project as real data fields: pulse"),
        ({"sex": "1"}, "does not belong"),
    ],
)
async def test_client_is_refused_what_the_dictionary_does_not_allow(
    change: dict[str, str], words: str, server: RedcapServer
) -> None:
    before = {place: dict(row) for place, row in server.project.rows.items()}
    with pytest.raises(RedcapError, match=words):
        await asyncio.to_thread(project(server).import_records, [VISIT | change])
    assert server.project.rows == before


async def test_client_with_a_wrong_token_is_refused(server: RedcapServer) -> None:
    with pytest.raises(RedcapError, match="permissions to use the API"):
        await asyncio.to_thread(project(server, "F" * 32).export_records)
