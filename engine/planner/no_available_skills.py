"""Nothing was sure (spec 000 §3.7)."""

from engine.planner.situation import Plan, Situation


async def no_available_skills(now: Situation) -> Plan | None:
    """The requester chooses among what can run; where nothing can, people are told what is missing.

    A phase that misses something is never finished so.
    """
    names = ", ".join(skill.id for skill in now.available) or "none"
    missing = ", ".join(now.missing)
    why = f"no strategy was sure; can run: {names}; missing: {missing}"
    return Plan("choose" if now.available and not now.query else "respond", "", why)
