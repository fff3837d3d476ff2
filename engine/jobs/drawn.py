"""A run's job graph as a graph to draw: for `signoff graph --run`, and for the run's page."""

from collections.abc import Collection

from cards.model import Lang
from cards.texts import say
from engine.frames.jobs import JobsFrame
from engine.frames.state import Run
from engine.jobs.model import Job, JobGraph
from engine.jobs.showing import outline, state_of
from engine.playbooks.graph_model import Edge, Graph, Node, node_id, one_line
from engine.playbooks.model import Playbook


def graph_of(run: Run) -> JobGraph | None:
    """The jobs of a run that is in a job graph, or rests in one; None for any other."""
    frame = next((f for f in reversed(run.frames) if isinstance(f, JobsFrame)), None)
    return frame.graph if frame else None


def drawn_jobs(run: Run, playbook: Playbook, lang: Lang) -> Graph | None:
    """The run's jobs, each inside the one that it is part of, with arrows from what it needs.

    None when the run is in no job graph. Ids are `job:<id>`, and the skill's for the whole.
    """
    frame = next((f for f in reversed(run.frames) if isinstance(f, JobsFrame)), None)
    if frame is None or frame.graph is None:
        return None
    skill = playbook.skills.get(frame.skill)
    name = skill.name(lang) if skill else frame.skill
    whole = Node(
        id=node_id("skill", frame.skill),
        kind="skill",
        key=one_line(frame.skill),
        name=one_line(name),
        type="job_graph",
        details={"state": (say(f"jobs.state.{frame.graph.status}", lang).rstrip(":："),)},
    )
    nodes = [whole, *(_node(job, frame.graph, whole.id, lang) for _, job in outline(frame.graph))]
    return Graph(lang=lang, nodes=tuple(nodes), edges=_edges(frame.graph, whole.id))


def marks(graph: JobGraph) -> tuple[Collection[str], Collection[str]]:
    """The ids of nodes that are done, and of those that are under way, for `draw`."""
    done = {node_id("job", job.id) for job in graph.jobs if job.status == "finished"}
    under_way = {node_id("job", job.id) for job in graph.jobs if job.status == "running"}
    return done, under_way


def _node(job: Job, graph: JobGraph, whole: str, lang: Lang) -> Node:
    state = "heading" if job in graph.decomposed else state_of(job)
    details: dict[str, tuple[str | int, ...]] = {}
    if state != "heading":
        details["state"] = (say(f"jobs.state.{state}", lang).rstrip(":："),)
    if job.assigned_expert:
        details["expert"] = (one_line(job.assigned_expert),)
    if job.attempt > 1:
        details["attempts"] = (job.attempt,)
    if job.error and state != "heading":
        details["error"] = (one_line(job.error),)
    return Node(
        id=node_id("job", job.id),
        kind="job",
        key=one_line(job.id),
        name=one_line(job.goal),
        inside=node_id("job", job.inside) if job.inside else whole,
        details=details,
    )


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
