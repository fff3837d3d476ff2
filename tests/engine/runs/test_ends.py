"""How runs end, and what is told of it (design §14): as it was, by whom and why, and only once."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.frames.ends import end_of
from engine.frames.state import AgentState, PlannerFrame, Run
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.library import Library
from tests.engine.sop.sop_stage import GOOD, Answering, documented, loaded, verdict, with_sop
from tests.engine.sop.test_sop import AGE, SIGN
from tests.engine.tool_plan.test_planned_runs import GONE, Answers, study
from tests.fakes.memos import Memos
from tests.fakes.walk import CHEN, LIN, Walk, new_run

ROOT = Path(__file__).parents[3]
NO = {"reason": "not this year"}
OLD = {**GOOD, "age": 80}


def screening(
    *sops: str, data: dict[str, Any] | None = None, model: Any = None, **files: str
) -> Walk:
    """A run of docs/sop.md's playbook that has its data, with another SOP if one is given."""
    playbook = loaded({**(with_sop(sops[0]) if sops else documented()), **files})
    state = AgentState(data=data or GOOD, profile={"collected": "yes"})
    frames = (PlannerFrame(phase="screen"),)
    return Walk(playbook, new_run(playbook, frames=frames, state=state), model)


def signed(outcomes: str = "", more: str = "on_approve: end_yes") -> str:
    """An SOP that only asks for a signature."""
    ends = f"outcomes: {{{outcomes}}}\n" if outcomes else ""
    return f"start_node: sign\nnodes:\n  sign: {SIGN % ('', more)}\n{ends}"


def gated(field: str, value: str) -> str:
    """The playbook.yaml, whose phase `screen` is complete with that value of the field."""
    old = "gate_field: profile.eligibility\n    gate_check: not_empty"
    text = documented()["playbook.yaml"]
    assert old in text
    return text.replace(old, f"gate_field: {field}\n    gate_value: {value}")


def ended(walk: Walk) -> tuple[str, Any, str]:
    """The run's status, how it ended, and the state of its part."""
    return walk.run.status, walk.run.end, walk.run.part.state


async def test_the_documented_example_with_a_subject_of_80_is_told_as_refused() -> None:
    walk = await screening(data=OLD).start()
    assert ended(walk) == ("completed", "refused", "refused")
    assert walk.run.part.text == (
        "“Eligibility screening”: refused by the checks\n\nThe subject cannot be enrolled.\n\n"
        "- Age = 80: should be 18 to 75"
    )
    assert walk.run.state.profile["eligibility"] == "ineligible"
    assert walk.log[-1]["end"] == "refused"


async def test_the_documented_example_that_a_reviewer_rejects_says_who_when_and_why() -> None:
    walk = await screening(model=Answering(verdict())).start()
    await walk.answer("reject", NO, by=CHEN)
    assert ended(walk) == ("completed", "rejected", "rejected")
    assert "Chen Bo rejected it: not this year" in walk.run.part.text


async def test_the_documented_example_that_is_signed_is_done() -> None:
    walk = await screening(model=Answering(verdict())).start()
    await walk.answer("approve", by=CHEN)
    assert ended(walk) == ("completed", "done", "done")


async def test_what_a_model_refuses_is_refused_with_its_reason() -> None:
    walk = await screening(model=Answering(verdict(False))).start()
    assert ended(walk) == ("completed", "refused", "refused")
    assert "As it stands." in walk.run.part.text


async def test_a46_a_rejection_that_the_playbook_says_nothing_of_ends_the_run() -> None:
    walk = await screening(signed("end_yes: {profile.eligibility: eligible}")).start()
    await walk.answer("reject", NO, by=CHEN)
    assert ended(walk) == ("failed", "rejected", "rejected")
    assert "Chen Bo rejected it: not this year" in walk.run.part.text
    assert len(walk.cards) == 1, "the card does not come back"


