"""What an answer to a form says: values, faults, and what nothing explains."""

import re
from datetime import date
from pathlib import Path

import pytest

from cards.model import Card, Choice, Field, Lang, Review
from engine.playbooks.load import load
from engine.text.entity_kinds import NO_ENTITIES
from engine.text.form_reading import find_values, read_form
from engine.understanding.open_forms import year_asked_for
from tests.fakes.entities import SUBJECTS
from tests.fakes.tables import table

TODAY = date(2026, 11, 23)
KNOWN = {"subject_id": "P004", "visit_date": "2026-11-23"}
FOLDER = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
FILES = [FOLDER / "playbook.yaml", *(FOLDER / "skills").glob("*.yaml")]
PLAYBOOK = load({str(path): path.read_text() for path in FILES}, roles=None, held=None)
VISIT_COLLECT = PLAYBOOK.skills["visit-collect"]


def form(lang: Lang) -> list[Field]:
    return [
        Field(
            name=name,
            label=defined.label(lang),
            type=defined.type,
            required=defined.required,
            unit=defined.unit("en"),
            cues=defined.cues,
            entity=defined.entity,
            pair_with=defined.pair_with,
            value=KNOWN.get(name, ""),
        )
        for name in (VISIT_COLLECT.ask.fields if VISIT_COLLECT.ask else ())
        for defined in (PLAYBOOK.definition.data_fields[name],)
    ]


VISIT = {"ecog": "1", "weight_kg": "70", "systolic": "120", "diastolic": "80"}


@table(
    ("text", "more", "left"),
    [
        ("P005 ecog 1, weight 70, bp 120/80", {"subject_id": "P005"}, ""),
        ("for yesterday: ecog 1, weight 70, bp 120/80", {"visit_date": "2026-11-22"}, ""),
        ("昨天的访视，ECOG 1，体重70，血压 120/80", {"visit_date": "2026-11-22"}, ""),
        (
            "weight 70, bp 120/80, ecog 1, adverse event headache grade 2",
            {"adverse_event": "headache grade 2"},
            "",
        ),
        ("体重70，血压120/80，ECOG 1，不良事件 头痛 2级", {"adverse_event": "头痛 2级"}, ""),
        ("出现了轻微头痛，体重70，血压120/80，ECOG 1", {"adverse_event": "轻微头痛"}, ""),
        ("ECOG 1, weight 70, bp 120/80, she had a fever", {"adverse_event": "fever"}, ""),
        (
            "adverse event headache grade 2 weight 70 bp 120/80 ecog 1",
            {"adverse_event": "headache grade 2"},
            "",
        ),
        ("had her visit yesterday: ecog 1, weight 70, bp 120/80", {"visit_date": "2026-11-22"}, ""),
        (
            "ecog 1, weight 70, bp 120/80, no adverse events except headache",
            {},
            "no adverse events except headache",
        ),
        ("ECOG 1，体重70，血压120/80，没有出现头痛", {}, "没有出现头痛"),
        ("ecog 1 weight 70 bp 120/80 and a headache", {}, "and a headache"),
        ("ecog 1, weight 70, bp 120/80, heart rate 80", {}, "heart rate 80"),
        ("ECOG 1，体重70，血压120/80，有点头晕", {}, "有点头晕"),
        ("昨天不舒服，ECOG 1，体重70，血压120/80", {}, "昨天不舒服"),
        ("Hi, the ECOG is 1, her weight is 70 kg and BP is 120/80 mmHg. Thanks!", {}, ""),
        ("患者的体重是70公斤，ECOG评分为1分，血压 120/80 mmHg，谢谢", {}, ""),
    ],
)
def test_a_whole_set_is_read_with_what_nothing_explains(
    text: str, more: dict[str, str], left: str
) -> None:
    reading = read_form(text, form("en" if text.isascii() else "zh"), TODAY, entities=SUBJECTS)
    assert (reading.values, reading.faults) == (VISIT | more, {})
    assert reading.left == left


@table(
    ("text", "values", "faults", "left"),
    [
        (
            "weight was 70 last time, today 72; ecog 1",
            {"ecog": "1"},
            {},
            "weight was 70 last time, today 72",
        ),
        ("上次体重70，今天72，ECOG 1", {"ecog": "1"}, {}, "上次体重70, 今天72"),
        ("之前 ECOG 2", {}, {}, "之前 ECOG 2"),
        ("weight 70, weight 71", {}, {}, "weight 70, weight 71"),
        ("体重 70，71 公斤", {}, {}, "体重 70, 71 公斤"),
        ("2026-02-30, ecog 1", {"ecog": "1"}, {"visit_date": "form.no_day"}, ""),
        ("2月30日，ECOG 1", {"ecog": "1"}, {"visit_date": "form.no_day"}, ""),
        ("weight 155 lbs, ecog 1", {"ecog": "1"}, {"weight_kg": "form.unit"}, ""),
        ("体重 140 斤", {}, {"weight_kg": "form.unit"}, ""),
        ("change the date to 2026-11-19", {"visit_date": "2026-11-19"}, {}, ""),
        ("访视日期改为 2026-11-19", {"visit_date": "2026-11-19"}, {}, ""),
        ("ECOG 是一", {"ecog": "1"}, {}, ""),
        ("ecog is two", {"ecog": "2"}, {}, ""),
        ("ECOG 一般", {}, {}, "ECOG 一般"),
        ("收缩压一百二十 舒张压八十", {"systolic": "120", "diastolic": "80"}, {}, ""),
        ("has not had headache", {}, {}, "has not had headache"),
        ("1, 70.5, 120, 80", {}, {}, "1, 70.5, 120, 80"),
        ("不知道", {}, {}, "不知道"),
    ],
)
def test_what_is_not_sure_is_no_value(
    text: str, values: dict[str, str], faults: dict[str, str], left: str
) -> None:
    reading = read_form(text, form("en" if text.isascii() else "zh"), TODAY, entities=SUBJECTS)
    assert (reading.values, reading.faults, reading.left) == (values, faults, left)


