"""What may be wrong with the policy of a review is told when the playbook is loaded."""

import re
from collections.abc import Mapping

import pytest

from engine.errors import DefinitionError
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.playbooks.review import ReviewPolicy
from tests.engine.playbooks.review_cases import ALL_REVIEW, CASES, LONE, MANY, ON_EXPIRE
from tests.engine.playbooks.test_static_checks import APPROVE, changed
from tests.fakes import garage
from tests.fakes.tables import table

ROLES = ("board", "crc", "lead", "reviewer")
PLAIN = "review: {roles: [reviewer]}"


def loaded(
    review: str, people: Mapping[str, tuple[str, ...]], *changes: tuple[str, str, str]
) -> Playbook:
    # An execution deadline needs a plan, so one case is a node without.
    bare = ((APPROVE, "      shows: visit-record\n", ""),) if "execute_within" in review else ()
    more = (APPROVE, PLAIN, f"review: {{{review}}}")
    held = {role for roles in people.values() for role in roles}
    return load(changed(more, *bare, *changes), roles=ROLES, held=held, people=people)


def faults(
    review: str, people: Mapping[str, tuple[str, ...]], *changes: tuple[str, str, str]
) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        loaded(review, people, *changes)
    return list(caught.value.problems)


@table(("review", "people", "expected"), CASES)
def test_each_fault_of_a_review_is_told_with_its_line(
    review: str, people: dict[str, tuple[str, ...]], expected: str
) -> None:
    found = faults(review, people)
    told = [re.sub(r"^skills/visit-approve\.yaml:(\d+): ", "", problem) for problem in found]
    assert expected in told
    place = found[told.index(expected)]
    # The whole review stands on one line, which is the twelfth.
    assert place.startswith("skills/visit-approve.yaml:12: ")


def test_an_approval_cannot_come_from_time_alone() -> None:
    change = (
        APPROVE,
        "on_approve: end_approved\n",
        "on_approve: end_approved\n      on_expire: end_approved\n",
    )
    assert [p.partition(": ")[2] for p in faults("roles: [reviewer]", MANY, change)] == [ON_EXPIRE]


def policy(review: str, people: Mapping[str, tuple[str, ...]] = MANY) -> ReviewPolicy:
    sop = loaded(review, people).skills[APPROVE].sop
    assert sop is not None
    found = sop.nodes["ask"].review
    assert found is not None
    return found


def test_a_review_that_says_everything_is_sound() -> None:
    found = policy(
        "roles: [reviewer, lead], quorum: 3, decides: majority, deadline: 3d, reject_reason: none, "
        "remind: {after: 4h, every: 1d, at_most: 4, backoff: 2, hours: {zone: Asia/Shanghai}}, "
        "escalate: {role: crc, after: 2d}, may_edit: [law, amount], "
        "hand_over: false, four_eyes: false"
    )
    assert found.deadline_s == 3 * 86_400
    assert found.remind is not None
    assert (found.remind.after_s, found.remind.every_s) == (14_400, 86_400)
    assert found.escalate is not None
    assert found.escalate.after_s == 172_800
    assert found.may_edit == ("law", "amount")


def test_the_defaults_are_the_careful_ones() -> None:
    found = policy("roles: [reviewer]")
    assert (found.quorum, found.decides, found.four_eyes) == (1, "deny_wins", True)
    assert (found.reject_reason, found.remind, found.escalate) == ("required", None, None)


def test_a_duration_is_text_or_seconds_and_the_old_key_still_stands() -> None:
    for written in ("deadline: 1d 2h", "deadline: 93600", "deadline_s: 93600"):
        assert policy(f"roles: [reviewer], {written}").deadline_s == 93_600


def test_with_four_eyes_a_quorum_is_reachable_for_somebody_elses_request() -> None:
    assert policy("roles: [reviewer], quorum: 1", LONE).quorum == 1
    assert policy("roles: [reviewer], quorum: 2, four_eyes: false", ALL_REVIEW).quorum == 2
    assert policy("roles: [reviewer], quorum: 3", MANY).quorum == 3


@pytest.mark.parametrize(
    ("limit", "is_amount"),
    [("500 EUR", True), ("500", False), ("500 USD", False), ("lots", False), ('"500"', False)],
)
def test_a_limit_of_money_has_its_currency(limit: str, is_amount: bool) -> None:
    cost = "  cost: {label: {zh: 费用, en: Cost}, type: money, currency: EUR, required: false}\n"
    also = f"[{{roles: [owner], above: {{cost: {limit}}}}}]"
    files = {
        "playbook.yaml": garage.MAIN.replace("  day: {", f"{cost}  day: {{"),
        "skills/ask.yaml": garage.ASK,
        "skills/write.yaml": garage.WRITE,
        "skills/approve.yaml": garage.APPROVE.replace("[foreman]}", f"[foreman], also: {also}}}"),
    }
    try:
        load(files, roles=None, held=None)
    except DefinitionError as error:
        (told,) = error.problems
        fault = "sop.nodes.approve.review.also.0.above.cost: should be an amount with its currency"
        assert told.partition(": ")[2].startswith(fault)
        assert not is_amount
    else:
        assert is_amount
