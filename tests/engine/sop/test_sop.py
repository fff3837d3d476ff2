"""SOPs step by step: where each result leads, what is asked of people, what the audit says."""

from collections.abc import Callable
from typing import Any

import pytest

from cards.model import Card
from engine.errors import ModelUnavailable
from engine.frames.state import AgentState, PlannerFrame, Run, SopFrame
from engine.mail import RunMail
from engine.playbooks.model import Playbook
from engine.runs.migration import plan_migration
from tests.engine.sop.sop_stage import (
    GOOD,
    Answering,
    Ran,
    approve,
    documented,
    example,
    expire,
    loaded,
    new_run,
    ran,
    reject,
    run,
    said,
    services,
    sop,
    verdict,
    wants,
    with_sop,
)
from tests.fakes.study import Study, sample_study
from tests.fakes.study_lists import over_visits

READ = ("read_clinical_data", {"subject_id": "P003"})
Answers = tuple[Callable[[Card], RunMail], ...]

AGE = """\
    {type: hard_rule, on_pass: %s, on_fail: %s, rules: [
      {field: age, logic: {"<=": [{var: age}, 75]}, message: too old, severity: error},
      {field: ecog, logic: {"<=": [{var: ecog}, 2]}, message: too weak, severity: warning},
      {field: ecog, logic: {"<=": [{var: ecog}, 1]}, message: weak, severity: info}]%s}
"""
SIGN = (
    "{type: human_review, presents: [subject_id], review: {roles: [reviewer]%s},"
    " decision: signature, %s}"
)
SOFT = "{type: soft_instruction, instruction: Does it fit, review: {roles: [reviewer]%s}, %s}"


async def test_the_documented_example_passes_is_judged_and_signed(records: Study) -> None:
    model = Answering(wants(READ), verdict())
    done = await run(example(), records, approve, model=model)
    assert done.judged == [
        ("criteria", "passed", "rules", "history"),
        ("history", "passed", "model", "sign"),
        ("sign", "approved", "chen", "end_eligible"),
    ]
    assert done.run.status == "completed"
    assert done.run.state.profile["eligibility"] == "eligible"
    assert done.run.state.decisions["signature"] == "approved"
    assert done.run.state.approvals["signature"].by == "chen"
    assert [entry["step"] for entry in done.log] == list(range(1, len(done.log) + 1))
    assert all(entry["at"] for entry in done.log)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"age": 17}, ["Age = 17: should be 18 to 75"]),
        ({"age": 76}, ["Age = 76: should be 18 to 75"]),
        ({"age": None}, ["Age: should be 18 to 75"]),
        (
            {"consent_date": None},
            [
                "Consent date: there is no consent date",
                "Consent date: consent cannot come after enrolment",
            ],
        ),
        (
            {"consent_date": "2026-10-06"},
            ["Consent date = 2026-10-06: consent cannot come after enrolment"],
        ),
        (
            {"enrolment_date": None},
            ["Consent date = 2026-10-01: consent cannot come after enrolment"],
        ),
        ({"ecog": 3}, ["ECOG = 3: should be 0, 1 or 2"]),
        ({"ecog": None}, ["ECOG: should be 0, 1 or 2"]),
        (
            {"medical_history": "高血压"},
            ["Medical history = 高血压: the history should name pneumonia (肺炎)"],
        ),
        (
            {"medical_history": None},
            ["Medical history: the history should name pneumonia (肺炎)"],
        ),
    ],
)
async def test_each_documented_check_fails_by_itself(
    records: Study, data: dict[str, Any], told: list[str]
) -> None:
    done = await run(example(), records, **data)
    assert done.judged == [("criteria", "failed", "rules", "end_ineligible")]
    assert list(done.run.state.problems) == told
    assert done.run.state.profile["eligibility"] == "ineligible"


@pytest.mark.parametrize(
    "data",
    [
        {"age": 18},
        {"age": 75},
        {"consent_date": "2026-10-05"},
        {"ecog": 0},
        {"ecog": 2},
        {"medical_history": "肺炎"},
    ],
)
async def test_the_bounds_of_the_documented_checks_pass(
    records: Study, data: dict[str, Any]
) -> None:
    done = await run(example(), records, model=Answering(verdict()), **data)
    assert done.judged[0] == ("criteria", "passed", "rules", "history")


@pytest.mark.parametrize(
    ("fail_on", "ecog", "result"),
    [
        ("", 3, "passed"),
        ("error", 3, "passed"),
        ("warning", 2, "passed"),
        ("warning", 3, "failed"),
        ("info", 1, "passed"),
        ("info", 2, "failed"),
    ],
)
async def test_a_node_fails_on_what_it_says(
    records: Study, fail_on: str, ecog: int, result: str
) -> None:
    more = f", fail_on: {fail_on}" if fail_on else ""
    done = await run(sop("age", age=AGE % ("end_ok", "end_no", more)), records, ecog=ecog)
    assert [judged[1] for judged in done.judged] == [result]
    assert len(done.run.state.problems) == max(ecog - 1, 0)


