"""A form that asks for one thing takes its answer as people put it."""

from datetime import date

from cards.model import Card, Choice, Field, Review
from engine.text.form_reading import read_form
from engine.understanding.open_forms import month_asked_for
from tests.fakes.tables import table

TODAY = date(2026, 11, 28)
MARCH = date(2027, 3, 1)
COLOURS = {"red": "Red", "dark_blue": "Dark blue"}
PERSONS = Field(name="x", label="Persons", type="integer")
WEIGHT = Field(name="x", label="Weight", type="number", unit="kg")
GRADE = Field(name="x", label="Grade", type="integer")
COLOUR = Field(name="x", label="Colour", type="choice", options=tuple(COLOURS), labels=COLOURS)
INSURED = Field(name="x", label="Insured", type="boolean")
DAY = Field(name="x", label="Day", type="date")


@table(
    ("field", "text", "value"),
    [
        *(
            (PERSONS, text, "12")
            for text in ("12 people please", "we are 12", "12 of us", "十二个")
        ),
        *((PERSONS, text, "12") for text in ("就十二个吧", "12位", "that's 12 guests")),
        *((PERSONS, text, None) for text in ("about 12", "12 weeks", "12 or 13", "not 12", "12?")),
        *(
            (WEIGHT, text, "70")
            for text in ("it is 70", "70 kilos, thanks", "70公斤吧", "70 I think")
        ),
        *((WEIGHT, text, None) for text in ("154 lb", "about 70", "70 apples")),
        *((GRADE, text, None) for text in ("two headaches", "2 weeks")),
        *((COLOUR, text, "dark_blue") for text in ("blue", "the blue one", "I'd take dark blue")),
        *((COLOUR, text, None) for text in ("not blue", "green")),
        *((INSURED, text, "yes") for text in ("yep", "of course", "Yes, it is.", "是的")),
        *((INSURED, text, "no") for text in ("nope", "not insured", "不需要", "No, it isn’t")),
        (INSURED, "is it?", None),
    ],
)
def test_the_only_field_takes_what_can_be_read(field: Field, text: str, value: str | None) -> None:
    assert read_form(text, (field,), TODAY).values.get("x") == value


@table(
    ("text", "day"),
    [
        *((text, "2027-03-14") for text in ("the 14th", "14", "14号", "十四号吧", "14th, please")),
        ("the 1st", "2027-03-01"),
        ("2027-03-20", "2027-03-20"),
        ("tomorrow", "2026-11-29"),
        ("14 April", "2027-04-14"),
    ],
)
def test_a_day_alone_is_of_the_month_that_was_spoken_of(text: str, day: str) -> None:
    assert read_form(text, (DAY,), TODAY, month=MARCH).values == {"x": day}
    assert read_form("the 14th", (DAY,), TODAY).faults == {"x": "form.two_ways"}


@table(
    ("title", "month"),
    [
        ("Which day in March 2027?", MARCH),
        ("Which day of March suits you?", MARCH),
        ("2027年3月哪一天？", MARCH),
        ("3月几号方便？", MARCH),
        ("The visit of 14 March 2027", None),
        ("March 14, 2027: what was said", None),
        ("2027年3月14日的访视", None),
        ("It may be any day", None),
        ("In March 2027 or in April 2027?", None),
    ],
)
def test_the_month_is_the_one_that_the_question_speaks_of(title: str, month: date | None) -> None:
    submit = Choice(id="submit", label="Send", form=(DAY,))
    card = Card(
        kind="clarify",
        token="1-form",
        run="1-run",
        conversation="web:chat:1",
        lang="en",
        title=title,
        choices=(submit,),
        review=Review(persons=("li",)),
        requester="li",
    )
    assert month_asked_for(card, TODAY) == month
