"""What is missing names the skill, without a model (spec 000 §3.5)."""

from engine.planner.situation import Plan, Situation


async def deterministic(now: Situation) -> Plan | None:
    """The one skill that covers most of what the phase misses."""
    missing = set(now.missing)
    told = ", ".join(sorted(missing))
    if len(now.available) == 1:
        return Plan("call_skill", now.available[0].id, f"the only one that can run; missing {told}")
    covers = sorted(((len(missing & set(s.provided)), s.id) for s in now.available), reverse=True)
    if not covers or covers[0][0] == 0 or (len(covers) > 1 and covers[0][0] == covers[1][0]):
        return None
    return Plan("call_skill", covers[0][1], f"covers {covers[0][0]} of what is missing: {told}")
