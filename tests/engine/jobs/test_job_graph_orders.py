"""stop, fail and recover: what they do to a graph, and to the runs below it (spec 002 §6.1)."""

from typing import Any

from engine.frames.job_graph import Job, JobGraph, new_graph
from engine.jobs import graph as graphs
from tests.engine.jobs.test_job_graph_walk import team, tree
from tests.fakes.job_playbook import job, plan, says
from tests.fakes.run_tree import RunTree, soon

MIXED = JobGraph(
    status="running",
    jobs=(
        Job(id="a", goal="a", status="finished", result="ra"),
        Job(id="b", goal="b", status="running", attempt=1, seen="waiting"),
        Job(id="c", goal="c", status="created", not_before=soon(5), errors=1, dependencies=("a",)),
        Job(id="d", goal="d", dependencies=("b", "c")),
    ),
)


def states(graph: JobGraph) -> dict[str, str]:
    return {job.id: job.status for job in graph.jobs}


def test_stop_keeps_results_and_the_error_and_stops_all_else() -> None:
    stopped = graphs.stop(MIXED, "enough")
    assert (stopped.status, stopped.error) == ("stopped", "enough")
    assert states(stopped) == {"a": "finished", "b": "stopped", "c": "stopped", "d": "stopped"}
    assert stopped.jobs[0].result == "ra"
    assert graphs.stop(stopped, "again") == stopped
    assert graphs.measure_progress(stopped, soon(100)).free == ()


def test_fail_marks_the_job_and_stops_the_others() -> None:
    failed = graphs.fail(MIXED, "c", "no use")
    assert (failed.status, failed.error) == ("failed", "no use")
    assert states(failed) == {"a": "finished", "b": "stopped", "c": "failed", "d": "stopped"}
    kept = graphs.fail(MIXED, "a", "no use")
    assert (kept.status, states(kept)["a"]) == ("failed", "finished")
    assert graphs.fail(failed, "d", "late") == failed


def test_recover_makes_all_but_the_finished_created_again() -> None:
    for over in (graphs.stop(MIXED, "enough"), graphs.fail(MIXED, "c", "no use")):
        again = graphs.recover(over, "shorter")
        assert (again.status, again.error, again.feedback) == ("running", "", ("shorter",))
        assert states(again) == {"a": "finished", "b": "created", "c": "created", "d": "created"}
        assert {job.id for job in graphs.measure_progress(again, soon(0)).free} == {"b", "c"}
    assert graphs.recover(MIXED) == MIXED


def test_a_graph_stopped_before_it_was_decomposed_is_decomposed_on_recovery() -> None:
    begun = graphs.begin(new_graph("goal", life_cycle=2), {"goal"})
    again = graphs.recover(graphs.stop(begun, "wait"))
    (root,) = graphs.measure_progress(again, soon(0)).free
    assert (root.leading, root.key) == (True, "goal#1")


async def stopped_in(walk: RunTree, steps: int) -> RunTree:
    """Stopped when so many steps are done, with what runs then going on."""
    await walk.start(steps)
    return await walk.order("stop", "wait")


async def test_a_stop_lets_what_runs_end_and_discards_what_it_returns() -> None:
    model = team()
    walk = tree(model)
    await walk.start(4)
    under_way = [job.id for job in walk.graph.jobs if job.status == "running"]
    assert under_way == ["visits", "windows"]
    await walk.order("stop", "wait")
    assert model.asked == ["leader", "visits", "windows"]
    assert [job.result for job in walk.graph.jobs] == ["", "", ""]
    assert set(walk.states.values()) == {"stopped"}
    assert walk.graph.error == "Lin Yue stopped it: wait"
    (card,) = walk.open_cards()
    assert "Lin Yue stopped it: wait" in card.text
    assert not walk.root.children


async def test_every_moment_can_be_stopped_and_recovered_to_the_same_end() -> None:
    whole = await tree(team()).start()
    for steps in range(2, whole.steps):
        model = team()
        walk = await stopped_in(tree(model), steps)
        if walk.root.status == "completed":
            assert steps >= whole.steps - 2
            continue
        finished = [job for job in walk.graph.jobs if job.status == "finished"]
        assert walk.graph.status == "stopped"
        asked = len(model.asked)
        (card,) = walk.open_cards()
        await walk.order("recover")
        assert walk.root.status == "completed", steps
        assert walk.cards[card.token].status == "superseded"
        assert walk.root.state.data == whole.root.state.data
        again = model.asked[asked:]
        assert not {job.id for job in finished} & set(again)
        assert walk.open_cards() == []


async def test_a_stop_takes_the_question_of_a_job_back() -> None:
    answers = iter([says(None, question="Which?"), says("SUCCESS", "all")])
    walk = await tree(team(visits=lambda told: next(answers))).start()
    (asked,) = walk.open_cards()
    await walk.order("stop")
    assert walk.cards[asked.token].status == "cancelled"
    (card,) = walk.open_cards()
    await walk.answer(card, "recover")
    await walk.go_on()
    assert walk.root.status == "completed"


async def test_what_a_person_wants_changed_reaches_leader_and_experts() -> None:
    model = team(leader=["no JSON", "no JSON", "no JSON", team().scripts["leader"][0]])  # type: ignore[index]
    walk = await tree(model).start()
    (card,) = walk.open_cards()
    await walk.answer(card, "change", feedback="only this year")
    await walk.go_on()
    assert walk.root.status == "completed"
    assert "only this year" in model.told("leader")
    assert "only this year" in model.told("report")


async def test_who_withdraws_at_a_job_stops_the_graph() -> None:
    walk = await tree(team(visits=[says(None, question="Which?")])).start()
    (asked,) = walk.open_cards()
    await walk.answer(asked, "withdraw")
    await walk.go_on()
    assert walk.graph.status == "stopped"
    assert "Lin Yue withdrew" in walk.graph.error


async def test_an_operator_fails_one_job() -> None:
    walk = await tree(team(visits=[says(None, question="Which?")])).start()
    await walk.order("fail", "hopeless", job="visits")
    assert walk.states == {"visits": "failed", "windows": "finished", "report": "stopped"}
    assert walk.graph.status == "failed"
    await walk.order("fail", "again", job="visits")
    assert len(walk.open_cards()) == 1


async def test_a_withdrawn_end_is_a_stopped_run() -> None:
    walk = await stopped_in(tree(team()), 5)
    (card,) = walk.open_cards()
    await walk.answer(card, "end")
    await walk.go_on()
    assert (walk.root.status, walk.root.part.state) == ("stopped", "withdrawn")


async def test_a_stale_alarm_wakes_nothing() -> None:
    failing: Any = [says("EXECUTION_ERROR", lesson="away"), says("SUCCESS", "ok")]
    walk = tree(team(visits=failing, leader=[plan(job("visits"))]))
    await walk.start(timers=False)
    assert walk.timers
    await walk.order("stop")
    before = dict(walk.cards)
    await walk.go_on()
    assert walk.cards == before
    assert walk.graph.status == "stopped"
