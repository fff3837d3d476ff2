"""What a run's checks found: whose it is, what of it is no problem, and what ends with the run."""

import pytest

from cards.model import Principal
from engine.ports.storage.findings import CheckReport, Withdrawal
from engine.talk.cancellation import cancel_effects
from tests.engine.sop.sop_stage import (
    NOW,
    Answering,
    Ran,
    approve,
    new_run,
    ran,
    reject,
    run,
    services,
    sop,
    verdict,
)
from tests.fakes.study import Study

RULES = """\
    {type: hard_rule, on_pass: NEXT, on_fail: NEXT, only_branches: ONLY, rules: [
      {field: age, logic: {"<=": [{var: age}, 75]}, message: too old},
      {field: ecog, logic: {"<=": [{var: ecog}, 1]}, message: weak, severity: info}]}
"""
SOFT = """\
    {type: soft_instruction, instruction: Fit, review: {roles: [reviewer]}, on_pass: end_ok,
     on_fail: end_ok, only_branches: ONLY}
"""
SIGN = """\
    {type: human_review, presents: [age], review: {roles: [reviewer]}, decision: signature,
     on_approve: end_ok}
"""
OLD = {"age": 80, "ecog": 2}


async def checked(records: Study, only: bool) -> Ran:
    rules = RULES.replace("NEXT", "sign").replace("ONLY", str(only).lower())
    return await run(sop("first", first=rules, sign=SIGN), records, **OLD)


async def test_what_a_node_that_only_branches_fails_is_no_problem(records: Study) -> None:
    problem, branch = await checked(records, False), await checked(records, True)
    assert problem.judged == branch.judged == [("first", "failed", "rules", "sign")]
    assert [check.found for check in problem.checks + branch.checks] == [2, 0]
    assert [len(each.cards[0].problems) for each in (problem, branch)] == [2, 0]
    assert [each.run.found_in for each in (problem, branch)] == ["SIGNOFF-101", ""]


@pytest.mark.parametrize("model", [Answering(verdict(False)), None])
async def test_nor_is_a_judgement_that_only_branches(
    model: Answering | None, records: Study
) -> None:
    for only, found in (("true", 0), ("false", 1)):
        built = sop("soft", soft=SOFT.replace("ONLY", only))
        done = await run(built, records, reject, model=model)
        assert (done.run.status, done.judged[-1][1:2]) in {
            ("completed", ("failed",)),
            ("completed", ("rejected",)),
        }
        assert [check.found for check in done.checks] == [found]


async def test_a_finding_is_of_the_playbooks_project_and_of_who_asked(records: Study) -> None:
    (check,) = (await checked(records, False)).checks
    assert (check.project, check.requester) == ("SIGNOFF-101", "lin")
    assert (check.record, check.about) == ("r1", "筛选")


@pytest.mark.parametrize(("subject", "record"), [(None, "r1"), ("P003", "P003")])
async def test_what_was_found_of_the_run_itself_ends_with_it(
    subject: str | None, record: str, records: Study
) -> None:
    rules = RULES.replace("NEXT", "sign").replace("ONLY", "false")
    data = {**OLD, "subject_id": subject} if subject else OLD
    built = sop("first", first=rules, sign=SIGN)
    done = await run(built, records, approve, **data)
    assert done.run.status == "completed"
    assert [check.record for check in done.checks] == [record]
    # Of a record that another run may check again, only what is filed under the run is closed.
    withdrawn = Withdrawal(project="SIGNOFF-101", run="r1", record="r1", at=NOW)
    assert done.withdrawn == [withdrawn]


async def test_a_run_that_found_nothing_withdraws_nothing(records: Study) -> None:
    rules = RULES.replace("NEXT", "end_ok").replace("ONLY", "false")
    done = await run(sop("first", first=rules), records, age=40, ecog=0)
    assert (done.run.status, done.withdrawn) == ("completed", [])


async def test_a_cancelled_run_withdraws_all_that_it_found(records: Study) -> None:
    stopped = await checked(records, False)
    child = stopped.run.model_copy(update={"id": "r2", "parent": "r1"})
    whole = stopped.run.model_copy(update={"children": {"P001": "r2"}})
    effects = cancel_effects(whole, [child], origin={"by": "lin"}, now=NOW)
    posts = [post for post in effects.posts if post.kind == "check"]
    assert [post.conversation for post in posts] == ["checks:SIGNOFF-101"] * 2
    assert [CheckReport.model_validate_json(post.body).withdrawn for post in posts] == [
        Withdrawal(project="SIGNOFF-101", run=run_id, at=NOW) for run_id in ("r1", "r2")
    ]
    fresh = new_run(sop("sign", sign=SIGN), OLD)
    assert [
        p for p in cancel_effects(fresh, [], origin={}, now=NOW).posts if p.kind == "check"
    ] == []


async def test_a_run_of_before_has_found_nothing_that_it_knows_of(records: Study) -> None:
    built = sop("sign", sign=SIGN)
    now = new_run(built, OLD)
    stored = now.model_dump(mode="json", exclude={"found_in"})
    again = type(now).model_validate(stored)
    assert again == now
    done = await ran(again, built, services(None, records), approve)
    assert (done.run.status, done.run.requester) == (
        "completed",
        Principal(id="lin", name="Lin", roles=("crc",)),
    )
    assert done.withdrawn == []
