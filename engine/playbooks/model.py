"""What a playbook's YAML may say (spec 000 §1-4, spec 003)."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, Literal, Self

from pydantic import Field as Key
from pydantic import model_validator

from cards.frozen import Frozen
from cards.values import FILE_TEXT
from engine.playbooks.answer import AnswerDefinition
from engine.playbooks.conditions import AnyCondition
from engine.playbooks.entity import (
    MAX_ELEMENT_KINDS,
    MAX_KINDS,
    CaseDefinition,
    ElementDefinition,
    EntityDefinition,
)
from engine.playbooks.leaf import Leaf, value_faults
from engine.playbooks.nesting import split_path
from engine.playbooks.review import Deciders
from engine.playbooks.skill import Skill
from engine.playbooks.tool import ToolDefinition
from engine.ports.model import ModelBudget
from engine.text.elements import ElementKind
from engine.text.entity_kinds import PatternKind
from engine.text.language import LocalizedText
from engine.yaml.faults import Fault


class PriorityRule(Frozen):
    """When it holds, this skill goes first; one whose skill cannot run is an error (000 §3.2)."""

    when: AnyCondition
    skill: str


class Request(Frozen):
    """A kind of work that people ask a playbook for, with examples in both languages.

    `not_yet`: such a request is understood, and answered with that it cannot be done yet. `phases`
    are those that it goes through, in the playbook's order; empty for all. `roles` are those of
    which whoever asks must hold one; empty for everybody who may ask at all.
    """

    id: str
    name: LocalizedText
    examples: tuple[str, ...] = Key(min_length=1)
    not_yet: bool = False
    phases: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


class Announcement(Frozen):
    """A phase_done card: shown to the requester when the phase is complete.

    `shows` are the paths that it lists; empty for every data leaf that is not a list. With `holds`
    the run goes on to the next phase only once the requester has seen it; else it only informs. A
    run's last phase is never held. `tells` are others who are shown it where they are reached.
    """

    title: LocalizedText
    text: LocalizedText
    shows: tuple[str, ...] = ()
    holds: bool = False
    tells: tuple[Deciders, ...] = Key(default=(), max_length=5, exclude_if=lambda tells: not tells)


class Phase(Frozen):
    """One stage; complete when its gate and checkpoints hold (spec 000 §4).

    `depends_on` are earlier phases: when one of them is done again, this one is open again.
    """

    id: str
    name: LocalizedText
    goal: LocalizedText
    allowed_skills: tuple[str, ...] = ()
    priority_rules: tuple[PriorityRule, ...] = ()
    checkpoints: tuple[str, ...] = ()
    gate_field: str = ""
    gate_value: str | int | bool | None = None
    gate_check: str = ""
    done_card: Announcement | None = None
    depends_on: tuple[str, ...] = ()


class Sync(Frozen):
    """Where changed `fields` (paths) go after each skill: `sample`, or an http(s) address (003).

    With `ends` the end of each request is sent too, however it ends.
    """

    to: str
    fields: tuple[str, ...] = ()
    ends: bool = Key(default=False, exclude_if=lambda ends: not ends)

    @model_validator(mode="after")
    def _sends_something(self) -> Self:
        if not self.fields and not self.ends:
            raise ValueError("should have fields, or ends: true")
        return self


class PlaybookFile(Frozen):
    """What `playbook.yaml` says.

    It serves every project, or the `project` that it names alone. Without `requests` it only
    answers: its tools, answers and documents are all that it needs. A
    run that has `stall_after` times come back to the same state without hearing anybody is
    stopped. `budget` is what a run may use of the model before an operator lets it go on; without
    one the settings say so. `entities` are kinds of things that texts name, by their names in
    fields and tools; `elements` are kinds that element__extract takes out of texts and files.
    `case` says which runs share their state.
    """

    id: str
    name: LocalizedText
    project: str = ""
    case: CaseDefinition = CaseDefinition()
    cues: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    entities: dict[str, EntityDefinition] = Key(default={}, max_length=MAX_KINDS)
    elements: dict[str, ElementDefinition] = Key(default={}, max_length=MAX_ELEMENT_KINDS)
    profile_fields: dict[str, Leaf] = {}
    decision_fields: tuple[str, ...] = ()
    data_fields: dict[str, Leaf] = {}
    allowed_skills: tuple[str, ...] = ()
    priority_rules: tuple[PriorityRule, ...] = ()
    phases: tuple[Phase, ...] = ()
    sync: Sync | None = None
    stall_after: int = Key(default=3, ge=1, le=20)
    budget: ModelBudget | None = None

    def leaf(self, path: str) -> Leaf | None:
        """The definition of a profile field or data leaf; None for a decision or no such path."""
        group, name = split_path(path)
        return {"": self.data_fields, "profile": self.profile_fields}.get(group, {}).get(name)

    def value_faults(self, path: str, value: Any) -> list[Fault]:
        """What keeps a value from standing at a path of the state; [] when nothing does."""
        if path.startswith("decisions."):
            is_known = path.removeprefix("decisions.") in self.decision_fields
            wrong = (
                "" if isinstance(value, str | int | float | bool) else "should be a single value"
            )
            return [((), wrong or "no such decision")] if wrong or not is_known else []
        leaf = self.leaf(path)
        return [((), "no such field")] if leaf is None else value_faults(leaf, value)

    def phases_of(self, request: str) -> tuple[Phase, ...]:
        """The phases that a request of that id goes through; all of them without one."""
        wanted = next((r.phases for r in self.requests if r.id == request), ())
        return tuple(p for p in self.phases if not wanted or p.id in wanted)

    @property
    def pattern_kinds(self) -> tuple[PatternKind, ...]:
        """The kinds of entities that are known by the form of their ids."""
        kinds = (entity.pattern_kind(name) for name, entity in self.entities.items())
        return tuple(kind for kind in kinds if kind is not None)

    @property
    def element_kinds(self) -> tuple[ElementKind, ...]:
        """The kinds of things that texts have in a certain form."""
        return tuple(element.kind(name) for name, element in self.elements.items())

    @property
    def examples(self) -> tuple[str, ...]:
        """Messages that ask for what the playbook can do."""
        done = (request.examples for request in self.requests if not request.not_yet)
        return tuple(chain.from_iterable(done))


def pattern_kinds(playbooks: Iterable[PlaybookFile]) -> tuple[PatternKind, ...]:
    """The kinds that playbooks know by the form of their ids, each once."""
    return tuple(dict.fromkeys(kind for each in playbooks for kind in each.pattern_kinds))


class Playbook(Frozen):
    """A resolved playbook: everything a run of it ever needs. `digest` names its content.

    `tools` and `answers` are its own, as its `tools.yaml` and `answers.yaml` say; `templates` are
    the Word templates (base64) of its documents, by name.
    """

    schema_version: Literal[1] = 1
    definition: PlaybookFile
    skills: dict[str, Skill]
    tools: dict[str, ToolDefinition] = {}
    answers: dict[str, AnswerDefinition] = {}
    templates: dict[str, str] = {}
    digest: str = ""

    @model_validator(mode="before")
    @classmethod
    def _upgrade_stored(cls, stored: Any) -> Any:
        """A playbook as it was stored before, so that runs that are pinned to it go on as they did.

        Profile fields were once names alone, and every phase_done card held the run.
        """
        definition = stored.get("definition") if isinstance(stored, dict) else None
        if not isinstance(definition, dict):
            return stored
        definition = dict(definition)
        fields, phases = definition.get("profile_fields"), definition.get("phases")
        if isinstance(fields, list):
            definition["profile_fields"] = {n: {"label": {"zh": n, "en": n}} for n in fields}
        if isinstance(phases, list) and stored.get("digest"):
            definition["phases"] = [_with_hold(phase) for phase in phases]
        return {**stored, "definition": definition}

    def asked_leaves(self, request: str) -> tuple[Leaf, ...]:
        """What forms of the request of that id ask for."""
        phases = self.definition.phases_of(request)
        skills = (self.skills.get(name) for phase in phases for name in phase.allowed_skills)
        asked = (path for skill in skills if skill and skill.ask for path in skill.ask.fields)
        leaves = map(self.definition.leaf, dict.fromkeys(asked))
        return tuple(leaf for leaf in leaves if leaf)

    @cached_property
    def read_files(self) -> tuple[str, ...]:
        """The paths of files whose text its rules ask about."""
        definition = self.definition
        leaves = [*definition.data_fields.items()]
        leaves += [(f"profile.{name}", leaf) for name, leaf in definition.profile_fields.items()]
        files = {path: f"{path}.{FILE_TEXT}" for path, leaf in leaves if leaf.type == "file"}
        named = set(_texts_in(self.model_dump(mode="json"))) if files else set()
        return tuple(path for path, text in files.items() if named & {text, f"${text}"})

    @property
    def id(self) -> str:
        """The playbook's id."""
        return self.definition.id

    def phase(self, phase_id: str) -> Phase:
        """The phase of that id, which the loader has checked to exist."""
        return next(p for p in self.definition.phases if p.id == phase_id)


def _with_hold(phase: Any) -> Any:
    """A stored phase whose phase_done card holds the run, unless it says otherwise."""
    card = phase.get("done_card") if isinstance(phase, dict) else None
    return {**phase, "done_card": {"holds": True, **card}} if isinstance(card, dict) else phase


def _texts_in(node: Any) -> Iterator[str]:
    """Every text of a JSON value."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list | dict):
        for each in node.values() if isinstance(node, dict) else node:
            yield from _texts_in(each)
