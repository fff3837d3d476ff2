from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from adapters.edc.sample import Sample, load_sample
from engine.errors import DefinitionError
from tests.adapters.edc.study import SAMPLE


@pytest.fixture(scope="module")
def sample() -> Sample:
    return load_sample(SAMPLE)


def test_study_has_twelve_subjects_with_two_to_four_visits(sample: Sample) -> None:
    assert sample.study == "SIGNOFF-101"
    ids = [s.subject_id for s in sample.subjects]
    assert ids == [f"P{n:03}" for n in range(1, 13)]
    for subject in ids:
        dates = [v.visit_date for v in sample.visits if v.subject_id == subject]
        assert 2 <= len(dates) <= 4
        assert dates == sorted(set(dates))


def test_subjects_meet_the_inclusion_criteria(sample: Sample) -> None:
    for subject in sample.subjects:
        assert subject.enrolled_on < date(2026, 11, 1)
        assert subject.enrolled_on.year - subject.birth_year - 1 >= 18
        assert subject.enrolled_on.year - subject.birth_year <= 75
        assert subject.arm in {"A", "B"}


def test_visits_keep_the_limits_of_the_protocol(sample: Sample) -> None:
    for visit in sample.visits:
        assert visit.ecog in {0, 1, 2}
        assert visit.weight_kg is None or 35 <= visit.weight_kg <= 150
        assert visit.systolic is not None
        assert visit.diastolic is not None
        assert 90 <= visit.systolic <= 160
        assert 50 <= visit.diastolic <= 100
        assert visit.diastolic < visit.systolic


def test_visits_fall_into_the_windows_one_after_the_other(sample: Sample) -> None:
    for subject in sample.subjects:
        dates = [v.visit_date for v in sample.visits if v.subject_id == subject.subject_id]
        for window, day in zip(sample.windows, dates, strict=False):
            planned = subject.enrolled_on + timedelta(days=window.day)
            assert -window.before <= (day - planned).days <= window.after


def test_weight_never_changes_by_more_than_a_tenth(sample: Sample) -> None:
    for subject in sample.subjects:
        weights = [
            v.weight_kg
            for v in sample.visits
            if v.subject_id == subject.subject_id and v.weight_kg is not None
        ]
        assert all(abs(after - before) <= before / 10 for before, after in pairwise(weights))


def test_windows_do_not_overlap_and_are_told_in_the_text(sample: Sample) -> None:
    edges = [(w.day - w.before, w.day + w.after) for w in sample.windows]
    assert all(last < first for (_, last), (first, _) in pairwise(edges))
    (schedule_zh, schedule_en) = [p.text for p in sample.passages if p.section == "3.1"]
    for window in sample.windows:
        assert f"第 {window.day} 天" in schedule_zh
        assert f"day {window.day} " in schedule_en


def test_protocol_has_every_section_in_both_languages(sample: Sample) -> None:
    sections = [p.section for p in sample.passages]
    assert len(set(sections)) >= 10
    assert all(sections.count(section) == 2 for section in sections)
    zh, en = sample.passages[::2], sample.passages[1::2]
    assert all(any("\u4e00" <= c <= "\u9fff" for c in p.title) for p in zh)
    assert all((p.title + p.text).replace("±", "").isascii() for p in en)
    assert not any("  " in p.text or "\n" in p.text for p in sample.passages)


def test_last_visit_of_p003_has_ecog_1(sample: Sample) -> None:
    last = [v for v in sample.visits if v.subject_id == "P003"][-1]
    assert (last.visit_date, last.ecog) == (date(2026, 10, 28), 1)


def test_people_file_is_well_formed() -> None:
    content = yaml.safe_load((SAMPLE.parents[1] / "people.yaml").read_text("utf-8"))
    roles = {role["id"] for role in content["roles"]}
    assert all(role["zh"] and role["en"] for role in content["roles"])
    people = {person["id"]: person for person in content["people"]}
    assert list(people) == ["lin", "chen", "wu", "zhao"]
    for person in people.values():
        assert set(person["roles"]) <= roles
        assert person["web"]
        assert person["label"].keys() == {"zh", "en"}
        assert person["slack"] == []
        assert person["telegram"] == []
    assert people["lin"]["roles"] == ["crc"]
    assert people["chen"]["roles"] == ["reviewer"]
    assert people["zhao"]["roles"] == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("systolic: 128", "systolic: high", r"study.yaml:\d+: subjects.0.visits.0.systolic: "),
        ("    sex: F", "    sex: X", r"study.yaml:8: subjects.0.sex: "),
        ("    sex: F\n", "", r"study.yaml:7: subjects.0.sex: Field required"),
        ("subjects:", "subjects: [", r"study.yaml:\d+: -: "),
        ("study: SIGNOFF-101", "study: \x07", r"study.yaml:1: -: "),
    ],
)
def test_faulty_sample_is_named_with_file_line_and_path(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    text = (SAMPLE / "study.yaml").read_text("utf-8")
    assert old in text
    (tmp_path / "study.yaml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DefinitionError, match=problem):
        load_sample(tmp_path)


def test_missing_sample_is_named(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"study.yaml:1: -: cannot be read"):
        load_sample(tmp_path)
