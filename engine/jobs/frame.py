"""A job graph's own frame: begins what is ready, takes in what ends, stands still or is done."""

from collections import defaultdict
from string import Template

from cards.markdown import written
from cards.model import Decision
from cards.texts import say
from engine.frames.job_graph import JobGraph, cut, new_graph
from engine.frames.jobs import Brief, JobFrame, JobsFrame, LeaderFrame
from engine.frames.outcome import (
    Alarm,
    AlarmFired,
    CardAnswered,
    CardTimedOut,
    Child,
    ChildRunEnded,
    Done,
    Fork,
    FrameInput,
    Note,
    OrderReceived,
    StatusChange,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import ENDED, Patch
from engine.jobs import graph as graphs
from engine.jobs.parts import jobs_part
from engine.jobs.settle import awaited, room, settled
from engine.jobs.showing import progress, stands_still, standstill
from engine.playbooks.end_kinds import Ending
from engine.playbooks.job_graph import JobsPart
from engine.playbooks.skill import Skill
from engine.ports.model import ModelBudget, ModelUsage

RESPONSE_CHARS = 4000
ASKED_CHARS = 500


async def advance(frame: JobsFrame, given: FrameInput, context: StepContext) -> StepOutcome:
    """One end of a child run, one alarm, or one word of somebody; then all that can begin."""
    part = jobs_part(frame.skill, context)
    before = frame.graph or _new(part, context)
    match given:
        case CardAnswered(decision=Decision(choice="end")) | CardTimedOut():
            return _ends(before, context)
        case CardAnswered(decision=decision):
            feedback = cut(str(decision.values.get("feedback", "")), ASKED_CHARS)
            graph = graphs.recover(before, feedback)
            return _goes_on(_unused(frame), graph, context, why=f"{decision.name} lets it go on")
        case OrderReceived():
            return _ordered(frame, before, given, context)
        case ChildRunEnded():
            return _taken(frame, before, given, context)
        case AlarmFired(id=key):
            return _goes_on(frame, graphs.wake(before, key), context, why="an alarm rang")
    return _goes_on(frame, before, context, why="begins")


def _new(part: JobsPart, context: StepContext) -> JobGraph:
    run = context.run
    goal = run.text
    if part.goal:
        blank = say("card.blank", run.lang)
        known = {name: written(value) for name, value in run.state.data.items()}
        goal = Template(part.goal(run.lang)).safe_substitute(defaultdict(lambda: blank, known))
    return new_graph(goal, life_cycle=part.life_cycle, expert=part.expert)


def _ends(graph: JobGraph, context: StepContext) -> StatusChange:
    """Nobody wants it to go on."""
    told = stands_still(graph, context).text
    if graph.status == "failed":
        return StatusChange("failed", Note("failed", told), graph.error)
    return StatusChange("stopped", Note("cancelled", told), graph.error)


def _ordered(
    frame: JobsFrame, graph: JobGraph, order: OrderReceived, context: StepContext
) -> StepOutcome:
    lang, text = context.run.lang, cut(order.text, ASKED_CHARS)
    told = say("jobs.by_text" if text else "jobs.by", lang, name=order.name, text=text)
    match order.what:
        case "stop":
            after = graphs.stop(graph, told)
        case "fail":
            after = graphs.fail(graph, order.job, told)
        case "recover":
            after = graphs.recover(graph, text)
    if after == graph:
        return Fork(frame, (), f"{order.what}: nothing to do")
    if order.what == "recover":
        frame = _unused(frame)
    return _goes_on(frame, after, context, why=f"{order.name}: {order.what}")


def _taken(
    frame: JobsFrame,
    before: JobGraph,
    ended: ChildRunEnded,
    context: StepContext,
) -> StepOutcome:
    """Go on after a child's end. What is not awaited any more is discarded, with its changes."""
    job = awaited(before, ended.key)
    if ended.status in ENDED:
        frame = frame.model_copy(update={"used": frame.used.plus(ended.used)})
    if job is None:
        waits = ended.status in ("suspended", "blocked")
        drops = (ended.key,) if waits else ()
        return Fork(frame, (), f"{ended.key}: discarded", dropped_children=drops)
    graph = settled(before, job, ended, jobs_part(frame.skill, context), context)
    after = graph.job(job.id)
    kept = None
    if after and after.status == "finished" and ended.patch.paths:
        patch = ended.patch
        kept = Patch(by=patch.by, profile=patch.profile, decisions=patch.decisions, data=patch.data)
    state = after.status if after else "decomposed"
    why = f"{ended.key}: {ended.patch.end or ended.status}, now {state}"
    return _goes_on(frame, graph, context, why=why, patch=kept)


def _goes_on(
    frame: JobsFrame,
    graph: JobGraph,
    context: StepContext,
    *,
    why: str,
    patch: Patch | None = None,
) -> StepOutcome:
    part, now = jobs_part(frame.skill, context), context.services.now
    if graph.status == "finished":
        return _done(graph, context.playbook.skills[frame.skill], part, patch)
    if graph.status in ("stopped", "failed"):
        return _stands_still(frame, graph, part, context, why)
    standing = graphs.standing(graph, now)
    first = standing.free[: max(0, part.concurrency - standing.busy)]
    budget = part.budget or context.services.limits.graph
    if first and budget.is_used_up(frame.used):
        if not any(job.status == "running" for job in graph.jobs):
            return _used_up(frame, graph, budget, context, why)
        # What is under way ends first: its results were paid for.
        first = ()
    graph = graphs.begin(graph, {job.id for job in first})
    children = tuple(_child(job.id, graph, part, frame.skill) for job in first)
    alarms = _alarms(frame.graph, graph)
    begun = ", ".join(child.key for child in children)
    told = f"{why}; begins {begun}" if begun else why
    after = frame.model_copy(update={"graph": graph, "asked": ""})
    note = progress(graph, standing, context)
    # Whoever let it go on in words has answered what its card asks.
    answered = (frame.asked,) if frame.asked else ()
    return Fork(
        after, children, told, patch=patch, note=note, alarms=alarms, dropped_cards=answered
    )


def _unused(frame: JobsFrame) -> JobsFrame:
    """Somebody lets the graph go on: its budget counts anew."""
    return frame.model_copy(update={"used": ModelUsage()})


def _used_up(
    frame: JobsFrame, graph: JobGraph, budget: ModelBudget, context: StepContext, why: str
) -> StepOutcome:
    """The graph is stopped, and its requester asked; the playbook's `on_error` is not for this."""
    context.services.meter.count("budget_used", "graph")
    numbers = {"calls": f"{budget.calls:,}", "tokens": f"{budget.tokens:,}"}
    stopped = graphs.stop(graph, say("jobs.budget_used", context.run.lang, **numbers))
    return _stands_still(frame, stopped, jobs_part(frame.skill, context), context, why)


def _child(name: str, graph: JobGraph, part: JobsPart, skill: str) -> Child:
    job = graph.job(name)
    assert job is not None, "only jobs of the graph are begun"
    root = graph.decomposed[0] if graph.decomposed else graph.jobs[0]
    inputs = tuple((each.goal, each.result) for each in graph.inputs(job))
    brief = Brief(job=job, goal=root.goal, inputs=inputs, feedback=graph.feedback)
    # What was said and found before the graph is no result of the job.
    patch = Patch(by=skill, response="")
    if not job.leading:
        return Child(job.key, JobFrame(skill=skill, brief=brief), patch)
    others = tuple(each.goal for each in graph.jobs if each.id != job.id)
    brief = brief.model_copy(update={"others": others, "room": room(graph, part)})
    return Child(job.key, LeaderFrame(skill=skill, brief=brief), patch)


def _alarms(before: JobGraph | None, graph: JobGraph) -> tuple[Alarm, ...]:
    """For jobs whose back-off is new, also where what they need is not there yet."""
    found = []
    for job in graph.jobs:
        if job.not_before is None:
            continue
        was = before.job(job.id) if before else None
        if was is None or was.not_before != job.not_before:
            found.append(Alarm(job.key, job.not_before))
    return tuple(found)


def _stands_still(
    frame: JobsFrame, graph: JobGraph, part: JobsPart, context: StepContext, why: str
) -> StepOutcome:
    """The playbook goes on where it says how; else somebody says whether the graph does."""
    if graph.status == "failed" and part.on_error:
        ending = Ending(end="failed", said=graph.error)
        patch = Patch.setting(frame.skill, part.on_error, problems=(graph.error,), ending=ending)
        return Done(patch, f"{why}; failed: {graph.error}")
    card = standstill(graph, context)
    after = frame.model_copy(update={"graph": graph, "asked": card.token})
    note = stands_still(graph, context)
    drops = _waiting(frame.graph, context)
    return Suspend(
        after, (card,), note, f"{why}; {graph.status}: {graph.error}", dropped_children=drops
    )


def _waiting(graph: JobGraph | None, context: StepContext) -> tuple[str, ...]:
    """The children that wait for a person, or for an operator: nobody needs to answer any more."""
    keys = {job.key for job in graph.jobs if job.seen} if graph else set()
    return tuple(key for key in context.run.children if key in keys)


def _done(graph: JobGraph, skill: Skill, part: JobsPart, patch: Patch | None) -> Done:
    """Every job has its result: they go where the playbook wants them."""
    used = {name for job in graph.jobs for name in job.dependencies}
    summary = "\n\n".join(job.result for job in graph.jobs if job.id not in used)
    kept = dict(patch.data) if patch else {}
    if part.results:
        kept[part.results] = tuple(
            {"job": job.goal, "expert": job.assigned_expert, "result": job.result}
            for job in graph.jobs
        )
    if part.summary:
        kept[part.summary] = summary
    done = Patch.setting(
        skill.id, skill.sets, data=kept, response=cut(summary, RESPONSE_CHARS), problems=()
    )
    profile = {**(patch.profile if patch else {}), **done.profile}
    decisions = {**(patch.decisions if patch else {}), **done.decisions}
    update = {"profile": profile, "decisions": decisions, "ending": Ending(end="done")}
    return Done(done.model_copy(update=update), f"{len(graph.jobs)} jobs are done")
