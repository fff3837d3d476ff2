import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.forms import MAX_TEXT, check_form, range_text
from cards.model import Field
from cards.values import FieldType, Value
from tests.fakes.tables import table


def field(kind: FieldType, *, low: float | None = None, high: float | None = None) -> Field:
    options = ("低", "high") if kind == "choice" else ()
    return Field(name="x", label="X", type=kind, minimum=low, maximum=high, options=options)


@table(
    ("kind", "typed", "value"),
    [
        ("integer", "3", 3),
        ("integer", " -3 ", -3),
        ("integer", "+3", 3),
        ("integer", "007", 7),
        ("integer", "\uff11\uff12", 12),
        ("integer", "\uff0d\uff13", -3),
        ("integer", "−5", -5),
        ("number", "58", 58.0),
        ("number", "58.5", 58.5),
        ("number", ".5", 0.5),
        ("number", "5.", 5.0),
        ("number", "-1.25", -1.25),
        ("date", "2026-01-31", "2026-01-31"),
        ("date", "\uff12\uff10\uff12\uff16-01-31", "2026-01-31"),
        ("number", "\uff15\uff18\uff0e\uff15", 58.5),
        ("text", "  恶心\n两天 ", "恶心\n两天"),
        ("text", "x" * MAX_TEXT, "x" * MAX_TEXT),
        ("text", "<b>*@channel*</b>", "<b>*@channel*</b>"),
        ("choice", "低", "低"),
        ("choice", " high ", "high"),
    ],
)
def test_a_value_is_typed(kind: FieldType, typed: str, value: Value) -> None:
    values, errors = check_form([field(kind)], {"x": typed}, "zh")
    assert errors == {}
    assert (values["x"], type(values["x"])) == (value, type(value))


@table(
    ("kind", "typed", "zh", "en"),
    [
        *((kind, "", "请填写", "Please fill this in") for kind in ("text", "integer", "date")),
        *((kind, " \n ", "请填写", "Please fill this in") for kind in ("text", "choice", "number")),
        *(
            ("integer", typed, "请填写整数", "Please give a whole number")
            for typed in ("x", "3.0", "1e3", "1_000", "1,000", "٣", "9" * 16, "9" * 9999, "--3")
        ),
        *(
            ("number", typed, "请填写数字", "Please give a number")
            for typed in ("nan", "inf", "1e5", ".", "58,5", "58 kg", "0x1F", "9" * 400, "1" * 150)
        ),
        *(
            ("date", typed, "请填写日期，格式如 2026-01-31", "Please give a date like 2026-01-31")
            for typed in ("2026-02-30", "20260131", "31.1.2026", "2026-1-3", "0000-01-01", "今天")
        ),
        ("choice", "medium", "请选择：低、high", "Please choose one of: 低, high"),
        ("text", "x" * 2001, "请不要超过 2000 个字", "Please write at most 2000 characters"),
        *(
            ("text", typed, "含有无法保存的字符", "This holds characters that cannot be kept")
            for typed in ("a\ud800b", "a\x00b")
        ),
    ],
)
def test_a_fault_is_told_in_both_languages(kind: FieldType, typed: str, zh: str, en: str) -> None:
    assert check_form([field(kind)], {"x": typed}, "zh") == ({}, {"x": zh})
    assert check_form([field(kind)], {"x": typed}, "en") == ({}, {"x": en})


def test_limits_hold_only_where_they_are_set() -> None:
    limited = field("number", low=30, high=200.5)
    assert check_form([field("number")], {"x": "-900"}, "en") == ({"x": -900.0}, {})
    for typed in ("30", "200.5"):
        assert check_form([limited], {"x": typed}, "en") == ({"x": float(typed)}, {})
    assert check_form([limited], {"x": "29.9"}, "en")[1] == {"x": "This should be at least 30"}
    assert check_form([limited], {"x": "201"}, "en")[1] == {"x": "This should be at most 200.5"}
    assert check_form([limited], {"x": "29.9"}, "zh")[1] == {"x": "应不小于 30"}
    assert check_form([field("integer", high=4)], {"x": "5"}, "zh")[1] == {"x": "应不大于 4"}


PATTERNED = Field(name="x", label="X", pattern="[A-Z]{2}-[0-9]{3}|[一-龥]{2}", hint="as in AB-123")


@pytest.mark.parametrize("typed", ["AB-123", " AB-123 ", "图书", "all", "ALL"])
def test_a_text_is_whole_as_its_pattern_says_or_one_of_the_words(typed: str) -> None:
    worded = PATTERNED.model_copy(update={"words": ("All", "全部")})
    assert check_form([worded], {"x": typed}, "en") == ({"x": typed.strip()}, {})


@table("typed", ["AB-1234", "ab-123", "xAB-123", "AB-123\nAB-124", "图书馆", "all"])
def test_what_is_not_as_the_pattern_says_is_told_what_is(typed: str) -> None:
    for lang, told in (
        ("zh", "格式不符合要求（as in AB-123）"),
        ("en", "This is not in the form that is asked for (as in AB-123)"),
    ):
        assert check_form([PATTERNED], {"x": typed}, lang) == ({}, {"x": told})
    bare = PATTERNED.model_copy(update={"hint": ""})
    assert PATTERNED.pattern in check_form([bare], {"x": typed}, "en")[1]["x"]


def test_a_field_that_may_be_left_empty_may_be_in_spite_of_its_bounds() -> None:
    fields = [PATTERNED, field("integer", low=1, high=5)]
    for each in fields:
        free = each.model_copy(update={"required": False})
        assert check_form([free], {"x": " "}, "en") == ({}, {})


def test_a_pattern_takes_no_longer_than_in_proportion_to_the_text() -> None:
    nested = Field(name="x", label="X", pattern="(a+)+b")
    assert check_form([nested], {"x": "a" * MAX_TEXT}, "en")[0] == {}


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0, 5, "0 – 5"),
        (-1.5, None, "≥ -1.5"),
        (None, 1e6, "≤ 1000000"),
        (None, 0.25, "≤ 0.25"),
        (None, None, ""),
    ],
)
def test_what_may_be_given_is_told_as_people_write_numbers(
    low: float | None, high: float | None, told: str
) -> None:
    assert range_text(low, high) == told


def test_a_form_collects_all_faults_and_ignores_what_it_did_not_ask() -> None:
    fields = [
        Field(name="day", label="Day", type="date"),
        Field(name="ecog", label="ECOG", type="integer"),
        Field(name="note", label="Note", required=False),
        Field(name="weight", label="Weight", type="number"),
    ]
    values = {"ecog": "x", "weight": "61.5", "note": " ", "admin": "true"}
    typed, errors = check_form(fields, values, "en")
    assert typed == {"weight": 61.5}
    assert errors == {"day": "Please fill this in", "ecog": "Please give a whole number"}


@given(st.sampled_from(["text", "integer", "number", "date", "choice"]), st.text())
def test_anything_typed_is_a_storable_value_or_a_fault(kind: FieldType, typed: str) -> None:
    values, errors = check_form([field(kind)], {"x": typed}, "en")
    assert len(values) + len(errors) == 1
    assert json.dumps(values, allow_nan=False, ensure_ascii=False).encode()


@given(st.dates())
def test_every_date_goes_through_unchanged(day: date) -> None:
    assert check_form([field("date")], {"x": day.isoformat()}, "en")[0] == {"x": day.isoformat()}
