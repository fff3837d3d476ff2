"""From a node of an SOP to the next one, or out through an end (spec 001 §4.2)."""

from engine.frames.outcome import Advanced, Done, Next
from engine.frames.state import Patch, SopFrame
from engine.playbooks.skill import Sop
from engine.ports.findings import Check


def go_to(
    frame: SopFrame,
    sop: Sop,
    target: str,
    why: str,
    *,
    patch: Patch | None = None,
    checks: tuple[Check, ...] = (),
) -> Advanced:
    """To the next node, or out through an end with the state it sets."""
    if not target.startswith("end"):
        frame = frame.model_copy(update={"node": target, "asked": ""})
        return Next(frame, why, patch, checks=checks)
    base = patch or Patch(by=frame.skill)
    ending = Patch.setting(base.by, sop.outcomes.get(target, {}))
    problems = base.problems if base.problems is not None else frame.problems
    merged = base.model_copy(
        update={
            "profile": {**base.profile, **ending.profile},
            "decisions": {**base.decisions, **ending.decisions},
            "problems": problems,
            "end": target,
        }
    )
    return Done(merged, f"{why}; {target}", checks)
