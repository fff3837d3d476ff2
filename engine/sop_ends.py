"""From a node of an SOP to the next one, or out through an end (spec 001 §4.2)."""

from engine.frames.outcome import Advanced, Done, Judged, Next
from engine.frames.state import Patch, SopFrame
from engine.playbooks.skill import Sop
from engine.ports.findings import Check

RULES, MODEL, SIGNOFF = "rules", "model", "signoff"
"""Who judged, when no person did."""


def go_to(
    frame: SopFrame,
    sop: Sop,
    target: str,
    why: str,
    *,
    patch: Patch | None = None,
    judged: Judged | None = None,
    checks: tuple[Check, ...] = (),
) -> Advanced:
    """To the next node, or out through an end with the state it sets; the dialogue is dropped."""
    judged = judged or Judged(frame.node, "checked", RULES, target)
    if not target.startswith("end"):
        visits = {**frame.visits, target: entered(frame, sop, target) + 1}
        update = {"node": target, "asked": "", "visits": visits, "soft": None}
        after = frame.model_copy(update=update)
        return Next(after, why, patch, judged=judged, checks=checks)
    base = patch or Patch(by=frame.skill)
    ending = Patch.setting(base.by, sop.outcomes.get(target, {}))
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
    return Done(merged, f"{why}; {target}", judged, checks)


def entered(frame: SopFrame, sop: Sop, node: str) -> int:
    """How often the node was entered so far; an SOP begins in its start node."""
    return frame.visits.get(node, int(node == sop.start_node))
