"""The skill that the caller wants, under the same limits as any other (spec 000 §3.1)."""

from engine.planner.situation import Plan, Situation


async def force_skill(now: Situation) -> Plan | None:
    """The forced skill, or an error that says what keeps it from running."""
    if not now.force:
        return None
    # What query mode forbids is refused by the chain, with the reason.
    if now.query or now.force in {skill.id for skill in now.available}:
        return Plan("call_skill", now.force, "the caller asks for it")
    return Plan("stuck", now.force, f"{now.force} cannot run: {now.bars(now.force)}")
