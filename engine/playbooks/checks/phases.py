"""What models cannot check of playbook.yaml: gates that hold, phases that are reached (000 §4)."""

import re
from collections.abc import Sequence
from typing import Any

from engine.playbooks.checks.cases import case_faults
from engine.playbooks.checks.fields import computed_faults, typed_faults
from engine.playbooks.checks.names import FileCheck
from engine.playbooks.checks.review import ReviewCheck
from engine.playbooks.conditions import LogicCondition, paths_of
from engine.playbooks.entity import (
    ElementDefinition,
    EntityDefinition,
    definition_faults,
    element_faults,
)
from engine.playbooks.leaf import Leaf, OptionsFrom, TypedValue
from engine.playbooks.model import Announcement, Phase, PlaybookFile, PriorityRule, Sync
from engine.playbooks.nesting import NO_NAME, SECTIONS, split_path
from engine.playbooks.skill import RETRIEVAL, Skill
from engine.playbooks.tool import ToolFacts
from engine.rules.check import variables_of
from engine.text.elements import FORM_KINDS
from engine.text.template import READ_NAMES
from engine.yaml.faults import Path
from engine.yaml.source import Problems, try_build

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_PAIRED = ("integer", "number", "date", "time")


class PhaseCheck(FileCheck):
    """One pass over `playbook.yaml`; adds each problem where it stands."""

    def run(self, playbook: PlaybookFile) -> None:
        """Check fields, allowed skills, rules and every phase."""
        for key, leaves in (
            ("profile_fields", playbook.profile_fields),
            ("data_fields", playbook.data_fields),
        ):
            for name, leaf in leaves.items():
                self._leaf(leaf, (key, name), listed=key == "data_fields")
        for index, name in enumerate(playbook.decision_fields):
            self._name(name, ("decision_fields", index))
        for name, entity in playbook.entities.items():
            self._entity(entity, ("entities", name))
        for name, element in playbook.elements.items():
            self._element(name, element, playbook)
        self._allowed(playbook.allowed_skills, ("allowed_skills",))
        self._rules(playbook.priority_rules, ("priority_rules",))
        if not playbook.phases and playbook.examples:
            fault = "should have at least one phase, since not every request is not_yet"
            self.add(("phases",), fault)
        if playbook.examples and not playbook.cues:
            self.add(("cues",), "is required: the words that ask for its work, as in [book, order]")
        seen: set[str] = set()
        for index, phase in enumerate(playbook.phases):
            if phase.id in seen:
                self.add(("phases", index, "id"), f"phase {phase.id!r} is defined twice")
            seen.add(phase.id)
            self._phase(phase, ("phases", index), skills_for_all=bool(playbook.allowed_skills))
        for at, fault in case_faults(playbook):
            self.add(at, fault)
        for index, path in enumerate(playbook.case.own):
            self.check_path(path, ("case", "own", index))
        self._requests(playbook)
        if playbook.sync:
            self._sync(playbook.sync)

    def run_parts(self) -> None:
        """Check those phases that are sound in a file that is not."""
        data = self.source.data
        phases = data.get("phases") if isinstance(data, dict) else None
        for index in range(len(phases) if isinstance(phases, list) else 0):
            at = ("phases", index)
            phase = try_build(Phase, self.source, Problems(), at=at)
            if phase is not None:
                self._phase(phase, at, skills_for_all=True)

    def _name(self, name: str, at: Path) -> None:
        if not _NAME.fullmatch(name) or name in SECTIONS:
            self.add(at, NO_NAME)

    def _leaf(self, leaf: Leaf, at: Path, *, listed: bool) -> None:
        for name in str(at[-1]).split("."):
            self._name(name, at)
        for column in leaf.columns:
            self._name(column, (*at, "columns", column))
        if leaf.entity:
            self._entity_of(leaf, at)
        if leaf.options_from:
            self._options_from(leaf.options_from, (*at, "options_from"))
        if leaf.pair_with:
            self._pair(leaf, at)
        if leaf.computed is not None:
            self._computed(leaf, leaf.computed, at, listed=listed)
        if leaf.type == "list" and not listed:
            self.add((*at, "type"), "a list belongs among data_fields")
        if (leaf.type == "list") != bool(leaf.columns):
            fault = "is required for a list" if leaf.type == "list" else "belongs to a list"
            self.add((*at, "columns"), fault)
        typed: list[tuple[Path, TypedValue]] = [(at, leaf)]
        typed += [((*at, "columns", name), column) for name, column in leaf.columns.items()]
        for where, each in typed:
            for key, fault in typed_faults(each):
                self.add((*where, key), fault)
            if each.type == "list" and each is not leaf:
                self.add((*where, "type"), "a row is flat: a list holds no lists")

    def _computed(self, leaf: Leaf, logic: dict[str, Any], at: Path, *, listed: bool) -> None:
        """It reads data leaves, of those that are computed only the ones above it."""
        where = (*at, "computed")
        if not listed:
            self.add(where, "belongs among data_fields")
            return
        for key, fault in computed_faults(leaf):
            self.add((*at, key), fault)
        fields = self.names.definition.data_fields if self.names.definition else {}
        below = list(fields)[list(fields).index(str(at[-1])) :] if str(at[-1]) in fields else []
        for path in variables_of(logic):
            leaf_path = path.rpartition(".")[0] if self.names.is_part(path) else path
            if self.names.is_computed(leaf_path) and leaf_path in below:
                self.add(where, f"{path!r} is computed too: it has to stand above")
            elif split_path(path)[0]:
                self.add(where, f"{path!r} is no data field; only these are computed with")
        for inside, fault in self.names.condition_faults(LogicCondition(logic=logic)):
            self.add((*where, *inside[1:]), fault)

    def _options_from(self, source: OptionsFrom, at: Path) -> None:
        self.check_list_tool(source.tool, (*at, "tool"))
        facts = (self.names.tools or {}).get(source.tool, ToolFacts(writes=False))
        for key, column in (("value", source.value), ("label", source.label or source.value)):
            self.require_known(column, facts.columns, (*at, key), "column")
        for name, value in source.arguments.items():
            where = (*at, "with", name)
            self.require_known(name, facts.arguments, where, "argument")
            if isinstance(value, str) and value.startswith("$") and value[1:] not in READ_NAMES:
                self.check_path(value[1:], where)

    def _entity(self, entity: EntityDefinition, at: Path) -> None:
        if not _NAME.fullmatch(str(at[-1])):
            self.add(at, "is no name for a kind; use letters, digits and _, as in work_order")
        for inside, fault in definition_faults(entity):
            self.add((*at, *inside), fault)
        if entity.tool:
            self.check_list_tool(entity.tool, (*at, "tool"))

    def _element(self, name: str, element: ElementDefinition, playbook: PlaybookFile) -> None:
        at = ("elements", name)
        if name in playbook.entities:
            self.add(at, "is a kind of entity already, and found as that")
        if not _NAME.fullmatch(name) or name in FORM_KINDS:
            self.add(at, "is no name for a kind; use letters, digits and _, as in clause")
        for inside, fault in element_faults(element):
            self.add((*at, *inside), fault)

    def _pair(self, leaf: Leaf, at: Path) -> None:
        """What is written together is of one type, and one that is read so."""
        fields = self.names.definition.data_fields if self.names.definition else {}
        other = fields.get(leaf.pair_with)
        where = (*at, "pair_with")
        if leaf.type not in _PAIRED:
            self.add(where, f"belongs to a field of type {', '.join(_PAIRED)}")
        elif other is None or leaf.pair_with == at[-1]:
            self.require_known(leaf.pair_with, set(fields) - {str(at[-1])}, where, "field")
        elif other.type != leaf.type:
            self.add(where, f"is of type {other.type}, and this one of type {leaf.type}")

    def _entity_of(self, leaf: Leaf, at: Path) -> None:
        if leaf.type not in ("text", "entity"):
            self.add((*at, "entity"), "belongs to a text or an entity")
        kinds = self.names.definition.entities if self.names.definition else None
        self.require_known(leaf.entity, kinds, (*at, "entity"), "kind of entity")

    def _phase(self, phase: Phase, at: Path, *, skills_for_all: bool) -> None:
        if not phase.allowed_skills and not skills_for_all:
            self.add((*at, "allowed_skills"), "is required here or for the whole playbook")
        self._allowed(phase.allowed_skills, (*at, "allowed_skills"))
        self._rules(phase.priority_rules, (*at, "priority_rules"))
        for index, path in enumerate(phase.checkpoints):
            self.check_path(path, (*at, "checkpoints", index))
        if not phase.gate_field and not phase.checkpoints:
            self.add(at, "needs a gate_field or checkpoints, or it would never begin")
        if phase.gate_field:
            self._gate(phase, at)
        elif phase.gate_check or phase.gate_value is not None:
            key = "gate_check" if phase.gate_check else "gate_value"
            self.add((*at, key), "says nothing without a gate_field: name the field that it is of")
        if phase.done_card:
            self.check_text(phase.done_card.title, (*at, "done_card", "title"))
            self.check_text(phase.done_card.text, (*at, "done_card", "text"))
            self._announcement(phase.done_card, (*at, "done_card"))

    def _announcement(self, card: Announcement, at: Path) -> None:
        """What a phase_done card lists, and who else is told."""
        for index, path in enumerate(card.shows):
            self.check_path(path, (*at, "shows", index))
        review = ReviewCheck(self.names, self.source, self.problems)
        for index, part in enumerate(card.tells):
            review.deciders(part, (*at, "tells", index))
        if card.tells and card.holds:
            self.add((*at, "tells"), "does not go together with holds: others only read the card")

    def _gate(self, phase: Phase, at: Path) -> None:
        field, names = phase.gate_field, self.names
        self.check_path(field, (*at, "gate_field"))
        match phase.gate_value, phase.gate_check:
            case None, "":
                self.add((*at, "gate_field"), "needs gate_value or gate_check")
            case None, check:
                self.add((*at, "gate_check"), names.check_fault(field, check))
            case value, "":
                self.add((*at, "gate_value"), names.value_fault(field, value))
            case _:
                self.add((*at, "gate_check"), "either gate_value or gate_check should be given")
        skills = names.built_skills
        if skills is None:
            return
        if not any(field in skill.provided_paths for skill in skills if _is_selectable(skill)):
            fault = f"no skill provides {field!r}, so the phase could never end"
            self.add((*at, "gate_field"), fault)

    def _allowed(self, names: tuple[str, ...], at: Path) -> None:
        for index, name in enumerate(names):
            self.require_skill(name, (*at, index))
            skill = self.names.skills.get(name)
            if skill and not skill.changed_paths and skill.category != RETRIEVAL:
                fault = f"{name!r} fills and sets nothing, so it could be chosen for ever"
                self.add((*at, index), fault)

    def _rules(self, rules: tuple[PriorityRule, ...], at: Path) -> None:
        for index, rule in enumerate(rules):
            self.check_condition(rule.when, (*at, index, "when"))
            self.require_skill(rule.skill, (*at, index, "skill"))
            skill = self.names.skills.get(rule.skill)
            if skill and not set(paths_of(rule.when)) & skill.changed_paths:
                read = ", ".join(paths_of(rule.when))
                fault = f"{rule.skill!r} changes none of {read}, so the rule would hold for ever"
                self.add((*at, index, "skill"), fault)

    def _requests(self, playbook: PlaybookFile) -> None:
        phases = {phase.id: index for index, phase in enumerate(playbook.phases)}
        used: set[str] = set()
        for number, request in enumerate(playbook.requests):
            for index, role in enumerate(request.roles):
                where = ("requests", number, "roles", index)
                self.require_known(role, self.names.roles, where, "role in people.yaml")
            at: Path = ("requests", number, "phases")
            for index, name in enumerate(request.phases):
                self.require_known(name, phases, (*at, index), "phase")
            if not request.not_yet:
                used |= {phase.id for phase in playbook.phases_of(request.id)}
                self._ends(playbook, request.id)
        for name, index in phases.items():
            if name not in used:
                self.add(("phases", index, "id"), f"no request goes through phase {name!r}")

    def _ends(self, playbook: PlaybookFile, request: str) -> None:
        """Each goal of a request's phases must be filled by what runs up to there."""
        skills = self.names.built_skills
        if skills is None:
            return
        provided = [(s.id, s.provided_paths) for s in skills if _is_selectable(s)]
        allowed: set[str] = set()
        for phase in playbook.phases_of(request):
            allowed |= set(phase.allowed_skills or playbook.allowed_skills)
            if not allowed <= set(self.names.skills):
                # Who knows what the one that is not there would have filled.
                return
            filled = {path for name, paths in provided if name in allowed for path in paths}
            at: Path = ("phases", playbook.phases.index(phase))
            wanted: list[tuple[str, Path]] = [
                (path, ("checkpoints", n)) for n, path in enumerate(phase.checkpoints)
            ]
            wanted += [(phase.gate_field, ("gate_field",))] if phase.gate_field else []
            for path, where in wanted:
                by = [name for name, paths in provided if path in paths]
                # A path that names nothing, or a gate that no skill fills, is told already.
                known = not self.names.path_fault(path) and (by or "gate_field" not in where)
                if path not in filled and known:
                    self.add((*at, *where), _unfilled_message(path, by, request))

    def _sync(self, sync: Sync) -> None:
        for index, path in enumerate(sync.fields):
            self.check_path(path, ("sync", "fields", index))


def _unfilled_message(path: str, by: Sequence[str], request: str) -> str:
    if not by:
        return f"no skill provides {path!r}, so the phase could never end"
    return (
        f"{path!r} is provided only by {', '.join(by)}, which no phase up to this one allows in "
        f"request {request!r}: the phases after it cannot be reached"
    )


def _is_selectable(skill: Skill) -> bool:
    """Whether a phase can choose the skill at all."""
    return not (skill.internal or skill.api_call_only or skill.category == RETRIEVAL)
