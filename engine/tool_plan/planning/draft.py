"""The model drafts a run's plan from the request, what is known, and what was done before."""

from cards.markdown import literal, quote
from cards.model import Lang
from cards.texts import say
from engine.dialogue import unanswered_text
from engine.errors import ModelError
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import Next, Note, StepContext, StepOutcome
from engine.frames.state import PlannerFrame
from engine.playbooks.skill import ToolPlanner
from engine.skills.prompts import run_briefing
from engine.text.excerpts.excerpt import excerpt
from engine.text.excerpts.known import known_lines
from engine.text.fence import fence_data
from engine.tool_plan.planning.llm_planner import LLMPlanner
from engine.tool_plan.planning.prompts import PlanRequest
from engine.tool_plan.planning.steps import PlanDraft
from engine.tool_plan.responses import dropped_text, fail_plan
from engine.tools.registry import may_read
from engine.tools.top_tools import OfferedTools

KNOWN_CHARS = 4000
DONE_CHARS = 6000


async def draft_plan(
    frame: LlmPlanFrame, planner: ToolPlanner, context: StepContext
) -> StepOutcome:
    """Let the model make the plan; the run fails with the reason when it has no usable one."""
    run, model = context.run, context.services.model
    if model is None:
        return fail_plan(frame, planner, say("plan.no_model", run.lang), "no model", context)
    llm_planner = LLMPlanner(model, planner.max_steps, planner.enable_repair, planner.top_k)
    allowed = (context.find_tool(name) for name in planner.tools)
    offered = OfferedTools(each for each in allowed if may_read(each, context.tool_context()))
    try:
        draft = await llm_planner.draft(_request(frame, planner, context), offered)
    except ModelError as error:
        text = unanswered_text(error, run.lang, away="plan.model_away", limited="plan.day_limit")
        return fail_plan(frame, planner, text, str(error), context)
    names = ", ".join(step.tool or "reply" for step in draft.steps)
    left = "; ".join(map(str, draft.dropped))
    if _is_empty(draft, frame):
        reason = _why_empty(draft, frame, run.lang)
        return fail_plan(frame, planner, reason, f"no step can be taken; {left}", context)
    after = frame.model_copy(
        update={
            "made": run.steps + 1,
            "steps": draft.steps,
            "dropped": (*frame.dropped, *draft.dropped),
        }
    )
    why = f"the model plans {names}" + (f"; left out {left}" if left else "")
    note = Note("working", say("part.resumed", run.lang, name=literal(run.name)))
    return Next(after, why, note=note)


def _is_empty(draft: PlanDraft, frame: LlmPlanFrame) -> bool:
    """Whether the plan only replies that it does nothing of what was asked.

    All of it was left out, or has failed before.
    """
    if any(step.tool for step in draft.steps):
        return False
    drops_call = any(step.name for step in draft.dropped)
    failed_before = bool(frame.failure) and not any(step.tool for step in frame.done)
    return not draft.sound or drops_call or failed_before


def _why_empty(draft: PlanDraft, frame: LlmPlanFrame, lang: Lang) -> str:
    """Why there is no plan: what failed before, what the model said instead, what was left out."""
    unavailable, reply = say("plan.unavailable", lang), draft.steps[0].text
    parts = [frame.reason if draft.sound and frame.failure else unavailable]
    parts += [quote(reply)] if reply != unavailable and not draft.dropped else []
    parts += [dropped_text(draft.dropped, lang)] if draft.dropped else []
    return "\n\n".join(parts)


def _request(frame: LlmPlanFrame, planner: ToolPlanner, context: StepContext) -> PlanRequest:
    run = context.run
    query = run.message
    if run.text.strip() != run.message.strip():
        query = f"{run.message}\n\nPlan only for this part of it: {run.text}"
    # A caller that forces the skill takes its result: nobody is there to ask.
    forced = any(isinstance(below, PlannerFrame) and below.force for below in run.frames)
    return PlanRequest(
        profile=planner.profile,
        query=query,
        known="\n".join(_known(frame, context)),
        earlier=tuple(step.number for step in frame.done if step.tool),
        ask=not forced,
        lang=run.lang,
        rules=planner.rules,
        called=tuple(step.tool for step in frame.done if step.tool),
    )


def _known(frame: LlmPlanFrame, context: StepContext) -> list[str]:
    """The material beside the request, all of it as data."""
    data = context.run.state.data
    known = known_lines(context.run.state.tree()["data"], KNOWN_CHARS, has_reader=False)
    parts = [*run_briefing(context, known if data else (), request="").lines()]
    if frame.failure:
        done = {f"step {s.number}, {s.tool}": s.result for s in frame.done if s.tool}
        results = excerpt(done, DONE_CHARS)
        parts += [
            "A plan was made before. These of its steps are done, and are not to be repeated: "
            + fence_data(results.text),
            *(
                [f"Too long to be shown of them: {fence_data(results.names)}"]
                if results.names
                else ()
            ),
            f"The next one failed: {fence_data(frame.failure)}",
            "Plan the rest in another way, or say in a reply why it cannot be done.",
        ]
    return parts
