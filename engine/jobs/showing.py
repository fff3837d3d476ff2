"""A job graph as people see it: a tree with states, and the card of one that stands still."""

from collections.abc import Iterator
from datetime import timedelta

from cards.markdown import literal
from cards.model import Card, Choice, Field, Lang, Review
from cards.texts import say
from engine.frames.job_graph import ROOT, Job, JobGraph, JobState, cut
from engine.frames.outcome import Note, StepContext
from engine.jobs.graph import GraphProgress

SHOWN_LINES = 25
GOAL_CHARS = 120
ERROR_CHARS = 500
HELD_FOR = timedelta(days=30)
"""So long somebody may say whether a graph that stands still goes on; then its run ends."""


def state_of(job: Job) -> JobState:
    """How far the job is, and what it waits for."""
    if job.status == "running" and job.seen:
        return job.seen
    if job.leading and job.status in ("created", "running"):
        return "planning"
    return "again" if job.status == "created" and job.not_before else job.status


def outline(graph: JobGraph) -> Iterator[tuple[int, Job]]:
    """Every job with how deep it is inside of those that were decomposed, which come before it."""
    outer = {job.id: job for job in graph.decomposed if job.id != ROOT}
    told: set[str] = set()
    for job in graph.jobs:
        around: list[Job] = []
        name = job.inside
        while name in outer:
            around.insert(0, outer[name])
            name = outer[name].inside
        for depth, each in enumerate(around):
            if each.id not in told:
                told.add(each.id)
                yield depth, each
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
    goal = literal(cut(job.goal, GOAL_CHARS))
    if is_heading:
        return f"- **{goal}**"
    state = say(f"jobs.state.{state_of(job)}", lang)
    if not job.assigned_expert:
        return f"- {state} {goal}"
    expert = literal(job.assigned_expert)
    return say("jobs.line", lang, state=state, goal=goal, expert=expert)


def progress(graph: JobGraph, standing: GraphProgress, context: StepContext) -> Note:
    """The run's part while jobs go on: how many are done, and the tree."""
    run = context.run
    head = say("jobs.progress", run.lang, name=run.name, n=standing.done, of=len(graph.jobs))
    return Note("needs_you" if standing.asks else "working", f"{head}\n\n{tree(graph, run.lang)}")


def standstill(graph: JobGraph, context: StepContext) -> Card:
    """Asks the requester whether a graph that has stopped or failed goes on."""
    run, lang = context.run, context.run.lang
    error = literal(cut(graph.error, ERROR_CHARS))
    failed = graph.status == "failed"
    change = Field(name="feedback", label=say("form.feedback", lang), multiline=True)
    go_on = say("jobs.choice.recover", lang)
    return Card(
        kind="select",
        token=context.services.new_id(run.conversation),
        run=run.id,
        conversation=run.conversation,
        lang=lang,
        title=say("jobs.card.failed" if failed else "jobs.card.stopped", lang, name=run.name),
        text=f"{say('jobs.card.text', lang, error=error)}\n\n{tree(graph, lang)}",
        choices=(
            Choice(id="recover", label=go_on, style="primary"),
            Choice(id="change", label=say("jobs.choice.change", lang), form=(change,)),
            Choice(id="end", label=say("jobs.choice.end", lang)),
        ),
        review=Review(persons=(run.requester.id,)),
        **run.requester.as_requester(),
        waiting_for=run.requester.name,
        task_key=f"jobs:{run.id}",
        deadline=context.services.now + HELD_FOR,
    )


def stands_still(graph: JobGraph, context: StepContext) -> Note:
    """The run's part while it waits for that answer: the error, and the tree."""
    run, lang = context.run, context.run.lang
    error = literal(cut(graph.error, ERROR_CHARS))
    failed = graph.status == "failed"
    head = say("jobs.failed" if failed else "jobs.stopped", lang, name=run.name, error=error)
    return Note("needs_you", f"{head}\n\n{tree(graph, lang)}")
