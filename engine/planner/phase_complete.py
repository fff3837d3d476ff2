"""A phase whose gate and checkpoints hold is left (spec 000 §3.4)."""

from engine.planner.phases import PhaseManager
from engine.planner.situation import Plan, Situation


async def phase_complete(now: Situation) -> Plan | None:
    """Go to the first phase that is open, which may lie behind; finish when none is."""
    first = PhaseManager(now.playbook, now.request).first_open(now.state)
    if first is None:
        return Plan("finish", "", "every phase is complete")
    if first.id == now.phase.id:
        return None
    return Plan("replan", first.id, f"{first.id} is the first phase that is not complete")
