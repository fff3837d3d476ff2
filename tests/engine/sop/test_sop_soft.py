"""A soft instruction in an SOP: the model's verdict leads on, and a person decides in doubt."""

from collections.abc import Callable

import pytest

from cards.model import Card
from engine.errors import AllowanceUsedUp, ModelUnavailable
from engine.frames.state import SopFrame
from engine.mail import RunMail
from engine.playbooks.load import load
from tests.engine.sop.sop_stage import (
    Answering,
    Ran,
    approve,
    example,
    reject,
    run,
    said,
    verdict,
    wants,
    with_sop,
)
from tests.fakes.study import Study

READ = ("read_clinical_data", {"subject_id": "P003"})
SOFT = "{type: soft_instruction, instruction: Does it fit, review: {roles: [reviewer]%s}, %s}"


def found(ran: Ran) -> list[tuple[str, str, str]]:
    """What stands of the soft instruction after the run: node, title and reason."""
    last = [check for check in ran.checks if check.node == "history"][-1]
    return [(last.node, finding.label, finding.message) for finding in last.findings]


async def test_a_model_that_fails_it_says_why(records: Study) -> None:
    model = Answering(verdict(False, reason="Still *treated*"))
    done = await run(example(), records, model=model)
    assert done.judged[-1] == ("history", "failed", "model", "end_ineligible")
    assert done.run.state.problems == ("Is the pneumonia over: Still \\*treated\\*",)
    assert done.cards == []
    assert found(done) == [("history", "Is the pneumonia over", "Still *treated*")]


async def test_a_verdict_that_passes_closes_what_stood(records: Study) -> None:
    done = await run(example(), records, model=Answering(verdict(True)))
    (check,) = [check for check in done.checks if check.node == "history"]
    assert (check.findings, check.found) == ((), 0)


UNSURE = {
    "low": (verdict(False, confidence=0.4, evidence=["cough *now*"]),),
    "exhausted": (said("It passes."),) * 3,
    "tools": (wants(READ),) * 3,
    "away": (ModelUnavailable("away"),),
    "none": (),
}


@pytest.mark.parametrize("why", UNSURE)
@pytest.mark.parametrize("answer", [approve, reject])
async def test_what_the_model_cannot_tell_a_person_decides(
    records: Study, why: str, answer: Callable[[Card], RunMail]
) -> None:
    model = Answering(*UNSURE[why]) if UNSURE[why] else None
    asked = await run(example(), records, model=model)
    assert asked.run.status == "suspended"
    (card,) = asked.cards
    assert card.title == "Is the pneumonia over"
    assert (card.review.roles, card.review.four_eyes) == (("reviewer",), True)
    assert card.deadline is not None
    assert "cured or has resolved" in card.rows[0].value

    done = await run(example(), records, answer, model=model)
    passed = answer is approve
    assert done.judged[1] == (
        "history",
        "approved" if passed else "rejected",
        "chen",
        "sign" if passed else "end_ineligible",
    )
    assert done.run.status == ("suspended" if passed else "completed")
    assert found(done) == ([] if passed else [("history", "Is the pneumonia over", "no")])
    assert done.run.state.decisions == {}
    assert done.run.state.approvals == {}


async def test_the_card_shows_the_verdict_so_far_as_data(records: Study) -> None:
    asked = await run(example(), records, model=Answering(*UNSURE["low"]))
    rows = {row.label: row.value for row in asked.cards[0].rows}
    assert rows["The model's verdict"] == "failed"
    assert rows["Reason"] == "As it stands."
    assert rows["Evidence"] == "cough *now*"
    assert rows["Confidence"] == "40%"
    assert "less than 70% sure" in asked.cards[0].text
    asked = await run(example(), records, model=Answering(*UNSURE["exhausted"]))
    assert asked.cards[0].rows[1].value == "It passes."
    assert "in 3 answers" in asked.cards[0].text


async def test_the_card_names_the_limit_of_the_day_that_is_used_up(records: Study) -> None:
    asked = await run(example(), records, model=Answering(AllowanceUsedUp("person")))
    assert "of the person who asked, is used up" in asked.cards[0].text


async def test_nobody_but_the_requester_is_for_an_operator(records: Study) -> None:
    files = with_sop(
        "start_node: a\nnodes:\n  a: " + SOFT % ("", "on_pass: end_ok, on_fail: end_no")
    )
    files["skills/eligibility.yaml"] = files["skills/eligibility.yaml"].replace(
        "[reviewer]", "[crc]"
    )
    playbook = load(files, roles=("crc",), held=("crc",))
    asked = await run(playbook, records)
    assert (asked.run.status, asked.cards) == ("blocked", [])
    assert "nobody but the requester" in asked.run.part.text


async def test_the_dialogue_is_kept_at_its_node_and_dropped_when_it_is_left(
    records: Study,
) -> None:
    asked = await run(example(), records, model=Answering(*UNSURE["low"]))
    (frame,) = asked.run.frames
    assert isinstance(frame, SopFrame)
    assert frame.soft is not None
    assert frame.soft.unsure == "confidence"
    left = await run(example(), records, approve, model=Answering(*UNSURE["low"]))
    (frame,) = left.run.frames
    assert isinstance(frame, SopFrame)
    assert (frame.node, frame.soft) == ("sign", None)
