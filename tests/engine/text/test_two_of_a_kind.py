"""Two of one kind in a text, values that belong together, and which field each of them is for."""

from datetime import date

import pytest

from cards.model import Field
from engine.text.entity_kinds import Entities, list_of
from engine.text.form_reading import find_values, read_form, read_values

MONDAY = date(2026, 11, 30)
DRIVERS = Entities(
    (
        list_of(
            "driver",
            [
                ("d1", ["Ida Holm", "王芳"]),
                ("d2", ["Uwe Kern", "赵磊"]),
                ("d3", ["Tom Becker", "汤姆·贝克"]),
            ],
        ),
    )
)
SICK = Field(
    name="sick",
    label="请假司机",
    type="entity",
    entity="driver",
    cues=("for", "away", "替", "不在"),
)
COVERS = Field(
    name="covers",
    label="代班司机",
    type="entity",
    entity="driver",
    cues=("covers", "steps in", "let", "代班", "顶班", "请"),
)
FIRST = Field(name="first", label="From tour", type="integer", pair_with="last", cues=("tours",))
LAST = Field(name="last", label="To tour", type="integer", cues=("tours",))
SHIFT = (SICK, COVERS, FIRST, LAST)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("代班司机：赵磊", {"covers": "d2"}),
        ("代班司机: 王芳", {"covers": "d1"}),
        ("代班司机：汤姆·贝克", {"covers": "d3"}),
        ("Ida Holm is away, tours 3 to 4, Uwe Kern covers", {"sick": "d1", "covers": "d2"}),
        ("Uwe Kern steps in for Ida Holm", {"sick": "d1", "covers": "d2"}),
        ("let Uwe Kern drive for Ida Holm", {"sick": "d1", "covers": "d2"}),
        ("王芳不在，赵磊代班", {"sick": "d1", "covers": "d2"}),
        ("王芳周四不在，赵磊代班", {"sick": "d1", "covers": "d2"}),
        ("王芳请赵磊代班", {"covers": "d2"}),
        ("赵磊替王芳代班", {"sick": "d1", "covers": "d2"}),
        ("Uwe Kern will cover, ask Ida Holm", {}),
        ("Uwe Kern for the night", {}),
    ],
)
def test_each_of_two_is_for_the_field_that_is_named_beside_it(
    text: str, values: dict[str, str]
) -> None:
    found = read_values(text, SHIFT, MONDAY, entities=DRIVERS)
    assert {n: v for n, v in found.items() if n in ("sick", "covers")} == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("tours 3 to 4", {"first": "3", "last": "4"}),
        ("Tours 3 till 12, please", {"first": "3", "last": "12"}),
        ("tours 3 to 4 December", {}),
        ("3 to 4", {}),
    ],
)
def test_a_range_behind_the_name_of_a_pair_is_its_two_numbers(
    text: str, values: dict[str, str]
) -> None:
    assert read_values(text, (FIRST, LAST), MONDAY) == values


STARTS = Field(name="starts", label="From", type="time", pair_with="ends")
ENDS = Field(name="ends", label="To", type="time", cues=("to", "until"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from 9 to 10:30", {"starts": "09:00", "ends": "10:30"}),
        ("from 9:30 to 11", {"starts": "09:30", "ends": "11:00"}),
        ("between 9 and 10:30", {"starts": "09:00", "ends": "10:30"}),
        ("从9到10:30", {"starts": "09:00", "ends": "10:30"}),
        ("from 9:00 to 10:30", {"starts": "09:00", "ends": "10:30"}),
    ],
)
def test_one_of_two_hours_may_have_its_minutes_alone(text: str, values: dict[str, str]) -> None:
    reading = read_form(text, (STARTS, ENDS), MONDAY)
    assert (reading.values, reading.left) == (values, "")


def test_hours_that_may_be_of_the_afternoon_are_not_taken_as_they_stand() -> None:
    assert "starts" not in read_form("from 2 to 3:30", (STARTS, ENDS), MONDAY).values


BEGINS = Field(name="begins", label="Begins", type="date", pair_with="back")
BACK = Field(name="back", label="Back", type="date", required=False, cues=("until", "到"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("tomorrow", {"begins": "2026-12-01"}),
        ("明天", {"begins": "2026-12-01"}),
        ("on 3 December", {"begins": "2026-12-03"}),
        ("until 3 December", {"back": "2026-12-03"}),
        ("before 3 December", {}),
        ("from 3 to 5 December", {"begins": "2026-12-03", "back": "2026-12-05"}),
        ("3 December and 5 December", {}),
    ],
)
def test_one_day_is_for_the_first_of_two_of_which_the_other_may_stay_empty(
    text: str, values: dict[str, str]
) -> None:
    reading = read_form(text, (BEGINS, BACK), MONDAY)
    assert reading.values == values


def test_one_day_is_for_none_of_two_that_are_needed() -> None:
    both = (BEGINS, BACK.model_copy(update={"required": True}))
    assert read_form("tomorrow", both, MONDAY).values == {}


@pytest.mark.parametrize(
    ("text", "price"),
    [("每人12块", "12 EUR"), ("每人三块五", "3.5 EUR"), ("每人12美元", "12 USD")],
)
def test_kuai_is_of_the_only_currency_that_a_field_takes(text: str, price: str) -> None:
    euros = Field(name="price", label="每人", type="money", currencies=("EUR",))
    assert read_values(text, (euros,), MONDAY) == {"price": price}
    yuan = euros.model_copy(update={"currencies": ("CNY",)})
    assert read_values("每人12块", (yuan,), MONDAY) == {"price": "12 CNY"}


WHERE = Field(name="where", label="Place", type="text", cues=("to the", "去"))
WHEN = Field(name="when", label="Day", type="date")
PRICE = Field(name="price", label="Price", type="money", currencies=("EUR",))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("to the lake on 14 December", {"where": "lake", "when": "2026-12-14"}),
        ("to the lake on 14 December for 20 EUR", {"where": "lake", "when": "2026-12-14"}),
        ("to the lake tomorrow", {"where": "lake", "when": "2026-12-01"}),
        ("to the old Friday market", {"where": "old Friday market"}),
        (
            "to the lake from 1 December on 14 December",
            {"where": "lake from 1 December on 14 December"},
        ),
        ("去海边团建", {"where": "海边"}),
        ("去海边的团建活动", {"where": "海边"}),
        ("去团建中心", {"where": "团建中心"}),
    ],
)
def test_words_behind_a_cue_end_before_what_another_field_needs(
    text: str, values: dict[str, str]
) -> None:
    found = find_values(text, (WHERE, WHEN, PRICE), MONDAY, request=("团建", "活动", "outing"))
    assert {n: v for n, v in found.values.items() if n != "price"} == values


@pytest.mark.parametrize("text", ["on Monday", "Monday", "周一", "星期一"])
def test_the_weekday_that_it_is_may_be_today_or_in_a_week(text: str) -> None:
    day = Field(name="day", label="Day", type="date", minimum="today")
    assert read_form(text, (day,), MONDAY).values == {}
    assert read_values(text.replace("Mon", "Tues").replace("一", "二"), (day,), MONDAY) == {
        "day": "2026-12-01"
    }
