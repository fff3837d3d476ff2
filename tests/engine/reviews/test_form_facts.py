"""What a form is judged by besides its fields: people, entities and today."""

from datetime import date
from typing import Any

import pytest

from cards.forms import check_form
from cards.model import Field, Principal
from engine.reviews.form_facts import form_facts, with_days
from engine.text.entity_kinds import Entities, PatternKind, list_of

ANN = Principal(id="ann", name="Ann Lee", accounts=("slack:T1:U7",))
BO = Principal(id="bo", name="Bo Lee")
KINDS = Entities(
    (
        PatternKind("order", "W-?[0-9]{4}", "upper", "-"),
        list_of("town", [("t1", ["Bonn"]), ("t2", ["Bad Ems", "巴特埃姆斯"])]),
    )
)


class Crew:
    """Two people of a garage."""

    everybody = (ANN, BO)


def judged(text: str, **more: Any) -> tuple[Any, str]:
    field = Field(name="x", label="X", **more)
    people: Any = Crew()
    facts = form_facts(people, date(2026, 3, 2), KINDS)
    values, faults = check_form([field], {"x": text}, "en", facts)
    return values.get("x"), faults.get("x", "")


@pytest.mark.parametrize("text", ["ann", "Ann Lee", "@ann", "slack:T1:U7", "ANN"])
def test_a_person_is_kept_by_their_id_however_they_are_called(text: str) -> None:
    assert judged(text, type="person") == ("ann", "")


def test_nobody_and_several_are_told() -> None:
    assert judged("Carl", type="person") == (None, "There is nobody called “Carl”.")
    assert judged("Lee", type="person") == (None, "Several people fit: Ann Lee, Bo Lee.")


@pytest.mark.parametrize(
    ("text", "kind", "id_"),
    [("w-0815", "order", "W0815"), ("bad  EMS", "town", "t2"), ("巴特埃姆斯", "town", "t2")],
)
def test_an_entity_is_kept_by_its_id(text: str, kind: str, id_: str) -> None:
    assert judged(text, type="entity", entity=kind) == (id_, "")
    assert judged(text, entity=kind) == (id_, "")


def test_what_names_no_entity_or_two_is_told() -> None:
    told = "This names none that is known here, or several: "
    assert judged("Berlin", type="entity", entity="town") == (None, told + "Berlin")
    assert judged("W0815 W0816", entity="order") == (None, told + "W0815 W0816")


def test_of_a_kind_that_is_not_known_no_text_is_taken_and_words_stay() -> None:
    told = "X-1: what is known here cannot be looked up for you just now; please try again later"
    assert judged("X-1", entity="car") == (None, told)
    assert judged("all", entity="order", words=("all",)) == ("all", "")
    assert judged("t2", type="entity", entity="town", options=("t2",)) == ("t2", "")


def test_today_bounds_a_date() -> None:
    assert judged("2026-03-02", type="date", maximum="today") == ("2026-03-02", "")
    assert judged("2026-03-03", type="date", maximum="today")[1]


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("2026-12-09", "2026-12-09"),
        (" 9 December", "2026-12-09"),
        ("12月10日", "2026-12-10"),
        ("tomorrow", "2026-12-01"),
        ("02/03/2027", "02/03/2027"),
        ("9 December or so", "9 December or so"),
        ("", ""),
    ],
)
def test_a_day_in_words_is_taken_as_its_date_and_nothing_is_guessed(typed: str, taken: str) -> None:
    fields = (Field(name="day", label="Day", type="date"), Field(name="why", label="Why"))
    values = with_days(fields, {"day": typed, "why": "9 December"}, date(2026, 11, 30))
    assert values["why"] == "9 December"
    assert values["day"].strip() == taken
