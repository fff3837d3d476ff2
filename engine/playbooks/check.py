"""What models cannot check: names, paths, gates that can hold, who may approve (spec 000 §4)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.conditions import checked_path
from engine.faults import Path, suggestion
from engine.playbooks.model import Phase, PlaybookFile, PriorityRule, Skill
from engine.source import Problems, Source, try_build

_KINDS = {"": "data_fields", "profile": "profile_fields", "decisions": "decision_fields"}


@dataclass(frozen=True, slots=True)
class Names:
    """What a playbook's files may refer to.

    What faults of another kind keep from being known is None, and what depends on it is not
    checked, so that no problem is told that is none.
    """

    fields: Mapping[str, Collection[str] | None]
    """By the keys of playbook.yaml that list them."""
    skills: Mapping[str, Skill | None]
    roles: Collection[str] | None
    held: Collection[str] | None

    @property
    def data_fields(self) -> Collection[str] | None:
        """The data leaves."""
        return self.fields["data_fields"]

    @property
    def built(self) -> Sequence[Skill] | None:
        """Every skill; None while there is one that is not known."""
        known = [skill for skill in self.skills.values() if skill is not None]
        return known if len(known) == len(self.skills) else None

    def path_fault(self, path: str) -> str:
        """Why a path names no allowed profile or decision field and no data leaf; "" if it does."""
        try:
            checked_path(path)
        except ValueError as error:
            return str(error)
        group, _, name = path.rpartition(".")
        kind = _KINDS[group]
        known = self.fields[kind]
        if known is None or name in known:
            return ""
        return f"{name!r} is not among {kind}; {suggestion(name, known)}".rstrip("; ")


def fields_of(source: Source | None) -> dict[str, Collection[str] | None]:
    """The names that a playbook.yaml lists, however faulty the rest of it is."""
    data = source.data if source else None
    fields: dict[str, Collection[str] | None] = {}
    for kind in _KINDS.values():
        # A key that is not there is an empty list, or is there under a wrong name.
        given = data.get(kind) if isinstance(data, dict) else None
        fields[kind] = None
        if isinstance(given, dict | list) and all(isinstance(name, str) for name in given):
            fields[kind] = tuple(given)
    return fields


class PhaseCheck:
    """One pass over `playbook.yaml`; adds each problem where it stands."""

    def __init__(self, names: Names, source: Source, problems: Problems) -> None:
        self._names = names
        self._source = source
        self._problems = problems

    def run(self, playbook: PlaybookFile) -> None:
        """Check allowed skills, rules and every phase."""
        self._allowed(playbook.allowed_skills, ("allowed_skills",))
        self._rules(playbook.priority_rules, ("priority_rules",))
        if not playbook.phases and playbook.examples:
            fault = "should have at least one phase, since not every request is not_yet"
            self._add(("phases",), fault)
        seen: set[str] = set()
        for index, phase in enumerate(playbook.phases):
            if phase.id in seen:
                self._add(("phases", index, "id"), f"phase {phase.id!r} is defined twice")
            seen.add(phase.id)
            self._phase(phase, ("phases", index), skills_for_all=bool(playbook.allowed_skills))

    def run_parts(self) -> None:
        """Check those phases that are sound in a file that is not."""
        data = self._source.data
        phases = data.get("phases") if isinstance(data, dict) else None
        for index in range(len(phases) if isinstance(phases, list) else 0):
            at = ("phases", index)
            phase = try_build(Phase, self._source, Problems(), at=at)
            if phase is not None:
                self._phase(phase, at, skills_for_all=True)

    def _add(self, path: Path, message: str) -> None:
        if message:
            self._problems.add(self._source.problem(path, message))

    def _phase(self, phase: Phase, at: Path, *, skills_for_all: bool) -> None:
        if not phase.allowed_skills and not skills_for_all:
            self._add((*at, "allowed_skills"), "is required here or for the whole playbook")
        self._allowed(phase.allowed_skills, (*at, "allowed_skills"))
        self._rules(phase.priority_rules, (*at, "priority_rules"))
        for index, path in enumerate(phase.checkpoints):
            self._add((*at, "checkpoints", index), self._names.path_fault(path))
        if not phase.gate_field and not phase.checkpoints:
            self._add(at, "needs a gate_field or checkpoints, or it would never begin")
        if phase.gate_field:
            self._gate(phase, at)

    def _gate(self, phase: Phase, at: Path) -> None:
        at = (*at, "gate_field")
        self._add(at, self._names.path_fault(phase.gate_field))
        if phase.gate_value is None and not phase.gate_check:
            self._add(at, "needs gate_value or gate_check")
        skills = self._names.built
        if skills is None:
            return
        if not any(phase.gate_field in skill.provides for skill in skills):
            self._add(at, f"no skill provides {phase.gate_field!r}, so the phase could never end")

    def _allowed(self, names: tuple[str, ...], at: Path) -> None:
        for index, name in enumerate(names):
            self._skill(name, (*at, index))

    def _rules(self, rules: tuple[PriorityRule, ...], at: Path) -> None:
        for index, rule in enumerate(rules):
            fault = self._names.path_fault(rule.when.field)
            self._add((*at, index, "when", "field"), fault)
            self._skill(rule.skill, (*at, index, "skill"))

    def _skill(self, name: str, at: Path) -> None:
        known = self._names.skills
        if name not in known:
            self._add(at, f"there is no skill {name!r}; {suggestion(name, known)}")
