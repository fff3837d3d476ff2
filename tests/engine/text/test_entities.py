from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from cards.model import Field
from engine.text.entities import dates, file_names, masked
from engine.text.form_reading import read_values
from tests.fakes.entities import SUBJECTS
from tests.fakes.tables import table
from tests.fakes.tries import tries

TODAY = date(2026, 11, 23)

SUBJECT = Field(name="subject_id", label="受试者", cues=("受试者", "subject"), entity="subject")
VISIT_DATE = Field(
    name="visit_date", label="访视日期", type="date", cues=("访视日期", "visit date")
)
ECOG = Field(name="ecog", label="ECOG 评分", type="integer", cues=("ecog",))
WEIGHT = Field(name="weight_kg", label="体重", type="number", unit="kg", cues=("体重", "weight"))
PRESSURE = {"type": "integer", "unit": "mmHg", "pair_with": "diastolic"}
BOTH = ("血压", "bp", "blood pressure")
SYSTOLIC = Field(name="systolic", label="收缩压", cues=("收缩压", *BOTH), **PRESSURE)
DIASTOLIC = Field(
    name="diastolic", label="舒张压", type="integer", unit="mmHg", cues=("舒张压", *BOTH)
)
EVENT = Field(
    name="adverse_event", label="不良事件", required=False, cues=("不良事件", "adverse event", "ae")
)
ARM = Field(name="arm", label="Arm", type="choice", options=("A", "B"), cues=("组别",))
VISIT = (SUBJECT, VISIT_DATE, ECOG, WEIGHT, SYSTOLIC, DIASTOLIC, EVENT)


@table(
    ("text", "ids"),
    [
        ("查一下P003的ECOG", ("P003",)),
        ("p003 and P010, then P003", ("P003", "P010")),
        ("Ｐ００３", ("P003",)),
        ("p3", ()),
        ("P0031", ()),
        ("XP003", ()),
        ("P003x", ()),
        ("", ()),
    ],
)
def test_subjects_are_p_and_three_digits(text: str, ids: tuple[str, ...]) -> None:
    assert SUBJECTS.ids(text) == ids


@table(
    ("text", "days"),
    [
        ("录入今天的访视", ("2026-11-23",)),
        ("昨天", ("2026-11-22",)),
        ("昨日和今日", ("2026-11-22", "2026-11-23")),
        ("前天", ("2026-11-21",)),
        ("大前天", ()),
        ("today's visit", ("2026-11-23",)),
        ("Yesterday", ("2026-11-22",)),
        ("the day before yesterday", ("2026-11-21",)),
        ("the day after tomorrow", ("2026-11-25",)),
        ("2026-11-21", ("2026-11-21",)),
        ("2026/11/21", ("2026-11-21",)),
        ("2026年11月21日", ("2026-11-21",)),
        ("11月21日", ("2026-11-21",)),
        ("1月2号", ("2027-01-02",)),
        ("12月30日", ("2026-12-30",)),
        ("21 Nov 2026", ("2026-11-21",)),
        ("Nov 21", ("2026-11-21",)),
        ("November 21st, 2025", ("2025-11-21",)),
        ("the 3rd of May 2026", ("2026-05-03",)),
        ("you may 2 times", ()),
        ("2026-02-30", ()),
        ("120/80", ()),
        ("2026-11-21-3", ()),
        ("ECOG 1", ()),
    ],
)
def test_days_are_read_without_guessing(text: str, days: tuple[str, ...]) -> None:
    assert tuple(day.isoformat() for day in dates(text, TODAY)) == days


