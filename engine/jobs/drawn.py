"""A run's job graph as a graph to draw: for `signoff graph --run`, and for the run's page."""

from collections.abc import Collection

from cards.model import Lang
from cards.texts import say
from engine.frames.job_graph import Job, JobGraph, JobState, cut
from engine.frames.jobs import JobsFrame
from engine.frames.state import Run
from engine.jobs.showing import state_of
from engine.playbooks.drawing.model import DetailKey, Edge, Graph, Node, node_id, one_line
from engine.playbooks.model import Playbook

ERROR_CHARS = 200


def graph_of(run: Run) -> JobGraph | None:
    """The jobs of a run that is in a job graph, or rests in one; None for any other."""
    frame = next((f for f in reversed(run.frames) if isinstance(f, JobsFrame)), None)
    return frame.graph if frame else None


def drawn_jobs(run: Run, playbook: Playbook | None, lang: Lang) -> Graph | None:
    """The run's jobs, with arrows to each from those that it needs.

    None when the run is in no job graph. Ids are `job:<id>`, and the skill's for the whole.
    """
    frame = next((f for f in reversed(run.frames) if isinstance(f, JobsFrame)), None)
    if frame is None or frame.graph is None:
        return None
    skill = playbook.skills.get(frame.skill) if playbook else None
    name = skill.name(lang) if skill else frame.skill
    whole = Node(
        id=node_id("skill", frame.skill),
        kind="skill",
        key=one_line(frame.skill),
        name=one_line(name),
        type="job_graph",
        details={"state": (_state(frame.graph.status, lang),)},
    )
    nodes = [whole, *(_node(job, frame.graph, whole.id, lang) for job in frame.graph.jobs)]
    return Graph(lang=lang, nodes=tuple(nodes), edges=_edges(frame.graph, whole.id))


def marks(graph: JobGraph) -> tuple[Collection[str], Collection[str]]:
    """The ids of nodes that are done, and of those that are under way, for `draw`."""
    done = {node_id("job", job.id) for job in graph.jobs if job.status == "finished"}
    under_way = {node_id("job", job.id) for job in graph.jobs if job.status == "running"}
    return done, under_way


def _node(job: Job, graph: JobGraph, whole: str, lang: Lang) -> Node:
    outer = next((each.goal for each in graph.decomposed if each.id == job.inside), "")
    found: dict[DetailKey, str | int] = {
        "state": _state(state_of(job), lang),
        "expert": one_line(job.assigned_expert),
        "attempts": job.attempt if job.attempt > 1 else "",
        "part_of": one_line(outer),
        "error": one_line(cut(job.error, ERROR_CHARS)),
    }
    return Node(
        id=node_id("job", job.id),
        kind="job",
        key=one_line(job.id),
        name=one_line(job.goal),
        inside=whole,
        details={key: (value,) for key, value in found.items() if value != ""},
    )


def _state(state: JobState, lang: Lang) -> str:
    return say(f"jobs.state.{state}", lang).rstrip(":：")


def _edges(graph: JobGraph, whole: str) -> tuple[Edge, ...]:
    starts = tuple(
        Edge(source=whole, target=node_id("job", job.id), kind="start")
        for job in graph.jobs
        if not job.dependencies
    )
    needs = tuple(
        Edge(source=node_id("job", name), target=node_id("job", job.id), kind="on")
        for job in graph.jobs
        for name in job.dependencies
    )
    return (*starts, *needs)
