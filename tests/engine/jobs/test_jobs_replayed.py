"""The run of a job graph is replayed from its trace: the same children, the same steps."""

from engine.runs.replay import replay, trace_of
from engine.services import Services
from tests.engine.jobs.test_job_graph_walk import team, tree
from tests.fakes.job_playbook import playbook, says
from tests.fakes.services import services_of
from tests.fakes.study import Study
from tests.fakes.walk import People


def services() -> Services:
    return services_of(records=Study(), people=People(), project=lambda _: "SIGNOFF-101")


async def test_a_replay_follows_every_step_of_the_graph() -> None:
    failing = [says("EXECUTION_ERROR", lesson="away"), says("SUCCESS", "ok")]
    walk = await tree(team(visits=failing)).start()
    entries = [entry for name, entry in walk.log if name == walk.run.id]
    trace = trace_of(walk.root, entries)
    same = await replay(trace, walk.playbook, services())
    assert (same.difference, same.steps) == (None, len(entries))
    other = playbook(("concurrency: 3", "concurrency: 1"))
    found = await replay(trace, other, services())
    assert found.difference is not None