@table(
    ("text", "values"),
    [
        ("weight 70.5kg", {"weight_kg": "70.5"}),
        ("体重70.5", {"weight_kg": "70.5"}),
        ("体重是 70.5 公斤", {"weight_kg": "70.5"}),
        ("体重改为 71", {"weight_kg": "71"}),
        ("her weight was 70.5 kilograms", {"weight_kg": "70.5"}),
        ("70.5 kg", {"weight_kg": "70.5"}),
        ("weight 155 lb", {}),
        ("体重 140斤", {}),
        ("lost 2 kg", {}),
        ("体重 70-75", {}),
        ("体重 70 或 71", {}),
        ("weight 70,5 kg", {"weight_kg": "70.5"}),
        ("weight 70, weight 71", {}),
        ("BP 120/80", {"systolic": "120", "diastolic": "80"}),
        ("血压120/80", {"systolic": "120", "diastolic": "80"}),
        ("blood pressure was 120 over 80", {"systolic": "120", "diastolic": "80"}),
        ("120/80 mmHg", {"systolic": "120", "diastolic": "80"}),
        ("收缩压 120", {"systolic": "120"}),
        ("BP 120/80, later BP 130/85", {}),
        ("ECOG 1", {"ecog": "1"}),
        ("ecog:1", {"ecog": "1"}),
        ("ＥＣＯＧ：１", {"ecog": "1"}),
        ("ECOG score is 2", {"ecog": "2"}),
        ("ECOG 评分 2 分", {"ecog": "2"}),
        ("ECOG 9", {"ecog": "9"}),
        ("ECOG 1.5", {"ecog": "1.5"}),
        ("ECOG 1/5", {}),
        ("ECOG 1 → 2", {}),
        ("ECOG 2 weeks ago", {}),
        ("today", {"visit_date": "2026-11-23"}),
        ("昨天,ECOG 0", {"visit_date": "2026-11-22", "ecog": "0"}),
        ("今天或昨天", {}),
        ("昨天不舒服,访视日期是2026-11-21", {"visit_date": "2026-11-21"}),
        ("P003", {"subject_id": "P003"}),
        ("P003 or P004", {}),
        ("no adverse events", {"adverse_event": "none"}),
        ("without any adverse event", {"adverse_event": "none"}),
        ("无不良事件", {"adverse_event": "无"}),
        ("不良事件:无", {"adverse_event": "无"}),
        ("AE: none", {"adverse_event": "none"}),
        ("没有不良事件吗?", {}),
        ("有没有不良事件", {}),
        ("no adverse events except nausea", {}),
        ("不良事件:轻度恶心,体重 70", {"adverse_event": "轻度恶心", "weight_kg": "70"}),
        ("Adverse event: Mild nausea.", {"adverse_event": "Mild nausea"}),
        ("1", {}),
        ("hello", {}),
    ],
)
def test_form_values_are_those_the_text_gives(text: str, values: dict[str, str]) -> None:
    assert read_values(text, VISIT, TODAY, entities=SUBJECTS) == values


def test_a_whole_visit_is_read_at_once() -> None:
    text = "P003，今天，ECOG 1，体重70.5kg，血压 120/80，无不良事件"
    assert read_values(text, VISIT, TODAY, entities=SUBJECTS) == {
        "subject_id": "P003",
        "visit_date": "2026-11-23",
        "ecog": "1",
        "weight_kg": "70.5",
        "systolic": "120",
        "diastolic": "80",
        "adverse_event": "无",
    }


@table(
    ("text", "fields", "values"),
    [
        ("1", (ECOG,), {"ecog": "1"}),
        ("１", (ECOG,), {"ecog": "1"}),
        ("70.5 kg", (WEIGHT,), {"weight_kg": "70.5"}),
        ("1", (ECOG, EVENT), {"ecog": "1"}),
        ("1", (ECOG, WEIGHT.model_copy(update={"value": "70"})), {"ecog": "1"}),
        ("1", (ECOG, WEIGHT), {}),
        ("one", (ECOG,), {}),
        ("1 or 2", (ECOG,), {}),
        ("b", (ARM,), {"arm": "B"}),
        ("组别 A", (ARM, ECOG), {"arm": "A"}),
        ("录入今天的访视数据", (SUBJECT,), {}),
        ("120/80", (SYSTOLIC,), {}),
    ],
)
def test_a_bare_value_fills_the_one_missing_field(
    text: str, fields: tuple[Field, ...], values: dict[str, str]
) -> None:
    assert read_values(text, fields, TODAY) == values


def test_masking_keeps_only_what_is_said_about_the_entities() -> None:
    one, other = map(SUBJECTS.marked, ("P003 weighs 70.5 kg TODAY", "P010 weighs 8 kg 昨天"))
    assert masked(one, TODAY) == masked(other, TODAY)


@settings(max_examples=tries(50), deadline=None)
@given(
    st.text(
        st.sampled_from("P0123456789./-:,，今昨天体重血压无不良事件 ecogkgBP月日年Nov"), max_size=40
    )
)
def test_any_text_is_read_without_error_and_values_come_from_it(text: str) -> None:
    for value in read_values(text, (ECOG, WEIGHT, SYSTOLIC, DIASTOLIC), TODAY).values():
        assert value in text
    assert len(set(dates(text, TODAY))) == len(dates(text, TODAY))


@table(
    ("text", "names"),
    [
        ("How large is visits.csv?", ("visits.csv",)),
        ("提取minutes.txt里的日期", ("minutes.txt",)),
        ("打开 访视表.csv 和《会议 记录.md》", ("访视表.csv", "记录.md")),
        ("a.csv, b-2.JSON, a.csv", ("a.csv", "b-2.JSON")),
        ("read summary.v2.md.", ("summary.v2.md",)),
        ("/etc/passwd.txt ../up.md C:\\x.csv https://h/page.html", ()),
        ("visits.csvx, v1.2, e.g. this", ()),
        ("", ()),
    ],
)
def test_files_are_known_by_their_ending_and_never_by_a_path(
    text: str, names: tuple[str, ...]
) -> None:
    assert file_names(text) == names


def test_names_of_files_do_not_count_when_texts_are_compared() -> None:
    assert masked("open notes.txt", TODAY) == masked("open plan-2.md", TODAY)
