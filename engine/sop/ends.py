"""From a node of an SOP to the next node, or to an end (spec 001 §4.2)."""

from collections.abc import Mapping
from dataclasses import replace

from cards.markdown import format_value, literal
from cards.texts import say
from engine.frames.outcome import (
    CardAnswered,
    Done,
    FrameInput,
    Next,
    NodeResult,
    NodeVerdict,
    StepContext,
    StepOutcome,
)
from engine.frames.state import Patch, SopFrame
from engine.frames.text_names import fill_markdown
from engine.playbooks.end_kinds import Ending, RunEnd, SopEnd
from engine.playbooks.skill import Sop
from engine.ports.storage.findings import Check
from engine.reviews.policy import is_own_cancel, rejection_text

RULES, MODEL, SIGNOFF = "rules", "model", "signoff"
"""Who judged a node, if no person did."""
_DEFAULT_ENDS: Mapping[NodeResult, SopEnd] = {
    "passed": "done",
    "approved": "done",
    "checked": "done",
    "failed": "refused",
    "rejected": "rejected",
    "expired": "expired",
    "error": "failed",
}
"""The end of an SOP whose outcome names none, by the result of its last node."""
MOST_TOLD = 10
"""So many findings in records are told in a reply; their table has all."""
_NO_RECORDS: Mapping[str, object] = {
    "left": None,
    "of": 0,
    "checked": 0,
    "found": 0,
    "findings": (),
    "summary": (),
}
"""A node that begins has judged no records, whatever nodes before it have."""


def go_to(
    frame: SopFrame,
    sop: Sop,
    target: str,
    why: str,
    *,
    patch: Patch | None = None,
    verdict: NodeVerdict | None = None,
    checks: tuple[Check, ...] = (),
) -> StepOutcome:
    """Go to the next node, or to an end with the state it sets; the dialogue is dropped."""
    verdict = verdict or NodeVerdict(frame.node, "checked", RULES, target)
    if not target.startswith("end"):
        visits = {**frame.visits, target: count_visits(frame, sop, target) + 1}
        update = {"node": target, "asked": "", "visits": visits, "soft": None}
        after = frame.model_copy(update={**update, **_NO_RECORDS})
        return Next(after, why, patch, verdict=verdict, checks=checks)
    base = patch or Patch(by=frame.skill)
    ending = Patch.from_paths(base.by, sop.sets(target))
    problems = base.problems if base.problems is not None else frame.problems
    merged = base.model_copy(
        update={
            "profile": {**base.profile, **ending.profile},
            "decisions": {**base.decisions, **ending.decisions},
            "problems": problems,
            "violations": frame.violations,
            "end": target,
        }
    )
    return Done(merged, f"{why}; {target}", verdict, checks)


def add_ending(done: Done, sop: Sop, event: FrameInput, context: StepContext) -> Done:
    """The end with its meaning for the run: which end it is, whether approved, and its text."""
    assert done.verdict is not None, "an SOP ends at a node that was judged"
    result, target = done.verdict.result, done.verdict.next
    own_cancel = _is_own_cancel(done.verdict, sop, event, context)
    usual: RunEnd = "cancelled" if own_cancel else _DEFAULT_ENDS[result]
    end = sop.ends_as(target) or usual
    top = context.run.frames[-1]
    approved = result == "approved" or (isinstance(top, SopFrame) and bool(top.approved_by))
    own = sop.says(target)
    # That nobody decided is said once, in the playbook's words where it has some.
    is_told = end == "done" or own_cancel or (end == "expired" and own is not None)
    reason = "" if is_told else _reason(end, done, event, context)
    state = done.patch.apply(context.run.state)
    told = replace(context, run=context.run.model_copy(update={"state": state}))
    text = "\n\n".join(filter(None, (fill_markdown(own, told) if own else "", reason)))
    ending = Ending(end=end, said=text, approved=approved)
    return replace(done, patch=done.patch.model_copy(update={"ending": ending}))


def _is_own_cancel(verdict: NodeVerdict, sop: Sop, event: FrameInput, context: StepContext) -> bool:
    """Whether who asked took it back at this node, where nobody else is asked."""
    review = sop.nodes[verdict.node].review
    if review is None or not isinstance(event, CardAnswered):
        return False
    return is_own_cancel(review, event.decision, context.run)


def _reason(end: RunEnd, done: Done, event: FrameInput, context: StepContext) -> str:
    """Who rejected it and why, or else what the checks found."""
    assert done.verdict is not None
    if isinstance(event, CardAnswered) and done.verdict.result == "rejected":
        return rejection_text(event.decision, context)
    lang, problems = context.run.lang, done.patch.problems or ()
    match end:
        case "expired":
            return say("run.expired", lang)
        case "failed":
            return problems[-1] if problems else say("sop.error", lang)
    told = [f"- {problem}" for problem in problems] or _found(context)
    return "\n".join(told)


def _found(context: StepContext) -> list[str]:
    """What rules found in records at the node that ended it, a line each."""
    top = context.run.frames[-1]
    if not isinstance(top, SopFrame):
        return []
    rows = [[*map(format_value, filter(None, row.values()))] for row in top.findings[:MOST_TOLD]]
    lines = ["- " + " · ".join(map(literal, row)) for row in rows]
    if top.found > len(lines):
        lines += ["", say("tool.more_rows", context.run.lang, number=top.found - len(lines))]
    return lines


def count_visits(frame: SopFrame, sop: Sop, node: str) -> int:
    """How often the node was entered so far; an SOP begins in its start node."""
    return frame.visits.get(node, int(node == sop.start_node))
