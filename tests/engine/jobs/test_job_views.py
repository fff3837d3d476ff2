"""A run's jobs as Mermaid and SVG, and as `explain` tells them."""

from xml.etree import ElementTree

from engine.jobs.graph import job_graph_of
from engine.jobs.views import done_and_running, draw_jobs
from engine.playbooks.drawing.mermaid import to_mermaid
from engine.playbooks.drawing.svg import draw
from engine.runs.explain import explain_run
from tests.engine.jobs.test_job_graph_walk import team, tree
from tests.fakes.job_playbook import job, plan, says
from tests.fakes.run_tree import RunTree

PARTS = plan(job("weights", goal='a "]] --> <b>x'), job("both", "statistics", "weights"))


async def in_the_middle() -> RunTree:
    plans = iter([team().scripts["leader"][0], PARTS])  # type: ignore[index]
    model = team(
        leader=lambda told: next(plans),
        visits=[says("JOB_TOO_COMPLICATED_ERROR", lesson="two things")],
        weights=[says(None, question="Which?")],
        both=[says("SUCCESS", "b")],
    )
    model.scripts = {**model.scripts, 'a "]] --> <b>x': [says(None, question="Which?")]}
    return await tree(model).start()


async def test_every_job_is_a_node_with_its_state_and_every_need_an_arrow() -> None:
    walk = await in_the_middle()
    graph = draw_jobs(walk.root, walk.playbook, "en")
    assert graph is not None
    names = [node.id for node in graph.nodes]
    assert names == [
        "skill:write-report",
        "job:visits.weights",
        "job:visits.both",
        "job:windows",
        "job:report",
    ]
    node = graph.nodes[1]
    assert node.details["part_of"] == ("goal of visits",)
    assert "waits for your answer" in str(node.details["state"])
    arrows = [(edge.source, edge.target) for edge in graph.edges if edge.kind == "on"]
    assert arrows == [
        ("job:visits.weights", "job:visits.both"),
        ("job:visits.both", "job:report"),
        ("job:windows", "job:report"),
    ]


async def test_the_picture_marks_what_is_done_and_what_goes_on() -> None:
    walk = await in_the_middle()
    graph, jobs = draw_jobs(walk.root, walk.playbook, "zh"), job_graph_of(walk.root)
    assert graph is not None
    assert jobs is not None
    done, under_way = done_and_running(jobs)
    svg = ElementTree.fromstring(draw(graph, visited=done, waiting=under_way))
    classes = {each.get("id"): each.get("class") for each in svg.iter() if each.get("id")}
    assert classes["job:windows"] == "job visited"
    assert classes["job:visits.weights"] == "job waiting"
    assert classes["job:report"] == "job"


async def test_no_text_of_a_job_is_read_as_mermaid() -> None:
    walk = await in_the_middle()
    graph = draw_jobs(walk.root, walk.playbook, "en")
    assert graph is not None
    text = to_mermaid(graph)
    assert text.startswith("flowchart TB")
    assert "<b>" not in text
    assert text.count("-->") == len(graph.edges)


async def test_a_run_without_jobs_has_no_picture() -> None:
    walk = tree(team())
    assert draw_jobs(walk.run, walk.playbook, "en") is None
    await walk.start()
    assert draw_jobs(walk.root, walk.playbook, "en") is None


async def test_explain_tells_each_job_of_the_run_and_steps_of_a_child() -> None:
    walk = await in_the_middle()
    entries = [entry for name, entry in walk.log if name == walk.run.id]
    told = explain_run(walk.root, walk.playbook, entries, ended="")
    states = {each.job: (each.state, each.attempts) for each in told.jobs}
    assert states["windows"] == ("finished", 1)
    assert states["visits.weights"] == ("waiting", 1)
    assert states["report"] == ("created", 0)
    child = next(run for run in walk.runs.values() if run.key == "windows#1")
    own = [entry for name, entry in walk.log if name == child.id]
    steps = explain_run(child, walk.playbook, own, ended="completed")
    assert (steps.phase, steps.skills) == ("", ())
    assert steps.at == "job:write-report/windows"
    assert "SUCCESS: windows" in steps.steps[-1].why
