"""The pictures of a run's page: its way through the playbook, who reviews, and its job graph."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from bot.pages.views.card import CardFormatter
from cards.model import Lang
from engine.frames.state import ENDED, Run, position_of
from engine.jobs.graph import can_take, job_graph_of
from engine.jobs.views import done_and_running, draw_jobs
from engine.playbooks.drawing.model import DetailKey, Edge, Graph, Node, Value, node_id, one_line
from engine.playbooks.drawing.svg import draw
from engine.playbooks.model import Playbook
from engine.runs.audit_state import position_in

Mask = Callable[[str], str]
MOST: Final = 6
"""The names in a box, before the number of further ones."""


@dataclass(frozen=True, slots=True)
class RunPath:
    """Ids of the graph's nodes: the visited ones in order, and the one where a living run is."""

    visited: tuple[str, ...]
    waiting: tuple[str, ...]


def find_path(run: Run, entries: Sequence[Mapping[str, Any]]) -> RunPath:
    """The path of a run, as far as its audit tells it."""
    found = [node_id("playbook", run.playbook)]
    before = ""
    for entry in entries:
        after = position_in(entry) or before
        found += _judged_nodes(entry.get("judged"), before, after)
        found += nodes_at(after)
        before = after
    here = nodes_at(position_of(run.frames[-1]))
    living = run.status not in ENDED
    visited = dict.fromkeys([*found, *here])
    return RunPath(tuple(visited), here[-1:] if living else ())


def nodes_at(place: str) -> tuple[str, ...]:
    """The nodes of a position in a run, the outer one first."""
    kind, _, name = place.partition(":")
    skill, _, node = name.partition("/")
    if not skill:
        return ()
    if kind == "planner":
        return (node_id("phase", name),)
    whole = node_id("skill", skill)
    # Steps of a model's plan and jobs are no nodes of the playbook.
    return (whole, node_id("sop", skill, node)) if kind == "sop" and node else (whole,)


def _judged_nodes(judged: Any, before: str, after: str) -> tuple[str, ...]:
    """An SOP's node that was judged, and the end that this led to."""
    if not isinstance(judged, Mapping):
        return ()
    place = before if before.startswith("sop:") else after
    if not place.startswith("sop:"):
        return ()
    skill = place.partition(":")[2].partition("/")[0]
    nodes = (str(judged.get("node", "")), str(judged.get("next", "")))
    # What follows is entered by a later step; an end is not.
    reached = [nodes[0], *(n for n in nodes[1:] if n.startswith("end"))]
    return tuple(node_id("sop", skill, node) for node in reached if node)


def name_path(path: RunPath, graph: Graph) -> Sequence[tuple[str, bool]]:
    """The path as names, and whether the run is there: a text for who cannot see the picture."""
    names = {node.id: node.name for node in graph.nodes}
    return [(names[node], node in path.waiting) for node in path.visited if node in names]


def add_reviewers(
    graph: Graph, formatter: CardFormatter, *, waiting: Collection[str], deciders: Sequence[str]
) -> Graph:
    """The graph whose reviews name their roles, and the people who hold these now.

    At the `waiting` nodes they are the `deciders` of the card that is open there, if one is.
    """

    def add(node: Node) -> Node:
        roles = tuple(map(str, node.details.get("roles", ())))
        if not roles:
            return node
        holders = [formatter.mask(each.name) for each in formatter.people.holders(roles)]
        here = node.id in waiting and deciders
        names = [one_line(formatter.people.role_name(role, formatter.lang)) for role in roles]
        return _add_names(node, names, list(deciders) if here else holders)

    return graph.model_copy(update={"nodes": tuple(map(add, graph.nodes))})


def _add_names(node: Node, roles: Sequence[str], names: Sequence[str]) -> Node:
    details: dict[DetailKey, tuple[Value, ...]] = {}
    for key, values in node.details.items():
        details[key] = tuple(roles) if key == "roles" else values
        if key == "roles" and names:
            more = [f"+{len(names) - MOST}"] if len(names) > MOST else []
            details["reviewers"] = (*map(one_line, names[:MOST]), *more)
    return node.model_copy(update={"details": details})


@dataclass(frozen=True, slots=True)
class JobsView:
    """`picture` is safe markup; `lines` are each job's goal, state and error.

    `failable` are the jobs that an operator may fail: id and goal.
    """

    picture: Markup
    lines: Sequence[tuple[str, str, str]]
    may_stop: bool
    may_recover: bool
    failable: Sequence[tuple[str, str]]


def jobs_view(run: Run, playbook: Playbook | None, lang: Lang, mask: Mask) -> JobsView | None:
    """The run's jobs; None for a run without a job graph."""
    jobs, drawn = job_graph_of(run), draw_jobs(run, playbook, lang)
    if jobs is None or drawn is None:
        return None
    # A blocked run waits for an operator first; a child run has no graph of its own.
    takes_orders = run.status == "suspended"
    may_stop = takes_orders and can_take("stop", run)
    shown = _mask_graph(drawn, mask)
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


def _mask_graph(graph: Graph, mask: Mask) -> Graph:
    """The graph with masked texts, and with ids that the playbook's picture does not have."""
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
