"""A change of a card: another revision without votes, valid and whole, or nothing at all."""

import json
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from cards.deciding.decision import (
    DecidedCard,
    DecisionRefusal,
    EditAttempt,
    InvalidForm,
    MissingForm,
    decide,
)
from cards.deciding.revision import EditedCard, EditVerdict, UnchangedCard, edit, edit_history
from cards.edits import EditableContent, EditableValue, canonical
from cards.forms import FormFacts
from cards.model import Card, Choice, Decision, Field, Principal, Review, Vote
from cards.showing.show import show
from cards.texts import say
from cards.visible import in_text
from tests.fakes.tables import table

NOW = datetime(2026, 11, 21, 2, 32, tzinfo=UTC)
LIN = Principal(id="lin", name="Lin", roles=("crc", "reviewer"))
CHEN = Principal(id="chen", name="Chen", roles=("reviewer",))
WU = Principal(id="wu", name="Wu", roles=("reviewer",))
ZHAO = Principal(id="zhao", name="Zhao", roles=("crc",))
HAN = Principal(id="han", name="Han", roles=("reviewer",))
REVIEWERS = (LIN, CHEN, WU)
NOTE = "first line\nsecond line"
FORM = (
    Field(name="weight", label="Weight", type="number", unit="kg", value="70", maximum=400),
    Field(name="day", label="Day", type="date", value="2026-11-20"),
    Field(name="arm", label="Arm", type="choice", options=("A", "B"), value="A"),
    Field(name="serious", label="Serious", type="choice", options=("yes", "no"), value="no"),
    Field(name="note", label="Note", value=NOTE, required=False, multiline=True),
)
CONTENT = [
    {
        "tool": "t",
        "arguments": {
            "w": 70.0,
            "day": "2026-11-20",
            "arm": "A",
            "serious": False,
            "note": NOTE,
            "again": 70.0,
            "fixed": "$weight",
        },
    }
]
SPOTS = (
    EditableValue(
        name="weight", rows=(0, 4), at=((0, "arguments", "w"), (0, "arguments", "again"))
    ),
    EditableValue(name="day", rows=(1,), at=((0, "arguments", "day"),)),
    EditableValue(name="arm", rows=(2,), at=((0, "arguments", "arm"),)),
    EditableValue(
        name="serious",
        rows=(3,),
        at=((0, "arguments", "serious"),),
        options={"yes": True, "no": False},
    ),
    EditableValue(name="note", pieces=(1,), at=((0, "arguments", "note"),)),
)
ROWS = [
    ("Weight", "70 kg"),
    ("Day", "2026-11-20"),
    ("Arm", "A"),
    ("Serious", "no"),
    ("Weight", "70 kg"),
]


def card(**changes: Any) -> Card:
    pieces = ("Please look.", in_text("Note", NOTE, "en"))
    plain: dict[str, Any] = {
        "kind": "confirm",
        "token": "0-abcdefgh",
        "run": "r1",
        "conversation": "web::c1",
        "lang": "en",
        "title": "Record a visit",
        "text": "\n\n".join(pieces),
        "rows": [{"label": label, "value": value} for label, value in ROWS],
        "choices": (
            Choice(id="approve", label="Approve"),
            Choice(id="edit", label="Edit", form=FORM, edits=True),
        ),
        "review": Review(roles=("reviewer",), four_eyes=True),
        "requester": "lin",
        "revision": 2,
        "version": 7,
        "deadline": NOW + timedelta(hours=1),
        "votes": (Vote(person="chen", name="Chen", choice="approve", at=NOW),),
        "editing": EditableContent(content=canonical(CONTENT), pieces=pieces, values=SPOTS),
        "shown_digest": "before",
    }
    return Card.model_validate({**plain, **changes})


def tried(
    subject: Card,
    person: Principal = WU,
    *,
    revision: int | None = None,
    approvers: Collection[Principal] = REVIEWERS,
    **values: str,
) -> EditVerdict:
    at = subject.revision if revision is None else revision
    given = values or None
    return edit(subject, person, "edit", NOW, revision=at, values=given, approvers=approvers)


def edited(subject: Card, person: Principal = WU, **values: str) -> Card:
    verdict = tried(subject, person, **values)
    assert isinstance(verdict, EditedCard), verdict
    # What is stored is what was made.
    assert Card.model_validate_json(verdict.card.stored()) == verdict.card
    return verdict.card


def content(subject: Card) -> Any:
    assert subject.editing is not None
    return json.loads(subject.editing.content)[0]["arguments"]


