"""What a node's policy makes of its card, and of an answer without a reason."""

from typing import Any

import pytest

from cards.model import Card
from engine.frames.state import SopFrame
from engine.mail import RunStarted
from engine.playbooks.model import Playbook
from engine.playbooks.review import ReviewPolicy
from tests.engine.tool_plan.test_approvals_age import PLAYBOOK, at_record
from tests.fakes.walk import CHEN, NOW, Walk


def with_review(**policy: Any) -> Playbook:
    """The visit's playbook with this policy for its review."""
    skill = PLAYBOOK.skills["visit-review"]
    assert skill.sop is not None
    ((name, node),) = skill.sop.nodes.items()
    review = ReviewPolicy.model_validate({"roles": ["reviewer"], **policy})
    nodes = {name: node.model_copy(update={"review": review})}
    changed = skill.model_copy(update={"sop": skill.sop.model_copy(update={"nodes": nodes})})
    return PLAYBOOK.model_copy(update={"skills": {**PLAYBOOK.skills, skill.id: changed}})


async def at_review(**policy: Any) -> Walk:
    """A run that has just come to its review."""
    found = at_record(None)
    found.playbook = with_review(**policy)
    sop = found.playbook.skills["visit-review"].sop
    assert sop is not None
    frames = (found.run.frames[0], SopFrame(skill="visit-review", node=sop.start_node))
    # The checks before the review have passed, and need not run again after it.
    passed = {**found.run.state.profile, "check_status": "passed", "fits": "yes"}
    state = found.run.state.model_copy(update={"profile": passed})
    found.run = found.run.model_copy(update={"frames": frames, "state": state})
    await found.tell(RunStarted())
    return found


def reject(card: Card) -> list[bool]:
    """The fields of the form that rejects: whether each has to be filled in."""
    choice = card.choice("reject")
    assert choice is not None
    return [field.required for field in choice.form]


@pytest.mark.parametrize(
    ("asked", "form"), [("required", [True]), ("optional", [False]), ("none", [])]
)
async def test_a_rejection_asks_for_a_reason_as_the_policy_says(
    asked: str, form: list[bool]
) -> None:
    found = await at_review(reject_reason=asked)
    assert reject(found.card) == form
    values = {"reason": "wrong"} if asked == "required" else {}
    await found.answer("reject", values, by=CHEN)
    assert found.run.state.decisions["review"] == "rejected"
    (problem,) = found.card.problems
    assert ("wrong" in problem) == (asked == "required")
    assert not problem.rstrip().endswith((":", "："))


async def test_the_card_keeps_the_policy_and_who_could_decide_when_it_opened() -> None:
    found = await at_review(
        deadline="2h", execute_within="1d", remind={"after": "1h"}, may_edit=["ecog"]
    )
    review = found.card.review
    assert (review.approvers, review.four_eyes) == (("chen",), True)
    assert (review.execute_s, review.may_edit) == (86_400, ("ecog",))
    assert review.remind is not None
    assert found.card.deadline is not None
    assert (found.card.deadline - NOW).total_seconds() == 7200
    assert Card.model_validate_json(found.card.stored()) == found.card


async def test_a_quorum_that_too_few_can_reach_blocks_the_run_and_says_so() -> None:
    found = await at_review(quorum=2)
    assert found.run.status == "blocked"
    assert "1" in found.run.part.text
    assert found.cards == {}