async def test_what_did_not_fail_a_node_stands_on_the_next_card(records: Study) -> None:
    sign = SIGN % ("", "on_approve: end_ok")
    playbook = sop("age", age=AGE % ("sign", "end_no", ""), sign=sign)
    asked = await run(playbook, records, ecog=3)
    assert list(asked.cards[0].problems) == ["ECOG = 3: too weak", "ECOG = 3: weak"]
    approved = await run(playbook, records, approve, ecog=3)
    assert approved.run.state.problems == ()
    rejected = await run(playbook, records, reject, ecog=3)
    assert rejected.run.state.problems[-1] == "Chen rejected it: no"
    assert rejected.judged[-1] == ("sign", "rejected", "chen", "end_rejected")


async def test_a_card_that_expires_goes_on_or_fails(records: Study) -> None:
    for node in (
        SOFT % ("", "on_pass: end_ok, on_fail: end_no%s"),
        SIGN % ("", "on_approve: end_ok%s"),
    ):
        failed = await run(sop("ask", ask=node % ""), records, expire)
        assert failed.run.status == "failed"
        assert failed.judged == [("ask", "expired", "signoff", "")]
        late = await run(sop("ask", ask=node % ", on_expire: end_late"), records, expire)
        assert late.run.status == "completed"
        assert late.judged == [("ask", "expired", "signoff", "end_late")]


async def test_that_nobody_decided_is_said_once(records: Study) -> None:
    node = SIGN % ("", "on_approve: end_ok, on_expire: end_late")
    says = "end_late: {says: Nobody decided.}"
    told = await run(sop("ask", says, ask=node), records, expire)
    assert "Nobody decided." in told.run.part.text
    assert "nobody decided in time" not in told.run.part.text


LOOP = {
    "soft": SOFT % ("", "on_pass: sign, on_fail: end_no, max_visits: 2%s"),
    "sign": SIGN % ("", "on_approve: end_ok, on_reject: soft"),
}


async def test_a_loop_is_bounded_and_ends_where_on_error_says(records: Study) -> None:
    def playbook(more: str, outcomes: str = "") -> Playbook:
        return sop("soft", outcomes, soft=LOOP["soft"] % more, sign=LOOP["sign"])

    def model() -> Answering:
        return Answering(verdict())

    answers = (reject, reject, reject)
    failed = await run(playbook(""), records, *answers, model=model())
    assert failed.run.status == "failed"
    assert failed.judged[-1] == ("soft", "error", "signoff", "end_error")
    assert [judged[1] for judged in failed.judged] == [
        *("passed", "rejected", "passed", "rejected", "error")
    ]
    assert "came up more than 2 times" in failed.run.part.text

    outcome = "end_error: {profile.eligibility: unclear}"
    told = await run(playbook("", outcome), records, *answers, model=model())
    assert told.run.status == "completed"
    assert told.run.state.profile == {"eligibility": "unclear"}
    assert "came up more than 2 times" in told.run.state.problems[-1]

    to_sign = playbook(", on_error: sign")
    signed = await run(to_sign, records, reject, reject, approve, model=model())
    assert signed.judged[-2:] == [
        ("soft", "error", "signoff", "sign"),
        ("sign", "approved", "chen", "end_ok"),
    ]
    again = await run(to_sign, records, *answers, model=model())
    assert again.run.status == "failed"
    assert again.judged[-1] == ("soft", "error", "signoff", "end_error")


async def test_errors_that_lead_to_each_other_end(records: Study) -> None:
    age = AGE % ("b", "end_no", ", on_error: b, max_visits: 1")
    back = AGE % ("a", "end_no", ", on_error: a, max_visits: 1")
    done = await run(sop("a", a=age, b=back), records)
    assert done.run.status == "failed"
    assert done.judged[-1] == ("a", "error", "signoff", "end_error")
    assert len(done.log) < 10


async def test_records_that_cannot_be_read_go_to_on_error() -> None:
    study = sample_study()
    await study.close()
    lists = "".join(
        f"  {name}: {{label: {{zh: x, en: x}}, type: list, columns: {{"
        + ", ".join(f"{column}: {{label: {{zh: x, en: x}}}}" for column in columns)
        + "}}\n"
        for name, columns in (
            ("found", ["message"]),
            ("told", ["subject_id", "visits", "findings"]),
        )
    )
    main = documented()["playbook.yaml"].replace("data_fields:\n", f"data_fields:\n{lists}")
    node = (
        f"{{type: hard_rule, over: {over_visits('found', 'told')},"
        " rules: [{field: ecog, logic: {'<=': [{var: ecog}, 5]}, message: x}],"
        " on_pass: end_ok, on_fail: end_no%s}"
    )

    def playbook(more: str, outcomes: str = "") -> Playbook:
        text = f"start_node: visits\nnodes:\n  visits: {node % more}\n{outcomes}"
        return loaded({**with_sop(text), "playbook.yaml": main})

    failed = await run(playbook(""), study)
    assert failed.run.status == "failed"
    assert failed.judged == [("visits", "error", "signoff", "end_error")]
    assert "study is not asked any more" in failed.run.part.text
    told = await run(playbook(", on_error: end_unread"), study)
    assert told.run.status == "completed"
    assert told.judged == [("visits", "error", "signoff", "end_unread")]
    assert "study is not asked any more" in told.run.state.problems[0]