_LONE = re.compile(r"(?<![0-9.])[0-9]{1,2}(?![0-9.,/])")
# A visit's number has no place in the form, and is said not to be understood.
EXAMPLES = [
    example
    for example in PLAYBOOK.definition.examples
    if not _LONE.search(re.sub(r"P[0-9]{3}|ECOG [0-9]", "", example))
]


@table(
    ("text", "left"),
    [
        *((example, "") for example in EXAMPLES),
        ("麻烦帮我录入 P003 今天的访视,谢谢", ""),
        ("Could you please record today's visit of P003: ECOG 1, weight 70.5 kg", ""),
        ("record today's visit of P004, ecog 1, dizzy since noon", "dizzy since noon"),
        ("录入 P004 今天的访视，ECOG 1，头晕", "头晕"),
    ],
)
def test_words_that_ask_for_the_form_need_no_explanation(text: str, left: str) -> None:
    lang: Lang = "en" if text.isascii() else "zh"
    examples = (*PLAYBOOK.definition.examples, *PLAYBOOK.definition.cues)
    assert read_form(text, form(lang), TODAY, entities=SUBJECTS, examples=examples).left == left


def test_what_was_read_before_is_read_anew_for_another_day_other_things_and_other_fields() -> None:
    text, day = "P003 today, ECOG 1, weight 70 kg", TODAY.replace(day=24)
    asked = form("en")
    found = find_values(text, asked, TODAY, entities=SUBJECTS).values
    assert found == {**found, "subject_id": "P003", "visit_date": "2026-11-23", "weight_kg": "70"}
    assert find_values(text, asked, day, entities=SUBJECTS).values["visit_date"] == "2026-11-24"
    assert find_values(text, asked, TODAY, entities=NO_ENTITIES).values.get("subject_id") is None
    fewer = [field for field in asked if field.name != "weight_kg"]
    assert "weight_kg" not in find_values(text, fewer, TODAY, entities=SUBJECTS).values
    # What a field holds says nothing of what the text says for it.
    filled = [field.model_copy(update={"value": "1"}) for field in asked]
    assert find_values(text, filled, TODAY, entities=SUBJECTS).values == found


ONE_DAY = (Field(name="day", label="Day", type="date", required=True),)


@table(
    ("text", "day"),
    [
        ("March 14", "2025-03-14"),
        ("3月14日", "2025-03-14"),
        ("it was on 2 May", "2025-05-02"),
        ("December 31", "2025-12-31"),
        ("September 1", "2025-09-01"),
        ("7月1日", "2025-07-01"),
        ("Jan 1", "2025-01-01"),
        # What says its year, or is counted from today, stays as it is.
        ("March 14, 2024", "2024-03-14"),
        ("yesterday", "2026-11-22"),
        ("昨天", "2026-11-22"),
        ("in two weeks", "2026-12-07"),
    ],
)
def test_a_day_without_a_year_is_of_the_one_that_was_asked_for(text: str, day: str) -> None:
    assert read_form(text, ONE_DAY, TODAY, year=2025).values == {"day": day}


@table(
    ("title", "asked", "year"),
    [
        ("Which day in 2025 was the visit?", "", 2025),
        ("2025 年的访视是哪一天？", "", 2025),
        ("2025年3月的访视", "哪一天？", 2025),
        ("The visit of March 2025", "Which day?", 2025),
        ("Which day?", "The last was on 2025-03-14, of 2025 EUR", None),
        ("Which day?", "上次是 2025年3月14日", None),
        ("Which day in 2024 or in 2025?", "", None),
        ("Room 2025", "", None),
    ],
)
def test_the_year_that_a_question_speaks_of_is_known(
    title: str, asked: str, year: int | None
) -> None:
    choice = Choice(id="submit", label="Send", form=ONE_DAY)
    card = Card(
        kind="clarify",
        token="00-card",
        run="",
        conversation="web:local:main",
        lang="en",
        title=title,
        text=asked,
        choices=(choice,),
        review=Review(persons=("lin",)),
        requester="lin",
    )
    assert year_asked_for(card) == year


@pytest.mark.parametrize("said", ["hours 1 to 2", "from hours 1 until 2", "hours 1-2"])
def test_two_numbers_with_a_to_between_them_are_a_pair_behind_its_name(said: str) -> None:
    cues = ("hours",)
    first = Field(name="first", label="First", type="integer", cues=cues, pair_with="last")
    last = Field(name="last", label="Last", type="integer", cues=cues)
    read = read_form(said, (first, last), date(2026, 11, 30))
    assert read.values == {"first": "1", "last": "2"}
    assert read_form("1 to 2", (first, last), date(2026, 11, 30)).values == {}
