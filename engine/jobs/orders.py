"""What somebody may want of a run's job graph just now (spec 002 §6.1)."""

from engine.frames.outcome import GraphOrder
from engine.frames.state import Run
from engine.jobs.drawn import graph_of


def takes(what: GraphOrder, run: Run, job: str = "") -> bool:
    """Whether the run's job graph can: stop, or fail that job, while it goes on, else recover."""
    graph = graph_of(run)
    if graph is None:
        return False
    if what == "recover":
        return graph.status in ("stopped", "failed")
    return graph.status in ("created", "running") and (what == "stop" or graph.job(job) is not None)
