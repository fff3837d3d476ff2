"""Words that are a value in themselves, such as "all", and characters that stand alone."""

from datetime import date

from cards.model import Field
from engine.text.form_reading import read_form, read_values
from tests.fakes.entities import SUBJECTS
from tests.fakes.tables import table

WHO = Field(name="subject_id", label="Subject", words=("all", "所有", "全部"), identity=True)
TODAY = date(2026, 11, 23)


@table(
    ("text", "value"),
    [
        ("all subjects", "all"),
        ("ALL", "ALL"),
        ("对所有受试者，全部都要", "所有"),
        ("smaller", None),
        ("P003", "P003"),
        ("all visits of P003", "P003"),
        ("P003 and P005, all of it", None),
    ],
)
def test_a_word_is_the_value_where_nobody_is_named(text: str, value: str | None) -> None:
    assert read_values(text, [WHO], TODAY, entities=SUBJECTS).get("subject_id") == value


def test_a_word_needs_no_explanation_beside_a_name() -> None:
    examples = ("check the visits",)
    reading = read_form("all visits of P003", [WHO], TODAY, entities=SUBJECTS, examples=examples)
    assert reading.left == ""


def test_a_character_that_stands_alone_in_an_example_needs_none_either() -> None:
    examples = ("对 P003 做质控",)
    assert (
        read_form("对 P005 做质控", [WHO], TODAY, entities=SUBJECTS, examples=examples).left == ""
    )
    assert (
        read_form("非 P005 做质控", [WHO], TODAY, entities=SUBJECTS, examples=examples).left != ""
    )
    assert (
        read_form("对着 P005 做质控", [WHO], TODAY, entities=SUBJECTS, examples=examples).left != ""
    )


@table(
    ("text", "what"),
    [
        ("log a fault on P003: oil leak at the gearbox", "oil leak at the gearbox"),
        ("problem with P003: it does not start", "it does not start"),
        ("fault P003: oil leak", "oil leak"),
        ("fault in the valve of P003", "in the valve"),
    ],
)
def test_what_is_told_of_a_thing_stands_behind_its_name(text: str, what: str) -> None:
    subject = Field(name="subject", label="Subject", type="entity", entity="subject")
    told = Field(name="what", label="What is wrong", cues=("fault", "problem"))
    reading = read_form(text, [subject, told], TODAY, entities=SUBJECTS)
    assert reading.values == {"subject": "P003", "what": what}
    of_it = read_form(text.replace("P003", "it"), [told], TODAY, entities=SUBJECTS)
    assert of_it.values["what"].removesuffix(" of it") == what