STORIES: dict[str, tuple[tuple[Any, ...], Answers]] = {
    "tools": ((wants(READ), said("?"), verdict()), (approve,)),
    "low": ((wants(READ), verdict(confidence=0.1)), (approve, reject)),
    "exhausted": ((said("?"), wants(READ), said("?")), (reject,)),
    "away": ((ModelUnavailable("away"),), (approve, approve)),
}


@pytest.mark.parametrize("story", STORIES)
async def test_a_crash_at_any_step_leads_to_the_same_end(records: Study, story: str) -> None:
    said_by_model, answers = STORIES[story]
    playbook = example()

    async def told(dies_before: int) -> tuple[Ran, Answering]:
        model = Answering(*said_by_model)
        given = services(model, records)
        run = new_run(playbook, GOOD)
        return await ran(run, playbook, given, *answers, dies_before=dies_before), model

    whole, model = await told(-1)
    for step in range(len(whole.log)):
        again, asked = await told(step)
        assert again.end == whole.end
        # Only what was not kept is asked again.
        assert len(asked.heard) <= len(model.heard) + 1
    assert whole.run.status == "completed"


async def test_a_node_without_a_title_is_named_by_its_sop(records: Study) -> None:
    node = SIGN % ("", "on_approve: end_ok")
    unnamed = await run(sop("sign", sign=node), records)
    assert unnamed.cards[0].title == unnamed.run.name
    text = f"name: {{zh: 签字, en: Signing}}\nstart_node: sign\nnodes:\n  sign: {node}\n"
    named = await run(loaded(with_sop(text)), records)
    assert named.cards[0].title == "Signing"


@pytest.mark.parametrize(
    ("old", "new", "asks_again"),
    [
        ("", "", False),
        ("cured or has resolved", "cured", True),
        ("tools: [read_clinical_data, ", "tools: [", True),
        ("should be 18 to 75", "should be 18 to 75 years", False),
    ],
)
async def test_a_run_moves_to_another_version_unless_what_is_judged_has_changed(
    records: Study, old: str, new: str, *, asks_again: bool
) -> None:
    before, files = example(), documented()
    text = files["skills/eligibility.yaml"]
    assert old in text
    after = loaded({**files, "skills/eligibility.yaml": text.replace(old, new, 1)})
    asked = (await run(before, records)).run
    frames = (PlannerFrame(phase="screen"), *asked.frames)
    change = plan_migration(asked.model_copy(update={"frames": frames}), before, after)
    assert change.faults == ()
    assert bool(change.asks_again) is asks_again


async def test_runs_of_one_record_do_not_mix(records: Study) -> None:
    playbook = example()
    one = await ran(
        new_run(playbook, GOOD, id="r1"), playbook, services(Answering(verdict()), records), approve
    )
    two = await ran(
        new_run(playbook, {**GOOD, "age": 90}, id="r2"), playbook, services(None, records)
    )
    assert one.run.state.profile == {"eligibility": "eligible"}
    assert two.run.state.profile == {"eligibility": "ineligible"}
    assert one.cards[0].task_key != "confirm:r2"


def test_a_frame_of_before_is_read() -> None:
    old = {"kind": "sop", "schema_version": 1, "skill": "eligibility", "node": "sign", "asked": "t"}
    run = new_run(example(), GOOD).model_dump(mode="json")
    read = Run.model_validate({**run, "frames": [old]})
    assert read.frames[0] == SopFrame(skill="eligibility", node="sign", asked="t")


async def test_rules_read_profile_and_decisions_beside_the_data(records: Study) -> None:
    node = """\
    {type: hard_rule, on_pass: end_ok, on_fail: end_no, rules: [
      {field: profile.collected, logic: {"===": [{var: profile.collected}, "yes"]},
       message: "{value}?"},
      {field: decisions.signature, logic: {missing: [decisions.signature]}, message: signed}]}
"""
    playbook = sop("a", a=node)
    start = new_run(playbook, GOOD)
    good = AgentState(profile={"collected": "yes"}, data=start.state.data)
    passed = await ran(start.model_copy(update={"state": good}), playbook, services(None, records))
    assert passed.judged == [("a", "passed", "rules", "end_ok")]
    signed = good.model_copy(update={"profile": {}, "decisions": {"signature": "approved"}})
    failed = await ran(
        start.model_copy(update={"state": signed}), playbook, services(None, records)
    )
    assert failed.judged == [("a", "failed", "rules", "end_no")]
    assert failed.run.state.problems == ("Data: —?", "decisions.signature = approved: signed")
