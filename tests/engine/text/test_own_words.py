"""Where the words for a text field end: at what another field takes, or the request goes on."""

from datetime import date

import pytest

from cards.model import Field
from engine.text.entity_kinds import Entities, PatternKind, list_of
from engine.text.form_reading import find_values, read_form

TODAY = date(2026, 3, 2)
KNOWN = Entities(
    (
        PatternKind("loan", "L-[0-9]{1,4}", "upper"),
        list_of("branch", [("N", ["North branch", "北馆"]), ("S", ["South branch", "南馆"])]),
    )
)
LOAN = Field(name="loan", label="Loan", type="entity", entity="loan")
BOOKS = Field(name="books", label="Books", cues=("renew", "续", "续借的书"))
WHY = Field(name="why", label="Why", cues=("because", "因为"))
PLACE = Field(name="place", label="Where", cues=("in", "at", "在"))
MEMBER = Field(name="member", label="Name", cues=("enrol", "called"))
RENEWAL = (LOAN, BOOKS, WHY)
RENEW = ("renew", "续借", "延长")
ENROL = ("enrol", "member", "register")
CLEAN = ("clean", "dirty", "tidy")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("renew two of the atlases of L-12", {"loan": "L-12", "books": "two of the atlases"}),
        ("renew the atlas on the loan L-12", {"loan": "L-12", "books": "the atlas"}),
        (
            "renew the atlas because of the fair, L-12",
            {"loan": "L-12", "books": "the atlas", "why": "the fair"},
        ),
        ("please renew l-12", {"loan": "L-12"}),
        ("续 L-12 的地图册", {"loan": "L-12", "books": "地图册"}),
        # Which of two is meant, nobody knows; and what is in the middle stays with its words.
        ("renew L-12 because L-13 is late", {"books": "L-12", "why": "L-13 is late"}),
        ("renew all that L-12 has", {"books": "all that L-12 has"}),
        # What is written behind a label is the value, whatever it names.
        ("books: the atlases of L-12", {"books": "the atlases of L-12"}),
    ],
)
def test_what_a_field_of_a_kind_takes_is_no_part_of_a_text(
    text: str, values: dict[str, str]
) -> None:
    assert find_values(text, RENEWAL, TODAY, entities=KNOWN, request=RENEW).values == values


@pytest.mark.parametrize("text", ["续借 L-12", "L-12 请续借"])
def test_a_cue_is_not_cut_out_of_a_word_of_the_request(text: str) -> None:
    read = read_form(text, RENEWAL, TODAY, entities=KNOWN, examples=RENEW, request=RENEW)
    assert (read.values, read.left) == ({"loan": "L-12"}, "")
    # Behind the cue by itself stand the words.
    assert find_values("续地图册", RENEWAL, TODAY, request=RENEW).values == {"books": "地图册"}
    # A name of the field that ends such a word is one.
    assert find_values("续借的书：地图册", RENEWAL, TODAY, request=RENEW).values == {
        "books": "地图册"
    }


@pytest.mark.parametrize(
    ("text", "fields", "request_words", "values"),
    [
        ("enrol Ada Byron as a member", (MEMBER,), ENROL, {"member": "Ada Byron"}),
        ("enrol Ada Byron as treasurer", (MEMBER,), ENROL, {"member": "Ada Byron as treasurer"}),
        ("the carpet in hall 3 is dirty", (PLACE, WHY), CLEAN, {"place": "hall 3"}),
        ("the carpet in hall 3 has stains", (PLACE, WHY), CLEAN, {"place": "hall 3"}),
        ("have the carpet in hall 3 cleaned", (PLACE, WHY), CLEAN, {"place": "hall 3"}),
        ("tidy up in hall 3 and it was late", (PLACE, WHY), CLEAN, {"place": "hall 3"}),
        (
            "tidy up in the hall that is next to the lift",
            (PLACE, WHY),
            CLEAN,
            {"place": "the hall that is next to the lift"},
        ),
        (
            "tidy up because the hall is dirty",
            (PLACE, WHY),
            CLEAN,
            {"why": "the hall is dirty"},
        ),
    ],
)
def test_a_name_or_a_place_ends_where_the_request_goes_on(
    text: str, fields: tuple[Field, ...], request_words: tuple[str, ...], values: dict[str, str]
) -> None:
    assert find_values(text, fields, TODAY, request=request_words).values == values
