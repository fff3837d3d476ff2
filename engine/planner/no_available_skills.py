"""Nothing was sure (spec 000 §3.7)."""

from engine.planner.situation import Plan, Situation


async def no_available_skills(now: Situation) -> Plan | None:
    """People are told what is missing; a phase that misses something is never finished so."""
    names = ", ".join(skill.id for skill in now.available) or "none"
    missing = ", ".join(now.missing)
    return Plan("respond", "", f"no strategy was sure; can run: {names}; missing: {missing}")
