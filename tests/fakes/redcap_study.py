"""The sample study as a REDCap project would hold it, named as the shipped mapping says."""

from pathlib import Path

from adapters.edc.sample import load_sample
from tests.fakes.redcap_project import Project, ProjectField, Row

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


def sample_project(folder: Path) -> Project:
    """A new project with the sample's subjects and visits, entered by hand."""
    sample = load_sample(folder)
    project = Project(fields=list(FIELDS), repeating={"visit"})
    for subject in sample.subjects:
        project.import_rows(
            [
                {
                    "record_id": subject.subject_id,
                    "sex": {"F": "1", "M": "2"}[subject.sex],
                    "birth_year": str(subject.birth_year),
                    "enrolled_on": subject.enrolled_on.isoformat(),
                    "arm": {"A": "1", "B": "2"}[subject.arm],
                    "enrolment_complete": "2",
                }
            ],
            overwrite=False,
        )
    for visit in sample.visits:
        values = visit.model_dump(mode="json", exclude={"subject_id"}, exclude_none=True)
        texts: Row = {name: str(value) for name, value in values.items()}
        enter(project, visit.subject_id, **texts)
    return project


def enter(project: Project, subject_id: str, **values: str) -> None:
    """A person enters a visit in REDCap's own pages."""
    place = {"redcap_repeat_instrument": "visit", "redcap_repeat_instance": "new"}
    project.import_rows([{"record_id": subject_id} | place | values], overwrite=False)
