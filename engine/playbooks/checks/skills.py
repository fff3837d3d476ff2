"""What models cannot check of skills: parts, paths, output, card, which never begin (000 §2)."""

from collections.abc import Collection, Iterator, Sequence
from typing import assert_never

from cards.values import TODAY, Bound
from engine.playbooks.checks.documents import DocumentCheck
from engine.playbooks.checks.jobs import JobsCheck
from engine.playbooks.checks.names import FileCheck, KnownNames
from engine.playbooks.checks.review import ReviewCheck
from engine.playbooks.checks.sop import SopCheck
from engine.playbooks.checks.tool_plans import PlanCheck, PlannerCheck
from engine.playbooks.conditions import AllOf, AnyCondition, AnyOf, holds, paths_of
from engine.playbooks.leaf import Column, Leaf
from engine.playbooks.review import ReviewPolicy
from engine.playbooks.skill import FILES, RETRIEVAL, Ask, OutputSchema, Skill, SkillCard
from engine.yaml.faults import Path
from engine.yaml.source import Problems, Source

_PARTS = {
    "prompt": ("ask", "system_prompt"),
    "sop": ("sop",),
    "tool_plan": ("plan", "planner"),
    "job_graph": ("jobs",),
    "document": ("document",),
}
"""A skill of this kind has one of these parts, and none of the others'."""
_WITH_MODEL = ("output_schema", "tools", "card")


class SkillCheck(FileCheck):
    """One pass over a skill's file; adds each problem where it stands."""

    def __init__(self, names: KnownNames, skill: Skill, source: Source, problems: Problems) -> None:
        super().__init__(names, source, problems)
        self._it = skill
        self._inner = (names, source, problems)

    def run(self) -> None:
        """Check the skill's part, paths and references."""
        skill = self._it
        self._parts(skill)
        for index, condition in enumerate(skill.requires):
            self.check_condition(condition, ("requires", index))
        for index, path in enumerate(skill.provides):
            self.check_path(path, ("provides", index))
        self.check_settings(skill.sets, ("sets",))
        if skill.category == RETRIEVAL:
            self._retrieval(skill)
        if skill.ask:
            self._ask(skill.ask)
        if skill.category == FILES and not skill.system_prompt:
            fault = "files are read by a skill with a system_prompt; name another category"
            self.add(("category",), fault)
        self._output(skill.output_schema)
        self.check_read_tools(skill.tools, ("tools",))
        if skill.card:
            self._card(skill.card)
        if skill.sop:
            SopCheck(*self._inner).run(skill.sop)
        if skill.plan:
            PlanCheck(self.names, skill, self.source, self._inner[2]).run(skill.plan)
        if skill.planner:
            PlannerCheck(*self._inner).run(skill.planner)
        if skill.jobs:
            JobsCheck(*self._inner).run(skill.jobs)
        if skill.document:
            DocumentCheck(*self._inner).run(skill.document)

    def _parts(self, skill: Skill) -> None:
        for kind, parts in _PARTS.items():
            given = [part for part in parts if getattr(skill, part)]
            for part in given if kind != skill.kind else ():
                self.add((part,), f"belongs to kind {kind}, this skill is of kind {skill.kind}")
            if kind == skill.kind and len(given) != 1:
                one = " or ".join(parts)
                fault = f"either {one} should be given" if given else f"is required for kind {kind}"
                self.add((parts[0],), fault if given or len(parts) == 1 else f"{fault}: {one}")
        for part in _WITH_MODEL:
            if not skill.system_prompt and getattr(skill, part) not in (None, (), OutputSchema()):
                self.add((part,), "goes together with system_prompt")

    def _retrieval(self, skill: Skill) -> None:
        if not skill.system_prompt:
            self.add(("system_prompt",), "is required for category retrieval")
        for part in ("output_schema", "card", "sets", "provides"):
            if getattr(skill, part) not in (None, (), {}, OutputSchema()):
                self.add((part,), "a retrieval skill answers questions and changes nothing")

    def _ask(self, ask: Ask) -> None:
        self.check_text(ask.title, ("ask", "title"))
        self.check_text(ask.text, ("ask", "text"))
        for index, name in enumerate(ask.fields):
            known = self.names.data_fields
            self.require_known(name, known, ("ask", "fields", index), "data field")
            self.check_given(name, ("ask", "fields", index))
        if ask.instead:
            at = ("ask", "instead")
            self.require_known(ask.instead.of, ask.fields, (*at, "of"), "asked field")
            self.check_settings(ask.instead.sets, (*at, "sets"))

    def _output(self, schema: OutputSchema) -> None:
        for group, key, names in (
            ("profile", "profile_fields", schema.profile),
            ("data", "data_fields", schema.data),
        ):
            for index, name in enumerate(names):
                known = self.names.fields[key]
                what = f"{group} field"
                if group == "data":
                    self.check_given(name, ("output_schema", group, index))
                self.require_known(name, known, ("output_schema", group, index), what)

    def _card(self, card: SkillCard) -> None:
        self.check_text(card.title, ("card", "title"))
        self.check_text(card.text, ("card", "text"))
        for index, path in enumerate(card.shows):
            self.check_path(path, ("card", "shows", index))
        if card.decision:
            known = self.names.fields["decision_fields"]
            self.require_known(card.decision, known, ("card", "decision"), "decision field")
        if card.review:
            self._review(card, card.review)
        match card.kind:
            case "confirm":
                if not card.decision:
                    self.add(("card", "decision"), "is required: what a confirmation sets")
                for key in ("field", "options_from"):
                    if getattr(card, key):
                        self.add(("card", key), "belongs to a select")
            case "select":
                if not card.field:
                    self.add(("card", "field"), "is required: where the choice goes")
                else:
                    self.check_path(card.field, ("card", "field"))
                    self.check_given(card.field, ("card", "field"))
                self._options(card.options_from, card.field)
            case _:
                assert_never(card.kind)

    def _review(self, card: SkillCard, review: ReviewPolicy) -> None:
        """Who decides, where it is not the requester."""
        at: Path = ("card", "review")
        ReviewCheck(*self._inner).policy(review, at)
        if review.execute_s:
            self.add((*at, "execute_within"), "belongs to a review that shows a plan")
        if review.may_edit:
            fault = "does not go with a card: it is sent back with a reason"
            self.add((*at, "may_edit"), fault)
        if card.deadline_s:
            self.add(("card", "deadline_s"), "belongs into review, as deadline")
        if card.kind == "select" and (review.quorum > 1 or review.also):
            key = "quorum" if review.quorum > 1 else "also"
            fault = "does not go with a select, which one person decides; have a confirm follow it"
            self.add((*at, key), fault)

    def _options(self, options_from: str, field: str) -> None:
        at = ("card", "options_from")
        name, _, column = options_from.rpartition(".")
        definition = self.names.definition
        if definition is None:
            return
        leaf = definition.data_fields.get(name)
        if leaf is None or column not in leaf.columns:
            self.add(at, "should be a column of a list among data_fields, as leaf.column")
            return
        chosen, offered = definition.leaf(field), leaf.columns[column]
        if chosen and not _fits_type(chosen, offered):
            fault = f"takes {chosen.type} values, and {options_from} has {offered.type} ones"
            self.add(("card", "field"), fault)
        elif chosen and not _fits_bounds(chosen, offered):
            fault = f"is bounded, and {options_from} is not so: a choice might not fit"
            self.add(("card", "field"), fault)


