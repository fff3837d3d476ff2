"""Which taps nobody can take back: platforms ask whether the person is sure."""

import pytest

from cards.model import Card, Choice, Field, Review
from cards.showing.show import show

REASON = (Field(name="reason", label="Reason"),)
APPROVE = Choice(id="approve", label="Approve", style="primary")
REJECT = Choice(id="reject", label="Reject", style="danger", form=REASON)
DROP = Choice(id="drop", label="Throw away", style="danger")
LATER = Choice(id="later", label="Later")


@pytest.mark.parametrize(
    ("kind", "roles", "final"),
    [
        ("confirm", ("reviewer",), {"approve", "drop"}),
        # Their own: nobody signs for anybody.
        ("confirm", (), {"drop"}),
        ("clarify", ("reviewer",), {"drop"}),
        ("select", ("reviewer",), {"approve", "drop", "later"}),
        ("select", (), {"drop"}),
    ],
)
def test_an_approvers_yes_and_what_warns_is_final_unless_a_form_comes_first(kind, roles, final):
    card = Card(
        kind=kind,
        token="0a-Zk3tP9qLmN4x",
        run="r",
        conversation="slack:T1:D1",
        lang="en",
        title="Record a visit",
        choices=(APPROVE, REJECT, DROP, LATER),
        review=Review(roles=roles),
        requester="ana",
    )
    shown = show(card, "UTC").buttons
    assert {b.data.split(":")[2] for b in shown if b.final} == final
