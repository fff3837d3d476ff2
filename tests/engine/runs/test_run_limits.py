"""What a run may use before somebody has a say: its steps, and its budget of the model."""

import json
from typing import Any

import pytest

from engine.errors import AllowanceUsedUp
from engine.mail import AlarmRang, RunContinued, RunResumed, RunStarted
from engine.ports.model import ModelBudget, ModelUsage
from engine.runs.replay import replay, trace_of
from engine.runs.run import MAX_STEPS
from tests.engine.jobs.test_job_graph_walk import TEAM, team, tree
from tests.engine.jobs.test_jobs_replayed import services
from tests.engine.planner.test_ties import Away, tie
from tests.engine.runs.test_stalls import IDLE, of
from tests.fakes.job_playbook import says
from tests.fakes.scripted_model import ScriptedModel, asks, output
from tests.fakes.walk import Walk, new_run

QUESTION = asks("clarify", {"field": "amount", "question": "?"})
SUMMARY = {"profile": {"summary": "s"}, "data": {"amount": 5}}


def idle(model: Any, *, steps: int = 0, **more: Any) -> Walk:
    matter = of("idle", idle=IDLE)
    return Walk(matter, new_run(matter, steps=steps), model, **more)


async def test_steps_are_counted_anew_once_somebody_has_answered() -> None:
    walk = await idle(ScriptedModel([QUESTION, output()]), steps=MAX_STEPS - 5).start()
    for _ in range(3):
        assert walk.run.status == "suspended"
        await walk.answer("submit", {"amount": "5"})
    assert walk.run.steps > MAX_STEPS
    assert walk.run.status == "suspended"


async def test_retry_lets_a_run_of_too_many_steps_go_on_for_as_many_again() -> None:
    walk = await idle(ScriptedModel([output(**SUMMARY)]), steps=MAX_STEPS).start()
    assert walk.run.status == "blocked"
    assert f"{MAX_STEPS} steps without anybody's word" in walk.run.part.text
    await walk.tell(RunResumed())
    await walk.tell(RunContinued())
    assert walk.run.state.data == {"amount": 5}


async def test_steps_without_anybodys_word_end_as_before() -> None:
    walk = await idle(ScriptedModel([output()]), steps=MAX_STEPS - 2).start()
    assert walk.run.status == "blocked"
    assert "without anybody's word" in walk.run.part.text


@pytest.mark.parametrize(
    ("budget", "asked"),
    [
        (ModelBudget(calls=2, tokens=10_000), 2),
        (ModelBudget(calls=99, tokens=100), 10),
    ],
)
async def test_a_run_that_has_used_up_its_budget_is_told_and_goes_on_by_retry(
    budget: ModelBudget, asked: int
) -> None:
    model = ScriptedModel(["no JSON"] * 2 + [QUESTION])
    walk = idle(model, run_budget=budget)
    if budget.calls > asked:
        # Ten tokens for each answer: nine answers were before.
        walk.run = walk.run.model_copy(update={"used": ModelUsage(calls=9, tokens=90)})
        asked = 1
    await walk.start()
    assert walk.run.status == "blocked"
    assert len(model.requests) == asked
    assert f"({budget.calls:,} calls or {budget.tokens:,} tokens) is used up" in walk.run.part.text
    assert walk.log[-1]["calls"][-1]["used_up"]
    await walk.tell(RunResumed())
    assert walk.run.used == ModelUsage()
    await walk.tell(RunContinued())
    assert len(model.requests) > asked


async def test_what_needs_no_model_is_not_held_up_by_a_budget_that_is_used_up() -> None:
    walk = idle(ScriptedModel([QUESTION]), run_budget=ModelBudget(calls=1, tokens=100))
    await walk.start()
    assert walk.run.used == ModelUsage(calls=1, tokens=10)
    assert walk.run.status == "suspended"
    await walk.answer("withdraw")
    assert walk.run.status == "stopped"