def _fits_bounds(chosen: Leaf, offered: Column) -> bool:
    """Whether what fits the column fits the leaf as well."""
    least = chosen.minimum is None or _are_ordered(chosen.minimum, offered.minimum)
    most = chosen.maximum is None or _are_ordered(offered.maximum, chosen.maximum)
    currencies = not chosen.currencies or (
        bool(offered.currencies) and set(offered.currencies) <= set(chosen.currencies)
    )
    return chosen.pattern in ("", offered.pattern) and least and most and currencies


def _are_ordered(low: Bound | None, high: Bound | None) -> bool:
    """Whether both are bounds, the first of them not above the second."""
    if isinstance(low, float) and isinstance(high, float):
        return low <= high
    if not isinstance(low, str) or not isinstance(high, str):
        return False
    return low == high if TODAY in (low, high) else low <= high


def _fits_type(chosen: Leaf, offered: Column) -> bool:
    """Whether every value of the column fits the leaf."""
    if chosen.type == "choice":
        return offered.type == "choice" and set(offered.options) <= set(chosen.options)
    return chosen.type in ("text", offered.type)


def find_stuck_skills(skills: Sequence[Skill]) -> Iterator[tuple[str, int, str]]:
    """The id of each skill that can never begin, which of its `requires` waits, and for what.

    What no skill changes may come from elsewhere, and any value may be set where one is.
    """
    stuck, filled = {skill.id: skill for skill in skills}, set[str]()
    while free := [skill for skill in stuck.values() if _can_begin(skill, stuck, filled)]:
        for skill in free:
            filled |= skill.changed_paths
            del stuck[skill.id]
    for skill in stuck.values():
        for index, condition in enumerate(skill.requires):
            if not _can_hold(condition, stuck.values(), filled):
                yield skill.id, index, _stuck_message(skill, condition, stuck.values())


def _can_begin(skill: Skill, stuck: dict[str, Skill], filled: Collection[str]) -> bool:
    if skill.internal or skill.api_call_only:
        # Whoever calls it gives it a state of their own.
        return True
    return all(_can_hold(each, stuck.values(), filled) for each in skill.requires)


def _can_hold(condition: AnyCondition, stuck: Collection[Skill], filled: Collection[str]) -> bool:
    match condition:
        case AllOf():
            return all(_can_hold(each, stuck, filled) for each in condition.all)
        case AnyOf():
            return any(_can_hold(each, stuck, filled) for each in condition.any)
    if holds(condition, {}):
        return True
    waits_for = [
        path for path in paths_of(condition) if any(path in s.changed_paths for s in stuck)
    ]
    return not waits_for or bool(set(paths_of(condition)) & set(filled))


def _stuck_message(skill: Skill, condition: AnyCondition, stuck: Collection[Skill]) -> str:
    path = next(p for p in paths_of(condition) if any(p in other.changed_paths for other in stuck))
    by = [other.id for other in stuck if path in other.changed_paths]
    if by == [skill.id]:
        return f"could never hold: {path!r} is filled by this skill alone"
    return (
        f"could never hold: {path!r} is filled only by {', '.join(by)}, whose own requires wait "
        "in turn; let one of them begin without"
    )
