"""The names that a playbook's files may refer to, and what refers to none (spec 000 §4)."""

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from cards.values import FILE_TEXT, MONEY_PARTS
from engine.playbooks.conditions import (
    AllOf,
    AnyCondition,
    AnyOf,
    Condition,
    LogicCondition,
    Scalar,
    parse_check,
    paths_of,
    validate_path,
)
from engine.playbooks.leaf import value_faults
from engine.playbooks.model import PlaybookFile
from engine.playbooks.nesting import split_path
from engine.playbooks.skill import Setting, Skill
from engine.playbooks.tool import ToolFacts
from engine.rules.check import check_logic, variables_of
from engine.rules.names import RuleNames
from engine.rules.operand_checks import operand_faults
from engine.rules.operators import is_same
from engine.text.language import LocalizedText
from engine.text.template import CONTEXT_NAMES, names_in
from engine.yaml.faults import Fault, Path, short_repr, suggestion
from engine.yaml.source import Problems, Source

_KINDS = {"": "data_fields", "profile": "profile_fields", "decisions": "decision_fields"}


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What a playbook's files may refer to.

    What faults of another kind keep from being known is None, and what depends on it is not
    checked, so that no problem is told that is none.
    """

    fields: Mapping[str, Collection[str] | None]
    """By the keys of playbook.yaml that list them."""
    definition: PlaybookFile | None
    skills: Mapping[str, Skill | None]
    roles: Collection[str] | None
    held_roles: Collection[str] | None
    people: Mapping[str, Collection[str]] | None = None
    """The roles of each person; None when they are not known."""
    tools: Mapping[str, ToolFacts] | None = None
    """Every tool, the playbook's own too; None when they are not known."""
    templates: Mapping[str, str] | None = None
    """The Word templates of its folder `documents` (base64) by name; None when not known."""

    @property
    def data_fields(self) -> Collection[str] | None:
        """The data leaves."""
        return self.fields["data_fields"]

    @property
    def built_skills(self) -> Sequence[Skill] | None:
        """Every skill; None while there is one that is not known."""
        known = [skill for skill in self.skills.values() if skill is not None]
        return known if len(known) == len(self.skills) else None

    def rule_names(self, **more: str) -> RuleNames:
        """What a rule over the state may read, and the types of `more` names."""
        types: dict[str, str] = {}
        for group, kind in _KINDS.items():
            known = self.fields[kind]
            if known is None and not group:
                return RuleNames()
            # Of a group whose names are not known every part may be there.
            paths = [group] if known is None else [f"{group}.{n}" if group else n for n in known]
            types |= {path: self._type_of(path) for path in paths}
        return RuleNames(types | more, self._columns())

    def _type_of(self, path: str) -> str:
        leaf = self.definition.leaf(path) if self.definition else None
        return leaf.type if leaf else ""

    def _columns(self) -> dict[str, dict[str, str]]:
        leaves = self.definition.data_fields.items() if self.definition else ()
        return {
            name: {column: part.type for column, part in leaf.columns.items()}
            for name, leaf in leaves
            if leaf.type == "list"
        }

    def path_fault(self, path: str) -> str:
        """Why a path names no allowed profile or decision field and no data leaf; "" if it does."""
        try:
            validate_path(path)
        except ValueError as error:
            return str(error)
        group, name = split_path(path)
        kind = _KINDS[group]
        known = self.fields[kind]
        if known is None or name in known or self.is_part(path):
            return ""
        hint = _with_group(path) or suggestion(name, known)
        return f"{name!r} is not among {kind}; {hint}".rstrip("; ")

    def is_computed(self, path: str) -> bool:
        """Whether a path names a data leaf that nobody gives."""
        leaf = self.definition.leaf(path) if self.definition else None
        return leaf is not None and leaf.computed is not None

    def computed_from(self, path: str) -> str:
        """The name of a leaf that is computed from what stands at the path; "" where none is."""
        leaves = self.definition.data_fields.items() if self.definition else ()
        read = {name: variables_of(leaf.computed) for name, leaf in leaves if leaf.computed}
        return next((name for name, paths in read.items() if _reads(paths, path)), "")

    def is_part(self, path: str) -> bool:
        """Whether a path names a part of a value that stands at a leaf: the currency of money."""
        whole, _, part = path.rpartition(".")
        return self._type_of(whole) == "money" and part in MONEY_PARTS

    def _is_content(self, path: str) -> bool:
        """Whether a path names what a file contains, which only rules ask about."""
        whole, _, part = path.rpartition(".")
        return self._type_of(whole) == "file" and part == FILE_TEXT

    def check_fault(self, path: str, check: str) -> str:
        """Why a check of the path does not parse or can never be met; "" when it may be."""
        try:
            values = parse_check(check).values
        except ValueError as error:
            return str(error)
        return next(filter(None, (self.value_fault(path, value) for value in values)), "")

    def value_fault(self, path: str, value: Scalar) -> str:
        """Why the path can never hold the value; "" when it may, or when that is not known."""
        if value is None or self.path_fault(path):
            return ""
        if path.startswith("decisions."):
            return self._decision_fault(path, value)
        leaf = self.definition.leaf(path) if self.definition else None
        if leaf is not None and leaf.type == "choice" and not leaf.options:
            # That it has none is told already.
            return ""
        faults = value_faults(leaf, value) if leaf else []
        if not faults:
            return ""
        quoted = leaf is not None and leaf.type in ("text", "choice", "date")
        hint = "; write it in quotes" if quoted and not isinstance(value, str) else ""
        return f"{path} never holds this: {faults[0][1]}{hint}"

    def _decision_fault(self, path: str, value: Scalar) -> str:
        if self.built_skills is None:
            return ""
        decided = [skill.card.decision for skill in self.built_skills if skill.card]
        known: list[Scalar] = [True] if path.removeprefix("decisions.") in decided else []
        known += [s[path] for skill in self.built_skills for s in skill.all_settings if path in s]
        if any(is_same(value, each) for each in known):
            return ""
        told = " or ".join(dict.fromkeys(short_repr(each) for each in known if each is not None))
        told = f"what sets it sets {told}" if told else "no card and no outcome sets it"
        return f"{path} never holds {short_repr(value)}: {told}"

    def condition_faults(self, condition: AnyCondition) -> list[Fault]:
        """The paths in a condition that name nothing, each with where in it they stand."""
        match condition:
            case Condition(field=field):
                if fault := self.path_fault(field):
                    return [(("field",), fault)]
                fault = self.check_fault(field, condition.check)
                return [(("check",), fault)] if fault else []
            case AllOf(all=parts):
                return self._parts_faults("all", parts)
            case AnyOf(any=parts):
                return self._parts_faults("any", parts)
            case LogicCondition(logic=logic):
                unfit = operand_faults(logic, self.rule_names())
        read = (path for path in paths_of(condition) if not self._is_content(path))
        faults = [self.path_fault(path) for path in read]
        inner = [] if any(faults) else check_logic(logic, self.rule_names())
        return [
            *((("logic",), fault) for fault in faults if fault),
            *((("logic", *inside), fault) for inside, fault in inner),
            *((("logic", *inside), fault) for inside, fault in unfit),
        ]

    def _parts_faults(self, key: str, parts: Sequence[AnyCondition]) -> list[Fault]:
        return [
            ((key, number, *inside), fault)
            for number, part in enumerate(parts)
            for inside, fault in self.condition_faults(part)
        ]

    def text_fault(self, name: str) -> str:
        """Why `{name}` stands for nothing in a text that people read; "" when it does."""
        data, definition = self.fields["data_fields"], self.definition
        leaf = definition.leaf(name) if definition else None
        if leaf is not None and leaf.type == "list":
            return f"{{{name}}} is a list, which no text holds; a card lists it with shows"
        if not self.path_fault(name) and not self.is_part(name):
            return ""
        if name not in CONTEXT_NAMES:
            told = suggestion(name, (*CONTEXT_NAMES, *(data or ())))
            return "" if data is None else f"nothing fills {{{name}}}; {told}"
        if name == "case" and definition and definition.case.of in ("request", "conversation"):
            return f"{{case}} has no name here: case is {definition.case.of}"
        return ""


