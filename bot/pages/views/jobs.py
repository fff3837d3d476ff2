"""A run's job graph on its page: as a picture, in words, and what may be done with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cards.model import Lang
from engine.frames.state import Run
from engine.jobs.graph import can_take, job_graph_of
from engine.jobs.views import done_and_running, draw_jobs
from engine.playbooks.drawing.model import Edge, Graph, Node
from engine.playbooks.drawing.svg import draw
from engine.playbooks.model import Playbook

Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class JobsView:
    """`picture` is safe markup; `lines` tell each job's goal, how far it is, and what went wrong.

    `failable` are jobs that may be failed: id and goal, none of them where that cannot be.
    """

    picture: Markup
    lines: Sequence[tuple[str, str, str]]
    may_stop: bool
    may_recover: bool
    failable: Sequence[tuple[str, str]]


def jobs_view(run: Run, playbook: Playbook | None, lang: Lang, mask: Mask) -> JobsView | None:
    """The run's jobs; None when it is in no job graph."""
    jobs, drawn = job_graph_of(run), draw_jobs(run, playbook, lang)
    if jobs is None or drawn is None:
        return None
    # A blocked run waits for an operator first; a child run has no graph of its own.
    takes_orders = run.status == "suspended"
    may_stop = takes_orders and can_take("stop", run)
    shown = _masked(drawn, mask)
    done, under_way = done_and_running(jobs)
    svg = draw(shown, visited=done, waiting=under_way, styled=False)
    unfinished = [job for job in jobs.jobs if job.status != "finished"]
    return JobsView(
        picture=Markup(svg),  # noqa: S704 - the drawing escapes its texts
        lines=[_line(node) for node in shown.nodes if node.kind == "job"],
        may_stop=may_stop,
        may_recover=takes_orders and can_take("recover", run),
        failable=[(job.id, mask(job.goal)) for job in unfinished] if may_stop else (),
    )


def _masked(graph: Graph, mask: Mask) -> Graph:
    """The same for people to read, with ids that the picture of the playbook does not have."""
    whole = graph.nodes[0].id

    def own(name: str) -> str:
        return f"jobs:{name}" if name == whole else name

    def node(each: Node) -> Node:
        details = {
            key: tuple(mask(v) if isinstance(v, str) else v for v in values)
            for key, values in each.details.items()
        }
        update = {"id": own(each.id), "inside": own(each.inside), "name": mask(each.name)}
        return each.model_copy(update={**update, "details": details})

    def edge(each: Edge) -> Edge:
        return each.model_copy(update={"source": own(each.source), "target": own(each.target)})

    update = {"nodes": tuple(map(node, graph.nodes)), "edges": tuple(map(edge, graph.edges))}
    return graph.model_copy(update=update)


def _line(node: Node) -> tuple[str, str, str]:
    state, error = (" ".join(map(str, node.details.get(key, ()))) for key in ("state", "error"))
    return node.name, state, error