@pytest.mark.parametrize("gate", ["decisions.signature", "profile.eligibility"])
async def test_a46_what_a_rejection_sets_is_no_reason_to_ask_the_same_again(gate: str) -> None:
    """Whether the skill might be chosen once more, or nothing can run any more."""
    sets = "decisions.signature: rejected, profile.eligibility: ineligible"
    files = {"playbook.yaml": gated(gate, "approved")}
    outcomes = f"end_rejected: {{{sets}}}, end_yes: {{decisions.signature: approved}}"
    skill = with_sop(signed(outcomes))["skills/eligibility.yaml"]
    if gate == "decisions.signature":
        skill = skill.replace("requires:\n  - {field: profile.eligibility, check: empty}\n", "")
    walk = await screening(**{"skills/eligibility.yaml": skill}, **files).start()
    await walk.answer("reject", NO, by=CHEN)
    assert ended(walk) == ("failed", "rejected", "rejected")
    assert (len(walk.cards), walk.run.state.decisions) == (1, {"signature": "rejected"})


@pytest.mark.parametrize("sets", ["", "profile.eligibility: ineligible"])
async def test_a47_rules_that_refuse_what_nobody_corrects_end_the_run_with_them(sets: str) -> None:
    rules = f"start_node: age\nnodes:\n  age: {AGE % ('end_yes', 'end_no', '')}\n"
    rules += f"outcomes: {{end_no: {{{sets}}}}}\n"
    files = {"playbook.yaml": gated("profile.eligibility", "eligible")}
    walk = await screening(rules, data=OLD, **files).start()
    assert ended(walk) == ("failed", "refused", "refused")
    assert "- Age = 80: too old" in walk.run.part.text
    starts = [entry for entry in walk.log if entry.get("event") == "task_start"]
    assert len(starts) == 1, "rules that say the same are not asked again"


async def test_an_approval_that_sets_nothing_is_not_asked_for_again() -> None:
    walk = await screening(signed()).start()
    await walk.answer("approve", by=CHEN)
    assert ended(walk) == ("failed", "failed", "failed")
    assert "“Eligibility check” has ended, but the goal" in walk.run.part.text
    assert len(walk.cards) == 1


async def test_an_outcome_says_how_it_ended_and_what_people_are_told() -> None:
    says = "says: {zh: 另行安排, en: It is arranged otherwise.}"
    sets = f"end_rejected: {{profile.eligibility: ineligible, end: done, {says}}}"
    walk = await screening(signed(sets)).start()
    await walk.answer("reject", NO, by=CHEN)
    assert ended(walk) == ("completed", "done", "done")
    assert walk.run.part.text.endswith("done\n\nIt is arranged otherwise.")


async def test_its_words_stand_above_who_rejected_and_why() -> None:
    says = "says: {zh: 不能入组, en: The subject cannot be enrolled.}"
    sets = f"end_rejected: {{profile.eligibility: ineligible, {says}}}"
    walk = await screening(signed(sets)).start()
    await walk.answer("reject", NO, by=CHEN)
    assert walk.run.part.text == (
        "“Eligibility screening”: rejected\n\nThe subject cannot be enrolled.\n\n"
        "Chen Bo rejected it: not this year"
    )


@pytest.mark.parametrize("on_expire", ["", ", on_expire: end_late"])
async def test_what_nobody_decides_in_time_has_expired(on_expire: str) -> None:
    more = f"on_approve: end_yes{on_expire}"
    walk = await screening(signed("end_late: {profile.eligibility: late}", more)).start()
    await walk.expire()
    assert walk.run.end == walk.run.part.state == "expired"
    assert "nobody decided in time" in walk.run.part.text


