"""The review of a planned write keeps its policy: who may, how many, for how long (design §7)."""

from datetime import timedelta

from cards.model import Decision
from engine.mail import CardDecided
from tests.engine.tool_plan.test_planned_runs import NOTE, READ, REPLY, memos, walk
from tests.fakes.walk import CHEN, NOW, Walk, crashing


def reviewed(policy: str) -> Walk:
    """A plan that reads, then writes what a review of this policy approved."""
    return walk([READ, NOTE, REPLY], changes=(("{roles: [reviewer]}", policy),))


async def test_the_card_has_the_policy_and_who_may_decide_when_it_opened() -> None:
    policy = "{roles: [reviewer], hand_over: false, deadline: 2h, remind: {after: 1h}}"
    found = await reviewed(policy).start()
    review = found.card.review
    assert (review.approvers, review.delegable) == ((CHEN.id,), False)
    assert review.remind is not None
    assert found.card.deadline == NOW + timedelta(hours=2)


async def test_more_reviewers_than_there_are_block_the_run_instead_of_waiting_for_ever() -> None:
    found = await reviewed("{roles: [reviewer], quorum: 2}").start()
    assert (found.run.status, found.cards) == ("blocked", {})


async def test_a_rejection_may_need_no_reason() -> None:
    found = await reviewed("{roles: [reviewer], reject_reason: none}").start()
    await found.answer("reject", by=CHEN)
    assert (found.run.status, memos(found)) == ("failed", [])


async def test_an_approval_that_is_too_old_for_the_write_is_asked_for_again() -> None:
    for found in (reviewed(AGES), crashing(reviewed(AGES))):
        await found.start()
        first = found.card
        late = Decision(
            choice="approve", person=CHEN.id, name=CHEN.name, at=NOW - timedelta(minutes=1)
        )
        await found.tell(CardDecided(card=first.token, decision=late))
        assert memos(found) == []
        again = found.card
        assert again.token != first.token
        assert again.shown_digest == first.shown_digest
        await found.answer("approve", by=CHEN)
        assert memos(found) == ["P003 had ECOG 1."]
        assert found.run.status == "completed"


AGES = "{roles: [reviewer], execute_within: 60s}"
