"""The sample study as a REDCap project would hold it, and the sample's tools over that project."""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.redcap_project import Project, ProjectField, Row
from tests.fakes.study import PLAYBOOKS, TOOLS_FILE, Study, sample_study

FIELDS = [
    ProjectField("record_id", "enrolment"),
    ProjectField("sex", "enrolment", choices="1, Female | 2, Male"),
    ProjectField("birth_year", "enrolment", validation="integer"),
    ProjectField("enrolled_on", "enrolment", validation="date_ymd"),
    ProjectField("arm", "enrolment", choices="1, A | 2, B"),
    ProjectField("visit_date", "visit", validation="date_ymd"),
    ProjectField("ecog", "visit", choices=" | ".join(f"{n}, {n}" for n in range(6))),
    ProjectField("weight_kg", "visit", validation="number"),
    ProjectField("systolic", "visit", validation="integer"),
    ProjectField("diastolic", "visit", validation="integer"),
    ProjectField("adverse_event", "visit", kind="notes"),
    ProjectField("signoff_key", "visit"),
    ProjectField("signoff_approved_by", "visit"),
]
VALUES = ["visit_date", "ecog", "weight_kg", "systolic", "diastolic", "adverse_event"]
OF_SUBJECT = {"connection": "edc", "form": "visit", "record": "{subject_id}", "fields": VALUES}
ENROLLED = {"connection": "edc", "record": "{subject_id}", "fields": ["enrolled_on"]}
WRITE = {
    "connection": "edc",
    "form": "visit",
    "record": "{subject_id}",
    "write": {**{name: f"{{{name}}}" for name in VALUES}, "signoff_approved_by": "{approver}"},
    "key": "signoff_key",
    "unique": ["visit_date"],
    "status": 2,
}
ECOG = {
    "zh": "{subject_id} 的 ECOG：**{ecog}**（访视日期 {visit_date}）",
    "en": "ECOG of {subject_id}: **{ecog}** (visit of {visit_date})",
}


def redcap_tools() -> dict[str, Any]:
    """The sample's tools, of which those over visits are asked of the connection `edc`."""
    tools: dict[str, Any] = yaml.safe_load(TOOLS_FILE.read_text("utf-8"))
    read, visits, write = (
        tools[name] for name in ("read_clinical_data", "list_visits", "record_visit")
    )
    tools["list_subjects"]["reads"] = {"connection": "edc", "fields": ["enrolled_on"]}
    tools["list_subjects"]["columns"]["subject_id"]["at"] = "record"
    visits["reads"] = {**OF_SUBJECT, "sort": ["visit_date"]}
    visits["columns"]["subject_id"]["at"] = "record"
    visits["refused_when"] = []
    where = {"visit_date": "{visit_date}"}
    read["reads"] = {**OF_SUBJECT, "sort": ["-visit_date"], "where": where}
    read["columns"] = {name: visits["columns"][name] for name in ("subject_id", *VALUES)}
    read["tell_when"], read["tell"] = [], ECOG
    write["writes"], write["refused_when"] = WRITE, []
    return tools


def redcap_folder(folder: Path, url: str) -> Path:
    """A copy of the sample playbooks whose visits are in the project at that address."""
    copy = folder / "playbooks"
    shutil.copytree(PLAYBOOKS, copy)
    edc = {"edc": {"kind": "redcap", "address": url, "token": "$REDCAP_API_TOKEN"}}
    with (copy / "connections.yaml").open("a", encoding="utf-8") as connections:
        connections.write(yaml.safe_dump(edc))
    # JSON is YAML, and repeats what stands in it twice.
    tools = json.dumps(redcap_tools(), ensure_ascii=False, indent=1)
    (copy / "clinical_qc" / "tools.yaml").write_text(tools, "utf-8")
    return copy


def sample_project(study: Study | None = None) -> Project:
    """A new project with the subjects and visits of the sample or the study, entered by hand."""
    study = study or sample_study()
    project = Project(fields=list(FIELDS), repeating={"visit"})
    for row in study.db.execute("SELECT * FROM subjects ORDER BY subject_id"):
        project.import_rows(
            [
                {
                    "record_id": row["subject_id"],
                    "sex": {"F": "1", "M": "2"}[row["sex"]],
                    "birth_year": str(row["birth_year"]),
                    "enrolled_on": row["enrolled_on"],
                    "arm": {"A": "1", "B": "2"}[row["arm"]],
                    "enrolment_complete": "2",
                }
            ],
            overwrite=False,
        )
        for visit in study.visits_of(row["subject_id"]):
            values = visit.model_dump(mode="json", exclude={"subject_id"}, exclude_none=True)
            texts: Row = {name: str(value) for name, value in values.items()}
            enter(project, visit.subject_id, **texts)
    return project


def enter(project: Project, subject_id: str, **values: str) -> None:
    """A person enters a visit in REDCap's own pages."""
    place = {"redcap_repeat_instrument": "visit", "redcap_repeat_instance": "new"}
    project.import_rows([{"record_id": subject_id} | place | values], overwrite=False)
