"""A soft instruction of an SOP: the model judges, or a person if it is unsure (001 §3, §4)."""

from dataclasses import replace
from typing import Any

from cards.markdown import literal
from cards.texts import say
from engine.frames.outcome import Next, NodeVerdict, StepContext, StepOutcome
from engine.frames.state import SopFrame
from engine.playbooks.skill import Sop, SopNode
from engine.rules.soft import MATERIAL_CHARS, SoftDialogue, SoftRuleEngine, Verdict
from engine.skills.prompts import run_briefing
from engine.sop.ends import MODEL, go_to
from engine.sop.findings import verdict_check
from engine.sop.review import ask, title_of
from engine.text.excerpts.known import known_lines


async def judge(frame: SopFrame, sop: Sop, node: SopNode, context: StepContext) -> StepOutcome:
    """One answer of the model or one round of calls; a verdict leads on, doubt asks a person."""
    engine = _engine(node, context)
    dialogue = frame.soft or _begin(engine, node, context)
    if dialogue.unsure:
        return await ask(frame, sop, node, context)
    after = await engine.advance(dialogue)
    frame = frame.model_copy(update={"soft": after})
    if after.verdict is not None and not after.unsure:
        return _follow(frame, sop, node, after.verdict, context)
    return Next(frame, f"{frame.node}: {_reason(after)}")


def _engine(node: SopNode, context: StepContext) -> SoftRuleEngine:
    services = context.services
    tools = context.model_tools(node.tools, _known(context), MATERIAL_CHARS)
    return SoftRuleEngine(services.model, tools, services.limits.soft)


def _known(context: StepContext) -> dict[str, Any]:
    """What the model judges by, which no decision is a part of."""
    tree = context.run.state.tree()
    return {name: part for name, part in tree.items() if name != "decisions"}


def judged_lines(context: StepContext) -> tuple[str, ...]:
    """What the model judges by: who asked for what, after what, and what is known."""
    known = known_lines(_known(context), MATERIAL_CHARS)
    # What was decided, or found wrong, before is no verdict of this instruction.
    return replace(run_briefing(context, known), decisions=(), problems=()).lines()


def _begin(engine: SoftRuleEngine, node: SopNode, context: StepContext) -> SoftDialogue:
    return engine.begin(node.instruction, judged_lines(context), context.run.lang)


def _follow(
    frame: SopFrame, sop: Sop, node: SopNode, verdict: Verdict, context: StepContext
) -> StepOutcome:
    target = node.pass_target if verdict.passed else node.fail_target
    node_verdict = NodeVerdict(frame.node, "passed" if verdict.passed else "failed", MODEL, target)
    why = f"{frame.node} {node_verdict.result} ({verdict.confidence:.2f}): {verdict.reason}"
    title = title_of(frame, sop, context)
    is_problem = not (verdict.passed or node.only_branches)
    checks = verdict_check(frame, title, verdict.reason, context, passed=not is_problem)
    if is_problem:
        reason = literal(verdict.reason)
        problem = say("soft.told", context.run.lang, title=literal(title), reason=reason)
        frame = frame.model_copy(update={"problems": (*frame.problems, problem)})
    return go_to(frame, sop, target, why, verdict=node_verdict, checks=checks)


def _reason(after: SoftDialogue) -> str:
    """What the step did, for the audit."""
    if after.unsure:
        return f"a person has to decide ({after.unsure})"
    last = after.messages[-1]
    if last.role == "user":
        return "the model's answer was sent back"
    wanted = next(m.tool_calls for m in reversed(after.messages) if m.tool_calls)
    names = ", ".join(call.name for call in wanted)
    return f"called {names}" if last.role == "tool" else f"the model wants {names}"
