"""What models cannot check of a skill: its part, paths, output and card (000 §2, 003)."""

from typing import assert_never

from engine.playbooks.checks.jobs import JobsCheck
from engine.playbooks.checks.names import Checking, Names
from engine.playbooks.checks.plan import PlanCheck
from engine.playbooks.checks.planner import PlannerCheck
from engine.playbooks.checks.sop import SopCheck
from engine.playbooks.leaf import Column, Leaf
from engine.playbooks.skill import FILES, RETRIEVAL, Ask, OutputSchema, Skill, SkillCard
from engine.yaml.source import Problems, Source

_PARTS = {
    "prompt": ("ask", "system_prompt"),
    "sop": ("sop",),
    "tool_plan": ("plan", "planner"),
    "job_graph": ("jobs",),
}
"""A skill of this kind has one of these parts, and none of the others'."""
_WITH_MODEL = ("output_schema", "tools", "card")


class SkillCheck(Checking):
    """One pass over a skill's file; adds each problem where it stands."""

    def __init__(self, names: Names, skill: Skill, source: Source, problems: Problems) -> None:
        super().__init__(names, source, problems)
        self._it = skill
        self._inner = (names, source, problems)

    def run(self) -> None:
        """Check the skill's part, paths and references."""
        skill = self._it
        self._parts(skill)
        for index, condition in enumerate(skill.requires):
            self.condition(condition, ("requires", index))
        for index, path in enumerate(skill.provides):
            self.path(path, ("provides", index))
        self.sets(skill.sets, ("sets",))
        if skill.category == RETRIEVAL:
            self._retrieval(skill)
        if skill.ask:
            self._ask(skill.ask)
        if skill.category == FILES and not skill.system_prompt:
            fault = "files are read by a skill with a system_prompt; name another category"
            self.add(("category",), fault)
        self._output(skill.output_schema)
        self.tools(skill.tools, ("tools",))
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
        for index, name in enumerate(ask.fields):
            known = self.names.data_fields
            self.known(name, known, ("ask", "fields", index), "data field")
        if ask.instead:
            at = ("ask", "instead")
            self.known(ask.instead.of, ask.fields, (*at, "of"), "asked field")
            self.sets(ask.instead.sets, (*at, "sets"))

    def _output(self, schema: OutputSchema) -> None:
        for group, key, names in (
            ("profile", "profile_fields", schema.profile),
            ("data", "data_fields", schema.data),
        ):
            for index, name in enumerate(names):
                known = self.names.fields[key]
                what = f"{group} field"
                self.known(name, known, ("output_schema", group, index), what)

    def _card(self, card: SkillCard) -> None:
        for index, path in enumerate(card.shows):
            self.path(path, ("card", "shows", index))
        if card.decision:
            known = self.names.fields["decision_fields"]
            self.known(card.decision, known, ("card", "decision"), "decision field")
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
                    self.path(card.field, ("card", "field"))
                self._options(card.options_from, card.field)
            case _:
                assert_never(card.kind)

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
        if chosen and not _takes(chosen, offered):
            fault = f"takes {chosen.type} values, and {options_from} has {offered.type} ones"
            self.add(("card", "field"), fault)
        elif chosen and not _has_bounds_of(chosen, offered):
            fault = f"is bounded, and {options_from} is not so: a choice might not fit"
            self.add(("card", "field"), fault)


def _has_bounds_of(chosen: Leaf, offered: Column) -> bool:
    """Whether what fits the column fits the leaf as well."""
    low, high = offered.minimum, offered.maximum
    return (
        chosen.pattern in ("", offered.pattern)
        and (chosen.minimum is None or (low is not None and low >= chosen.minimum))
        and (chosen.maximum is None or (high is not None and high <= chosen.maximum))
    )


def _takes(chosen: Leaf, offered: Column) -> bool:
    """Whether every value of the column fits the leaf."""
    if chosen.type == "choice":
        return offered.type == "choice" and set(offered.options) <= set(chosen.options)
    return chosen.type in ("text", offered.type)