def test_a_change_is_another_revision_without_votes_and_closes_nothing() -> None:
    before = card()
    after = edited(before, weight="72")
    assert (after.status, after.revision, after.version) == ("open", 3, 8)
    assert (before.votes != (), after.votes) == (True, ())
    (each,) = after.edits
    assert (each.name, each.before, each.after, each.value) == ("weight", "70 kg", "72 kg", 72.0)
    assert (each.person, each.person_name, each.at) == ("wu", "Wu", NOW)


def test_it_stands_in_every_place_and_the_digest_is_that_of_what_stands() -> None:
    after = edited(
        card(), weight="72", day="2026-11-21", arm="B", serious="yes", note="one\n\n> three"
    )
    assert [row.value for row in after.rows] == ["72 kg", "2026-11-21", "B", "yes", "72 kg"]
    assert after.text == "Please look.\n\n" + in_text("Note", "one\n\n> three", "en")
    arguments = {"w": 72.0, "again": 72.0, "day": "2026-11-21", "arm": "B", "serious": True}
    arguments |= {"note": "one\n\n> three", "fixed": "$weight"}
    assert content(after) == arguments
    text = canonical([{"tool": "t", "arguments": arguments}])
    assert after.shown_digest == sha256(text.encode()).hexdigest()
    form = after.choice("edit")
    assert form is not None
    assert [f.value for f in form.form] == ["72", "2026-11-21", "B", "yes", "one\n\n> three"]


def test_what_the_form_does_not_give_or_gives_as_it_was_stays() -> None:
    assert tried(card(), weight="70.0") == UnchangedCard()
    assert tried(card(), weight=" 70 ", note="first line\r\nsecond line\n") == UnchangedCard()
    after = edited(card(), weight="72", arm="A", day="2026-11-20")
    assert [each.name for each in after.edits] == ["weight"]
    assert content(after)["note"] == NOTE


def test_a_name_that_the_form_does_not_have_changes_nothing() -> None:
    told = tried(card(), weight="72", unknown="x")
    assert isinstance(told, InvalidForm)
    assert list(told.errors) == ["unknown"]


def test_a_field_that_may_be_empty_can_be_cleared_and_no_other() -> None:
    after = edited(card(), note="")
    assert content(after)["note"] is None
    assert say("card.blank", "en") in after.text
    assert after.edits[0].value is None
    assert tried(card(), weight="") == InvalidForm({"weight": say("form.required", "en")})


def test_faults_are_told_field_by_field_and_nothing_is_changed() -> None:
    verdict = tried(card(), weight="401", day="2026-02-30", arm="C", note="x" * 2001)
    assert isinstance(verdict, InvalidForm)
    assert sorted(verdict.errors) == ["arm", "day", "note", "weight"]
    # What stands and was not touched is not judged.
    stands = FORM[0].model_copy(update={"value": "1000"})
    choice = Choice(id="edit", label="Edit", form=(stands, *FORM[1:]), edits=True)
    assert edited(card(choices=(choice,)), weight="1000", arm="B").edits[0].name == "arm"


@table(
    ("subject", "person", "revision", "reason"),
    [
        (card(), WU, 1, "stale"),
        (card(), WU, 3, "stale"),
        (card(), LIN, 2, "own_request"),
        (card(), ZHAO, 2, "not_approver"),
        (card(deadline=NOW), WU, 2, "expired"),
        (card(status="cancelled"), WU, 2, "not_open"),
        (
            card(
                status="decided",
                decision=Decision(choice="approve", person="chen", name="Chen", at=NOW),
            ),
            WU,
            2,
            "not_open",
        ),
        (card(choices=(Choice(id="approve", label="Approve"),)), WU, 2, "unknown_choice"),
        (card(editing=None), WU, 2, "unknown_choice"),
    ],
)
def test_who_may_not_decide_may_not_edit(
    subject: Card, person: Principal, revision: int, reason: str
) -> None:
    for values in ({"weight": "72"}, {}):
        verdict = tried(subject, person, revision=revision, **values)
        assert verdict == DecisionRefusal(reason, subject, person.id)  # type: ignore[arg-type]


def test_the_editor_may_not_approve_the_edit_and_others_may() -> None:
    after = edited(card(), CHEN, weight="72")
    own = decide(after, CHEN, "approve", NOW, revision=3)
    assert own == DecisionRefusal("own_edit", after, "chen")
    other = decide(after, WU, "approve", NOW, revision=3)
    assert isinstance(other, DecidedCard)
    assert other.decision.edits == after.edits
    assert other.decision.shown_digest == after.shown_digest
    # A closed card is kept for long: without what only served to change it.
    assert other.card.editing is None
    assert isinstance(tried(after, CHEN, weight="73"), EditedCard), "one may change more"


