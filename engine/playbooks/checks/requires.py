"""Skills that could never begin, since their `requires` wait for one another (spec 000 §2)."""

from collections.abc import Collection, Iterator, Sequence

from engine.playbooks.conditions import AllOf, AnyCondition, AnyOf, holds, paths
from engine.playbooks.skill import Skill


def stuck_requires(skills: Sequence[Skill]) -> Iterator[tuple[str, int, str]]:
    """The id of each skill that can never begin, which of its `requires` waits, and for what.

    What no skill changes may come from elsewhere, and any value may be set where one is.
    """
    stuck, filled = {skill.id: skill for skill in skills}, set[str]()
    while free := [skill for skill in stuck.values() if _may_begin(skill, stuck, filled)]:
        for skill in free:
            filled |= skill.changes
            del stuck[skill.id]
    for skill in stuck.values():
        for index, condition in enumerate(skill.requires):
            if not _may_hold(condition, stuck.values(), filled):
                yield skill.id, index, _told(skill, condition, stuck.values())


def _may_begin(skill: Skill, stuck: dict[str, Skill], filled: Collection[str]) -> bool:
    if skill.internal or skill.api_call_only:
        # Whoever calls it gives it a state of their own.
        return True
    return all(_may_hold(each, stuck.values(), filled) for each in skill.requires)


def _may_hold(condition: AnyCondition, stuck: Collection[Skill], filled: Collection[str]) -> bool:
    match condition:
        case AllOf():
            return all(_may_hold(each, stuck, filled) for each in condition.all)
        case AnyOf():
            return any(_may_hold(each, stuck, filled) for each in condition.any)
    if holds(condition, {}):
        return True
    waits_for = [path for path in paths(condition) if any(path in s.changes for s in stuck)]
    return not waits_for or bool(set(paths(condition)) & set(filled))


def _told(skill: Skill, condition: AnyCondition, stuck: Collection[Skill]) -> str:
    path = next(p for p in paths(condition) if any(p in other.changes for other in stuck))
    by = [other.id for other in stuck if path in other.changes]
    if by == [skill.id]:
        return f"could never hold: {path!r} is filled by this skill alone"
    return (
        f"could never hold: {path!r} is filled only by {', '.join(by)}, whose own requires wait "
        "in turn; let one of them begin without"
    )
