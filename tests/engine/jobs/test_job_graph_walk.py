"""A job graph from the request to its results, as workers carry it out (spec 002 §4)."""

from typing import Any

import pytest

from engine.errors import MODEL_REST_S, AllowanceUsedUp, ModelUnavailable
from engine.frames.job_graph import JobsFrame
from engine.frames.state import PlannerFrame
from engine.runs.run import MAX_STEPS
from tests.fakes.job_playbook import TeamModel, job, plan, playbook, says
from tests.fakes.run_tree import RunTree, soon
from tests.fakes.scripted_model import calls
from tests.fakes.walk import new_run

TEAM = plan(
    job("visits"),
    job("windows", "protocol"),
    job("report", "statistics", "visits", "windows"),
)


def tree(model: Any, *changes: tuple[str, str], **more: Any) -> RunTree:
    book = playbook(*changes)
    run = new_run(book, message="prepare a report for P003", text="the report", **more)
    return RunTree(book, run, model)


def team(**scripts: Any) -> TeamModel:
    """Everybody succeeds, but for what these say."""
    good = {
        name: [says("SUCCESS", f"result of {name}")] for name in ("visits", "windows", "report")
    }
    return TeamModel({"leader": [TEAM], **good, **scripts})


async def test_jobs_run_in_order_and_their_results_reach_the_next_and_the_state() -> None:
    model = team()
    told = await tree(model).start()
    run = told.root
    assert run.status == "completed"
    assert model.asked[0] == "leader"
    assert set(model.asked[1:3]) == {"visits", "windows"}
    assert model.asked[3:] == ["report"]
    assert "result of visits" in model.told("report")
    assert "result of windows" in model.told("report")
    assert "result of visits" not in model.told("windows")
    assert run.state.data["report"] == "result of report"
    assert [row["job"] for row in run.state.data["findings"]] == [  # type: ignore[union-attr]
        "goal of visits",
        "goal of windows",
        "goal of report",
    ]
    assert run.state.profile["report_status"] == "done"
    assert "result of report" in run.part.text


async def test_independent_jobs_run_at_once_in_lanes_of_their_own() -> None:
    many = plan(*(job(f"j{n}") for n in range(5)))
    answers = {f"j{n}": [says("SUCCESS", "r")] for n in range(5)}
    most = 0

    def count(mail: str, before: Any, stepped: Any) -> None:
        nonlocal most
        live = [run for run in walk.runs.values() if run.parent and run.status == "running"]
        most = max(most, len(live))

    walk = tree(TeamModel({"leader": [many], **answers}))
    walk.on_step = count
    await walk.start()
    assert walk.root.status == "completed"
    assert most == 3


async def test_the_leader_hears_what_was_said_before_and_who_is_in_the_team() -> None:
    model = team()
    walk = tree(model)
    state = walk.run.state.model_copy(update={"recent": ("lin: only the last two cycles",)})
    walk.runs[walk.run.id] = walk.run.model_copy(update={"state": state})
    await walk.start()
    heard = model.told("leader")
    assert "only the last two cycles" in heard
    assert "- protocol: You know the protocol." in heard
    assert "At most 20 jobs" in heard
    assert "Prepare the report of" in heard


async def test_a_faulty_plan_goes_back_with_its_exact_faults() -> None:
    faulty = plan(job("visits", "nobody"), job("visits", "records", "visits"))
    model = team(leader=[faulty, TEAM])
    walk = await tree(model).start()
    assert walk.root.status == "completed"
    lesson = model.told("leader")
    assert "jobs.0.assigned_expert: there is no expert 'nobody'" in lesson
    assert "jobs.1.id: 'visits' stands twice" in lesson
    assert "jobs.1.dependencies.0: a job cannot depend on itself" in lesson


async def test_three_faulty_plans_fail_the_graph_and_say_why() -> None:
    model = team(leader=["no JSON"])
    walk = await tree(model).start()
    assert model.asked == ["leader"] * 3
    assert walk.graph.status == "failed"
    (card,) = walk.open_cards()
    assert "the answer is not one JSON object" in card.text


async def test_a_preset_expert_has_the_whole_goal_as_one_job() -> None:
    model = TeamModel({"Prepare the report of not stated": [says("SUCCESS", "whole")]})
    walk = await tree(model, ("  life_cycle: 2\n", "  expert: records\n")).start()
    assert walk.root.status == "completed"
    assert walk.root.state.data["report"] == "whole"
    assert "leader" not in model.asked


async def test_an_execution_error_is_tried_again_after_a_while_that_doubles() -> None:
    failing = says("EXECUTION_ERROR", lesson="the tool is away")
    walk = tree(team(visits=[failing, failing, says("SUCCESS", "at last")]))
    await walk.start()
    assert walk.root.status == "completed"
    assert walk.now == soon(0.05 + 0.1)
    assert "at last" in str(walk.root.state.data["findings"])