def test_without_four_eyes_the_editor_may_approve() -> None:
    after = edited(card(review=Review(roles=("reviewer",))), weight="72")
    assert isinstance(decide(after, WU, "approve", NOW, revision=3), DecidedCard)


def test_an_edit_that_nobody_else_could_approve_is_refused_even_before_the_form() -> None:
    two = (LIN, WU)
    for values in ({"weight": "72"}, {}):
        assert tried(card(), approvers=two, **values) == DecisionRefusal(
            "nobody_else", card(), "wu"
        )
    assert isinstance(tried(card(), approvers=REVIEWERS), MissingForm)
    quorum = card(review=Review(roles=("reviewer",), four_eyes=True, quorum=2))
    assert isinstance(tried(quorum, weight="72"), DecisionRefusal)
    assert isinstance(tried(quorum, approvers=(*REVIEWERS, HAN), weight="72"), EditedCard)


def test_what_is_changed_back_or_over_is_no_longer_the_first_editors() -> None:
    first = edited(card(), CHEN, weight="72")
    back = edited(first, WU, weight="70")
    assert back.authors == {}
    assert back.shown_digest == edited(first, WU, weight="70.0").shown_digest
    assert content(back) == CONTENT[0]["arguments"]
    over = edited(first, WU, weight="71")
    assert over.authors == {"weight": "wu"}
    assert isinstance(decide(over, CHEN, "approve", NOW, revision=4), DecidedCard)
    assert [each.after for each in over.edits] == ["72 kg", "71 kg"]
    earlier = EditableContent.model_validate(
        {
            "content": canonical(CONTENT),
            "pieces": ("",),
            "values": [{**SPOTS[0].model_dump(), "author": "han"}],
        }
    )
    stood = card(editing=earlier, authors={"weight": "han"})
    assert edited(edited(stood, WU, weight="71"), WU, weight="70").authors == {"weight": "han"}


def test_a_form_that_edits_decides_nothing_wherever_it_is_sent() -> None:
    free = card(review=Review(roles=("reviewer",), quorum=1), votes=())
    verdict = decide(free, WU, "edit", NOW, revision=2, values={"weight": "72"})
    assert verdict == EditAttempt()


def test_the_card_says_who_changed_what_as_text_and_not_as_markup() -> None:
    hostile = Principal(id="wu", name="*Wu* [x](http://x)", roles=("reviewer",))
    after = edited(card(), hostile, note="**bold** <@U1>\n# head")
    shown = show(after, "UTC").text
    first = shown.splitlines()[0]
    assert first.startswith("✎ Changed by \\*Wu\\*")
    assert "(11-21 02:32)" in first
    assert "\\*\\*bold\\*\\* \\<@U1\\>↵\\# head" in first
    for number in range(7):
        later = NOW + timedelta(minutes=number + 1)
        verdict = edit(
            after,
            WU,
            "edit",
            later,
            revision=after.revision,
            values={"weight": str(80 + number)},
            approvers=REVIEWERS,
        )
        assert isinstance(verdict, EditedCard)
        after = verdict.card
    told = edit_history(after, "UTC")
    assert told[0] == say("edit.earlier", "en", n=3)
    assert len(told) == 6


def test_what_is_changed_to_another_thing_of_a_list_is_shown_by_its_name() -> None:
    titles = {"L1": "Oak loft (L1)", "L2": "Pine loft (L2)"}
    loft = Field(
        name="loft",
        label="Loft",
        type="entity",
        entity="loft",
        value="L1",
        labels={"L1": titles["L1"]},
    )
    subject = card(
        rows=[{"label": "Loft", "value": titles["L1"]}],
        choices=(Choice(id="edit", label="Edit", form=(loft,), edits=True),),
        editing=EditableContent(
            content=canonical([{"loft": "L1"}]),
            pieces=(),
            values=(EditableValue(name="loft", rows=(0,), at=((0, "loft"),)),),
        ),
    )

    def id_of(kind: str, text: str) -> str:
        return {"pine loft": "L2"}[text]

    def title_of(kind: str, id_: str, lang: str) -> str:
        return titles.get(id_, "")

    verdict = edit(
        subject,
        WU,
        "edit",
        NOW,
        revision=2,
        values={"loft": "pine loft"},
        approvers=REVIEWERS,
        facts=FormFacts(entity=id_of, title=title_of),
    )
    assert isinstance(verdict, EditedCard)
    (change,) = verdict.edits
    assert (change.before, change.after, change.value) == (titles["L1"], titles["L2"], "L2")
    assert [row.value for row in verdict.card.rows] == [titles["L2"]]
    assert verdict.card.editing is not None
    assert json.loads(verdict.card.editing.content) == [{"loft": "L2"}]
