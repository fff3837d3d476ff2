"""A job graph as people see it: a tree, a drawing, and the card of a graph that stands still."""

from collections.abc import Collection, Iterator
from datetime import timedelta

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Card, Choice, Field, Lang
from cards.texts import say
from engine.frames.job_graph import ROOT, Job, JobGraph, JobsFrame, JobState
from engine.frames.outcome import Note, StepContext
from engine.frames.state import Run
from engine.jobs.graph import GraphProgress
from engine.playbooks.drawing.model import DetailKey, Edge, Graph, Node, node_id, one_line
from engine.playbooks.model import Playbook
from engine.reviews.policy import requester_card_fields

SHOWN_LINES = 25
GOAL_CHARS = 120
ERROR_CHARS = 500
NODE_ERROR_CHARS = 200
HELD_FOR = timedelta(days=30)
"""How long a graph that stands still waits for a person; then its run ends."""


def state_of(job: Job) -> JobState:
    """How far the job is, and what it waits for."""
    if job.status == "running" and job.seen:
        return job.seen
    if job.leading and job.status in ("created", "running"):
        return "planning"
    return "again" if job.status == "created" and job.not_before else job.status


def outline(graph: JobGraph) -> Iterator[tuple[int, Job]]:
    """Each job with its depth; the decomposed jobs that it is part of come before it."""
    outer = {job.id: job for job in graph.decomposed if job.id != ROOT}
    seen: set[str] = set()
    for job in graph.jobs:
        around: list[Job] = []
        name = job.inside
        while name in outer:
            around.insert(0, outer[name])
            name = outer[name].inside
        for depth, heading in enumerate(around):
            if heading.id not in seen:
                seen.add(heading.id)
                yield depth, heading
        yield len(around), job


def tree(graph: JobGraph, lang: Lang) -> str:
    """The jobs as a Markdown list, the first 25 of them."""
    lines: list[str] = []
    headings = {job.id for job in graph.decomposed}
    for depth, job in outline(graph):
        if len(lines) == SHOWN_LINES:
            count = len(graph.jobs) + len(graph.decomposed)
            lines.append(say("jobs.more", lang, n=count - SHOWN_LINES))
            break
        lines.append("  " * depth + _line(job, job.id in headings, lang))
    return "\n".join(lines)


def _line(job: Job, is_heading: bool, lang: Lang) -> str:
    goal = literal(shorten(job.goal, GOAL_CHARS))
    if is_heading:
        return f"- **{goal}**"
    state = say(f"jobs.state.{state_of(job)}", lang)
    if not job.assigned_expert:
        return f"- {state} {goal}"
    expert = literal(job.assigned_expert)
    return say("jobs.line", lang, state=state, goal=goal, expert=expert)


def progress_note(graph: JobGraph, progress: GraphProgress, context: StepContext) -> Note:
    """The run's part while jobs run: how many are done, and the tree."""
    run = context.run
    head = say("jobs.progress", run.lang, name=run.name, n=progress.done, of=len(graph.jobs))
    return Note("needs_you" if progress.asks else "working", f"{head}\n\n{tree(graph, run.lang)}")


def standstill_card(graph: JobGraph, context: StepContext) -> Card:
    """Asks the requester whether a graph that has stopped or failed goes on."""
    run, lang = context.run, context.run.lang
    error = literal(shorten(graph.error, ERROR_CHARS))
    failed = graph.status == "failed"
    change = Field(name="feedback", label=say("form.feedback", lang), multiline=True)
    go_on = say("jobs.choice.recover", lang)
    return Card(
        kind="select",
        title=say("jobs.card.failed" if failed else "jobs.card.stopped", lang, name=run.name),
        text=f"{say('jobs.card.text', lang, error=error)}\n\n{tree(graph, lang)}",
        choices=(
            Choice(id="recover", label=go_on, style="primary"),
            Choice(id="change", label=say("jobs.choice.change", lang), form=(change,)),
            Choice(id="end", label=say("jobs.choice.end", lang)),
        ),
        **requester_card_fields(context),
        task_key=f"jobs:{run.id}",
        deadline=context.services.now + HELD_FOR,
    )


def standstill_note(graph: JobGraph, context: StepContext) -> Note:
    """The run's part while the graph stands still: the error, and the tree."""
    run, lang = context.run, context.run.lang
    error = literal(shorten(graph.error, ERROR_CHARS))
    failed = graph.status == "failed"
    head = say("jobs.failed" if failed else "jobs.stopped", lang, name=run.name, error=error)
    return Note("needs_you", f"{head}\n\n{tree(graph, lang)}")


def draw_jobs(run: Run, playbook: Playbook | None, lang: Lang) -> Graph | None:
    """The run's jobs as a graph, with an arrow to each job from those that it depends on.

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
        details={"state": (_state_label(frame.graph.status, lang),)},
    )
    nodes = [whole, *(_node(job, frame.graph, whole.id, lang) for job in frame.graph.jobs)]
    return Graph(lang=lang, nodes=tuple(nodes), edges=_edges(frame.graph, whole.id))


def done_and_running(graph: JobGraph) -> tuple[Collection[str], Collection[str]]:
    """The ids of the nodes that are done, and of those that are running, for `draw`."""
    done = {node_id("job", job.id) for job in graph.jobs if job.status == "finished"}
    running = {node_id("job", job.id) for job in graph.jobs if job.status == "running"}
    return done, running


def _node(job: Job, graph: JobGraph, whole: str, lang: Lang) -> Node:
    outer = next((o.goal for o in graph.decomposed if o.id == job.inside), "")
    details: dict[DetailKey, str | int] = {
        "state": _state_label(state_of(job), lang),
        "expert": one_line(job.assigned_expert),
        "attempts": job.attempt if job.attempt > 1 else "",
        "part_of": one_line(outer),
        "error": one_line(shorten(job.error, NODE_ERROR_CHARS)),
    }
    return Node(
        id=node_id("job", job.id),
        kind="job",
        key=one_line(job.id),
        name=one_line(job.goal),
        inside=whole,
        details={key: (value,) for key, value in details.items() if value != ""},
    )


def _state_label(state: JobState, lang: Lang) -> str:
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
