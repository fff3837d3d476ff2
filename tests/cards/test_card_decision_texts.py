from datetime import UTC, datetime
from typing import Any

from cards.deciding.decision import DecisionRefusal, Reason
from cards.deciding.texts import refusal_text
from cards.model import Card, Choice, Decision, Review, Vote
from tests.fakes.tables import table

SHANGHAI = "Asia/Shanghai"
AT = datetime(2026, 11, 21, 2, 32, tzinfo=UTC)
DECIDED = {
    "status": "decided",
    "decision": Decision(choice="approve", person="chen", name="陈博", at=AT),
}


def card(**changes: Any) -> Card:
    return Card(
        kind="confirm",
        token="0-abcdefgh",
        run="r1",
        conversation="web::c1",
        lang="zh",
        title="录入访视",
        choices=(Choice(id="approve", label="批准"), Choice(id="reject", label="驳回")),
        review=Review(roles=("reviewer",), quorum=3),
        requester="lin",
    ).model_copy(update=changes)


FOR_CHEN = Vote(person="wu", name="吴双", choice="approve", at=AT, seat="chen", seat_name="陈博")
VOTED = {"votes": (Vote(person="wu", name="吴双", choice="approve", at=AT),)}


@table(
    ("reason", "changes", "zh", "en"),
    [
        (
            "not_open",
            DECIDED,
            "已由 陈博 于 11-21 10:32 批准。",
            "Already decided by 陈博 on 11-21 10:32: Approve.",
        ),
        ("not_open", {"status": "cancelled"}, "流程已取消", "This was cancelled"),
        ("not_open", {"status": "superseded"}, "更新的一张", "A newer card"),
        (
            "not_open",
            {"kind": "phase_done", "status": "cancelled"},
            "没有事情在等它",
            "nothing waits for it",
        ),
        (
            "not_open",
            {"status": "expired", "deadline": AT},
            "这张卡片已于 11-21 10:32 过期。",
            "This card expired on 11-21 10:32.",
        ),
        ("not_open", {"status": "expired"}, "这张卡片已关闭。", "This card is closed."),
        ("expired", {"deadline": AT}, "已于 11-21 10:32 过期", "expired on 11-21 10:32"),
        ("stale", {}, "内容已更新", "The content has changed"),
        ("own_request", {}, "您本人发起", "your own request"),
        ("not_approver", {}, "您不是这张卡片的审批人", "You are not an approver"),
        (
            "already_voted",
            VOTED,
            "您已于 11-21 10:32 选择了批准，以此为准；还需 2 人。",
            "You chose Approve on 11-21 10:32, and that stands; 2 more needed.",
        ),
        ("unknown_choice", {}, "没有这个选项", "no such choice"),
        (
            "seat_taken",
            {},
            "陈博 这一席已由 吴双 于 11-21 10:32 投票：批准。",
            "The seat of 陈博 has voted: Approve, by 吴双 on 11-21 10:32.",
        ),
    ],
)
def test_a_refusal_says_who_what_and_when(
    reason: Reason, changes: dict[str, Any], zh: str, en: str
) -> None:
    refused = DecisionRefusal(reason, card(**changes), "wu", FOR_CHEN)
    assert zh in refusal_text(refused, "zh", zone=SHANGHAI)
    assert en in refusal_text(refused, "en", zone=SHANGHAI)


def test_who_decided_is_told_that_it_was_themselves() -> None:
    refused = DecisionRefusal("not_open", card(**DECIDED), "chen")
    assert refusal_text(refused, "zh", zone=SHANGHAI) == "您已于 11-21 10:32 批准。"
    text = "You already decided this on 11-21 02:32: Approve."
    assert refusal_text(refused, "en", zone="UTC") == text


def test_names_and_labels_are_only_data() -> None:
    decision = Decision(choice="gone", person="x", name="{card} %s", at=AT)
    refused = DecisionRefusal("not_open", card(status="decided", decision=decision), "wu")
    text = refusal_text(refused, "en", zone="UTC")
    assert text == "Already decided by {card} %s on 11-21 02:32: gone."