class FileCheck:
    """A pass over one file: adds each problem where it stands."""

    def __init__(self, names: KnownNames, source: Source, problems: Problems) -> None:
        self.names = names
        self.source = source
        self.problems = problems

    def add(self, path: Path, message: str) -> None:
        """A problem at that path of the file; "" is none."""
        if message:
            self.problems.add(self.source.problem(path, message))

    def check_text(self, text: LocalizedText | None, at: Path) -> None:
        """Every `{name}` in a text that people read must stand for something."""
        for lang, written in text.root.items() if text else ():
            for name in names_in(written):
                self.add((*at, lang) if lang else at, self.names.text_fault(name))

    def check_path(self, path: str, at: Path) -> None:
        """The path must name a profile or decision field or a data leaf."""
        self.add(at, self.names.path_fault(path))

    def require_known(self, name: str, known: Collection[str] | None, at: Path, what: str) -> None:
        """The name must be among those that are known; None when they are not."""
        if known is not None and name not in known:
            self.add(at, f"there is no {what} {name!r}; {suggestion(name, known)}".rstrip("; "))

    def check_condition(self, condition: AnyCondition, at: Path) -> None:
        """Every path in the condition must name something."""
        for inside, fault in self.names.condition_faults(condition):
            self.add((*at, *inside), fault)

    def check_settings(
        self, sets: Mapping[str, Setting], at: Path, *, by_review: bool = False
    ) -> None:
        """What is set must be profile or decision fields, and of their types."""
        for path, value in sets.items():
            self.check_path(path, (*at, path))
            if not path.startswith(("profile.", "decisions.")):
                self.add((*at, path), "should be a profile or decisions field")
            if path.startswith("decisions.") and value is not None and not by_review:
                self.add((*at, path), "only a human_review can set a decision; null clears it")
            definition = self.names.definition
            leaf = definition.leaf(path) if definition else None
            if leaf is not None and value is not None:
                for _, fault in value_faults(leaf, value):
                    self.add((*at, path), fault)

    def check_read_tools(self, names: Sequence[str], at: Path) -> None:
        """Every one must be a tool that only reads."""
        tools = self.names.tools
        for index, name in enumerate(names):
            if tools and name in tools and tools[name].writes:
                fault = f"{name!r} writes; a model reaches only tools that read"
                self.add((*at, index), fault)
            else:
                self.require_known(name, self._reading, (*at, index), "tool")

    @property
    def _reading(self) -> Collection[str] | None:
        """The tools that only read; None when they are not known."""
        tools = self.names.tools
        return tools and [known for known, facts in tools.items() if not facts.writes]

    def check_list_tool(self, name: str, at: Path) -> None:
        """It must be a tool that only reads, and gives more than one thing."""
        tools = self.names.tools
        if tools and name in tools and tools[name].writes:
            self.add(at, f"{name!r} writes; a list comes from a tool that reads")
        elif tools and name in tools and not tools[name].lists:
            self.add(at, f"{name!r} gives no list; in tools.yaml a list is `result: many`")
        else:
            self.require_known(name, self._reading, at, "tool")

    def check_single_tool(self, name: str, at: Path) -> None:
        """It must be a tool that only reads, and gives one thing."""
        facts = (self.names.tools or {}).get(name)
        if facts and facts.writes:
            self.add(at, f"{name!r} writes; what is looked up comes from a tool that reads")
        elif facts and facts.lists:
            self.add(at, f"{name!r} gives a list; a tool that gives one thing is `result: one`")
        else:
            self.require_known(name, self._reading, at, "tool")

    def check_arguments(
        self, tool: str, facts: ToolFacts, given: Collection[str], at: Path
    ) -> None:
        """Every argument must be one of the tool's, and none that it needs may be left out."""
        for name in given:
            self.require_known(name, facts.arguments, (*at, name), "argument")
        for name in sorted(facts.required - set(given)):
            self.add(at, f"lacks {name!r}, which {tool} needs")

    def check_given(self, path: str, at: Path) -> None:
        """Nobody gives what is computed."""
        if self.names.is_computed(path):
            self.add(at, f"{path!r} is computed: nothing else fills it")

    def require_skill(self, name: str, at: Path) -> None:
        """The skill must be there."""
        self.require_known(name, self.names.skills, at, "skill")


def _reads(paths: Collection[str], path: str) -> bool:
    return any(each == path or each.startswith(f"{path}.") for each in paths)


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


def _with_group(path: str) -> str:
    """`did you mean 'decisions.x'?` where what stands before the dot is nearly a group."""
    group, dot, name = path.partition(".")
    if not dot or group in _KINDS:
        return ""
    near = difflib.get_close_matches(group, [each for each in _KINDS if each], n=1)
    return f"did you mean {f'{near[0]}.{name}'!r}?" if near else ""
