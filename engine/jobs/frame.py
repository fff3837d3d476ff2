"""The frame of a job graph: begins jobs, takes their results, asks when it stands still."""

from collections import defaultdict
from collections.abc import Sequence
from string import Template

from cards.clipping import shorten
from cards.markdown import format_value
from cards.model import Decision
from cards.texts import say
from engine.frames.job_graph import (
    Brief,
    Job,
    JobFrame,
    JobGraph,
    JobsFrame,
    LeaderFrame,
    new_graph,
)
from engine.frames.leaves import value_of
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
from engine.frames.text_names import context_names
from engine.jobs import graph as graphs
from engine.jobs.results import awaited_job, free_room, settle
from engine.jobs.shared import jobs_part
from engine.jobs.views import progress_note, standstill_card, standstill_note
from engine.playbooks.end_kinds import Ending
from engine.playbooks.job_graph import JobsPart, find_expert
from engine.playbooks.skill import Skill
from engine.ports.model import ModelBudget, ModelUsage

RESPONSE_CHARS = 4000
ASKED_CHARS = 500


async def advance(frame: JobsFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """Take one result, alarm, order or answer; then begin all jobs that can begin."""
    part = jobs_part(frame.skill, context)
    before = frame.graph or _new_graph(part, context)
    match event:
        case CardAnswered(decision=Decision(choice="end")) | CardTimedOut():
            return _end(before, context)
        case CardAnswered(decision=decision):
            feedback = shorten(str(decision.values.get("feedback", "")), ASKED_CHARS)
            graph = graphs.recover(before, feedback)
            return _continue(
                _reset_budget(frame), graph, context, why=f"{decision.name} lets it go on"
            )
        case OrderReceived():
            return _take_order(frame, before, event, context)
        case ChildRunEnded():
            return _take_result(frame, before, event, context)
        case AlarmFired(id=key):
            return _continue(frame, graphs.end_backoff(before, key), context, why="an alarm rang")
    return _continue(frame, before, context, why="begins")


def _new_graph(part: JobsPart, context: StepContext) -> JobGraph:
    run = context.run
    goal = run.text
    if part.goal:
        blank = say("card.blank", run.lang)
        named = {name: text for name, text in context_names(context).items() if text}
        data = {name: format_value(value) for name, value in run.state.data.items()}
        known = named | data
        goal = Template(part.goal(run.lang)).safe_substitute(defaultdict(lambda: blank, known))
    return new_graph(goal, life_cycle=part.life_cycle, expert=_preset_expert(part, context))


def _preset_expert(part: JobsPart, context: StepContext) -> str:
    """Who has the whole goal: as the playbook or the request says; "" where it is decomposed."""
    if not part.expert.startswith("$"):
        return part.expert
    named = value_of(part.expert.removeprefix("$"), context.run.state)
    return named if isinstance(named, str) and find_expert(part.experts, named) else ""


def _end(graph: JobGraph, context: StepContext) -> StatusChange:
    """End the run: nobody wants the graph to go on."""
    text = standstill_note(graph, context).text
    if graph.status == "failed":
        return StatusChange("failed", Note("failed", text), graph.error)
    return StatusChange("stopped", Note("cancelled", text), graph.error)


def _take_order(
    frame: JobsFrame, graph: JobGraph, order: OrderReceived, context: StepContext
) -> StepOutcome:
    lang, text = context.run.lang, shorten(order.text, ASKED_CHARS)
    reason = say("jobs.by_text" if text else "jobs.by", lang, name=order.name, text=text)
    match order.what:
        case "stop":
            after = graphs.stop(graph, reason)
        case "fail":
            after = graphs.fail(graph, order.job, reason)
        case "recover":
            after = graphs.recover(graph, text)
    if after == graph:
        return Fork(frame, (), f"{order.what}: nothing to do")
    if order.what == "recover":
        frame = _reset_budget(frame)
    return _continue(frame, after, context, why=f"{order.name}: {order.what}")


def _take_result(
    frame: JobsFrame,
    before: JobGraph,
    ended: ChildRunEnded,
    context: StepContext,
) -> StepOutcome:
    """Apply the child's result; one that is not awaited any more is discarded, with its changes."""
    before = graphs.note_made(before, ended.key, ended.patch.made)
    frame = frame.model_copy(update={"graph": before})
    job = awaited_job(before, ended.key)
    if ended.status in ENDED:
        frame = frame.model_copy(update={"used": frame.used.plus(ended.used)})
    if job is None:
        waits = ended.status in ("suspended", "blocked")
        drops = (ended.key,) if waits else ()
        return Fork(frame, (), f"{ended.key}: discarded", dropped_children=drops)
    graph = settle(before, job, ended, jobs_part(frame.skill, context), context)
    after = graph.job(job.id)
    patch = None
    if after and after.status == "finished" and ended.patch.paths:
        new = ended.patch
        patch = Patch(by=new.by, profile=new.profile, decisions=new.decisions, data=new.data)
    state = after.status if after else "decomposed"
    why = f"{ended.key}: {ended.patch.end or ended.status}, now {state}"
    return _continue(frame, graph, context, why=why, patch=patch)


def _continue(
    frame: JobsFrame,
    graph: JobGraph,
    context: StepContext,
    *,
    why: str,
    patch: Patch | None = None,
) -> StepOutcome:
    part, now = jobs_part(frame.skill, context), context.services.now
    if graph.status == "finished":
        return _finish(graph, context.playbook.skills[frame.skill], part, patch)
    if graph.status in ("stopped", "failed"):
        return _stand_still(frame, graph, part, context, why)
    progress = graphs.measure_progress(graph, now)
    first = _in_turn(progress.free, graph, part)[: max(0, part.concurrency - progress.busy)]
    budget = part.budget or context.services.limits.graph
    if first and budget.is_used_up(frame.used):
        if not any(job.status == "running" for job in graph.jobs):
            return _stop_for_budget(frame, graph, budget, context, why)
        # Running jobs end first: their results were paid for.
        first = ()
    graph = graphs.begin(graph, {job.id for job in first})
    children = tuple(_child(job.id, graph, part, frame.skill) for job in first)
    alarms = _new_alarms(frame.graph, graph)
    if children:
        why = f"{why}; begins {', '.join(child.key for child in children)}"
    after = frame.model_copy(update={"graph": graph, "asked": ""})
    note = progress_note(graph, progress, context)
    # A typed word to go on has answered the card.
    answered = (frame.asked,) if frame.asked else ()
    return Fork(after, children, why, patch=patch, note=note, alarms=alarms, dropped_cards=answered)


def _in_turn(free: Sequence[Job], graph: JobGraph, part: JobsPart) -> Sequence[Job]:
    """The jobs that may begin: of those that may write what rules name, one after the other."""
    ruled = {name for rule in part.rules for name in rule.tools}

    def may_write(job: Job) -> bool:
        expert = find_expert((*part.experts, *graph.experts), job.assigned_expert)
        return bool(expert and not job.leading and ruled.intersection(expert.tools))

    kept, taken = list[Job](), any(j.status == "running" and may_write(j) for j in graph.jobs)
    for job in free:
        if not may_write(job):
            kept.append(job)
        elif not taken:
            kept.append(job)
            taken = True
    return kept


def _reset_budget(frame: JobsFrame) -> JobsFrame:
    """Count the budget anew, as somebody lets the graph go on."""
    return frame.model_copy(update={"used": ModelUsage()})


def _stop_for_budget(
    frame: JobsFrame, graph: JobGraph, budget: ModelBudget, context: StepContext, why: str
) -> StepOutcome:
    """Stop the graph and ask its requester; the playbook's `on_error` is not for this."""
    context.services.meter.count("budget_used", "graph")
    numbers = {"calls": f"{budget.calls:,}", "tokens": f"{budget.tokens:,}"}
    stopped = graphs.stop(graph, say("jobs.budget_used", context.run.lang, **numbers))
    return _stand_still(frame, stopped, jobs_part(frame.skill, context), context, why)


def _child(name: str, graph: JobGraph, part: JobsPart, skill: str) -> Child:
    job = graph.job(name)
    assert job is not None, "only jobs of the graph are begun"
    root = graph.decomposed[0] if graph.decomposed else graph.jobs[0]
    inputs = tuple((before.goal, before.result) for before in graph.inputs(job))
    others = (each for each in (*graph.jobs, *graph.decomposed) if each.id != job.id)
    brief = Brief(
        job=job,
        goal=root.goal,
        inputs=inputs,
        feedback=graph.feedback,
        experts=graph.experts,
        called=tuple(write.tool for other in others for write in other.made) if part.rules else (),
    )
    # What was said before the graph is not a result of the job.
    patch = Patch(by=skill, response="")
    if not job.leading:
        return Child(job.key, JobFrame(skill=skill, brief=brief, made=job.made), patch)
    goals = tuple(other.goal for other in graph.jobs if other.id != job.id)
    brief = brief.model_copy(update={"others": goals, "room": free_room(graph, part)})
    return Child(job.key, LeaderFrame(skill=skill, brief=brief), patch)


def _new_alarms(before: JobGraph | None, graph: JobGraph) -> tuple[Alarm, ...]:
    """An alarm for each new back-off, also of jobs that still wait for others."""
    alarms = []
    for job in graph.jobs:
        if job.not_before is None:
            continue
        old = before.job(job.id) if before else None
        if old is None or old.not_before != job.not_before:
            alarms.append(Alarm(job.key, job.not_before))
    return tuple(alarms)


def _stand_still(
    frame: JobsFrame, graph: JobGraph, part: JobsPart, context: StepContext, why: str
) -> StepOutcome:
    """Follow the playbook's `on_error`; without one, ask whether the graph goes on."""
    if graph.status == "failed" and part.on_error:
        ending = Ending(end="failed", said=graph.error)
        patch = Patch.from_paths(frame.skill, part.on_error, problems=(graph.error,), ending=ending)
        return Done(patch, f"{why}; failed: {graph.error}")
    card = standstill_card(graph, context)
    after = frame.model_copy(update={"graph": graph, "asked": card.token})
    note = standstill_note(graph, context)
    drops = _waiting_children(frame.graph, context)
    return Suspend(
        after, (card,), note, f"{why}; {graph.status}: {graph.error}", dropped_children=drops
    )


def _waiting_children(graph: JobGraph | None, context: StepContext) -> tuple[str, ...]:
    """The keys of children that wait for a person or an operator; nobody needs to answer them."""
    keys = {job.key for job in graph.jobs if job.seen} if graph else set()
    return tuple(key for key in context.run.children if key in keys)


def _finish(graph: JobGraph, skill: Skill, part: JobsPart, patch: Patch | None) -> Done:
    """End with the results of all jobs in the leaves that the playbook names."""
    needed = {name for job in graph.jobs for name in job.dependencies}
    summary = "\n\n".join(job.result for job in graph.jobs if job.id not in needed)
    data = dict(patch.data) if patch else {}
    if part.results:
        data[part.results] = tuple(
            {"job": job.goal, "expert": job.assigned_expert, "result": job.result}
            for job in graph.jobs
        )
    if part.summary:
        data[part.summary] = summary
    done = Patch.from_paths(
        skill.id, skill.sets, data=data, response=shorten(summary, RESPONSE_CHARS), problems=()
    )
    profile = {**(patch.profile if patch else {}), **done.profile}
    decisions = {**(patch.decisions if patch else {}), **done.decisions}
    update = {"profile": profile, "decisions": decisions, "ending": Ending(end="done")}
    return Done(done.model_copy(update=update), f"{len(graph.jobs)} jobs are done")
