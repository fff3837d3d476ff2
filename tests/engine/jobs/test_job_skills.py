"""Experts that carry out an existing skill: its leaves and words are the job's result."""

import json

from engine.frames.job_graph import Brief, Job, JobFrame
from engine.frames.state import AgentState
from tests.fakes.job_playbook import MAIN, SKILL, TeamModel, job, plan, playbook, says
from tests.fakes.run_tree import RunTree
from tests.fakes.scripted_model import output
from tests.fakes.walk import CHEN, new_run

COLLECT = """\
id: ask-weight
name: {zh: 询问体重, en: Ask the weight}
description: {zh: 询问, en: Asks the weight}
category: intake
kind: prompt
internal: true
provides: [weight]
ask:
  title: {zh: 体重, en: Weight}
  text: {zh: 请填写, en: Fill it in}
  fields: [weight]
"""
REVIEW = """\
id: review-weight
name: {zh: 复核, en: Review}
description: {zh: 复核, en: A reviewer looks}
category: review
kind: sop
internal: true
provides: [decisions.looked]
sop:
  start_node: look
  nodes:
    look:
      type: human_review
      review: {roles: [reviewer]}
      decision: looked
      presents: [weight]
      on_approve: end_ok
  outcomes:
    end_ok: {decisions.looked: approved}
"""
LEAVES = MAIN.replace(
    "  report: {label", "  weight: {label: {zh: 体重, en: Weight}, type: number}\n  report: {label"
).replace("data_fields:\n", "decision_fields: [looked]\ndata_fields:\n", 1)
EXPERTS = (
    "    - {name: statistics,",
    "    - {name: collector, profile: You ask., skill: ask-weight}\n"
    "    - {name: reviewer, profile: You review., skill: review-weight}\n"
    "    - {name: statistics,",
)
TEAM = plan(
    job("weight", "collector"),
    job("review", "reviewer", "weight"),
    job("report", "statistics", "review", "weight"),
)


def tree(model: TeamModel | None = None) -> RunTree:
    more = {"ask-weight": COLLECT, "review-weight": REVIEW}
    book = playbook(EXPERTS, skill=SKILL, main=LEAVES, **more)
    run = new_run(book, message="prepare a report", text="report")
    run = run.model_copy(update={"state": AgentState(response="said before")})
    default = TeamModel({"leader": [TEAM], "report": [says("SUCCESS", "the report")]})
    return RunTree(book, run, model or default)


async def test_what_a_skill_fills_in_reaches_the_next_job_and_the_state() -> None:
    model = TeamModel({"leader": [TEAM], "report": [says("SUCCESS", "the report")]})
    walk = await tree(model).start()
    (form,) = walk.open_cards()
    assert form.title == "Weight"
    await walk.answer(form, "submit", weight="70.5")
    await walk.go_on()
    assert walk.root.state.data["weight"] == 70.5
    (review,) = walk.open_cards()
    assert review.kind == "confirm"
    assert "70.5" in str(review.rows)
    await walk.answer(review, "approve", by=CHEN)
    await walk.go_on()
    assert walk.root.status == "completed"
    assert walk.root.state.decisions["looked"] == "approved"
    told = model.told("report")
    assert '"weight": 70.5' in told
    assert "said before" not in told.partition("What is known")[0]


async def test_a_skill_that_fails_is_tried_again_and_then_fails_its_job() -> None:
    walk = await tree().start()
    (form,) = walk.open_cards()
    for _ in range(3):
        (form,) = walk.open_cards()
        await walk.expire(form)
        await walk.go_on()
    assert walk.states["weight"] == "failed"
    assert walk.graph.job("weight").attempt == 3  # type: ignore[union-attr]
    assert "nobody answered in time" in walk.graph.error


async def test_a_skill_that_does_not_end_as_done_is_no_success() -> None:
    walk = await tree().start()
    await walk.answer(walk.open_cards()[0], "submit", weight="70.5")
    await walk.go_on()
    (review,) = walk.open_cards()
    await walk.answer(review, "reject", by=CHEN, reason="weigh again")
    await walk.go_on()
    assert (walk.states["review"], walk.graph.status) == ("failed", "failed")
    assert "Chen Bo rejected it: weigh again" in walk.graph.error
    assert "looked" not in walk.root.state.decisions


async def test_a_skill_of_an_expert_is_told_what_came_of_its_job_before() -> None:
    judge = says("INPUT_DATA_ERROR", lesson="the weight is in pounds")
    again = [judge, says("SUCCESS", "the report")]
    weigh = COLLECT[: COLLECT.index("ask:")] + (
        "system_prompt: Find the weight.\noutput_schema: {data: [weight]}\n"
    )
    more = {"ask-weight": weigh, "review-weight": REVIEW}
    book = playbook(EXPERTS, skill=SKILL, main=LEAVES, **more)
    told: list[str] = []

    def weight(text: str) -> str:
        told.append(text)
        return json.dumps(output("", data={"weight": 154.0 if len(told) == 1 else 70.0}))

    team = plan(job("weight", "collector"), job("report", "statistics", "weight"))
    model = TeamModel({"leader": [team], "report": again, "": weight})
    run = new_run(book, message="prepare a report", text="report")
    walk = await RunTree(book, run, model).start()
    assert walk.root.status == "completed"
    assert "wants this changed" not in told[0]
    assert "the weight is in pounds" in told[1]
    assert "154" in told[1]
    assert walk.root.state.data["weight"] == 70.0


def test_a_skill_that_an_earlier_version_began_is_read_and_not_marked_again() -> None:
    made = Job(
        id="weight",
        goal="the weight",
        context="",
        completion_criteria="it is known",
        thinking="",
        assigned_expert="collector",
    )
    frame = JobFrame(skill="write-report", brief=Brief(goal="a report", job=made))
    earlier = frame.stored().removesuffix("}") + ',"pushed":true}'
    assert JobFrame.model_validate_json(earlier).stored() == frame.stored()