async def test_a_playbooks_own_budget_counts_before_that_of_the_settings() -> None:
    walk = idle(ScriptedModel(["no JSON"] * 9))
    definition = walk.playbook.definition.model_copy(
        update={"budget": ModelBudget(calls=1, tokens=100)}
    )
    walk.playbook = walk.playbook.model_copy(update={"definition": definition})
    await walk.start()
    assert "(1 calls or 100 tokens)" in walk.run.part.text


async def test_a_graph_that_has_used_up_its_budget_asks_and_goes_on_by_a_word() -> None:
    model = team()
    walk = tree(model)
    walk.graph_budget = ModelBudget(calls=3, tokens=1000)
    await walk.start()
    assert model.asked[0] == "leader"
    assert set(model.asked[1:]) == {"visits", "windows"}
    # What was under way has kept its result.
    assert walk.states == {"visits": "finished", "windows": "finished", "report": "stopped"}
    (card,) = walk.open_cards()
    assert "(3 calls or 1,000 tokens) is used up" in card.text
    assert walk.root.part.state == "needs_you"
    await walk.answer(card, "recover")
    await walk.go_on()
    assert walk.root.status == "completed"
    assert model.asked[3:] == ["report"]


async def test_a_graph_may_have_a_budget_of_its_own() -> None:
    model = team(leader=[TEAM])
    own = ("  life_cycle: 2\n", "  life_cycle: 2\n  budget: {calls: 1, tokens: 100}\n")
    walk = await tree(model, own).start()
    assert model.asked == ["leader"]
    assert walk.graph.status == "stopped"
    await walk.order("recover")
    assert len(model.asked) == 3


async def test_a_replay_stops_where_the_budget_was_used_up() -> None:
    walk = await idle(
        ScriptedModel(["no JSON"] * 9), run_budget=ModelBudget(calls=1, tokens=100)
    ).start()
    trace = trace_of(walk.run, [json.dumps(entry) for entry in walk.log])
    found = await replay(trace, walk.playbook, services())
    assert (found.difference, found.steps) == (None, len(walk.log))


async def test_a_run_that_stopped_at_a_limit_of_the_day_is_replayed_with_its_name() -> None:
    walk = await idle(ScriptedModel([AllowanceUsedUp("person")])).start()
    assert "of the person who asked, is used up" in walk.card.text
    trace = trace_of(walk.run, [json.dumps(entry) for entry in walk.log])
    found = await replay(trace, walk.playbook, services())
    assert (found.difference, found.steps) == (None, len(walk.log))


@pytest.mark.parametrize("ends", ["child", "alarm"])
async def test_retry_lets_a_graph_go_on_with_the_mail_that_it_kept(ends: str) -> None:
    failing = [says("EXECUTION_ERROR", lesson="later"), says("SUCCESS", "ok")]
    walk = tree(team(visits=failing))
    walk.put(walk.run.id, RunStarted().model_dump_json())
    wanted = "child_ran" if ends == "child" else "alarm_rang"
    for _ in range(300):
        if wanted in (walk.lanes.get(walk.run.id) or [""])[0]:
            break
        await walk.go_on(1)
    assert walk.root.status == "suspended"
    walk.runs[walk.run.id] = walk.root.model_copy(update={"status": "blocked"})
    walk.put(walk.run.id, RunResumed().model_dump_json(), front=True)
    await walk.go_on()
    assert walk.root.status == "completed"


async def test_retry_lets_a_planner_ask_a_model_again_that_was_away() -> None:
    walk = tie(Away(1), run_budget=ModelBudget(calls=1, tokens=100))
    walk.run = walk.run.model_copy(update={"used": ModelUsage(calls=0, tokens=0)})
    stepped = await walk.tell(RunStarted())
    walk.run = walk.run.model_copy(update={"used": ModelUsage(calls=1, tokens=10)})
    (timer,) = [timer for timer in stepped.effects.timers if timer.id.startswith("alarm:")]
    rang = AlarmRang(id=timer.id.removeprefix("alarm:"))
    await walk.tell(rang)
    assert walk.run.status == "blocked"
    await walk.tell(RunResumed())
    await walk.tell(rang)
    assert walk.frame.skill == "second-intake"
