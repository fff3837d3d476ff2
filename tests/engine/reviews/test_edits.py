"""What a reviewer changed on the card is what the run goes on with, once somebody approved it."""

from collections.abc import Callable
from typing import Any

import pytest

from cards.deciding.decision import DecidedCard, decide
from cards.deciding.revision import EditedCard, edit
from cards.edits import digest
from cards.forms import MAX_TEXT
from cards.model import Card, Principal
from cards.visible import in_text
from engine.mail import CardDecided, RunMail
from engine.playbooks.model import Playbook
from tests.engine.sop.sop_stage import NOW, Ran, loaded, new_run, ran, reject, services, with_sop
from tests.fakes.study import Study

WU = Principal(id="wu", name="Wu", roles=("reviewer",))
CHEN = Principal(id="chen", name="Chen", roles=("reviewer",))
EVERY = "age, consent_date, ecog, arm, treated, medical_history"
SOP = f"""start_node: sign
nodes:
  sign:
    type: human_review
    description: {{zh: 请看, en: Please look}}
    review: {{roles: [reviewer], may_edit: [{EVERY}]}}
    presents: [{EVERY}]
    decision: signature
    on_approve: rules
    on_reject: end_no
  rules:
    type: hard_rule
    rules: [{{field: age, logic: {{"<=": [18, {{var: age}}, 75]}}, message: x}}]
    on_pass: again
    on_fail: sign
  again:
    type: human_review
    review: {{roles: [reviewer]}}
    presents: [age]
    decision: signature
    on_approve: end_ok
outcomes: {{end_ok: {{profile.eligibility: eligible}}, end_no: {{profile.eligibility: ineligible}}}}
"""
STANDS: dict[str, Any] = {
    "age": 61,
    "consent_date": "2026-10-01",
    "ecog": 1,
    "arm": "A",
    "treated": True,
    "medical_history": "one\ntwo",
}


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    files = dict(with_sop(SOP))
    old = "  medical_history: {label: {zh: 病史, en: Medical history}, required: false}\n"
    assert old in files["playbook.yaml"]
    new = old.replace("required: false", "required: false, multiline: true")
    new += "  arm: {label: {zh: 组, en: Arm}, type: choice, options: [A, B]}\n"
    new += "  treated: {label: {zh: 已治疗, en: Treated}, type: boolean}\n"
    files["playbook.yaml"] = files["playbook.yaml"].replace(old, new)
    return loaded(files)


def changed(card: Card, by: Principal = WU, **values: str) -> Card:
    people = (CHEN, WU)
    verdict = edit(card, by, "edit", NOW, revision=card.revision, values=values, approvers=people)
    assert isinstance(verdict, EditedCard), verdict
    return verdict.card


def approved(by: Principal = CHEN, **values: str) -> Callable[[Card], RunMail]:
    """Wu's change of the card, if any, and then an approval."""

    def mail(card: Card) -> RunMail:
        card = changed(card, **values) if values else card
        verdict = decide(card, by, "approve", NOW, revision=card.revision)
        assert isinstance(verdict, DecidedCard), verdict
        return CardDecided(card=card.token, decision=verdict.decision)

    return mail


async def signed(playbook: Playbook, records: Study, *answers: Any, **data: Any) -> Ran:
    run = new_run(playbook, {**STANDS, **data})
    return await ran(run, playbook, services(None, records), *answers)


async def test_approved_changes_of_every_type_are_the_runs_from_then_on(
    playbook: Playbook, records: Study
) -> None:
    new = {
        "age": "62",
        "consent_date": "2026-10-02",
        "ecog": "0",
        "arm": "B",
        "treated": "no",
        "medical_history": "three\n\nfour",
    }
    done = await signed(playbook, records, approved(**new), approved())
    assert done.run.status == "completed"
    typed = {**new, "age": 62, "ecog": 0, "treated": False}
    assert done.run.state.data == typed
    step = next(entry for entry in done.log if "changes" in entry)
    assert (step["by"], step["judged"]["by"], step["changes"]) == ("wu", "chen", typed)
    assert done.log[-1]["by"] == "chen"


