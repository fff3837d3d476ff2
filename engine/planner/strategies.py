"""The strategies that need no model, each sure of one thing (spec 000 §3, 003)."""

from engine.planner.phases import PhaseManager
from engine.planner.situation import Plan, Situation
from engine.playbooks.conditions import explain, holds
from engine.playbooks.skill import FILES, Skill
from engine.text.entities import fold
from engine.text.similarity import bigrams, cosine


async def force_skill(situation: Situation) -> Plan | None:
    """The skill that the caller forces; an error if anything keeps it from running (000 §3.1)."""
    name = situation.force
    if not name:
        return None
    # What query mode forbids is refused by the chain, with the reason.
    if situation.query or situation.is_available(name):
        return Plan("call_skill", name, "the caller asks for it")
    return Plan("stuck", name, f"{name} cannot run: {situation.why_unavailable(name)}")


async def file_preprocess(situation: Situation) -> Plan | None:
    """The first skill for files, while it has not had an attachment (003)."""
    unread = [file.name for file in situation.state.unseen_files]
    reader = next((skill for skill in situation.available if skill.category == FILES), None)
    if not unread or reader is None:
        return None
    return Plan("call_skill", reader.id, f"not read yet: {', '.join(unread)}")


async def priority_rules(situation: Situation) -> Plan | None:
    """The skill of the first rule that holds, the playbook's before the phase's (000 §3.2).

    A rule whose skill cannot run is an error that names the rule.
    """
    phase, tree = situation.phase, situation.state.rule_tree()
    rules = (
        ("playbook", situation.playbook.definition.priority_rules),
        (f"phase {phase.id}", phase.priority_rules),
    )
    for owner, listed in rules:
        for number, rule in enumerate(listed, 1):
            if not holds(rule.when, tree):
                continue
            why = f"priority rule {number} of the {owner}: {explain(rule.when, tree)}"
            if situation.query or situation.is_available(rule.skill):
                return Plan("call_skill", rule.skill, why)
            cause = situation.why_unavailable(rule.skill)
            hint = "look at allowed_skills and requires"
            return Plan("stuck", rule.skill, f"{why}; {rule.skill} cannot run: {cause}; {hint}")
    return None


async def query_mode(situation: Situation) -> Plan | None:
    """For a question about the run, its playbook's retrieval skill that fits best (000 §3.3)."""
    if not situation.query:
        return None
    if situation.available:
        best = max(situation.available, key=lambda skill: _fit(skill, situation))
        return Plan("call_skill", best.id, "query mode: it only finds out")
    return Plan("respond", "", "query mode: no retrieval skill can run")


def _fit(skill: Skill, situation: Situation) -> float:
    """How near a skill's name, description and what it provides are to the question."""
    leaves = (situation.playbook.definition.leaf(path) for path in skill.provided_paths)
    labels = (text for leaf in leaves if leaf for text in leaf.label.texts)
    about = " ".join((*skill.name.texts, *skill.description.texts, *labels))
    return cosine(bigrams(fold(situation.question)), bigrams(fold(about)))


async def phase_complete(situation: Situation) -> Plan | None:
    """To the first phase that is open, which may lie behind; finish when none is (000 §3.4)."""
    manager = PhaseManager(situation.playbook, situation.request)
    first = manager.first_open(situation.state)
    if first is None:
        return Plan("finish", "", "every phase is complete")
    if first.id == situation.phase.id:
        return None
    return Plan("replan", first.id, f"{first.id} is the first phase that is not complete")


async def deterministic(situation: Situation) -> Plan | None:
    """The one skill that covers most of what the phase misses (000 §3.5)."""
    skills, missing = situation.available, set(situation.missing)
    names = ", ".join(sorted(missing))
    if len(skills) == 1:
        return Plan("call_skill", skills[0].id, f"the only one that can run; missing {names}")
    covers = sorted(((len(missing & set(s.provided_paths)), s.id) for s in skills), reverse=True)
    if not covers or covers[0][0] == 0 or (len(covers) > 1 and covers[0][0] == covers[1][0]):
        return None
    count, best = covers[0]
    return Plan("call_skill", best, f"covers {count} of what is missing: {names}")


async def no_available_skills(situation: Situation) -> Plan | None:
    """The requester's choice; where nothing can run, people learn what is missing (000 §3.7).

    Nothing was sure: a phase that misses something is never finished by this.
    """
    names = ", ".join(skill.id for skill in situation.available) or "none"
    missing = ", ".join(situation.missing)
    why = f"no strategy was sure; can run: {names}; missing: {missing}"
    return Plan("choose" if situation.available and not situation.query else "respond", "", why)
