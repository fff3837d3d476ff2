"""Configured rules name the skill (spec 000 §3.2)."""

from engine.planner.situation import Plan, Situation
from engine.playbooks.conditions import explain, holds


async def priority_rules(now: Situation) -> Plan | None:
    """The skill of the first rule that holds, the playbook's before the phase's.

    A rule whose skill cannot run is an error that names the rule.
    """
    runnable = {skill.id for skill in now.available}
    rules = [("playbook", now.playbook.definition.priority_rules)]
    rules.append((f"phase {now.phase.id}", now.phase.priority_rules))
    tree = now.state.tree()
    for where, listed in rules:
        for number, rule in enumerate(listed):
            if not holds(rule.when, tree):
                continue
            named = f"priority rule {number + 1} of the {where}: {explain(rule.when, tree)}"
            if rule.skill in runnable or now.query:
                return Plan("call_skill", rule.skill, named)
            return Plan("stuck", rule.skill, f"{named}; {_cannot(now, rule.skill)}")
    return None


def _cannot(now: Situation, skill: str) -> str:
    return f"{skill} cannot run: {now.bars(skill)}; look at allowed_skills and requires"