async def test_the_card_shows_what_was_changed_as_a_card_of_these_values_would(
    playbook: Playbook, records: Study
) -> None:
    new = {"age": "62", "arm": "B", "treated": "no", "medical_history": "three\n\n> four"}
    (card,) = (await signed(playbook, records)).cards
    typed = {**new, "age": 62, "treated": False}
    (other,) = (await signed(playbook, records, **typed)).cards
    after = changed(card, **new)
    shown = ("rows", "text", "choices", "shown_digest")
    assert [getattr(after, name) for name in shown] == [getattr(other, name) for name in shown]
    assert after.shown_digest != card.shown_digest
    assert after.editing == other.editing
    assert other.editing is not None
    assert digest(other.editing.content) == other.shown_digest


async def test_a_rejection_changes_nothing_of_the_data(playbook: Playbook, records: Study) -> None:
    def rejected(card: Card) -> RunMail:
        after = changed(card, age="62")
        verdict = decide(
            after, CHEN, "reject", NOW, revision=after.revision, values={"reason": "no"}
        )
        assert isinstance(verdict, DecidedCard)
        assert verdict.decision.edits == after.edits
        return CardDecided(card=card.token, decision=verdict.decision)

    done = await signed(playbook, records, rejected)
    assert done.run.state.data == STANDS
    assert done.run.state.profile == {"eligibility": "ineligible"}
    plain = await signed(playbook, records, reject)
    assert plain.run.state.profile == done.run.state.profile


async def test_whose_change_stands_may_not_approve_it_at_a_later_review_either(
    playbook: Playbook, records: Study
) -> None:
    at_again = await signed(playbook, records, approved(age="62"))
    card = at_again.cards[-1]
    assert card.authors == {"age": "wu"}
    own = decide(card, WU, "approve", NOW, revision=1)
    assert not isinstance(own, DecidedCard)
    assert isinstance(decide(card, CHEN, "approve", NOW, revision=1), DecidedCard)
    untouched = await signed(playbook, records, approved(ecog="0"))
    assert untouched.cards[-1].authors == {}, "that card does not show the ecog"


async def test_what_breaks_a_rule_is_asked_again_with_the_fault_and_its_author(
    playbook: Playbook, records: Study
) -> None:
    asked = await signed(playbook, records, approved(age="80"))
    card = asked.cards[-1]
    assert (len(asked.cards), card.authors) == (2, {"age": "wu"})
    assert "80" in card.problems[0]
    assert card.rows[0].value == "80"
    again = changed(card, CHEN, age="70")
    assert again.authors == {"age": "chen"}
    back = changed(changed(card, CHEN, age="70"), CHEN, age="80")
    assert back.authors == {"age": "wu"}, "as it was when the card was opened"


async def test_what_no_form_can_hold_is_left_out_of_it_and_said_to_be(
    playbook: Playbook, records: Study
) -> None:
    long = "x" * (MAX_TEXT + 1)
    (card,) = (await signed(playbook, records, medical_history=long)).cards
    choice = card.choice("edit")
    assert choice is not None
    assert "medical_history" not in [field.name for field in choice.form]
    assert "Too long to be changed here: Medical history." in choice.intro
    assert in_text("Medical history", long, "en") in card.text
    after = changed(card, age="62")
    assert in_text("Medical history", long, "en") in after.text


async def test_a_text_of_several_lines_is_asked_for_with_room_for_them(
    playbook: Playbook, records: Study
) -> None:
    (card,) = (await signed(playbook, records)).cards
    choice = card.choice("edit")
    assert choice is not None
    fields = {field.name: field for field in choice.form}
    assert fields["medical_history"].multiline
    assert fields["medical_history"].value == "one\ntwo"
    assert fields["treated"].options == ("yes", "no")
    assert list(fields) == EVERY.split(", ")


async def test_a_step_that_died_after_the_approval_gives_the_same(
    playbook: Playbook, records: Study
) -> None:
    answers = (approved(age="62"), approved())
    whole = await signed(playbook, records, *answers)
    for step in range(len(whole.log)):
        run = new_run(playbook, STANDS)
        given = services(None, records)
        died = await ran(run, playbook, given, *answers, dies_before=step)
        assert died.end == whole.end