async def test_a_job_that_fails_too_often_fails_the_graph_and_stops_the_others() -> None:
    model = team(visits=[says("EXECUTION_ERROR", lesson="the tool is away")])
    walk = await tree(model).start()
    assert model.asked.count("visits") == 3
    assert walk.states == {"visits": "failed", "windows": "finished", "report": "stopped"}
    assert walk.graph.status == "failed"
    assert walk.root.status == "suspended"
    (card,) = walk.open_cards()
    assert "the tool is away" in card.text
    assert "the tool is away" in walk.root.part.text


async def test_an_expert_that_gives_no_usable_answer_is_an_execution_error() -> None:
    model = team(visits=["what?", says("SUCCESS"), says(None), says("SUCCESS", "found")])
    walk = await tree(model).start()
    assert walk.root.status == "completed"
    lessons = [text for who, text in model.heard if who == "visits"]
    assert "result: should not be empty with SUCCESS" in lessons[2]
    job_now = walk.root.state.data["findings"][0]  # type: ignore[index]
    assert job_now["result"] == "found"  # type: ignore[index]


async def test_an_input_data_error_sends_the_direct_predecessors_back_with_the_lesson() -> None:
    answers = iter(
        [says("INPUT_DATA_ERROR", lesson="the dates are missing"), says("SUCCESS", "now")]
    )
    model = team(report=lambda told: next(answers))
    walk = await tree(model).start()
    assert walk.root.status == "completed"
    assert model.asked.count("visits") == model.asked.count("windows") == 2
    assert "the dates are missing" in model.told("visits")
    assert "the dates are missing" in model.told("windows")


async def test_input_data_errors_are_bounded() -> None:
    model = team(report=[says("INPUT_DATA_ERROR", lesson="still wrong")])
    walk = await tree(model).start()
    assert model.asked.count("report") == 3
    assert walk.graph.status == "failed"
    assert "still wrong" in walk.graph.error


async def test_a_job_that_is_too_complicated_is_decomposed_in_place() -> None:
    parts = plan(job("weights"), job("pressures"), job("both", "statistics", "weights"))
    plans = iter([TEAM, parts])
    model = team(
        leader=lambda told: next(plans),
        visits=[says("JOB_TOO_COMPLICATED_ERROR", lesson="two kinds of values")],
        weights=[says("SUCCESS", "w")],
        pressures=[says("SUCCESS", "p")],
        both=[says("SUCCESS", "b")],
    )
    walk = tree(model)
    found: list[dict[str, str]] = []

    def note(mail: str, before: Any, stepped: Any) -> None:
        top = walk.root.frames[-1]
        if isinstance(top, JobsFrame) and top.graph:
            found.append(walk.states)

    walk.on_step = note
    await walk.start()
    assert walk.root.status == "completed"
    assert "two kinds of values" in [t for who, t in model.heard if who == "leader"][1]
    assert any(
        list(states) == ["visits.weights", "visits.pressures", "visits.both", "windows", "report"]
        for states in found
    )
    assert "Result of the job “goal of both”" in model.told("report")
    assert "Result of the job “goal of pressures”" in model.told("report")
    assert "Result of the job “goal of weights”" not in model.told("report")


async def test_at_the_end_of_its_life_cycle_a_job_that_is_too_complicated_fails() -> None:
    plans = iter([TEAM, plan(job("weights"))])
    too_much = [says("JOB_TOO_COMPLICATED_ERROR", lesson="too much")]
    model = team(leader=lambda told: next(plans), visits=too_much, weights=too_much)
    walk = await tree(model).start()
    assert walk.graph.status == "failed"
    assert walk.states["visits.weights"] == "failed"
    assert "too much" in walk.graph.error


async def test_experts_read_with_their_tools_only() -> None:
    reads = calls(("search_protocol", {"query": "window"}), ("record_visit", {}))
    answers = iter([reads, says("SUCCESS", "read")])
    model = team(windows=lambda told: next(answers))
    walk = await tree(model).start()
    assert walk.root.status == "completed"
    assert "Refused: 'record_visit' changes records" in model.told("windows")


async def test_an_expert_may_ask_the_person_and_the_others_go_on() -> None:
    answers = iter([says(None, question="Which cycles?"), says("SUCCESS", "two")])
    model = team(visits=lambda told: next(answers))
    walk = await tree(model).start()
    assert walk.states["windows"] == "finished"
    (card,) = walk.open_cards()
    assert card.kind == "clarify"
    assert "Which cycles?" in card.text
    assert walk.graph.jobs[0].seen == "waiting"
    assert walk.root.part.state == "needs_you"
    await walk.answer(card, "submit", answer="the last two")
    await walk.go_on()
    assert walk.root.status == "completed"
    assert "the last two" in model.told("visits")