def desk(request: str, phase: str, model: Any = None) -> Walk:
    """A run of docs/tool-plans.md's playbook."""
    text = (ROOT / "docs" / "tool-plans.md").read_text("utf-8")
    files = dict(re.findall(r"```yaml\n# (\S+)\n(.*?)```", text, re.S))
    playbook = load(files, roles=("crc", "reviewer"), held=("reviewer",))
    run = new_run(playbook, request=request, frames=(PlannerFrame(phase=phase),))
    return Walk(playbook, run, model, records=study(), library=Library(memory=Memos()))


async def test_a46_the_documented_agreement_is_rejected_once() -> None:
    walk = await desk("agreement", "agree").start()
    await walk.answer("submit", {"agreement": "Calls are on Monday."})
    await walk.answer("reject", NO, by=CHEN)
    assert ended(walk) == ("failed", "rejected", "rejected")
    assert "Chen Bo rejected it: not this year" in walk.run.part.text


@pytest.mark.parametrize("said", ["", "I will not.", "[]"])
async def test_a_plan_that_does_nothing_fails_and_sets_nothing(said: str) -> None:
    walk = await desk("find-out", "find-out", Answers([said, said])).start()
    assert ended(walk) == ("completed", "failed", "failed")
    assert walk.run.state.profile == {"answered": "failed"}
    assert "No plan could be made" in walk.run.part.text
    assert said.strip("[]") in walk.run.part.text


async def test_a_step_that_failed_and_is_only_talked_about_is_not_done() -> None:
    reply = {"type": "reply", "text": "There is no such subject."}
    walk = await desk("find-out", "find-out", Answers([[GONE, reply], [reply]])).start()
    assert ended(walk) == ("completed", "failed", "failed")
    assert "There is no such subject." in walk.run.part.text


def test_how_older_runs_ended_is_told_by_their_status() -> None:
    run = new_run(loaded(documented()))
    for status, end in (
        ("completed", "done"),
        ("failed", "failed"),
        ("stopped", "withdrawn"),
        ("cancelled", "cancelled"),
        ("suspended", None),
    ):
        stored = json.loads(run.stored()) | {"status": status}
        assert end_of(Run.model_validate(stored)) == end
    refused = run.model_copy(update={"status": "cancelled", "end": "refused"})
    assert end_of(refused) == "cancelled"


def correcting() -> Playbook:
    """Rejections lead to a form that a person fills in anew."""
    rules = (
        "    allowed_skills: [eligibility, again]\n    priority_rules:\n"
        "      - {when: {field: decisions.signature, check: 'equals:rejected'}, skill: again}\n"
    )
    main = gated("decisions.signature", "approved")
    main = main.replace("    allowed_skills: [eligibility]\n", rules)
    form = documented()["skills/screening-data.yaml"]
    wants = "requires:\n  - {field: decisions.signature, check: 'equals:rejected'}\nprovides: "
    form = form.replace("id: screening-data", "id: again").replace("provides: ", wants)
    form = re.sub("provides: .*", "provides: [age]", form)
    form = re.sub("sets: .*", "sets: {decisions.signature: null}", form)
    form = re.sub("  fields: .*", "  fields: [age]\n  again: true", form)
    sets = "end_yes: {decisions.signature: approved}, end_rejected: {decisions.signature: rejected}"
    return loaded({**with_sop(signed(sets)), "playbook.yaml": main, "skills/again.yaml": form})


async def test_a_rejection_that_leads_to_a_correction_asks_again_even_for_the_same() -> None:
    playbook = correcting()
    state = AgentState(data=GOOD, profile={"collected": "yes"})
    walk = Walk(playbook, new_run(playbook, frames=(PlannerFrame(phase="screen"),), state=state))
    await walk.start()
    for age in ("62", "62", "62", "62"):
        await walk.answer("reject", NO, by=CHEN)
        assert walk.card.kind == "clarify"
        await walk.answer("submit", {"age": age}, by=LIN)
        assert walk.card.kind == "confirm"
    await walk.answer("approve", by=CHEN)
    assert ended(walk) == ("completed", "done", "done")
