"""A question about a run is answered beside it: nothing of it changes (spec 000 §3.3)."""

from engine.planner.situation import Plan, Situation


async def query_mode(now: Situation) -> Plan | None:
    """The first retrieval skill of the playbook's own list; without one, how the run stands."""
    if not now.query:
        return None
    if now.available:
        return Plan("call_skill", now.available[0].id, "query mode: it only finds out")
    return Plan("respond", "", "query mode: no retrieval skill can run")
