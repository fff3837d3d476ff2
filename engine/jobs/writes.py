"""What an expert writes: calls that people approve as they approve those of a plan (§7)."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from cards.forms import is_storable
from engine.frames.job_graph import UNUSABLE, JobFrame, JobWrite, ProposedCall
from engine.frames.llm_plan import LlmPlanFrame, LlmPlanStep
from engine.frames.outcome import Done, Next, Push, StepContext
from engine.frames.state import Patch, Run
from engine.jobs.shared import end_job
from engine.playbooks.job_graph import Expert, JobsPart
from engine.ports.model import Message
from engine.reviews.approvals import call_digest
from engine.rules.call_rules import CallRule
from engine.text.fence import fence_data
from engine.tool_plan.planning.schemas import fault_of, missing_names, required_names
from engine.tool_plan.responses import made_by
from engine.tools.model import Tool
from engine.tools.registry import may_read

MAX_CALLS = 5
"""An expert proposes so many calls at once."""
MAX_PROPOSALS = 3
"""So often it may propose some."""


def writing_tools(expert: Expert, part: JobsPart, context: StepContext) -> dict[str, Tool[Any]]:
    """The expert's tools that write, as far as they are for who asks; none without a review."""
    if part.review is None:
        return {}
    found = (context.find_tool(name) for name in expert.tools)
    here = context.tool_context()
    return {tool.name: tool for tool in found if not tool.readonly and may_read(tool, here)}


def proposal_faults(
    calls: Sequence[ProposedCall],
    tools: dict[str, Tool[Any]],
    frame: JobFrame,
    rules: Sequence[CallRule] = (),
) -> list[str]:
    """What is wrong with proposed calls, for the model."""
    if frame.proposals >= MAX_PROPOSALS:
        return ["writes: no more can be proposed; answer with a status"]
    if len(calls) > MAX_CALLS:
        return [f"writes: should have at most {MAX_CALLS} entries, not {len(calls)}"]
    faults = [
        f"writes.{number}: {fault}"
        for number, call in enumerate(calls)
        if (fault := _fault(call, tools))
    ]
    return faults or _broken_rules(calls, frame, rules)


def _broken_rules(
    calls: Sequence[ProposedCall], frame: JobFrame, rules: Sequence[CallRule]
) -> list[str]:
    """The calls that break a rule, after all that the graph's jobs have written."""
    before = {call.call for call in frame.made}
    new = [number for number, call in enumerate(calls) if _digest(call) not in before]
    done = (*frame.brief.called, *(call.tool for call in frame.made))
    names = (*done, *(calls[number].tool for number in new))
    found = ((rule, rule.broken_at(names)) for rule in rules)
    return [
        f"writes.{new[at - len(done)]}: breaks a rule of this team: {rule}"
        for rule, at in found
        if at is not None and at >= len(done)
    ]


def _fault(call: ProposedCall, tools: dict[str, Tool[Any]]) -> str:
    tool = tools.get(call.tool)
    if not tools:
        return "you have no tool that writes; answer with a status"
    if tool is None:
        return f"none of your tools that write is called so; known here: {', '.join(tools)}"
    if not is_storable(json.dumps(call.arguments, ensure_ascii=False)):
        return "should be without NUL and half characters"
    schema = tool.input_schema()
    if missing := missing_names(schema, call.arguments):
        needed = ", ".join(required_names(schema))
        return f"arguments lack {', '.join(missing)}; needed are {needed}"
    return fault_of(schema, call.arguments)


def push_writes(frame: JobFrame, context: StepContext) -> Push | Next:
    """Have the proposed calls approved and made, but for those that this job has made before."""
    before = {call.call for call in frame.made}
    new = [call for call in frame.writes if _digest(call) not in before]
    after = frame.model_copy(update={"writes": (), "proposals": frame.proposals + 1})
    if not new:
        return Next(_told(after, "All of it was made before."), "proposes only what was made")
    steps = [
        LlmPlanStep(number=number, tool=call.tool, arguments=call.arguments)
        for number, call in enumerate(new, 1)
    ]
    end = LlmPlanStep(number=len(steps) + 1)
    plan = LlmPlanFrame(
        skill=frame.skill, made=context.run.steps + 1, steps=(*steps, end), job=True
    )
    names = ", ".join(call.tool for call in new)
    return Push(after, plan, f"{frame.brief.job.assigned_expert} wants to call {names}")


def take_writes(frame: JobFrame, patch: Patch) -> Next | Done:
    """Tell the expert what was made; the job ends where the calls were rejected, or failed.

    Nobody is asked again for what they rejected: that fails the job. What failed is tried again.
    """
    after = frame.model_copy(update={"made": add_made(frame.made, patch.made)})
    ending = patch.ending
    assert ending is not None, "a plan says how it ended"
    if ending.end == "done":
        told = f"Approved, and carried out: {fence_data(patch.response or '')}"
        return Next(_told(after, told), "its calls were made")
    verdict = "EXECUTION_ERROR" if ending.end == "failed" else UNUSABLE
    done = end_job(frame.skill, verdict, ending.said)
    return replace(done, patch=done.patch.model_copy(update={"made": after.made}))


def _told(frame: JobFrame, text: str) -> JobFrame:
    message = Message(role="user", content=f"{text}\nGo on.")
    return frame.model_copy(update={"messages": (*frame.messages, message)})


def made_in(run: Run) -> tuple[JobWrite, ...]:
    """Every write that was made for the job that the run carries out, in this attempt or before."""
    made: tuple[JobWrite, ...] = run.result.made if run.result else ()
    for frame in run.frames:
        match frame:
            case JobFrame():
                made = add_made(frame.made, made)
            case LlmPlanFrame():
                made = add_made(made, made_by(frame))
    return made


def add_made(before: Iterable[JobWrite], new: Iterable[JobWrite]) -> tuple[JobWrite, ...]:
    """The calls, each of them once."""
    return tuple({each.call: each for each in (*before, *new)}.values())


def _digest(call: ProposedCall) -> str:
    return call_digest(({"tool": call.tool, "arguments": call.arguments},))
