"""A card in the words of the one person who reads it; what is signed stays as it is."""

from datetime import UTC, datetime

import pytest

from cards.model import Card, Choice, Decision, Field, HandOver, Lang, Review, Row
from cards.policy import Escalation
from cards.showing.show import show
from cards.texts import say, texts_of
from cards.translation import label_in, translate_card, translate_text

ROLES = {"reviewer": ("数据审核员", "data reviewer"), "lead": ("负责人", "lead")}
REASON = Field(name="reason", label="驳回理由")
CARD = Card(
    kind="confirm",
    token="0-abcdefgh",
    run="r1",
    conversation="slack:T0TRIAL:C0TRIAL",
    lang="zh",
    title="录入访视",
    text="批准",
    rows=(Row(label="体重", value="61.5 kg"),),
    problems=("批准",),
    choices=(
        Choice(id="approve", label="批准", style="primary"),
        Choice(id="reject", label="驳回", form=(REASON,)),
        Choice(id="own", label="发给药房"),
    ),
    review=Review(roles=("reviewer",), escalate=Escalation(after_s=60, role="lead")),
    requester="lin",
    requester_name="林悦",
    waiting_for="数据审核员",
)


def role_name(role: str, lang: str) -> str:
    zh, en = ROLES[role]
    return zh if lang == "zh" else en


def test_buttons_note_and_forms_are_the_readers() -> None:
    read = translate_card(CARD, "en", role_name)
    shown = show(read, "UTC")
    labels = [button.label for button in shown.buttons]
    assert labels == ["Approve", "Reject", "发给药房", say("choice.hand_over", "en")]
    assert shown.buttons[1].form[0].label == "Reason for rejecting"
    assert shown.note == "Waiting for review (data reviewer); requested by 林悦"
    assert [button.data for button in shown.buttons] == [b.data for b in show(CARD, "UTC").buttons]


def test_what_is_signed_stays_word_for_word() -> None:
    read = show(translate_card(CARD, "en", role_name), "UTC")
    assert (read.title, read.text, read.rows, read.problems) == (
        CARD.title,
        CARD.text,
        CARD.rows,
        CARD.problems,
    )


@pytest.mark.parametrize("lang", [None, "zh"])
def test_who_reads_its_language_or_has_none_sees_it_as_it_is(lang: Lang | None) -> None:
    assert translate_card(CARD, lang, role_name) is CARD


def test_outcome_hand_over_and_escalation_are_the_readers() -> None:
    at = datetime(2026, 11, 21, 2, 32, tzinfo=UTC)
    seat = HandOver(by="wu", by_name="吴双", to="chen", to_name="陈博", at=at)
    open_card = CARD.model_copy(update={"handed": (seat,), "escalated": "负责人"})
    note = show(translate_card(open_card, "en", role_name), "UTC").note
    assert say("card.escalated", "en", role="lead") in note
    assert say("card.handed", "en", by="吴双", to="陈博") in note
    decision = Decision(choice="approve", person="chen", name="陈博", at=at)
    closed = CARD.model_copy(update={"status": "decided", "decision": decision})
    outcome = show(translate_card(closed, "en", role_name), "America/New_York").outcome
    assert outcome == "陈博: Approve (11-20 21:32)"


def test_names_that_are_not_the_roles_stay() -> None:
    named = CARD.model_copy(update={"waiting_for": "林悦"})
    assert translate_card(named, "en", role_name).waiting_for == "林悦"
    assert label_in(CARD, "gone", "en") == "gone"


def test_a_sentence_with_two_counterparts_is_left_alone() -> None:
    pairs = [(zh, say(key, "en")) for key, zh in texts_of("zh").items() if "{" not in zh]
    several = {zh for zh, en in pairs if any(z == zh and e != en for z, e in pairs)}
    assert all(translate_text(zh, "zh", "en") == zh for zh in several)
    assert translate_text("不是我们的话", "zh", "en") == "不是我们的话"