async def test_a_job_that_waits_for_a_person_leaves_its_place_to_others() -> None:
    model = team(visits=[says(None, question="Which cycles?")])
    walk = await tree(model, ("concurrency: 3", "concurrency: 1")).start()
    assert walk.states["windows"] == "finished"


async def test_without_a_model_it_is_said_and_goes_on_once_there_is_one() -> None:
    walk = await tree(None).start()
    assert walk.graph.status == "failed"
    (card,) = walk.open_cards()
    assert "OPENAI\\_API\\_KEY" in card.text
    walk.model = team()
    await walk.answer(card, "recover")
    await walk.go_on()
    assert walk.root.status == "completed"


async def test_while_the_model_is_away_everything_is_tried_again() -> None:
    model = team(leader=[ModelUnavailable("away"), TEAM], windows=[ModelUnavailable("x")])
    walk = await tree(model).start()
    assert model.asked.count("leader") == 2
    assert walk.states["windows"] == "failed"


async def test_a_failed_graph_goes_where_the_playbook_says() -> None:
    failing = says("EXECUTION_ERROR", lesson="away")
    more = ("  results: findings\n", "  on_error: {profile.report_status: failed}\n")
    walk = await tree(team(visits=[failing]), more).start()
    assert walk.root.status == "completed"
    assert walk.root.state.profile["report_status"] == "failed"
    assert walk.root.state.problems == ("away",)
    assert all(run.status != "running" for run in walk.runs.values())


@pytest.mark.parametrize("rest_s", [0.0, 1200.0])
@pytest.mark.parametrize("who", ["leader", "windows"])
async def test_a_job_is_tried_again_later_than_a_model_that_is_away_is_left_alone(
    who: str, rest_s: float
) -> None:
    rest = max(rest_s, MODEL_REST_S)
    away = ModelUnavailable("away", rest_s=rest_s)
    last = TEAM if who == "leader" else says("SUCCESS", "ok")
    walk = tree(team(**{who: [away, away, last]}))
    rang: list[float] = []
    walk.on_step = lambda mail, before, stepped: rang.extend(
        (timer.at - walk.now).total_seconds()
        for timer in stepped.effects.timers
        if timer.id.startswith("alarm:") and timer.at
    )
    await walk.start()
    assert walk.root.status == "completed"
    assert all(wait > rest for wait in rang)
    assert len(rang) == 2


async def test_jobs_that_a_limit_of_the_day_stops_name_it() -> None:
    used_up = AllowanceUsedUp("person")
    walk = await tree(team(leader=[used_up] * 3)).start()
    assert "of the person who asked, is used up" in walk.root.part.text


async def test_what_is_not_ready_after_five_hundred_steps_still_goes_on() -> None:
    names = [f"j{n:03}" for n in range(130)]
    failing = says("EXECUTION_ERROR", lesson="away")
    answers = {name: [failing, failing, says("SUCCESS", name)] for name in names}
    model = TeamModel({"leader": [plan(*map(job, names))], **answers})
    walk = await tree(model, ("  life_cycle: 2\n", "  max_jobs: 200\n")).start()
    assert walk.root.status == "completed"
    assert walk.root.steps > MAX_STEPS


async def test_the_progress_shows_the_tree_with_its_states() -> None:
    notes: list[str] = []
    answers = iter([says("EXECUTION_ERROR", lesson="away"), says("SUCCESS", "ok")])
    walk = tree(team(visits=lambda told: next(answers)))
    walk.on_step = lambda mail, before, stepped: notes.append(walk.root.part.text)
    await walk.start()
    told = "\n".join(notes)
    assert "being planned: Prepare the report" in told
    assert "under way: goal of visits (records)" in told
    assert "tried again soon: goal of visits" in told
    assert "done: goal of windows (protocol)" in told
    assert "to do: goal of report (statistics)" in told
    assert "2 of 3 jobs done" in told


@pytest.mark.parametrize("choice", ["end", "expire"])
async def test_a_graph_that_nobody_wants_to_go_on_ends_its_run(choice: str) -> None:
    walk = await tree(team(leader=["no JSON"])).start()
    (card,) = walk.open_cards()
    await (walk.expire(card) if choice == "expire" else walk.answer(card, choice))
    await walk.go_on()
    assert walk.root.status == "failed"
    assert walk.root.part.state == "failed"
    assert isinstance(walk.root.frames[0], PlannerFrame)
